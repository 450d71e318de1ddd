"""The student: a few of the teacher's trees and subtrees that approximate it.

Trees enter and leave one at a time. A tree is worthwhile if it lowers the mean squared distance to
the teacher by more than the price of its nodes. With z the standardised candidates,
G = zᵀz/P + αI and b = zᵀT/P, the distance of a selection is |T|²/P − bᵀG⁻¹b. A Cholesky factor that
grows with the selection gives the decrease for all candidates at once: only the rows of G of
selected trees are computed.
"""

from typing import NamedTuple

import numpy as np

from ...core.arrays import Floats, Integers
from ..compilation.kernels import kernel, part_of_kernel
from ..numerics.lanes import dot

RIDGE = 1e-3
DEPENDENT = 1e-4
"""A candidate with a smaller share unexplained by the selected trees is redundant."""
ROUNDS = 2
"""Number of rounds of adding and removing trees before the last addition."""


class StudentSelection(NamedTuple):
    """A selection of at most `most` out of C candidates."""

    chosen: Integers
    gram: Floats
    """most × C: the rows of G of the chosen ones."""
    factor: Floats
    """most × most: the Cholesky factor of their part of G."""
    solved: Floats
    """most × C: that factor's inverse applied to `gram`."""
    answer: Floats
    """The same applied to b."""
    left: Floats
    """The part of each candidate's diagonal of G that the chosen ones leave …"""
    moment: Floats
    """… and of its b."""
    diagonal: Floats
    moments: Floats
    weights: Floats
    size: Integers
    """Nodes of each candidate."""
    max_size: int
    """Maximum number of nodes of the chosen ones."""


@kernel
def _begin(values: Floats, teacher: Floats, selection: StudentSelection) -> None:
    n = len(teacher)
    for c in range(len(values)):
        selection.diagonal[c] = dot(values[c], values[c], n) / n + RIDGE
        selection.moments[c] = dot(values[c], teacher, n) / n


@part_of_kernel
def _enter(values: Floats, selection: StudentSelection, count: int) -> None:
    """Add chosen[count], whose row of G is known, to the factor."""
    gram, solved, row = selection.gram[count], selection.solved[count], selection.factor[count]
    own = selection.chosen[count]
    for c in range(len(gram)):
        solved[c] = gram[c]
    for k in range(count):
        before, share = selection.solved[k], selection.solved[k, own]
        row[k] = share
        for c in range(len(gram)):
            solved[c] -= share * before[c]
    pivot = np.sqrt(selection.left[own])
    row[count] = pivot
    answer = selection.moment[own] / pivot
    selection.answer[count] = answer
    for c in range(len(gram)):
        solved[c] /= pivot
        selection.left[c] -= solved[c] * solved[c]
        selection.moment[c] -= answer * solved[c]


@kernel
def _rebuild(values: Floats, selection: StudentSelection, count: int) -> None:
    """Rebuild the factor of the first `count` chosen ones."""
    for c in range(len(values)):
        selection.left[c] = selection.diagonal[c]
        selection.moment[c] = selection.moments[c]
    for k in range(count):
        _enter(values, selection, k)


@kernel
def _forward(values: Floats, price: Floats, selection: StudentSelection, count: int) -> int:
    """Add the most worthwhile tree while there is one; return the number of chosen ones."""
    n = values.shape[1]
    _rebuild(values, selection, count)
    room = selection.max_size
    for k in range(count):
        room -= selection.size[selection.chosen[k]]
    while count < len(selection.chosen):
        best, most = -1, 0.0
        for c in range(len(values)):
            if selection.size[c] <= room and selection.left[c] > DEPENDENT * selection.diagonal[c]:
                moment = selection.moment[c]
                gain = moment * moment / selection.left[c] - price[c]
                if gain > most:
                    best, most = c, gain
        if best < 0:
            break
        selection.chosen[count] = best
        gram = selection.gram[count]
        for c in range(len(values)):
            gram[c] = dot(values[c], values[best], n) / n
        gram[best] = selection.diagonal[best]
        _enter(values, selection, count)
        room -= selection.size[best]
        count += 1
    return count


@kernel
def _solve(selection: StudentSelection, count: int) -> None:
    """Compute the weights of the chosen ones."""
    for i in range(count - 1, -1, -1):
        total = selection.answer[i]
        for k in range(i + 1, count):
            total -= selection.factor[k, i] * selection.weights[k]
        selection.weights[i] = total / selection.factor[i, i]


@part_of_kernel
def _diagonal_of_inverse(factor: Floats, count: int, which: int) -> float:
    """Return entry (which, which) of (LLᵀ)⁻¹, the squared length of a column of L⁻¹."""
    column = np.zeros(count)
    total = 0.0
    for i in range(which, count):
        value = 1.0 if i == which else 0.0
        for k in range(which, i):
            value -= factor[i, k] * column[k]
        column[i] = value / factor[i, i]
        total += column[i] * column[i]
    return total


@kernel
def _backward(values: Floats, price: Floats, selection: StudentSelection, count: int) -> int:
    """Remove the least worthwhile tree while one costs more than it gains."""
    while count > 1:
        _solve(selection, count)
        worst, most = -1, 0.0
        for k in range(count):
            weight = selection.weights[k]
            rise = weight * weight / _diagonal_of_inverse(selection.factor, count, k)
            saved = price[selection.chosen[k]] - rise
            if saved > most:
                worst, most = k, saved
        if worst < 0:
            break
        count -= 1
        for k in range(worst, count):
            selection.chosen[k] = selection.chosen[k + 1]
            row, following = selection.gram[k], selection.gram[k + 1]
            for c in range(len(row)):
                row[c] = following[c]
        _rebuild(values, selection, count)
    return count


def select(
    values: Floats,
    teacher: Floats,
    price: Floats,
    most: int,
    size: Integers | None = None,
    max_size: int | None = None,
) -> tuple[Integers, Floats]:
    """Return the chosen candidates (rows of `values`) and their weights.

    `values` are candidates × points, standardised; `teacher` has a value for each point; `price`
    is the cost of a candidate, in units of the squared distance. The chosen ones have at most
    `max_size` nodes; `size` are the nodes of each.
    """
    count = len(values)
    if size is None or max_size is None:
        size, max_size = np.zeros(count, np.int64), 0  # trees without nodes always fit
    selection = StudentSelection(
        chosen=np.zeros(most, np.int64),
        gram=np.empty((most, count)),
        factor=np.zeros((most, most)),
        solved=np.empty((most, count)),
        answer=np.empty(most),
        left=np.empty(count),
        moment=np.empty(count),
        diagonal=np.empty(count),
        moments=np.empty(count),
        weights=np.empty(most),
        size=size,
        max_size=max_size,
    )
    _begin(values, teacher, selection)
    chosen = 0
    for _ in range(ROUNDS):
        chosen = _forward(values, price, selection, chosen)
        chosen = _backward(values, price, selection, chosen)
    chosen = _forward(values, price, selection, chosen)
    _solve(selection, chosen)
    return selection.chosen[:chosen].copy(), selection.weights[:chosen].copy()
