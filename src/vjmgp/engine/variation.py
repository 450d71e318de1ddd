"""Variation: crossover, mutation, tree addition and tree deletion, in this order.

Two parents give two children. A child whose structure was evaluated before is varied anew, and
given up after a number of tries: no structure is ever evaluated twice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiling import kernel
from .pool import ARENA_USED, FREE_TREES, Pool, intern_tree
from .population import Individuals, drop_trees, individual_hash, remember
from .rng import below, uniform
from .trees import Grammar, random_tree, subtree_end, tree_depth

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Codes = NDArray[np.int32]

TRIES = 10
"""How often a pair is varied anew before it is given up."""


class Rates(NamedTuple):
    """How likely each operator is, and what it must keep to."""

    crossover: float
    mutation: float
    addition: float
    deletion: float
    depth_limit: int


class Scratch(NamedTuple):
    """Room for one spliced tree and its donor."""

    codes: Codes
    constants: Floats
    donor_codes: Codes
    donor_constants: Floats
    open_children: Integers


def make_scratch(depth_limit: int) -> Scratch:
    """Scratch for trees up to this depth: a splice can be twice as deep and long for a moment."""
    longest = 2 ** (depth_limit + 2)
    return Scratch(
        np.empty(longest, np.int32),
        np.empty(longest),
        np.empty(longest, np.int32),
        np.empty(longest),
        np.empty(2 * depth_limit + 4, np.int64),
    )


@kernel
def _splice(
    pool: Pool, scratch: Scratch, tree: int, cut: int, codes: Codes, constants: Floats, limit: int
) -> int:
    """The tree with the subtree at `cut` replaced by the given nodes; the tree itself if the
    result would be too deep. Either way the result has one more user."""
    start, length = pool.start[tree], pool.length[tree]
    end = subtree_end(pool.codes[start : start + length], cut)
    inserted = len(codes)
    total = length - (end - cut) + inserted
    scratch.codes[:cut] = pool.codes[start : start + cut]
    scratch.constants[:cut] = pool.constants[start : start + cut]
    scratch.codes[cut : cut + inserted] = codes
    scratch.constants[cut : cut + inserted] = constants
    scratch.codes[cut + inserted : total] = pool.codes[start + end : start + length]
    scratch.constants[cut + inserted : total] = pool.constants[start + end : start + length]
    if tree_depth(scratch.codes, total, scratch.open_children) > limit:
        pool.users[tree] += 1
        return tree
    return intern_tree(pool, scratch.codes, scratch.constants, total)


@kernel
def _cross(
    state: NDArray[np.uint64],
    pool: Pool,
    scratch: Scratch,
    first: Integers,
    n_first: int,
    second: Integers,
    n_second: int,
    limit: int,
) -> None:
    """Swap a random subtree between a random tree of each child; roots included."""
    a, b = below(state, n_first), below(state, n_second)
    tree_a, tree_b = first[a], second[b]
    start_a, start_b = pool.start[tree_a], pool.start[tree_b]
    cut_a = below(state, pool.length[tree_a])
    cut_b = below(state, pool.length[tree_b])
    end_a = subtree_end(pool.codes[start_a : start_a + pool.length[tree_a]], cut_a)
    end_b = subtree_end(pool.codes[start_b : start_b + pool.length[tree_b]], cut_b)
    first[a] = _splice(
        pool,
        scratch,
        tree_a,
        cut_a,
        pool.codes[start_b + cut_b : start_b + end_b],
        pool.constants[start_b + cut_b : start_b + end_b],
        limit,
    )
    second[b] = _splice(
        pool,
        scratch,
        tree_b,
        cut_b,
        pool.codes[start_a + cut_a : start_a + end_a],
        pool.constants[start_a + cut_a : start_a + end_a],
        limit,
    )
    pool.users[tree_a] -= 1
    pool.users[tree_b] -= 1


@kernel
def _mutate(
    state: NDArray[np.uint64],
    pool: Pool,
    grammar: Grammar,
    scratch: Scratch,
    trees: Integers,
    n_trees: int,
    limit: int,
) -> None:
    """Replace a random subtree of a random tree by a random tree."""
    t = below(state, n_trees)
    tree = trees[t]
    cut = below(state, pool.length[tree])
    length = random_tree(state, grammar, scratch.donor_codes, scratch.donor_constants)
    trees[t] = _splice(
        pool,
        scratch,
        tree,
        cut,
        scratch.donor_codes[:length],
        scratch.donor_constants[:length],
        limit,
    )
    pool.users[tree] -= 1


@kernel
def _add_tree(
    state: NDArray[np.uint64],
    pool: Pool,
    grammar: Grammar,
    scratch: Scratch,
    trees: Integers,
    n_trees: int,
) -> int:
    length = random_tree(state, grammar, scratch.codes, scratch.constants)
    trees[n_trees] = intern_tree(pool, scratch.codes, scratch.constants, length)
    return n_trees + 1


@kernel
def _delete_tree(
    state: NDArray[np.uint64], pool: Pool, trees: Integers, n_trees: int
) -> int:
    t = below(state, n_trees)
    pool.users[trees[t]] -= 1
    for k in range(t, n_trees - 1):
        trees[k] = trees[k + 1]
    trees[n_trees - 1] = -1
    return n_trees - 1


@kernel
def _settle(pool: Pool, individuals: Individuals, row: int) -> None:
    size = 0
    for t in range(individuals.n_trees[row]):
        size += pool.length[individuals.trees[row, t]]
    individuals.size[row] = size


@kernel
def vary(
    state: NDArray[np.uint64],
    pool: Pool,
    individuals: Individuals,
    grammar: Grammar,
    rates: Rates,
    scratch: Scratch,
    seen: NDArray[np.uint64],
    parents: Integers,
    children: Integers,
) -> tuple[int, int]:
    """Fill the rows `children` from the pairs in `parents`.

    Returns how many children were made and how many parents were used. It stops early where
    the arena could not hold the next pair's trees, or no tree numbers are left.
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
                    pool.users[spare[k, t]] += 1
            if uniform(state) < rates.crossover:
                _cross(
                    state,
                    pool,
                    scratch,
                    spare[0],
                    counts[0],
                    spare[1],
                    counts[1],
                    rates.depth_limit,
                )
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
                    individuals.trees[row, : counts[k]] = trees[: counts[k]]
                    individuals.n_trees[row] = counts[k]
                    _settle(pool, individuals, row)
                    made += 1
                    fresh += 1
                else:
                    for t in range(counts[k]):
                        pool.users[trees[t]] -= 1
            if fresh > 0:
                break
        used += 2
    return made, used


@kernel
def initialise(
    state: NDArray[np.uint64],
    pool: Pool,
    individuals: Individuals,
    grammar: Grammar,
    scratch: Scratch,
    seen: NDArray[np.uint64],
    rows: Integers,
) -> int:
    """Fill the rows with new individuals of one random tree each; return how many were made."""
    made = 0
    for _ in range(TRIES * len(rows)):
        if made == len(rows):
            break
        row = rows[made]
        individuals.n_trees[row] = _add_tree(
            state, pool, grammar, scratch, individuals.trees[row], 0
        )
        if remember(seen, individual_hash(pool, individuals.trees[row], 1)):
            _settle(pool, individuals, row)
            made += 1
        else:
            drop_trees(pool, individuals, row)
    return made
