"""The maximal information coefficient of two columns, by the approximation of Reshef et al. (2011).

For each number of rows, the points are divided into rows of equal counts by y; a dynamic programme
then finds the columns by x that have the most mutual information with them. The same with x and y
exchanged. MIC is the largest mutual information over that of the best conceivable grid of the same
shape, for all grids of at most n^α cells.

Mutual information is a sum of terms k·log k with whole numbers k, so a table of these takes the
place of all logarithms.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .arrays import Floats, Integers, Words
from .compiling import kernel, part_of_kernel


class Ranked(NamedTuple):
    """A column, sorted and divided."""

    order: Integers
    ranked: Floats
    """The values in that order."""
    parts: Integers
    """choices × n: the part of each point, for 2, 3, … parts of about equal size."""
    n_parts: Integers
    """How many parts there really are: ties may leave fewer."""


class MicScratch(NamedTuple):
    """Tables and room for columns of one length."""

    logs: Floats
    """log k for k = 0, 1, …; 0 for k = 0."""
    products: Floats
    """k·log k."""
    rows: Integers
    """The row of each point, by rising x."""
    columns: Integers
    """The clump of each point, by rising x."""
    merged: Integers
    counts: Words
    """rows × clumps: points of a row, and of all, up to the end of a clump."""
    gains: Floats
    """clumps × clumps: the information of the column between two clumps."""
    best: Floats
    """columns × clumps: the information of the best partition of the first clumps."""
    alpha: float
    clumps_per_column: float


def make_mic_scratch(n: int, alpha: float = 0.6, c: float = 15.0) -> MicScratch:
    """Room for columns of n values."""
    numbers = np.arange(n + 1, dtype=np.float64)
    logs = np.zeros(n + 1)
    logs[1:] = np.log(numbers[1:])
    widest = max(int(max(n**alpha, 4.0) / 2.0), 2) + 1
    most_clumps = min(n, int(c * widest)) + 1
    return MicScratch(
        logs,
        numbers * logs,
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty((n + 1) * (widest + 1), np.uint64),
        np.empty(most_clumps * most_clumps),
        np.empty((widest + 1) * (n + 1)),
        float(alpha),
        float(c),
    )


@part_of_kernel
def _divide_evenly(sorted_values: Any, parts: int, out: Integers) -> int:
    """Give each sorted value one of so many parts of about equal size; ties stay together."""
    n = len(out)
    current, inside, first = 0, 0, 0
    size = n / parts
    while first < n:
        last = first + 1
        while last < n and sorted_values[last] == sorted_values[first]:
            last += 1
        same = last - first
        if inside != 0 and abs(inside + same - size) >= abs(inside - size):
            current += 1
            inside = 0
            size = (n - first) / (parts - current)
        for k in range(first, last):
            out[k] = current
        first = last
        inside += same
    return current + 1


@part_of_kernel
def _find_clumps(ranked: Floats, rows: Integers, most: int, scratch: MicScratch) -> int:
    """Neighbours by x in the same row form a clump; so do all points of equal x.

    More clumps than `most` are merged to that many of about equal size.
    """
    n = len(rows)
    columns, merged = scratch.columns, scratch.merged
    mixed, first = -1, 0
    for k in range(n):
        merged[k] = rows[k]
    while first < n:
        last, differ = first + 1, False
        while last < n and ranked[last] == ranked[first]:
            differ = differ or rows[last] != rows[first]
            last += 1
        if differ:
            for k in range(first, last):
                merged[k] = mixed
            mixed -= 1
        first = last
    clump = 0
    columns[0] = 0
    for k in range(1, n):
        if merged[k] != merged[k - 1]:
            clump += 1
        columns[k] = clump
    if clump + 1 <= most:
        return clump + 1
    for k in range(n):
        merged[k] = columns[k]
    return _divide_evenly(merged, most, columns)


@part_of_kernel
def _measure_columns(scratch: MicScratch, n_rows: int, width: int, s: int, start: int) -> None:
    """The information of the columns that start with clump s and end with `start` or later.

    Slices and unsigned counts: else numba guards every look-up against negative places.
    """
    counts, products = scratch.counts, scratch.products
    gain = scratch.gains[s * width + start : (s + 1) * width]
    size = len(gain)
    last = n_rows * width
    total, before = counts[last + start : last + width], counts[last + s]
    for t in range(size):
        gain[t] = -products[total[t] - before]
    for row in range(0, n_rows - 1, 2):  # two at a time: half the passes
        a, b = row * width, (row + 1) * width
        first, before_first = counts[a + start : a + width], counts[a + s]
        second, before_second = counts[b + start : b + width], counts[b + s]
        for t in range(size):
            gain[t] += products[first[t] - before_first] + products[second[t] - before_second]
    if n_rows % 2 == 1:
        a = (n_rows - 1) * width
        first, before_first = counts[a + start : a + width], counts[a + s]
        for t in range(size):
            gain[t] += products[first[t] - before_first]


@kernel
def _best_of_rows(n_rows: int, n_clumps: int, most_columns: int, scratch: MicScratch) -> float:
    """The largest normalised information of so many rows with 2 to `most_columns` columns.

    A column's information is minus its number of points times the entropy of their rows.
    """
    rows, columns, counts = scratch.rows, scratch.columns, scratch.counts
    n, width = len(rows), n_clumps + 1
    for k in range(n_rows * width):
        counts[k] = 0
    for k in range(n):
        counts[rows[k] * width + columns[k] + 1] += np.uint64(1)
    all_rows = counts[n_rows * width : (n_rows + 1) * width]
    all_rows[:] = 0
    for row in range(n_rows):
        own = counts[row * width : (row + 1) * width]
        for clump in range(1, width):
            own[clump] += own[clump - 1]
        for clump in range(1, width):
            all_rows[clump] += own[clump]
    last_number = min(most_columns, n_clumps)
    # For two columns only those that end with the last clump matter.
    first_end = 1 if last_number > 2 else n_clumps
    for s in range(n_clumps):
        _measure_columns(scratch, n_rows, width, s, 1 if s == 0 else max(first_end, s + 1))
    # best[l, t]: of the first t clumps in l columns.
    best, gains = scratch.best, scratch.gains
    for t in range(1, width):
        best[width + t] = gains[t]
    whole, largest = -best[width + n_clumps], 0.0
    for number in range(2, last_number + 1):
        # Of the last number of columns only the whole is asked for.
        first_end = number if number < last_number else n_clumps
        here = best[number * width : (number + 1) * width]
        previous = best[(number - 1) * width : number * width]
        here[first_end:] = -np.inf
        for s in range(number - 1, n_clumps):
            start, so_far = max(first_end, s + 1), previous[s]
            gain, top = gains[s * width + start : (s + 1) * width], here[start:]
            for t in range(len(gain)):
                value = so_far + gain[t]
                top[t] = value if value > top[t] else top[t]
        found = (whole + here[n_clumps]) / n
        largest = max(largest, found / min(scratch.logs[number], scratch.logs[n_rows]))
    return largest


@kernel
def rank(values: Floats, alpha: float) -> Ranked:
    """Sort a column and divide its points into every number of parts that a grid may have."""
    n = len(values)
    order = np.argsort(values, kind="mergesort")
    ranked = values[order]
    choices = max(int(max(n**alpha, 4.0) / 2.0), 2) - 1
    parts, n_parts = np.empty((choices, n), np.int64), np.empty(choices, np.int64)
    sorted_parts = np.empty(n, np.int64)
    for choice in range(choices):
        n_parts[choice] = _divide_evenly(ranked, choice + 2, sorted_parts)
        for k in range(n):
            parts[choice, order[k]] = sorted_parts[k]
    return Ranked(order, ranked, parts, n_parts)


@part_of_kernel
def _best_by_x(x: Ranked, y: Ranked, cells: float, scratch: MicScratch) -> float:
    """The best grid whose rows are equal parts of y and whose columns are chosen by x."""
    rows = scratch.rows
    largest = 0.0
    for choice in range(len(y.n_parts)):
        most_columns = int(cells / (choice + 2))
        if y.n_parts[choice] < 2:
            continue
        parts = y.parts[choice]
        for k in range(len(rows)):
            rows[k] = parts[x.order[k]]
        most_clumps = max(int(scratch.clumps_per_column * most_columns), 1)
        n_clumps = _find_clumps(x.ranked, rows, most_clumps, scratch)
        found = _best_of_rows(y.n_parts[choice], n_clumps, most_columns, scratch)
        largest = max(largest, found)
    return largest


@kernel
def mic_of_ranked(x: Ranked, y: Ranked, scratch: MicScratch) -> float:
    """MIC of two ranked columns."""
    cells = max(len(x.order) ** scratch.alpha, 4.0)
    return max(_best_by_x(x, y, cells, scratch), _best_by_x(y, x, cells, scratch))


def mic(x: Floats, y: Floats, alpha: float = 0.6, c: float = 15.0) -> float:
    """The maximal information coefficient of two columns of the same length, 0 to 1.

    Parameters
    ----------
    x, y : arrays of n numbers
        The two columns.
    alpha : float, default=0.6
        Grids have at most n**alpha cells.
    c : float, default=15
        Columns are chosen among at most c times as many clumps of points.

    """
    x, y = (np.ascontiguousarray(values, dtype=np.float64) for values in (x, y))
    if x.ndim != 1 or x.shape != y.shape or len(x) < 2:
        raise ValueError("mic needs two columns of the same length, with 2 values or more.")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("mic needs finite values.")
    if not (0.0 < alpha <= 1.0 and c > 0.0):
        raise ValueError("mic needs 0 < alpha ≤ 1 and c > 0.")
    scratch = make_mic_scratch(len(x), float(alpha), float(c))
    return float(mic_of_ranked(rank(x, float(alpha)), rank(y, float(alpha)), scratch))
