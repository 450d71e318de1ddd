"""Variation: crossover, mutation, tree addition and tree deletion, in this order.

Two parents have two children. A child whose structure has been evaluated before is varied again,
and dropped after a number of tries: no structure is evaluated twice.
"""

from typing import NamedTuple

import numpy as np

from ...core.arrays import Codes, Floats, Int, Integers, Words
from ..compilation.kernels import kernel, part_of_kernel
from ..numerics.rng import below, uniform
from ..trees.pool import ARENA_USED, FREE_TREES, LENGTH, START, USERS, Pool, copy_nodes, intern_tree
from ..trees.structure import NO_LIMIT, Grammar, keeps_nesting, random_tree, subtree_end, tree_depth
from .population import Individuals, drop_trees, individual_hash, remember

TRIES = 10
"""Number of times a pair is varied again before it is dropped."""


class Rates(NamedTuple):
    """Probabilities and limits of the operators."""

    crossover: float
    mutation: float
    addition: float
    deletion: float
    depth_limit: int


class VariationScratch(NamedTuple):
    """VariationScratch arrays for one spliced tree and its donor."""

    codes: Codes
    constants: Floats
    donor_codes: Codes
    donor_constants: Floats
    open_children: Integers
    forbidden: Integers


def make_scratch(depth_limit: int) -> VariationScratch:
    """Allocate scratch for trees of this depth; a splice may briefly be twice as deep and long."""
    longest = 2 ** (depth_limit + 2)
    return VariationScratch(
        np.empty(longest, np.int32),
        np.empty(longest),
        np.empty(longest, np.int32),
        np.empty(longest),
        np.empty(2 * depth_limit + 4, np.int64),
        np.empty(2 * depth_limit + 4, np.int64),
    )


@part_of_kernel
def _room(pool: Pool, trees: Integers, n_trees: Int, place: Int, max_size: Int) -> Int:
    """Return the number of nodes that the tree at `place` may have."""
    room = max_size
    if max_size < NO_LIMIT:
        for t in range(n_trees):
            if t != place:
                room -= pool.facts[trees[t], LENGTH]
    return room


@kernel
def _splice(
    pool: Pool,
    grammar: Grammar,
    scratch: VariationScratch,
    tree: Int,
    cut: Int,
    codes: Codes,
    constants: Floats,
    first: Int,
    inserted: Int,
    limit: int,
    room: Int,
) -> int:
    """Return the tree with the subtree at `cut` replaced by nodes from the given arrays.

    If the result would be too deep or large or break a rule of nesting, it is the tree itself.
    Either way it has one more user.
    """
    start, length = pool.facts[tree, START], pool.facts[tree, LENGTH]
    end = subtree_end(pool.codes, start + cut) - start
    total = length - (end - cut) + inserted
    to_codes, to_constants = scratch.codes, scratch.constants
    copy_nodes(pool.codes, pool.constants, start, cut, to_codes, to_constants, np.int64(0))
    copy_nodes(codes, constants, first, inserted, to_codes, to_constants, cut)
    rest = length - end
    copy_nodes(
        pool.codes, pool.constants, start + end, rest, to_codes, to_constants, cut + inserted
    )
    opened, forbidden = scratch.open_children, scratch.forbidden
    if (
        total > room
        or tree_depth(to_codes, total, opened) > limit
        or not keeps_nesting(to_codes, total, grammar.nesting, opened, forbidden)
    ):
        pool.facts[tree, USERS] += 1
        return tree
    return intern_tree(pool, to_codes, to_constants, total)


@part_of_kernel
def _cross(
    state: Words,
    pool: Pool,
    grammar: Grammar,
    scratch: VariationScratch,
    children: Integers,
    counts: Integers,
    limit: int,
) -> None:
    """Swap a random subtree, which may be the whole tree, between a random tree of each child."""
    place = np.empty(2, np.int64)
    tree = np.empty(2, np.int64)
    cut = np.empty(2, np.int64)
    for k in range(2):
        place[k] = below(state, counts[k])
        tree[k] = children[k, place[k]]
        cut[k] = below(state, pool.facts[tree[k], LENGTH])
    for k in range(2):
        donor = tree[1 - k]
        first = pool.facts[donor, START] + cut[1 - k]
        inserted = subtree_end(pool.codes, first) - first
        room = _room(pool, children[k], counts[k], place[k], grammar.max_size)
        children[k, place[k]] = _splice(
            pool,
            grammar,
            scratch,
            tree[k],
            cut[k],
            pool.codes,
            pool.constants,
            first,
            inserted,
            limit,
            room,
        )
    for k in range(2):
        pool.facts[tree[k], USERS] -= 1


@part_of_kernel
def _mutate(
    state: Words,
    pool: Pool,
    grammar: Grammar,
    scratch: VariationScratch,
    trees: Integers,
    n_trees: int,
    limit: int,
) -> None:
    """Replace a random subtree of a random tree by a random tree."""
    t = below(state, n_trees)
    tree = trees[t]
    cut = below(state, pool.facts[tree, LENGTH])
    codes, constants = scratch.donor_codes, scratch.donor_constants
    length = random_tree(state, grammar, codes, constants)
    room = _room(pool, trees, n_trees, t, grammar.max_size)
    trees[t] = _splice(
        pool, grammar, scratch, tree, cut, codes, constants, np.int64(0), length, limit, room
    )
    pool.facts[tree, USERS] -= 1


@kernel
def _add_tree(
    state: Words,
    pool: Pool,
    grammar: Grammar,
    scratch: VariationScratch,
    trees: Integers,
    n_trees: Int,
) -> Int:
    """Add a tree if there is room for it; return the number of trees."""
    length = random_tree(state, grammar, scratch.codes, scratch.constants)
    if length > _room(pool, trees, n_trees, n_trees, grammar.max_size):
        return n_trees
    trees[n_trees] = intern_tree(pool, scratch.codes, scratch.constants, length)
    return n_trees + 1


@part_of_kernel
def _delete_tree(state: Words, pool: Pool, trees: Integers, n_trees: Int) -> Int:
    t = below(state, n_trees)
    pool.facts[trees[t], USERS] -= 1
    for k in range(t, n_trees - 1):
        trees[k] = trees[k + 1]
    trees[n_trees - 1] = -1
    return n_trees - 1


@part_of_kernel
def _settle(pool: Pool, individuals: Individuals, row: int) -> None:
    size = 0
    for t in range(individuals.n_trees[row]):
        size += pool.facts[individuals.trees[row, t], LENGTH]
    individuals.size[row] = size


@kernel
def vary(
    state: Words,
    pool: Pool,
    individuals: Individuals,
    grammar: Grammar,
    rates: Rates,
    scratch: VariationScratch,
    seen: Words,
    parents: Integers,
    children: Integers,
) -> tuple[int, int]:
    """Fill the rows `children` from the pairs in `parents`.

    Return the numbers of children made and of parents used. It stops early if the arena cannot hold
    the next pair's trees, or no tree numbers are left.
    """
    max_trees = individuals.trees.shape[1]
    made = 0
    used = 0
    spare = np.empty((2, max_trees), np.int64)
    counts = np.empty(2, np.int64)
    longest = len(scratch.codes) // 2
    while made < len(children) and used + 1 < len(parents):
        for _ in range(TRIES):
            if (
                pool.counts[ARENA_USED] + 8 * longest > len(pool.codes)
                or pool.counts[FREE_TREES] < 8
            ):
                return made, used
            for k in range(2):
                parent = parents[used + k]
                counts[k] = individuals.n_trees[parent]
                for t in range(counts[k]):
                    spare[k, t] = individuals.trees[parent, t]
                    pool.facts[spare[k, t], USERS] += 1
            if uniform(state) < rates.crossover:
                _cross(state, pool, grammar, scratch, spare, counts, rates.depth_limit)
            fresh = 0
            for k in range(2):
                trees = spare[k]
                if uniform(state) < rates.mutation:
                    _mutate(state, pool, grammar, scratch, trees, counts[k], rates.depth_limit)
                if uniform(state) < rates.addition and counts[k] < max_trees:
                    counts[k] = _add_tree(state, pool, grammar, scratch, trees, counts[k])
                if uniform(state) < rates.deletion and counts[k] > 1:
                    counts[k] = _delete_tree(state, pool, trees, counts[k])
                wanted = made < len(children)
                if wanted and remember(seen, individual_hash(pool, trees, counts[k])):
                    row = children[made]
                    for t in range(counts[k]):
                        individuals.trees[row, t] = trees[t]
                    individuals.n_trees[row] = counts[k]
                    _settle(pool, individuals, row)
                    made += 1
                    fresh += 1
                else:
                    for t in range(counts[k]):
                        pool.facts[trees[t], USERS] -= 1
            if fresh > 0:
                break
        used += 2
    return made, used


@kernel
def initialise(
    state: Words,
    pool: Pool,
    individuals: Individuals,
    grammar: Grammar,
    scratch: VariationScratch,
    seen: Words,
    rows: Integers,
) -> int:
    """Fill the rows with new individuals of one random tree each; return their number."""
    made = 0
    for _ in range(TRIES * len(rows)):
        if made == len(rows):
            break
        row = rows[made]
        individuals.n_trees[row] = _add_tree(
            state, pool, grammar, scratch, individuals.trees[row], np.int64(0)
        )
        if remember(seen, individual_hash(pool, individuals.trees[row], np.int64(1))):
            _settle(pool, individuals, row)
            made += 1
        else:
            drop_trees(pool, individuals, row)
    return made
