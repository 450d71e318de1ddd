"""Large tables: evolution sees a sample of the rows, the models that it found see all of them.

What matters of the archive is kept: the front, the models that were chosen on the way, and those
that count most in the teacher. Their ridge weights, scales, leave-one-out errors and training R²
are found anew on all rows. The gap is measured again, too, with the new weights, at the vicinal
points of the sample: the detector of intrusions knows the labels of these rows only, and a mean
over thousands of anchors needs no more of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...core.arrays import Floats, Integers
from ..numerics.scores import r2
from ..objectives.ridge import score_weights
from ..objectives.row_sample import sample_of_rows
from ..preparation import Prepared, prepare
from ..search.archive import (
    ALIVE,
    ALPHA,
    CENTRE,
    DIED,
    FACTOR,
    FIRST_NODE,
    N_TREES,
    O1,
    O2,
    TRAIN_R2,
    WEIGHT,
    Archive,
    part_of,
    with_front,
)
from ..search.evolution import Evolution
from ..search.population import release
from ..trees.pool import MEAN, SCALE, compact, intern_tree
from .teacher import teacher_of, teacher_tau

MOST_ROWS = 200_000
"""Of a table with more rows a sample of so many stands for all."""
MOST_OF_TEACHER = 200
"""Models that are kept for their part in the teacher."""
BATCH = 32
"""Models that are fitted at a time."""
MEMORY = 512.0
"""MiB for stored feature values."""


def prepare_all(
    x: Floats, y: Floats, sample: Prepared, sample_weight: Floats | None = None
) -> Prepared:
    """All rows, for scoring models that were evolved on a sample; without vicinal points."""
    rows = sample_of_rows(y, MOST_ROWS, sample.seed)
    settings = replace(sample.settings, regularizer="none", memory_limit=MEMORY)
    weights = None if sample_weight is None else sample_weight[rows]
    return prepare(x[rows], y[rows], settings, sample.seed, sample.noise_r2, weights)


def entries_that_matter(archive: Archive, noise_r2: float, chosen: Integers) -> Integers:
    """The front, those that were chosen on the way, and the teacher's most important models."""
    teacher = teacher_of(archive, teacher_tau(noise_r2))
    first = np.argsort(-teacher.weights, kind="stable")[:MOST_OF_TEACHER]
    return np.unique(np.concatenate([archive.front, chosen, teacher.entries[first]]))


def refitted(
    archive: Archive, entries: Integers, sample: Prepared, whole: Prepared, threads: int = 1
) -> Archive:
    """These entries with weights and scores from all rows."""
    kept = part_of(archive, entries)
    run = _scorer(whole, threads)
    for part, rows in _batches(run, kept):
        run.fit(rows)
        _read_off(run, kept, part, rows)
    if sample.regularizer.depends_on_weights:
        again = _scorer(sample, threads)
        for part, rows in _batches(again, kept):
            for entry, row in zip(part, rows, strict=True):
                _use_weights(again, kept, entry, row)
            again.regularizer.score(again, rows)
            kept.scores[part, O2] = again.individuals.o2[rows]
    # What has no finite value on rows that evolution did not see is no model.
    invalid = ~np.isfinite(kept.scores[:, [O1, O2]]).all(axis=1)
    kept.facts[invalid & (kept.facts[:, DIED] == ALIVE), DIED] = 0
    return with_front(kept)


def on_all_rows(student: Archive, whole: Prepared) -> Archive:
    """A student with its error on all rows; its weights stay what they are."""
    run = _scorer(whole)
    for part, rows in _batches(run, student):
        _use_weights(run, student, part[0], rows[0])
        _read_off(run, student, part, rows)
    return student


def _scorer(prepared: Prepared, threads: int = 1) -> Evolution:
    """Room for a batch of models on these rows."""
    settings = replace(
        prepared.settings,
        population_size=BATCH // 2,
        early_stopping=False,
        memory_limit=min(MEMORY, prepared.settings.memory_limit),
    )
    return Evolution(replace(prepared, settings=settings), threads=threads)


def _batches(run: Evolution, archive: Archive) -> Iterator[tuple[Integers, Integers]]:
    """Entries, and the rows of the run's individuals that have their trees."""
    individuals = run.individuals
    for start in range(0, len(archive.facts), BATCH):
        entries = np.arange(start, min(start + BATCH, len(archive.facts)))
        rows = entries - start
        nodes = int(archive.tree_length[entries].sum())
        run.pool = compact(run.pool, nodes + 1)
        for entry, row in zip(entries, rows, strict=True):
            node, count = (int(fact) for fact in archive.facts[entry, [FIRST_NODE, N_TREES]])
            for t, length in enumerate(archive.tree_length[entry, :count]):
                tree = slice(node, node + int(length))
                individuals.trees[row, t] = intern_tree(
                    run.pool, archive.codes[tree], archive.constants[tree], int(length)
                )
                node = tree.stop
            individuals.n_trees[row] = count
        yield entries, rows
        release(run.pool, individuals, rows)


def _use_weights(run: Evolution, archive: Archive, entry: int, row: int) -> None:
    """Objective 1 of a row with the weights that the entry has."""
    linear = archive.linear[entry]
    score_weights(
        run.pool,
        run.individuals,
        run.workspace,
        run.ridge,
        run.y,
        run.alphas,
        row,
        linear[WEIGHT] * linear[FACTOR],
    )


def _read_off(run: Evolution, archive: Archive, entries: Integers, rows: Integers) -> None:
    """Write the rows' weights, scales and scores into the entries."""
    individuals, y = run.individuals, run.y
    given = run.weights.each if run.weights.given else None
    for entry, row in zip(entries, rows, strict=True):
        scores, linear = archive.scores[entry], archive.linear[entry]
        scores[O1], scores[ALPHA] = individuals.o1[row], individuals.alpha[row]
        fitted = np.clip(individuals.fitted[row], y.min(), y.max())
        scores[TRAIN_R2] = r2(y, fitted, given)
        for t in range(individuals.n_trees[row]):
            tree = individuals.trees[row, t]
            linear[WEIGHT, t] = individuals.weights[row, t]
            linear[CENTRE, t] = run.pool.scaling[tree, MEAN]
            linear[FACTOR, t] = run.pool.scaling[tree, SCALE]
