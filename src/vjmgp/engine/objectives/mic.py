"""The maximal information coefficient of two columns, by the approximation of Reshef et al. (2011).

For each number of rows, the points are divided into rows of equal counts by y; a dynamic programme
then finds the columns by x with the most mutual information, and likewise with x and y exchanged.
MIC is the largest mutual information relative to the maximum for a grid of that shape, over all
grids of at most n^α cells.

Mutual information is a sum of terms f(k) = k·log k with integers k, so a table of these replaces
all logarithms. For few points it is a table of f(a) + f(b) − f(a + b) for pairs: a column's
information, Σ f(row) − f(all), is then a sum of such terms, row by row, with one look-up instead of
two.
"""

import functools
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from ...core.arrays import Floats, Integers, Words
from ..compilation.kernels import kernel, part_of_kernel
from ..numerics.elementary import log_of

MOST_IN_PAIRS = 400
"""Largest number of points for a table of pairs, which takes about a megabyte."""


class Ranked(NamedTuple):
    """A sorted and partitioned column."""

    order: Integers
    ranked: Floats
    """The sorted values."""
    parts: Integers
    """choices × n: the part of each point, for 2, 3, … parts of about equal size."""
    n_parts: Integers
    """Actual numbers of parts; ties may leave fewer."""


class MicScratch(NamedTuple):
    """Tables and scratch arrays for columns of one length."""

    logs: Floats
    """log k for k = 0, 1, …; 0 for k = 0."""
    table: Floats
    """Terms by their key: f(a) + f(b) − f(a + b) by a·(n + 1) + b, or f(k) by k, then −f(k)."""
    in_pairs: bool
    rows: Integers
    """The row of each point, by rising x."""
    columns: Integers
    """The clump of each point, by rising x."""
    merged: Integers
    keys: Words
    """terms × clumps: a column's key of a term is the difference between its end and its start."""
    gain: Floats
    """clumps: the information of the columns that begin with one clump."""
    best: Floats
    """columns × clumps: the information of the best partition of the first clumps."""
    cells: float
    """Maximum number of cells of a grid."""
    clumps_per_column: float


def _logs(n: int) -> Floats:
    """Return the logarithms of 0 … n, with 0 for that of 0."""
    return log_of(np.maximum(np.arange(n + 1.0), 1.0))


@functools.lru_cache(maxsize=8)
def _table(n: int, in_pairs: bool) -> Floats:
    numbers = np.arange(n + 1)
    terms: Floats = numbers * _logs(n)
    if not in_pairs:
        return np.concatenate([terms, -terms])
    whole = np.minimum(np.add.outer(numbers, numbers), n)  # beyond n is never needed
    table: Floats = np.add.outer(terms, terms) - terms[whole]
    return table.ravel()


def make_mic_scratch(n: int, alpha: float = 0.6, c: float = 15.0) -> MicScratch:
    """Allocate scratch for columns of n values."""
    cells = max(float(Decimal(n) ** Decimal(alpha)), 4.0)  # correctly rounded on every system
    in_pairs = n <= MOST_IN_PAIRS
    widest = max(int(cells / 2.0), 2) + 1
    most_clumps = min(n, int(c * widest)) + 1
    return MicScratch(
        _logs(n),
        _table(n, in_pairs),
        in_pairs,
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty((n + 1) * (widest + 1), np.uint64),
        np.empty(most_clumps),
        np.empty((widest + 1) * (n + 1)),
        cells,
        float(c),
    )


@part_of_kernel
def _divide_evenly(sorted_values: Any, parts: int, out: Integers) -> int:
    """Partition sorted values into parts of about equal size; ties stay together."""
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
    """Group neighbours by x in the same row, and all points of equal x, into clumps.

    More clumps than `most` are merged into that many of about equal size.
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
def _find_keys(n_rows: int, width: int, scratch: MicScratch) -> int:
    """Find the keys of each term at the end of each clump; return the number of terms."""
    rows, columns, keys = scratch.rows, scratch.columns, scratch.keys
    for k in range((n_rows + 1) * width):
        keys[k] = 0
    for k in range(len(rows)):
        keys[rows[k] * width + columns[k] + 1] += np.uint64(1)
    total = keys[n_rows * width : (n_rows + 1) * width]
    for row in range(n_rows):
        own = keys[row * width : (row + 1) * width]
        for clump in range(1, width):
            own[clump] += own[clump - 1]
        if scratch.in_pairs and row > 0:  # this row with all before it
            pair = keys[(row - 1) * width : row * width]
            for clump in range(width):
                pair[clump] = total[clump] * np.uint64(len(rows) + 1) + own[clump]
        for clump in range(width):
            total[clump] += own[clump]
    return n_rows - 1 if scratch.in_pairs else n_rows + 1


@part_of_kernel
def _terms(scratch: MicScratch, q: int, n_terms: int) -> Floats:
    """Return the table of term q; the last one is that of all rows, unless they are in pairs."""
    n = len(scratch.rows)
    of_all = q == n_terms - 1 and not scratch.in_pairs
    return scratch.table[n + 1 :] if of_all else scratch.table


@part_of_kernel
def _measure_columns(scratch: MicScratch, n_terms: int, width: int, s: int) -> Floats:
    """Compute the information of the columns that begin with clump s, by their end.

    Slices and unsigned keys spare numba's check of every look-up for negative places.
    """
    keys = scratch.keys
    size = width - s - 1
    gain = scratch.gain[:size]
    start = s + 1
    if n_terms % 2 == 1:
        first, before, table = keys[start : start + size], keys[s], _terms(scratch, 0, n_terms)
        for t in range(size):
            gain[t] = table[first[t] - before]
    else:
        gain[:] = 0.0
    for q in range(n_terms % 2, n_terms, 2):  # two at a time: half the passes
        a, b = q * width + start, (q + 1) * width + start
        first, before, table = keys[a : a + size], keys[a - 1], _terms(scratch, q, n_terms)
        second, before_second = keys[b : b + size], keys[b - 1]
        second_table = _terms(scratch, q + 1, n_terms)
        for t in range(size):
            gain[t] += table[first[t] - before] + second_table[second[t] - before_second]
    return gain


@part_of_kernel
def _best_two_columns(n_terms: int, width: int, scratch: MicScratch) -> float:
    """Return the information of the best two columns."""
    both = scratch.best[:width]
    both[:] = 0.0
    for q in range(n_terms):
        keys, table = scratch.keys[q * width : (q + 1) * width], _terms(scratch, q, n_terms)
        whole = keys[width - 1]
        for s in range(width):
            both[s] += table[keys[s]] + table[whole - keys[s]]
    return both.max()


@part_of_kernel
def _best_columns(n_terms: int, width: int, last: int, scratch: MicScratch) -> None:
    """Fill best[l, t], the information of the best l columns of the first t clumps.

    When a column begins at clump s, everything that ends before it is final, so one pass over s
    serves every l. Of the last l only the whole partition is needed.
    """
    best = scratch.best
    best[: (last + 1) * width] = -np.inf
    best[width + 1 : 2 * width] = _measure_columns(scratch, n_terms, width, 0)
    for s in range(1, width - 1):
        gain = _measure_columns(scratch, n_terms, width, s)
        for number in range(2, last - 1, 2):  # two at a time: half the passes
            so_far, so_far_next = best[(number - 1) * width + s], best[number * width + s]
            here = best[number * width + s + 1 : (number + 1) * width]
            following = best[(number + 1) * width + s + 1 : (number + 2) * width]
            for t in range(len(gain)):
                value, value_next = so_far + gain[t], so_far_next + gain[t]
                here[t] = value if value > here[t] else here[t]
                following[t] = value_next if value_next > following[t] else following[t]
        if last % 2 == 1:
            so_far = best[(last - 2) * width + s]
            here = best[(last - 1) * width + s + 1 : last * width]
            for t in range(len(gain)):
                value = so_far + gain[t]
                here[t] = value if value > here[t] else here[t]
        whole = best[(last - 1) * width + s] + gain[len(gain) - 1]
        place = (last + 1) * width - 1
        best[place] = max(best[place], whole)


@kernel
def _best_of_rows(n_rows: int, n_clumps: int, most_columns: int, scratch: MicScratch) -> float:
    """Return the largest normalised information of these rows with 2 to `most_columns` columns.

    A column's information is minus its number of points times the entropy of their rows.
    """
    width = n_clumps + 1
    n_terms = _find_keys(n_rows, width, scratch)
    last = min(most_columns, n_clumps)
    one_column = 0.0
    for q in range(n_terms):
        one_column += _terms(scratch, q, n_terms)[scratch.keys[(q + 1) * width - 1]]
    largest = 0.0
    if last == 2:
        found = _best_two_columns(n_terms, width, scratch) - one_column
        largest = found / (len(scratch.rows) * scratch.logs[2])
    elif last > 2:
        _best_columns(n_terms, width, last, scratch)
        for number in range(2, last + 1):
            found = scratch.best[(number + 1) * width - 1] - one_column
            cells = min(scratch.logs[number], scratch.logs[n_rows])
            largest = max(largest, found / (len(scratch.rows) * cells))
    return largest


@kernel
def rank(values: Floats, cells: float) -> Ranked:
    """Sort a column and partition it into every number of parts that a grid may have."""
    n = len(values)
    order = np.argsort(values, kind="mergesort")
    ranked = values[order]
    choices = max(int(cells / 2.0), 2) - 1
    parts, n_parts = np.empty((choices, n), np.int64), np.empty(choices, np.int64)
    sorted_parts = np.empty(n, np.int64)
    for choice in range(choices):
        n_parts[choice] = _divide_evenly(ranked, choice + 2, sorted_parts)
        for k in range(n):
            parts[choice, order[k]] = sorted_parts[k]
    return Ranked(order, ranked, parts, n_parts)


@part_of_kernel
def _best_by_x(x: Ranked, y: Ranked, cells: float, scratch: MicScratch) -> float:
    """Return the best grid whose rows are equal parts of y and whose columns are chosen by x."""
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
    """Return the MIC of two ranked columns."""
    return max(_best_by_x(x, y, scratch.cells, scratch), _best_by_x(y, x, scratch.cells, scratch))


def mic(x: Floats, y: Floats, alpha: float = 0.6, c: float = 15.0) -> float:
    """Return the maximal information coefficient of two columns of the same length, 0 to 1.

    Parameters
    ----------
    x, y : arrays of n numbers
        The two columns.
    alpha : float, default=0.6
        Grids have at most n**alpha cells.
    c : float, default=15
        Columns are chosen from at most c times as many clumps of points.

    """
    x, y = (np.ascontiguousarray(values, dtype=np.float64) for values in (x, y))
    if x.ndim != 1 or x.shape != y.shape or len(x) < 2:
        raise ValueError("mic needs two columns of the same length, with 2 values or more.")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("mic needs finite values.")
    if not (0.0 < alpha <= 1.0 and c > 0.0):
        raise ValueError("mic needs 0 < alpha ≤ 1 and c > 0.")
    scratch = make_mic_scratch(len(x), float(alpha), float(c))
    return float(mic_of_ranked(rank(x, scratch.cells), rank(y, scratch.cells), scratch))
