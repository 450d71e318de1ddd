"""The pool of trees: every distinct tree is stored and evaluated once, however many use it.

Individuals hold tree numbers. A tree's nodes lie in one arena; its standardised feature values
lie in a slot of the feature store. Slots are bounded by a memory setting: a tree that finds no
free slot is simply evaluated again whenever it is used, with the same result.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiling import kernel
from .evaluation import Workspace, run, translate
from .lanes import dot
from .trees import tree_hash

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Codes = NDArray[np.int32]

NEW, USABLE, CONSTANT_FEATURE, INVALID = range(4)
NO_SLOT = -1
# Places in `counts`.
ARENA_USED, FREE_TREES, FREE_SLOTS = range(3)

SAME = 1e-8
"""A feature whose deviation is below this share of its magnitude counts as constant: what is
left of it is mostly rounding."""


class Pool(NamedTuple):
    """All trees that live, by number."""

    codes: Codes
    constants: Floats
    start: Integers
    length: Integers
    """0 marks a free number."""
    hash: NDArray[np.uint64]
    users: Integers
    state: NDArray[np.int8]
    mean: Floats
    scale: Floats
    slot: Integers
    filled: Integers
    """How many rows of the slot hold values."""
    features: Floats
    """Feature store, slots × rows: training rows first, then vicinal rows."""
    table: Integers
    """Open-addressing table from hash to tree number, −1 where empty."""
    free_trees: Integers
    free_slots: Integers
    counts: Integers


def make_pool(n_trees: int, n_slots: int, n_rows: int, arena: int) -> Pool:
    """An empty pool for at most `n_trees` trees, with `n_slots` feature slots."""
    return Pool(
        codes=np.empty(arena, np.int32),
        constants=np.empty(arena),
        start=np.zeros(n_trees, np.int64),
        length=np.zeros(n_trees, np.int64),
        hash=np.zeros(n_trees, np.uint64),
        users=np.zeros(n_trees, np.int64),
        state=np.zeros(n_trees, np.int8),
        mean=np.zeros(n_trees),
        scale=np.zeros(n_trees),
        slot=np.full(n_trees, NO_SLOT, np.int64),
        filled=np.zeros(n_trees, np.int64),
        features=np.empty((n_slots, n_rows)),
        table=np.full(1 << (2 * n_trees - 1).bit_length(), -1, np.int64),
        free_trees=np.arange(n_trees - 1, -1, -1),
        free_slots=np.arange(n_slots - 1, -1, -1),
        counts=np.array([0, n_trees, n_slots]),
    )


def compact(pool: Pool, room: int) -> Pool:
    """The same pool with unused trees freed, gaps closed and at least `room` free places."""
    sweep(pool)
    live = np.flatnonzero(pool.users > 0)
    used = int(pool.length[live].sum())
    capacity = len(pool.codes)
    while capacity < 2 * used + room:
        capacity *= 2
    codes, constants = np.empty(capacity, np.int32), np.empty(capacity)
    pool.counts[ARENA_USED] = _close_gaps(pool, live, codes, constants)
    return pool._replace(codes=codes, constants=constants)


@kernel
def _close_gaps(pool: Pool, live: Integers, codes: Codes, constants: Floats) -> int:
    used = 0
    for tree in live:
        start, length = pool.start[tree], pool.length[tree]
        codes[used : used + length] = pool.codes[start : start + length]
        constants[used : used + length] = pool.constants[start : start + length]
        pool.start[tree] = used
        used += length
    return used


@kernel
def _same_tree(pool: Pool, tree: int, codes: Codes, constants: Floats, length: int) -> bool:
    if pool.length[tree] != length:
        return False
    start = pool.start[tree]
    for i in range(length):
        if pool.codes[start + i] != codes[i] or pool.constants[start + i] != constants[i]:
            return False
    return True


@kernel
def intern_tree(pool: Pool, codes: Codes, constants: Floats, length: int) -> int:
    """The number of this tree, stored now if it is new; one more user either way."""
    value = tree_hash(codes, constants, length)
    mask = len(pool.table) - 1
    place = np.int64(value & np.uint64(mask))
    while pool.table[place] >= 0:
        tree = pool.table[place]
        if pool.hash[tree] == value and _same_tree(pool, tree, codes, constants, length):
            pool.users[tree] += 1
            return tree
        place = (place + 1) & mask
    pool.counts[FREE_TREES] -= 1
    tree = pool.free_trees[pool.counts[FREE_TREES]]
    start = pool.counts[ARENA_USED]
    pool.codes[start : start + length] = codes[:length]
    pool.constants[start : start + length] = constants[:length]
    pool.counts[ARENA_USED] = start + length
    pool.start[tree], pool.length[tree], pool.hash[tree] = start, length, value
    pool.users[tree] = 1
    pool.state[tree] = NEW
    pool.slot[tree] = NO_SLOT
    pool.filled[tree] = 0
    pool.table[place] = tree
    return tree


@kernel
def sweep(pool: Pool) -> None:
    """Free the trees that nobody uses, and enter the others into an empty table.

    Until then an unused tree keeps its number and values, and may find a user again.
    """
    pool.table[:] = -1
    mask = len(pool.table) - 1
    for tree in range(len(pool.users)):
        if pool.users[tree] > 0:
            place = np.int64(pool.hash[tree] & np.uint64(mask))
            while pool.table[place] >= 0:
                place = (place + 1) & mask
            pool.table[place] = tree
        elif pool.length[tree] > 0:
            pool.length[tree] = 0
            if pool.slot[tree] != NO_SLOT:
                pool.free_slots[pool.counts[FREE_SLOTS]] = pool.slot[tree]
                pool.counts[FREE_SLOTS] += 1
                pool.slot[tree] = NO_SLOT
            pool.free_trees[pool.counts[FREE_TREES]] = tree
            pool.counts[FREE_TREES] += 1


@kernel
def translate_tree(pool: Pool, tree: int, workspace: Workspace) -> int:
    """Write the instructions of a pooled tree into the workspace."""
    start, length = pool.start[tree], pool.length[tree]
    end = start + length
    return translate(pool.codes[start:end], pool.constants[start:end], length, workspace)


@kernel
def training_feature(
    pool: Pool, tree: int, workspace: Workspace, n: int, ones: Floats, out: Floats
) -> None:
    """The standardised feature on the training rows, into `out`.

    The first call also fixes the tree's mean, scale and state, and keeps the values in a slot
    while there is one.
    """
    if pool.filled[tree] >= n:
        out[:n] = pool.features[pool.slot[tree], :n]
        return
    run(workspace, translate_tree(pool, tree, workspace), 0, n, out)
    if pool.state[tree] == NEW:
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(out[i]))
        mean = dot(out, ones, n) / n
        total = 0.0
        for i in range(n):
            out[i] -= mean
        total = dot(out, out, n)
        scale = np.sqrt(total / n)
        pool.mean[tree] = mean
        if not np.isfinite(scale):
            pool.state[tree] = INVALID
            pool.scale[tree] = 0.0
            return
        if scale <= SAME * largest:
            pool.state[tree] = CONSTANT_FEATURE
            pool.scale[tree] = 0.0
        else:
            pool.state[tree] = USABLE
            pool.scale[tree] = 1.0 / scale
        for i in range(n):
            out[i] *= pool.scale[tree]
        if pool.counts[FREE_SLOTS] > 0:
            pool.counts[FREE_SLOTS] -= 1
            slot = pool.free_slots[pool.counts[FREE_SLOTS]]
            pool.slot[tree] = slot
            pool.features[slot, :n] = out[:n]
            pool.filled[tree] = n
    else:
        _standardise(out, n, pool.mean[tree], pool.scale[tree])


@kernel
def _standardise(values: Floats, n: int, mean: float, scale: float) -> None:
    for i in range(n):
        values[i] = (values[i] - mean) * scale


@kernel
def fill_rows(pool: Pool, tree: int, workspace: Workspace, first: int, last: int) -> None:
    """Make sure a slot holds the vicinal rows up to `last`; the vicinal ones start at `first`."""
    start = max(first, pool.filled[tree])
    if start >= last:
        return
    values = pool.features[pool.slot[tree], start:last]
    run(workspace, translate_tree(pool, tree, workspace), start, last, values)
    _standardise(values, last - start, pool.mean[tree], pool.scale[tree])
    pool.filled[tree] = last
