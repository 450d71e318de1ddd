"""The pool of trees: every distinct tree is stored and evaluated once.

Individuals hold tree numbers. The nodes of all trees are in one arena; the standardised feature
values of a tree are in a slot of the feature store. The memory limit bounds the number of slots: a
tree without one is evaluated again whenever it is used, with the same result.
"""

from typing import NamedTuple

import numpy as np

from ...core.arrays import Codes, Floats, Int, Integers
from ..compilation.kernels import kernel, part_of_kernel
from ..numerics.lanes import dot
from ..objectives.row_weights import RowWeights
from .evaluation import Workspace, run, translate
from .structure import tree_hash

# Columns of `facts`: one cache line per tree.
START, LENGTH, HASH, USERS, STATE, SLOT, FILLED, _SPARE = range(8)
# Columns of `scaling`.
MEAN, SCALE = range(2)
# Values of STATE.
NEW, USABLE, CONSTANT_FEATURE, INVALID = range(4)
NO_SLOT = -1
# Rows of `free` and places in `counts`.
FREE_TREES, FREE_SLOTS, ARENA_USED = range(3)

SAME = 1e-8
"""A feature whose deviation is below this share of its magnitude counts as constant: the rest is
mostly rounding error."""


class Pool(NamedTuple):
    """All trees in use, by number."""

    codes: Codes
    constants: Floats
    facts: Integers
    """trees × 8: first node, number of nodes (0: a free number), hash, users, state, slot of the
    feature store, and number of filled rows of the slot."""
    scaling: Floats
    """trees × 2: a feature's mean, and the factor for deviations from it."""
    features: Floats
    """Feature store, slots × rows: training rows first, then vicinal rows."""
    table: Integers
    """Open-addressing table from hash to tree number; −1 is empty."""
    free: Integers
    """Stacks of free tree numbers and free slots."""
    counts: Integers


def make_pool(n_trees: int, n_slots: int, n_rows: int, arena: int) -> Pool:
    """Return an empty pool for at most `n_trees` trees, with `n_slots` ≤ n_trees feature slots."""
    downwards = np.arange(n_trees - 1, -1, -1)
    return Pool(
        codes=np.empty(arena, np.int32),
        constants=np.empty(arena),
        facts=np.zeros((n_trees, 8), np.int64),
        scaling=np.zeros((n_trees, 2)),
        features=np.empty((n_slots, n_rows)),
        table=np.full(1 << (2 * n_trees - 1).bit_length(), -1, np.int64),
        free=np.stack([downwards, np.roll(downwards, n_slots - n_trees)]),
        counts=np.array([n_trees, n_slots, 0]),
    )


def compact(pool: Pool, room: int) -> Pool:
    """Return the pool with unused trees freed, gaps closed and at least `room` free places."""
    sweep(pool)
    live = np.flatnonzero(pool.facts[:, USERS] > 0)
    used = int(pool.facts[live, LENGTH].sum())
    capacity = len(pool.codes)
    while capacity < 2 * used + room:
        capacity *= 2
    smaller = pool._replace(codes=np.empty(capacity, np.int32), constants=np.empty(capacity))
    _move_nodes(pool, smaller, live)
    return smaller


@kernel
def copy_nodes(
    codes: Codes,
    constants: Floats,
    start: Int,
    length: Int,
    to_codes: Codes,
    to_constants: Floats,
    to: Int,
) -> None:
    """Copy nodes from one pair of arrays to another."""
    for i in range(length):
        to_codes[to + i] = codes[start + i]
        to_constants[to + i] = constants[start + i]


@kernel
def _move_nodes(pool: Pool, target: Pool, live: Integers) -> None:
    used = 0
    for tree in live:
        start, length = pool.facts[tree, START], pool.facts[tree, LENGTH]
        copy_nodes(pool.codes, pool.constants, start, length, target.codes, target.constants, used)
        pool.facts[tree, START] = used
        used += length
    pool.counts[ARENA_USED] = used


@part_of_kernel
def _same_tree(pool: Pool, tree: int, codes: Codes, constants: Floats, length: int) -> bool:
    if pool.facts[tree, LENGTH] != length:
        return False
    start = pool.facts[tree, START]
    for i in range(length):
        if pool.codes[start + i] != codes[i] or pool.constants[start + i] != constants[i]:
            return False
    return True


@kernel
def intern_tree(pool: Pool, codes: Codes, constants: Floats, length: int) -> int:
    """Return the number of this tree, which is stored if new; it has one more user."""
    value = tree_hash(codes, constants, length)
    mask = len(pool.table) - 1
    place = value & mask
    while pool.table[place] >= 0:
        tree = pool.table[place]
        if pool.facts[tree, HASH] == value and _same_tree(pool, tree, codes, constants, length):
            pool.facts[tree, USERS] += 1
            return tree
        place = (place + 1) & mask
    pool.counts[FREE_TREES] -= 1
    tree = pool.free[FREE_TREES, pool.counts[FREE_TREES]]
    pool.table[place] = tree
    start = pool.counts[ARENA_USED]
    copy_nodes(codes, constants, np.int64(0), length, pool.codes, pool.constants, start)
    pool.counts[ARENA_USED] = start + length
    facts = pool.facts[tree]
    facts[START], facts[LENGTH], facts[HASH], facts[USERS] = start, length, value, 1
    facts[STATE], facts[SLOT], facts[FILLED] = NEW, NO_SLOT, 0
    return tree


@kernel
def sweep(pool: Pool) -> None:
    """Free the trees without users, and enter the rest into an empty table.

    Until then an unused tree keeps its number and values, and may be used again.
    """
    pool.table[:] = -1
    mask = len(pool.table) - 1
    for tree in range(len(pool.facts)):
        facts = pool.facts[tree]
        if facts[USERS] > 0:
            place = facts[HASH] & mask
            while pool.table[place] >= 0:
                place = (place + 1) & mask
            pool.table[place] = tree
        elif facts[LENGTH] > 0:
            facts[LENGTH] = 0
            if facts[SLOT] != NO_SLOT:
                pool.free[FREE_SLOTS, pool.counts[FREE_SLOTS]] = facts[SLOT]
                pool.counts[FREE_SLOTS] += 1
            pool.free[FREE_TREES, pool.counts[FREE_TREES]] = tree
            pool.counts[FREE_TREES] += 1


@part_of_kernel
def translate_tree(pool: Pool, tree: int, workspace: Workspace) -> int:
    """Write the instructions of a pooled tree into the workspace."""
    start, length = pool.facts[tree, START], pool.facts[tree, LENGTH]
    return translate(pool.codes, pool.constants, start, length, workspace)


@kernel
def _standardise(values: Floats, n: int, mean: float, scale: float) -> None:
    for i in range(n):
        values[i] = (values[i] - mean) * scale


@part_of_kernel
def _measure(
    scaling: Floats, values: Floats, n: int, weights: Floats, sum_of_weights: float
) -> int:
    """Set a new feature's mean and scale; return its state."""
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(values[i]))
    mean = dot(values, weights, n) / sum_of_weights
    total = 0.0
    for i in range(n):
        distance = values[i] - mean
        total += weights[i] * (distance * distance)
    deviation = np.sqrt(total / sum_of_weights)
    scaling[MEAN], scaling[SCALE] = mean, 0.0
    if not np.isfinite(deviation):
        return INVALID
    if deviation <= SAME * largest:
        return CONSTANT_FEATURE
    scaling[SCALE] = 1.0 / deviation
    return USABLE


@part_of_kernel
def _take_slot(pool: Pool, facts: Integers) -> None:
    """Give a tree a slot, if it has none and one is free."""
    if facts[SLOT] == NO_SLOT and pool.counts[FREE_SLOTS] > 0:
        pool.counts[FREE_SLOTS] -= 1
        facts[SLOT] = pool.free[FREE_SLOTS, pool.counts[FREE_SLOTS]]


@part_of_kernel
def training_feature(
    pool: Pool,
    tree: int,
    workspace: Workspace,
    n: int,
    weights: Floats,
    sum_of_weights: float,
    out: Floats,
) -> None:
    """Write the standardised feature on the training rows to `out`.

    The first call also sets the tree's mean, scale and state, and keeps the values in a slot if one
    is free.
    """
    facts, scaling = pool.facts[tree], pool.scaling[tree]
    if facts[FILLED] >= n:
        kept = pool.features[facts[SLOT]]
        for i in range(n):
            out[i] = kept[i]
        return
    # int64(0), not 0: numba would compile `run` once more for the literal.
    run(workspace, translate_tree(pool, tree, workspace), np.int64(0), n, out)
    new = facts[STATE] == NEW
    if new:
        facts[STATE] = _measure(scaling, out, n, weights, sum_of_weights)
        if facts[STATE] == INVALID:
            return
    _standardise(out, n, scaling[MEAN], scaling[SCALE])
    if new:
        _take_slot(pool, facts)
        if facts[SLOT] != NO_SLOT:
            kept = pool.features[facts[SLOT]]
            for i in range(n):
                kept[i] = out[i]
            facts[FILLED] = n


@kernel
def extra_feature(
    pool: Pool,
    tree: int,
    workspace: Workspace,
    first_extra: Int,
    first: Int,
    last: int,
    scratch: Floats,
) -> Floats:
    """Return the standardised feature on rows first ≤ r < last beyond the training rows.

    It is a view of the tree's slot, filled as far as needed, or of `scratch` if it has none.
    """
    facts, scaling = pool.facts[tree], pool.scaling[tree]
    values = scratch[: last - first]
    start = first
    if facts[SLOT] != NO_SLOT:
        slot = pool.features[facts[SLOT]]
        start = max(first_extra, facts[FILLED])
        if start >= last:
            return slot[first:last]
        values = slot[start:last]
        facts[FILLED] = last
    run(workspace, translate_tree(pool, tree, workspace), start, last, values)
    _standardise(values, last - start, scaling[MEAN], scaling[SCALE])
    if facts[SLOT] != NO_SLOT:
        return pool.features[facts[SLOT]][first:last]
    return values


# Each tree is evaluated by one thread; afterwards all threads only read the slots.


@kernel
def take_slots(pool: Pool, trees: Integers) -> None:
    """Give slots to new trees, so that no thread has to."""
    for tree in trees:
        if pool.facts[tree, STATE] == NEW:
            _take_slot(pool, pool.facts[tree])


@kernel
def fill_training_rows(
    pool: Pool, trees: Integers, workspace: Workspace, weights: RowWeights, scratch: Floats
) -> None:
    """Evaluate new trees on the training rows; `scratch` is as long as these."""
    for tree in trees:
        if pool.facts[tree, STATE] == NEW:
            training_feature(
                pool, tree, workspace, len(scratch), weights.each, weights.total, scratch
            )


@kernel
def fill_extra_rows(
    pool: Pool, trees: Integers, workspace: Workspace, first: int, last: int, scratch: Floats
) -> None:
    """Evaluate trees that have slots on the rows first ≤ r < last beyond the training rows."""
    for tree in trees:
        if pool.facts[tree, SLOT] != NO_SLOT and pool.facts[tree, STATE] != INVALID:
            extra_feature(pool, tree, workspace, first, first, last, scratch)
