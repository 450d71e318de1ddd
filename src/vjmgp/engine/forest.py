"""Extra Trees for regression, in flat arrays.

The same algorithm as scikit-learn's `ExtraTreesRegressor` with default settings (every column is
tried at every node with one random cut, leaves are grown until they are pure), without its
per-tree overhead, which on a hundred rows is nearly all of its time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .arrays import Codes, Floats, Integers, Words
from .compiling import kernel
from .rng import uniform

LEAF = -1


class Forest(NamedTuple):
    """All trees one after another; children of a node stand side by side."""

    column: Codes
    """The column a node looks at, LEAF in a leaf."""
    cut: Floats
    """Rows up to this value go to the first child; in a leaf, its prediction."""
    child: Codes
    """Where the first child stands."""
    root: Integers


def fit_forest(state: Words, x: Floats, y: Floats, n_trees: int = 100) -> Forest:
    """Fit on x (columns × rows)."""
    room = n_trees * (2 * len(y) - 1)
    forest = Forest(
        np.empty(room, np.int32),
        np.empty(room),
        np.empty(room, np.int32),
        np.empty(n_trees, np.int64),
    )
    used = _grow(state, x, y, forest)
    return Forest(forest.column[:used], forest.cut[:used], forest.child[:used], forest.root)


@kernel
def _best_cut(state: Words, x: Floats, y: Floats, rows: Integers) -> tuple[int, float]:
    """The column and random cut that reduce the squared error most; LEAF if none can."""
    n = len(rows)
    total = 0.0
    lowest, highest = np.inf, -np.inf
    for row in rows:
        total += y[row]
        lowest, highest = min(lowest, y[row]), max(highest, y[row])
    if lowest == highest:
        return LEAF, lowest
    best, best_cut, best_gain = LEAF, total / n, -np.inf
    for c in range(x.shape[0]):
        values = x[c]
        low, high = np.inf, -np.inf
        for row in rows:
            value = values[row]
            low, high = min(low, value), max(high, value)
        if not low < high:
            continue
        cut = low + uniform(state) * (high - low)
        if cut >= high:
            cut = low
        left_sum = 0.0
        left = 0
        for row in rows:
            inside = values[row] <= cut
            left_sum += y[row] if inside else 0.0
            left += inside
        right_sum = total - left_sum
        gain = left_sum * left_sum / left + right_sum * right_sum / (n - left)
        if gain > best_gain:
            best, best_cut, best_gain = c, cut, gain
    return best, best_cut


@kernel
def _grow(state: Words, x: Floats, y: Floats, forest: Forest) -> int:
    """Grow every tree; return how many nodes were used."""
    n = len(y)
    rows = np.empty(n, np.int64)
    first = np.empty(2 * n, np.int64)
    last = np.empty(2 * n, np.int64)
    used = 0
    for t in range(len(forest.root)):
        for i in range(n):
            rows[i] = i
        root = used
        forest.root[t] = root
        first[0], last[0] = 0, n
        used += 1
        node = root
        while node < used:  # nodes are created in the order in which they are split
            start, end = first[node - root], last[node - root]
            column, cut = _best_cut(state, x, y, rows[start:end])
            forest.column[node] = column
            forest.cut[node] = cut
            forest.child[node] = 0
            if column != LEAF:
                values = x[column]
                i, j = start, end - 1
                while i <= j:
                    if values[rows[i]] <= cut:
                        i += 1
                    else:
                        rows[i], rows[j] = rows[j], rows[i]
                        j -= 1
                child = used - root
                forest.child[node] = used
                first[child], last[child] = start, i
                first[child + 1], last[child + 1] = i, end
                used += 2
            node += 1
    return used


@kernel
def predict_forest(forest: Forest, points: Floats, out: Floats) -> None:
    """Mean prediction of the trees for each row of points (rows × columns)."""
    n_points, n_trees = len(out), len(forest.root)
    out[:] = 0.0
    for t in range(n_trees):
        root = forest.root[t]
        for i in range(n_points):
            node = root
            column = forest.column[node]
            while column != LEAF:
                node = forest.child[node] + (points[i, column] > forest.cut[node])
                column = forest.column[node]
            out[i] += forest.cut[node]
    for i in range(n_points):
        out[i] /= n_trees
