"""Extra Trees for regression, in flat arrays.

The algorithm is that of scikit-learn's `ExtraTreesRegressor` with default settings (at every node,
one random cut of every column is tried; leaves are pure), without its per-tree overhead, which on a
hundred rows is nearly all of its time. Row weights count in the squared error and in the means of
leaves.
"""

from typing import NamedTuple

import numpy as np

from ...core.arrays import Floats, Int, Integers, Words
from ..compilation.kernels import kernel, part_of_kernel
from ..numerics.elementary import from_bits, to_bits
from ..numerics.rng import below, uniform

LEAF = -1
COLUMN_BITS = np.uint64(24)
COLUMN_MASK = np.uint64(2**24 - 1)


class Forest(NamedTuple):
    """All trees, one after another; the children of a node are adjacent."""

    nodes: Words
    """nodes × 2, one memory access each: the bits of the cut, and the place of the first child
    shifted by COLUMN_BITS plus the column. Rows up to the cut go to the first child. A leaf has
    an infinite cut and is its own child, so a walk needs no test for the end."""
    value: Floats
    """Predictions of leaves."""
    root: Integers
    order: Integers
    """The training rows in the order of the first tree's leaves: rows that are close follow each
    other and take similar paths, so the nodes of a large forest are in cache."""


def fit_forest(
    state: Words, x: Floats, y: Floats, n_trees: int = 100, weights: Floats | None = None
) -> Forest:
    """Fit a forest on x (columns × rows), optionally with row weights."""
    room = n_trees * (2 * len(y) - 1)
    forest = Forest(
        np.empty((room, 2), np.uint64),
        np.empty(room),
        np.empty(n_trees, np.int64),
        np.empty(len(y), np.int64),
    )
    used = _grow(state, x, y, np.empty(0) if weights is None else weights, forest)
    return forest._replace(nodes=forest.nodes[:used], value=forest.value[:used])


@part_of_kernel
def _best_cut(
    state: Words,
    x: Floats,
    y: Floats,
    weights: Floats,
    rows: Integers,
    labels: Floats,
    values: Floats,
    masses: Floats,
) -> tuple[int, float]:
    """Return the column and random cut that reduce the squared error most, or LEAF and the mean.

    `labels`, `values` and `masses` are scratch: the node's rows are gathered once per column.
    """
    n = len(rows)
    total = 0.0
    low, high = np.inf, -np.inf
    for i in range(n):
        label = y[rows[i]]
        labels[i] = label
        total += label
        low, high = min(low, label), max(high, label)
    if low == high:
        return LEAF, low
    mass = float(n)
    if len(weights):
        total, mass = 0.0, 0.0
        for i in range(n):
            masses[i] = weights[rows[i]]
            labels[i] *= masses[i]
            total += labels[i]
            mass += masses[i]
    best, best_cut, best_gain = LEAF, total / mass, -np.inf
    n_columns = x.shape[0]
    turn = below(state, n_columns)  # equally good columns should be equally likely
    for c in range(turn, turn + n_columns):
        c -= n_columns if c >= n_columns else 0
        column = x[c]
        for i in range(n):
            values[i] = column[np.uint64(rows[i])]
        low, high = values[0], values[0]
        for i in range(1, n):
            low = values[i] if values[i] < low else low
            high = values[i] if values[i] > high else high
        if not low < high:
            continue
        cut = low + uniform(state) * (high - low)
        if cut >= high:
            cut = low
        if n == 2:
            return c, cut  # any cut separates two rows
        left_sum, left = 0.0, 0
        for i in range(n):
            inside = values[i] <= cut
            left_sum += labels[i] if inside else 0.0
            left += inside
        left_mass, right_mass = float(left), float(n - left)
        if len(weights):
            left_mass, right_mass = 0.0, 0.0
            for i in range(n):
                left_mass += masses[i] if values[i] <= cut else 0.0
                right_mass += masses[i] if values[i] > cut else 0.0
        right_sum = total - left_sum
        gain = left_sum * left_sum / left_mass + right_sum * right_sum / right_mass
        if gain > best_gain:
            best, best_cut, best_gain = c, cut, gain
    return best, best_cut


@kernel
def _grow(state: Words, x: Floats, y: Floats, weights: Floats, forest: Forest) -> int:
    """Grow every tree; return the number of nodes."""
    n = len(y)
    rows, aside = np.empty(n, np.int64), np.empty(n, np.int64)
    labels, values, masses = np.empty(n), np.empty(n), np.empty(len(weights))
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
            column, cut = _best_cut(state, x, y, weights, rows[start:end], labels, values, masses)
            forest.value[node] = cut
            child = node
            if column != LEAF:
                split = x[column]
                i, kept = start, 0  # stable: rows stay in order, so memory is read forwards
                for j in range(start, end):
                    row = rows[j]
                    inside = split[row] <= cut
                    rows[i] = row
                    aside[kept] = row
                    i += inside
                    kept += not inside
                for j in range(kept):
                    rows[i + j] = aside[j]
                child = used
                first[child - root], last[child - root] = start, i
                first[child - root + 1], last[child - root + 1] = i, end
                used += 2
            else:
                column, cut = 0, np.inf
            forest.nodes[node, 0] = to_bits(cut)
            forest.nodes[node, 1] = (np.uint64(child) << COLUMN_BITS) | np.uint64(column)
            node += 1
        if t == 0:
            for i in range(n):
                forest.order[i] = rows[i]
    return used


@kernel
def _descend(nodes: Words, points: Floats, i: Int, node: Int) -> Int:
    """Return the child that point i goes to; for a leaf, the leaf itself."""
    link = nodes[node, 1]
    right = points[i, link & COLUMN_MASK] > from_bits(nodes[node, 0])
    return (link >> COLUMN_BITS) + np.uint64(right)


@kernel
def predict_forest(forest: Forest, points: Floats, out: Floats) -> None:
    """Predict each row of points (rows × columns) by the mean over the trees.

    Eight points walk down a tree at the same time, which hides the latency of memory. Unsigned
    places spare numba's test for negative ones.
    """
    nodes, value = forest.nodes, forest.value
    n = len(out)
    whole = n - n % 8
    one = np.uint64(1)
    out[:] = 0.0
    for t in range(len(forest.root)):
        root = np.uint64(forest.root[t])
        for first in range(0, whole, 8):
            i0 = np.uint64(first)
            i1 = i0 + one
            i2 = i1 + one
            i3 = i2 + one
            i4 = i3 + one
            i5 = i4 + one
            i6 = i5 + one
            i7 = i6 + one
            a = b = c = d = e = f = g = h = root
            moved = True
            while moved:
                na, nb = _descend(nodes, points, i0, a), _descend(nodes, points, i1, b)
                nc, nd = _descend(nodes, points, i2, c), _descend(nodes, points, i3, d)
                ne, nf = _descend(nodes, points, i4, e), _descend(nodes, points, i5, f)
                ng, nh = _descend(nodes, points, i6, g), _descend(nodes, points, i7, h)
                moved = (
                    (na != a)
                    | (nb != b)
                    | (nc != c)
                    | (nd != d)
                    | (ne != e)
                    | (nf != f)
                    | (ng != g)
                    | (nh != h)
                )
                a, b, c, d, e, f, g, h = na, nb, nc, nd, ne, nf, ng, nh
            out[i0] += value[a]
            out[i1] += value[b]
            out[i2] += value[c]
            out[i3] += value[d]
            out[i4] += value[e]
            out[i5] += value[f]
            out[i6] += value[g]
            out[i7] += value[h]
        for i in range(whole, n):
            node, last = root, root
            moved = True
            while moved:
                last = node
                node = _descend(nodes, points, np.uint64(i), node)
                moved = node != last
            out[i] += value[node]
    for i in range(n):
        out[i] /= len(forest.root)
