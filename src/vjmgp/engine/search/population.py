"""Individuals as rows of arrays. Parents and offspring share one set of rows; nothing is copied."""

from typing import NamedTuple

import numpy as np

from ...core.arrays import Floats, Int, Integers, Words
from ..compilation.kernels import kernel, part_of_kernel
from ..trees.pool import HASH, USERS, Pool, sweep
from ..trees.structure import mix


class Individuals(NamedTuple):
    """Facts about each individual, by row."""

    trees: Integers
    """rows × max_trees: tree numbers, −1 for none."""
    n_trees: Integers
    size: Integers
    """Nodes over all trees."""
    weights: Floats
    """rows × max_trees: ridge coefficients on standardised features."""
    alpha: Floats
    loo: Floats
    """rows × n: squared leave-one-out errors, the cases of lexicase selection."""
    fitted: Floats
    """rows × n: the model's values on the training rows."""
    o1: Floats
    o2: Floats
    """The two objectives; infinite for an invalid individual."""


def make_individuals(rows: int, max_trees: int, n: int) -> Individuals:
    """Allocate arrays for individuals on n training rows."""
    return Individuals(
        trees=np.full((rows, max_trees), -1, np.int64),
        n_trees=np.zeros(rows, np.int64),
        size=np.zeros(rows, np.int64),
        weights=np.zeros((rows, max_trees)),
        alpha=np.zeros(rows),
        loo=np.zeros((rows, n)),
        fitted=np.zeros((rows, n)),
        o1=np.full(rows, np.inf),
        o2=np.full(rows, np.inf),
    )


@part_of_kernel
def individual_hash(pool: Pool, trees: Integers, n_trees: Int) -> Int:
    """Return a hash of the set of trees; their order does not affect the model."""
    value = np.uint64(n_trees)
    for t in range(n_trees):
        value += mix(pool.facts[trees[t], HASH])
    return mix(value)


@kernel
def remember(seen: Words, value: Int) -> bool:
    """Enter a hash into the set; return whether it is new. 0 marks an empty place."""
    if value == 0:
        value = np.uint64(1)
    mask = np.uint64(len(seen) - 1)
    place = value & mask
    while seen[place] != 0:
        if seen[place] == value:
            return False
        place = (place + np.uint64(1)) & mask
    seen[place] = value
    return True


@kernel
def rehash(seen: Words, larger: Words) -> None:
    """Move all hashes to a larger set."""
    for value in seen:
        if value != 0:
            remember(larger, value)


@kernel
def drop_trees(pool: Pool, individuals: Individuals, row: int) -> None:
    """Remove the trees of one row."""
    for t in range(individuals.n_trees[row]):
        pool.facts[individuals.trees[row, t], USERS] -= 1
    individuals.n_trees[row] = 0


@kernel
def release(pool: Pool, individuals: Individuals, rows: Integers) -> None:
    """Remove the trees of these rows and free those without users."""
    for row in rows:
        drop_trees(pool, individuals, row)
    sweep(pool)
