"""The archive: every individual that was ever non-dominated, with its time on the front.

Neither τ nor the rule of the final choice affects evolution, so a run keeps what another τ or
another rule would need: the whole front, at the end and after each generation. Entries are only
appended; `died` is the generation in which a better one took an entry's place.
"""

from typing import NamedTuple

import numpy as np

from ...core.arrays import Codes, Floats, Integers
from ..compilation.kernels import kernel, part_of_kernel
from ..objectives.row_weights import RowWeights
from ..trees.pool import LENGTH, MEAN, SCALE, START, Pool, copy_nodes
from .population import Individuals

ALIVE = -1
# Columns of `scores` and `facts`, layers of `linear`, places in `counts`.
O1, O2, TRAIN_R2, ALPHA = range(4)
SIZE, N_TREES, BORN, DIED, FIRST_NODE, RESTART = range(6)
LAW = -1
"""In place of a restart: the entry is a law, found without evolution."""
WEIGHT, CENTRE, FACTOR = range(3)
ENTRIES, NODES, FRONT = range(3)


class Archive(NamedTuple):
    """Entries by number, their nodes, and the numbers of the present front by rising o1."""

    scores: Floats
    """entries × 4: o1, o2, training R² (clipped predictions), ridge strength."""
    facts: Integers
    """entries × 6: size, number of trees, generation of birth and death, first node, and which
    restart found it."""
    linear: Floats
    """entries × 3 × max_trees: ridge weight, feature mean and feature scale (it multiplies)."""
    tree_length: Integers
    codes: Codes
    constants: Floats
    front: Integers
    counts: Integers


def make_archive(max_trees: int, entries: int = 1024, nodes: int = 32768) -> Archive:
    """Return an empty archive; `reserve` enlarges it."""
    return Archive(
        scores=np.zeros((entries, 4)),
        facts=np.zeros((entries, 6), np.int64),
        linear=np.zeros((entries, 3, max_trees)),
        tree_length=np.zeros((entries, max_trees), np.int64),
        codes=np.zeros(nodes, np.int32),
        constants=np.zeros(nodes),
        front=np.zeros(entries, np.int64),
        counts=np.zeros(3, np.int64),
    )


def reserve(archive: Archive, entries: int, nodes: int) -> Archive:
    """Return the archive with room for this many more entries and nodes."""
    wanted_entries = int(archive.counts[ENTRIES]) + entries
    wanted_nodes = int(archive.counts[NODES]) + nodes
    if wanted_entries <= len(archive.front) and wanted_nodes <= len(archive.codes):
        return archive
    longer = {}
    for name, values in archive._asdict().items():
        if name != "counts":
            wanted = wanted_nodes if name in ("codes", "constants") else wanted_entries
            longer[name] = np.zeros((2 * wanted, *values.shape[1:]), values.dtype)
            longer[name][: len(values)] = values[: 2 * wanted]
    return archive._replace(**longer)


def trimmed(archive: Archive) -> Archive:
    """Return the archive without unused room."""
    entries, nodes, front = (int(count) for count in archive.counts)
    lengths = {"codes": nodes, "constants": nodes, "front": front, "counts": 3}
    return Archive(
        *(values[: lengths.get(name, entries)].copy() for name, values in archive._asdict().items())
    )


@part_of_kernel
def _append(
    archive: Archive,
    pool: Pool,
    individuals: Individuals,
    y: Floats,
    weights: RowWeights,
    row: int,
    generation: int,
) -> int:
    entry, node = archive.counts[ENTRIES], archive.counts[NODES]
    scores, facts, linear = archive.scores[entry], archive.facts[entry], archive.linear[entry]
    scores[O1], scores[O2] = individuals.o1[row], individuals.o2[row]
    scores[ALPHA] = individuals.alpha[row]
    facts[SIZE], facts[N_TREES] = individuals.size[row], individuals.n_trees[row]
    facts[BORN], facts[DIED], facts[FIRST_NODE] = generation, ALIVE, node
    for t in range(individuals.n_trees[row]):
        tree = individuals.trees[row, t]
        length = pool.facts[tree, LENGTH]
        linear[WEIGHT, t] = individuals.weights[row, t]
        linear[CENTRE, t] = pool.scaling[tree, MEAN]
        linear[FACTOR, t] = pool.scaling[tree, SCALE]
        archive.tree_length[entry, t] = length
        copy_nodes(
            pool.codes,
            pool.constants,
            pool.facts[tree, START],
            length,
            archive.codes,
            archive.constants,
            node,
        )
        node += length
    low, high, mean = np.inf, -np.inf, 0.0
    for i in range(len(y)):
        low, high = min(low, y[i]), max(high, y[i])
        mean += weights.each[i] * y[i] / weights.total
    error, variation = 0.0, 0.0
    for i in range(len(y)):
        value = min(max(individuals.fitted[row, i], low), high)
        error += weights.each[i] * (y[i] - value) ** 2
        variation += weights.each[i] * (y[i] - mean) ** 2
    scores[TRAIN_R2] = 1.0 - error / variation if variation > 0.0 else 0.0
    archive.counts[ENTRIES] = entry + 1
    archive.counts[NODES] = node
    return entry


@kernel
def update_archive(
    archive: Archive,
    pool: Pool,
    individuals: Individuals,
    y: Floats,
    weights: RowWeights,
    rows: Integers,
    generation: int,
) -> None:
    """Enter each row that no entry dominates or equals, and retire the entries it dominates."""
    front, scores = archive.front, archive.scores
    for row in rows:
        o1, o2 = individuals.o1[row], individuals.o2[row]
        size = archive.counts[FRONT]
        low, high = 0, size  # the first entry with a larger o1
        while low < high:
            middle = (low + high) // 2
            if scores[front[middle], O1] <= o1:
                low = middle + 1
            else:
                high = middle
        if low > 0 and scores[front[low - 1], O2] <= o2:
            continue
        if low > 0 and scores[front[low - 1], O1] == o1:
            low -= 1
        worse = low
        while worse < size and scores[front[worse], O2] >= o2:
            archive.facts[front[worse], DIED] = generation
            worse += 1
        entry = _append(archive, pool, individuals, y, weights, row, generation)
        shift = 1 - (worse - low)
        if shift > 0:
            for k in range(size - 1, low - 1, -1):
                front[k + 1] = front[k]
        elif shift < 0:
            for k in range(worse, size):
                front[k + shift] = front[k]
        front[low] = entry
        archive.counts[FRONT] = size + shift


def retire_front(archive: Archive, generation: int) -> None:
    """End the life of all entries of the present front."""
    archive.facts[front_of(archive), DIED] = generation
    archive.counts[FRONT] = 0


def merged(archives: list[Archive]) -> Archive:
    """Merge the archives of several restarts, in order; the front is that of all entries."""
    parts = [trimmed(archive) for archive in archives]
    joined = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in Archive._fields
        if name not in ("front", "counts")
    }
    first_entry = first_node = 0
    for restart, part in enumerate(parts):
        facts = joined["facts"][first_entry : first_entry + len(part.facts)]
        facts[:, RESTART] = restart
        facts[:, FIRST_NODE] += first_node
        first_entry += len(part.facts)
        first_node += len(part.codes)
    return with_front(Archive(front=np.empty(0, np.int64), counts=np.empty(0, np.int64), **joined))


def with_front(archive: Archive) -> Archive:
    """Return the archive with the front of its entries that have not died."""
    alive = np.flatnonzero(archive.facts[:, DIED] == ALIVE)
    front = alive[_non_dominated(archive.scores[alive])]
    counts = np.array([len(archive.facts), len(archive.codes), len(front)])
    return archive._replace(front=front, counts=counts)


def part_of(archive: Archive, entries: Integers) -> Archive:
    """Return an archive of these entries only."""
    first, lengths = archive.facts[entries, FIRST_NODE], archive.tree_length[entries].sum(axis=1)
    nodes = np.concatenate([np.arange(a, a + n) for a, n in zip(first, lengths, strict=True)])
    facts = archive.facts[entries]
    facts[:, FIRST_NODE] = np.cumsum(lengths) - lengths
    return with_front(
        archive._replace(
            scores=archive.scores[entries],
            facts=facts,
            linear=archive.linear[entries],
            tree_length=archive.tree_length[entries],
            codes=archive.codes[nodes],
            constants=archive.constants[nodes],
        )
    )


def _non_dominated(scores: Floats) -> Integers:
    """Return the non-dominated rows of scores by o1; of equal rows, the first."""
    order = np.lexsort((scores[:, O2], scores[:, O1]))
    o2 = scores[order, O2]
    least_before = np.minimum.accumulate(np.concatenate([[np.inf], o2[:-1]]))
    return order[o2 < least_before]


def front_of(archive: Archive, generation: int | None = None) -> Integers:
    """Return the entry numbers of the final front, or of that after a generation, by rising o1."""
    if generation is None:
        return archive.front[: archive.counts[FRONT]].copy()
    facts = archive.facts[: archive.counts[ENTRIES]]
    born, died = facts[:, BORN], facts[:, DIED]
    entries = np.flatnonzero((born <= generation) & ((died == ALIVE) | (died > generation)))
    return entries[_non_dominated(archive.scores[entries])]


def trees_of(archive: Archive, entry: int) -> list[tuple[Codes, Floats]]:
    """Return codes and constants of each tree of an entry, in prefix order."""
    lengths = archive.tree_length[entry, : archive.facts[entry, N_TREES]]
    ends = archive.facts[entry, FIRST_NODE] + np.cumsum(lengths)
    places = map(slice, ends - lengths, ends)
    return [(archive.codes[place], archive.constants[place]) for place in places]
