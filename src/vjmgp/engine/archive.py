"""The archive: every individual that was ever non-dominated, with when it came and went.

τ and the rule of the final choice never touch evolution, so a run keeps what another τ or
another rule would need: the whole front, at the end and after each generation. Entries are only
appended; `died` tells when a better one took an entry's place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compiling import kernel
from .pool import Pool
from .population import Individuals

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Codes = NDArray[np.int32]

ALIVE = -1
ENTRIES, NODES, FRONT = range(3)


class Archive(NamedTuple):
    """Entries by number, their nodes, and the numbers of the present front by rising o1."""

    o1: Floats
    o2: Floats
    train_r2: Floats
    alpha: Floats
    size: Integers
    n_trees: Integers
    born: Integers
    died: Integers
    weights: Floats
    mean: Floats
    scale: Floats
    """entries × max_trees: standardisation of each feature (scale multiplies)."""
    first_node: Integers
    tree_length: Integers
    codes: Codes
    constants: Floats
    front: Integers
    counts: Integers


def make_archive(max_trees: int, entries: int = 1024, nodes: int = 32768) -> Archive:
    """An empty archive; `reserve` makes it larger when it must be."""
    return Archive(
        o1=np.zeros(entries),
        o2=np.zeros(entries),
        train_r2=np.zeros(entries),
        alpha=np.zeros(entries),
        size=np.zeros(entries, np.int64),
        n_trees=np.zeros(entries, np.int64),
        born=np.zeros(entries, np.int64),
        died=np.full(entries, ALIVE, np.int64),
        weights=np.zeros((entries, max_trees)),
        mean=np.zeros((entries, max_trees)),
        scale=np.zeros((entries, max_trees)),
        first_node=np.zeros(entries, np.int64),
        tree_length=np.zeros((entries, max_trees), np.int64),
        codes=np.zeros(nodes, np.int32),
        constants=np.zeros(nodes),
        front=np.zeros(entries, np.int64),
        counts=np.zeros(3, np.int64),
    )


def _lengthen(values: NDArray[np.generic], length: int) -> NDArray[np.generic]:
    longer = np.zeros((length, *values.shape[1:]), values.dtype)
    longer[: len(values)] = values
    return longer


def reserve(archive: Archive, entries: int, nodes: int) -> Archive:
    """The archive with room for so many more entries and nodes."""
    wanted_entries = int(archive.counts[ENTRIES]) + entries
    wanted_nodes = int(archive.counts[NODES]) + nodes
    longer = {}
    for name, values in archive._asdict().items():
        wanted = wanted_nodes if name in ("codes", "constants") else wanted_entries
        if name != "counts" and len(values) < wanted:
            longer[name] = _lengthen(values, 2 * wanted)
    return archive._replace(**longer) if longer else archive


@kernel
def _append(
    archive: Archive, pool: Pool, individuals: Individuals, y: Floats, row: int, generation: int
) -> int:
    entry = archive.counts[ENTRIES]
    node = archive.counts[NODES]
    archive.o1[entry], archive.o2[entry] = individuals.o1[row], individuals.o2[row]
    archive.alpha[entry] = individuals.alpha[row]
    archive.size[entry] = individuals.size[row]
    archive.n_trees[entry] = individuals.n_trees[row]
    archive.born[entry], archive.died[entry] = generation, ALIVE
    archive.first_node[entry] = node
    for t in range(individuals.n_trees[row]):
        tree = individuals.trees[row, t]
        start, length = pool.start[tree], pool.length[tree]
        archive.weights[entry, t] = individuals.weights[row, t]
        archive.mean[entry, t] = pool.mean[tree]
        archive.scale[entry, t] = pool.scale[tree]
        archive.tree_length[entry, t] = length
        archive.codes[node : node + length] = pool.codes[start : start + length]
        archive.constants[node : node + length] = pool.constants[start : start + length]
        node += length
    low, high = y.min(), y.max()
    error, variation, mean = 0.0, 0.0, y.mean()
    for i in range(len(y)):
        value = min(max(individuals.fitted[row, i], low), high)
        error += (y[i] - value) ** 2
        variation += (y[i] - mean) ** 2
    archive.train_r2[entry] = 1.0 - error / variation if variation > 0.0 else 0.0
    archive.counts[ENTRIES] = entry + 1
    archive.counts[NODES] = node
    return entry


@kernel
def update_archive(
    archive: Archive,
    pool: Pool,
    individuals: Individuals,
    y: Floats,
    rows: Integers,
    generation: int,
) -> None:
    """Enter each row that no entry dominates or equals, and retire those it dominates."""
    front = archive.front
    for row in rows:
        o1, o2 = individuals.o1[row], individuals.o2[row]
        if not (np.isfinite(o1) and np.isfinite(o2)):
            continue
        size = archive.counts[FRONT]
        low, high = 0, size  # the first entry with a larger o1
        while low < high:
            middle = (low + high) // 2
            if archive.o1[front[middle]] <= o1:
                low = middle + 1
            else:
                high = middle
        if low > 0 and archive.o2[front[low - 1]] <= o2:
            continue
        if low > 0 and archive.o1[front[low - 1]] == o1:
            low -= 1
        worse = low
        while worse < size and archive.o2[front[worse]] >= o2:
            archive.died[front[worse]] = generation
            worse += 1
        entry = _append(archive, pool, individuals, y, row, generation)
        shift = 1 - (worse - low)
        if shift > 0:
            for k in range(size - 1, low - 1, -1):
                front[k + 1] = front[k]
        elif shift < 0:
            for k in range(worse, size):
                front[k + shift] = front[k]
        front[low] = entry
        archive.counts[FRONT] = size + shift


def front_of(archive: Archive, generation: int | None = None) -> Integers:
    """Entry numbers of the front, by rising o1: the last one, or that after a generation."""
    if generation is None:
        return archive.front[: archive.counts[FRONT]].copy()
    count = archive.counts[ENTRIES]
    born, died = archive.born[:count], archive.died[:count]
    there = np.flatnonzero((born <= generation) & ((died == ALIVE) | (died > generation)))
    return there[np.argsort(archive.o1[there], kind="stable")]
