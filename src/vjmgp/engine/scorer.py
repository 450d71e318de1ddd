"""Score given trees on prepared rows, with the kernels that score individuals in evolution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..core.arrays import Floats, Integers
from .numerics.scores import r2
from .objectives.ridge import score_weights
from .objectives.row_weights import RowWeights
from .preparation import Prepared
from .search.archive import (
    ALPHA,
    CENTRE,
    FACTOR,
    FIRST_NODE,
    N_TREES,
    O1,
    TRAIN_R2,
    WEIGHT,
    Archive,
    make_archive,
    reserve,
    trimmed,
    update_archive,
)
from .search.evolution import Evolution
from .search.population import release
from .trees.pool import MEAN, SCALE, compact, intern_tree

BATCH = 32
"""Models that are scored together."""
MEMORY = 512.0
"""MiB for stored feature values."""
ALMOST_1 = 1.0 - 1e-9
"""Largest leverage: that of a row which alone decides its own prediction."""

Tree = tuple[ArrayLike, ArrayLike]
"""Codes and constants of a tree, in prefix order."""


class ScoredRows(NamedTuple):
    """The rows that models are scored on, standardised, and their weights."""

    x: Floats
    y: Floats
    weights: RowWeights


class Scorer:
    """Storage for a batch of models, and their scores on prepared rows."""

    def __init__(self, prepared: Prepared, batch: int = BATCH, threads: int = 1) -> None:
        settings = replace(
            prepared.settings,
            population_size=batch // 2,  # parents and offspring have a row each
            memory_limit=min(MEMORY, prepared.settings.memory_limit),
        )
        self._batch = batch
        self._run = Evolution(replace(prepared, settings=settings), threads=threads)

    def load(self, row: int, trees: Sequence[Tree]) -> None:
        """Make these trees the model of a row."""
        individuals, pool = self._run.individuals, self._run.pool
        individuals.size[row] = 0
        for t, (codes, constants) in enumerate(trees):
            codes, constants = np.asarray(codes, np.int32), np.asarray(constants, np.float64)
            individuals.trees[row, t] = intern_tree(pool, codes, constants, len(codes))
            individuals.size[row] += len(codes)
        individuals.n_trees[row] = len(trees)

    def batches(self, archive: Archive) -> Iterator[tuple[Integers, Integers]]:
        """Load an archive batch by batch; yield its entries and the rows that hold them."""
        run = self._run
        for start in range(0, len(archive.facts), self._batch):
            entries = np.arange(start, min(start + self._batch, len(archive.facts)))
            rows = entries - start
            run.pool = compact(run.pool, int(archive.tree_length[entries].sum()) + 1)
            for entry, row in zip(entries, rows, strict=True):
                self.load(int(row), _trees_of(archive, int(entry)))
            yield entries, rows
            release(run.pool, run.individuals, rows)

    def fit(self, rows: Integers) -> None:
        """Fit the ridge models of these rows, which gives objective 1."""
        self._run.fit(rows)

    def use_coefficients(self, row: int, coefficients: Floats) -> None:
        """Compute objective 1 of a row with given coefficients of its features."""
        run = self._run
        score_weights(
            run.pool,
            run.individuals,
            run.workspace,
            run.ridge,
            run.y,
            run.alphas,
            row,
            coefficients,
        )

    def regularize(self, rows: Integers) -> Floats:
        """Compute and return objective 2 of these rows."""
        self._run.regularizer.score(self._run, rows)
        return self._run.individuals.o2[rows]

    def write_scores(self, archive: Archive, entries: Integers, rows: Integers) -> None:
        """Write weights, scales, objective 1 and training R² of the rows into the entries."""
        run = self._run
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

    def as_archive(self, row: int, generation: int) -> Archive | None:
        """Return an archive whose only entry is this row; None if an objective is not finite."""
        run, individuals = self._run, self._run.individuals
        if not np.isfinite(individuals.o1[row] + individuals.o2[row]):
            return None
        empty = make_archive(run.settings.max_trees, 1, 1)
        archive = reserve(empty, 1, int(individuals.size[row]))
        rows = np.array([row], np.int64)
        update_archive(archive, run.pool, individuals, run.y, run.weights, rows, generation)
        return trimmed(archive)


def _trees_of(archive: Archive, entry: int) -> list[Tree]:
    node, count = (int(fact) for fact in archive.facts[entry, [FIRST_NODE, N_TREES]])
    trees: list[Tree] = []
    for length in archive.tree_length[entry, :count]:
        tree = slice(node, node + int(length))
        trees.append((archive.codes[tree], archive.constants[tree]))
        node = tree.stop
    return trees


def score_trees(
    prepared: Prepared, trees: Sequence[Tree], coefficients: Floats, generation: int
) -> Archive | None:
    """Score one model of given trees and coefficients, as an archive of one entry.

    None if one of its objectives is not finite.
    """
    scorer = Scorer(prepared, batch=4)
    scorer.load(0, trees)
    scorer.use_coefficients(0, coefficients)
    scorer.regularize(np.zeros(1, np.int64))
    return scorer.as_archive(0, generation)


def score_on(student: Archive, whole: Prepared) -> Archive:
    """Score an archive of one entry on other rows, in place; its coefficients stay."""
    scorer = Scorer(whole)
    for entries, rows in scorer.batches(student):
        scorer.use_coefficients(rows[0], coefficients_of(student, entries[0]))
        scorer.write_scores(student, entries, rows)
    return student


def coefficients_of(archive: Archive, entry: int) -> Floats:
    """Return an entry's coefficients of its features before scaling."""
    linear = archive.linear[entry]
    return np.asarray(linear[WEIGHT] * linear[FACTOR])


def leave_one_out_errors(z: Floats, coefficients: Floats, alpha: float, rows: ScoredRows) -> Floats:
    """Return the leave-one-out error of each row, with its sign.

    `z` are rows × standardised features. The leverages are those of the ridge model on them,
    whatever the coefficients come from; `objectives/ridge.py` has the formula. Evolution keeps only
    squares and divides by Cholesky's factor, so the two differ in the last digits.
    """
    weights = rows.weights
    gram = z.T @ (weights.each[:, None] * z) + alpha * np.eye(len(coefficients))
    leverage = np.sum(z @ np.linalg.pinv(gram, hermitian=True) * z, axis=1)
    leverage += 1.0 / weights.total
    if weights.given:
        leverage *= weights.copy
    return np.asarray((rows.y - z @ coefficients) / (1.0 - np.minimum(leverage, ALMOST_1)))
