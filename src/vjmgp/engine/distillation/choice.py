"""Choose the formula to show, among candidates of any origin.

Candidates compete by their leave-one-out errors, row by row. A node costs less if there are more
rows and less noise. Where labels decided about a formula's constants or terms, its errors are too
small: `liberty` enlarges them. Errors of a hundred rows tell little about similar students: the
usual one stays unless another is better by half a standard error, or a plain form, a law or a line,
by a whole one. Then a plain form is taken if it is written shorter and about as good.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...core.arrays import Codes, Floats, Integers
from ..objectives.row_weights import RowWeights
from ..search.archive import Archive
from ..trees.primitives import (
    ABS,
    ADD,
    AQ,
    COS,
    FIRST_VARIABLE,
    LOG,
    MAX,
    MIN,
    NEG,
    SIN,
    SQRT,
    SUB,
    arity,
)
from .candidates import Candidates, values_of

NODE_PRICE = 0.11
"""Price of a node as a multiple of noise · log(rows) / rows …"""
MOST_NODE_PRICE = 0.0015
"""… and at most, in target variances."""
BETTER, PLAIN_BETTER = 0.5, 1.0
"""Difference of errors, in standard errors, by which a student takes the place of the usual one,
and by which a plain form does."""
AS_GOOD, LARGER, LARGER_ROWS = 0.75, 0.05, 5.0
"""Difference of errors, in standard errors and as a share, up to which a simpler form is taken;
the share is LARGER_ROWS / rows if rows are few."""
EXACT = 1e-15
"""Squared errors below this are rounding."""
MOST_FREE = 50.0
LARGEST = 4.0
"""Errors beyond this multiple of the best candidate's root mean square count as this: a few rows
must not decide."""
DISTILLED = 0.75
"""Liberty of a student, whose trees evolved on the labels …"""
FITTED = 1.0
"""… of a student whose constants are fitted to them, too …"""
LINE = 0.3
"""… of a line, whose inputs are selected …"""
LAW = 0.93
"""… and of a law, times the logarithm of the number of inputs: the more, the more laws there are to
select from."""
DEARER = {SIN: 2, COS: 2, ABS: 1, MAX: 1, MIN: 1}
"""Nodes that a function counts as, beyond itself."""
LONGER = {AQ: 5, LOG: 4, SQRT: 1}
"""Further numbers and operations with which functions are written: aq(a, b) is a/√(1 + b²)."""
OFFSET = 2
"""Those with which a standardised input is written inside a function."""


class Candidate(NamedTuple):
    """A formula that may be shown."""

    make: Callable[[], Archive | None]
    """Return it as an archive of one entry; None if its objectives are not finite."""
    errors: Floats
    """Leave-one-out error of each row of evolution, with its sign or without."""
    size: float
    """Nodes, with dear functions counted more than once."""
    length: float
    """Numbers, inputs, operations and functions as they are written, approximately."""
    liberty: float
    """Logarithm of the factor by which squared errors are too small, for a node of each row."""
    plain: bool = False
    """Whether it is a form that people would write: a law or a line."""


def tree_values(
    trees: Sequence[tuple[Codes, Floats]], points: Floats, addresses: Integers
) -> Floats:
    """Evaluate trees × points."""
    codes, constants = (np.concatenate(parts) for parts in zip(*trees, strict=True))
    length = np.array([len(tree[0]) for tree in trees])
    start = np.cumsum(length) - length
    return values_of(
        Candidates(codes, constants, start, length, np.zeros(len(trees)), 0.0), points, addresses
    )


def description(codes: Codes) -> float:
    """Return the number of nodes, with dear functions counted more than once."""
    return len(codes) + sum(
        more * int(np.count_nonzero(codes == code)) for code, more in DEARER.items()
    )


def written_length(codes: Codes) -> int:
    """Return the approximate length of a tree as people see it, in the inputs' own units."""
    length, stack = 0, [True]  # whether the value enters a sum, in which offsets are merged
    for code in codes.tolist():
        is_term = stack.pop()
        length += 1 + LONGER.get(code, 0)
        if code >= FIRST_VARIABLE and not is_term:
            length += OFFSET
        stack += [is_term and code in (ADD, SUB, NEG)] * arity(code)
    return length


def liberty_of_laws(inputs: int) -> float:
    """Return the liberty of a law that is selected with so many inputs."""
    return LAW * float(np.log(inputs + 0.5))


def node_price(noise: float, rows: float) -> float:
    """Return the error that a node must save, in target variances."""
    return min(MOST_NODE_PRICE, NODE_PRICE * noise * np.log(rows) / rows)


def effective_rows(weights: RowWeights) -> float:
    """Return the effective number of rows: (Σw)² / Σw²."""
    return float(weights.total**2 / np.sum(weights.each**2))


def choose(candidates: Sequence[Candidate], weights: RowWeights) -> Archive | None:
    """Return the entry of the chosen candidate; None if there is none.

    The first candidate is the usual one. The best, by the sum of mean squared error and price of
    nodes, of those whose rows tell that they are better takes its place; then the best plain form
    that is shorter and as good, or the shortest that is as good as this one.
    """
    rows, each = effective_rows(weights), weights.each
    defined = [c for c in candidates if np.isfinite(c.errors).all()]
    least = max(EXACT, min((np.average(c.errors**2, weights=each) for c in defined), default=0.0))
    price = node_price(float(least), rows)
    left = [(c, _squares(c, LARGEST**2 * least, rows)) for c in defined]
    while left:
        totals = [squares + price * c.size for c, squares in left]
        order = np.argsort([np.average(total, weights=each) for total in totals], kind="stable")
        chosen = next(
            k for k in order if k == 0 or _is_better(left[k][0], totals[k], totals[0], each)
        )
        best, squares = left[chosen]
        plain = [k for k in order if left[k][0].plain and _is_shorter(left[k][0], best)]
        good = [k for k in plain if _is_as_good(left[k][1], squares, each, rows)]
        if good:
            squares = left[good[0]][1]
            shortest = sorted(good, key=lambda k: left[k][0].length)
            chosen = next(k for k in shortest if _is_as_good(left[k][1], squares, each, rows))
        entry = left.pop(chosen)[0].make()
        if entry is not None:
            return entry
    return None


def _squares(candidate: Candidate, most: float, rows: float) -> Floats:
    squares = np.clip(candidate.errors**2, EXACT, most)
    return squares * np.exp(min(candidate.liberty * candidate.size / rows, MOST_FREE))


def _is_better(candidate: Candidate, total: Floats, usual: Floats, weights: Floats) -> bool:
    """Return whether a candidate's rows tell that it is better than the usual one."""
    mean, error = _difference(usual, total, weights)
    return mean > (PLAIN_BETTER if candidate.plain else BETTER) * error


def _is_shorter(plain: Candidate, best: Candidate) -> bool:
    """Return whether a plain form is shorter than the best, or as short as a student."""
    return plain.length < best.length + (not best.plain)


def _is_as_good(squares: Floats, others: Floats, weights: Floats, rows: float) -> bool:
    """Return whether squared errors exceed others by little, and rows do not tell them apart."""
    mean, error = _difference(squares, others, weights)
    share = max(LARGER, LARGER_ROWS / rows)
    return mean <= min(AS_GOOD * error, share * np.average(others, weights=weights))


def _difference(squares: Floats, others: Floats, weights: Floats) -> tuple[float, float]:
    """Return the mean difference, and its standard error."""
    difference, share = squares - others, weights / weights.sum()
    mean = float(share @ difference)
    return mean, float(np.sqrt(np.sum((share * (difference - mean)) ** 2)))
