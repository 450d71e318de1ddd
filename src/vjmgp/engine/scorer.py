"""Score given trees on prepared rows, with the kernels that score individuals in evolution."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ..core.arrays import Floats, Integers
from .numerics.lanes import dot
from .numerics.scores import r2
from .objectives.ridge import fit_individuals, leave_one_out
from .preparation import Prepared, ScoredRows
from .search import archive as archives
from .search.archive import FACTOR, O1, O2, WEIGHT, Archive
from .search.evolution import Evolution
from .search.population import release
from .trees.pool import MEAN, SCALE, compact, intern_tree

BATCH = 32
"""Models that are scored together."""
MEMORY = 512.0
"""MiB for stored feature values."""
ALMOST_1 = 1.0 - 1e-9
"""Largest leverage: that of a row which alone decides its prediction."""
Tree = tuple[ArrayLike, ArrayLike]
"""Codes and constants of a tree, in prefix order."""


def score_trees(
    prepared: Prepared, trees: Sequence[Tree], coefficients: Floats, generation: int
) -> Archive | None:
    """Score a model of given trees and coefficients; return it as an archive of one entry.

    None if one of its objectives is not finite.
    """
    run, rows = _make_run(prepared, 4), np.zeros(1, np.int64)
    individuals = run.individuals
    _load(run, 0, trees)
    _use_coefficients(run, 0, coefficients)
    run.regularizer.score(run, rows)
    if not np.isfinite(individuals.o1[0] + individuals.o2[0]):
        return None
    archive = archives.make_archive(prepared.settings.max_trees, 1, int(individuals.size[0]))
    archives.update_archive(archive, run.pool, individuals, run.y, run.weights, rows, generation)
    return archives.trimmed(archive)


def refit(archive: Archive, prepared: Prepared, threads: int = 1) -> None:
    """Fit the weights of all entries to other rows, and score them there, in place."""
    for run, entries, rows in _batches(archive, prepared, threads):
        run.fit(rows)
        _write_scores(run, archive, entries, rows)


def score_on(student: Archive, prepared: Prepared) -> Archive:
    """Score an archive of one entry on other rows, in place; its coefficients stay."""
    for run, entries, rows in _batches(student, prepared):
        _keep_coefficients(run, student, entries, rows)
        _write_scores(run, student, entries, rows)
    return student


def regularize(archive: Archive, prepared: Prepared, threads: int = 1) -> None:
    """Compute objective 2 of all entries with their weights, in place."""
    for run, entries, rows in _batches(archive, prepared, threads):
        _keep_coefficients(run, archive, entries, rows)
        run.regularizer.score(run, rows)
        archive.scores[entries, O2] = run.individuals.o2[rows]


def leave_one_out_errors(
    features: Floats, linear: Floats, alpha: float, rows: ScoredRows
) -> Floats:
    """Return the leave-one-out error of each row, with its sign.

    `linear` are the weights, centres and factors of the features (rows × features). The leverages
    are those of the ridge model on them, whatever the weights come from; `objectives/ridge.py` has
    the formula. Evolution keeps only squares and divides by Cholesky's factor, so the two differ in
    the last digits.
    """
    coefficients, centre, factor = linear
    z, weights = (features - centre) * factor, rows.weights
    gram = z.T @ (weights.each[:, None] * z) + alpha * np.eye(len(coefficients))
    leverage = np.sum(z @ np.linalg.pinv(gram, hermitian=True) * z, axis=1)
    leverage += 1.0 / weights.total
    if weights.given:
        leverage *= weights.copy
    return np.asarray((rows.y - z @ coefficients) / (1.0 - np.minimum(leverage, ALMOST_1)))


def _make_run(prepared: Prepared, batch: int, threads: int = 1) -> Evolution:
    """Return an evolution that never starts, whose individuals have room for a batch of models."""
    size = batch // 2  # parents and offspring
    memory = min(MEMORY, prepared.settings.memory_limit)
    settings = replace(prepared.settings, population_size=size, memory_limit=memory)
    return Evolution(replace(prepared, settings=settings), threads=threads)


def _load(run: Evolution, row: int, trees: Sequence[Tree]) -> None:
    individuals = run.individuals
    individuals.size[row] = 0
    for t, (codes, constants) in enumerate(trees):
        codes, constants = np.asarray(codes, np.int32), np.asarray(constants, np.float64)
        individuals.trees[row, t] = intern_tree(run.pool, codes, constants, len(codes))
        individuals.size[row] += len(codes)
    individuals.n_trees[row] = len(trees)


def _batches(
    archive: Archive, prepared: Prepared, threads: int = 1
) -> Iterator[tuple[Evolution, Integers, Integers]]:
    """Load an archive batch by batch; yield a run, the entries and the rows of its individuals."""
    run = _make_run(prepared, BATCH, threads)
    for start in range(0, len(archive.facts), BATCH):
        entries = np.arange(start, min(start + BATCH, len(archive.facts)))
        rows = entries - start
        run.pool = compact(run.pool, int(archive.tree_length[entries].sum()) + 1)
        for entry, row in zip(entries.tolist(), rows.tolist(), strict=True):
            _load(run, row, archives.trees_of(archive, entry))
        yield run, entries, rows
        release(run.pool, run.individuals, rows)


def _keep_coefficients(run: Evolution, archive: Archive, entries: Integers, rows: Integers) -> None:
    """Compute objective 1 of the rows with the entries' coefficients."""
    for linear, row in zip(archive.linear[entries], rows, strict=True):
        _use_coefficients(run, row, linear[WEIGHT] * linear[FACTOR])


def _use_coefficients(run: Evolution, row: int, coefficients: Floats) -> None:
    """Compute objective 1 of a row with given coefficients of unscaled features.

    Its errors are divided by 1 − hᵢ, as for the ridge model that is fitted to its features first.
    """
    pool, individuals, scratch, y = run.pool, run.individuals, run.ridge, run.y
    only = np.array([row], np.int64)
    fit_individuals(pool, individuals, run.workspace, scratch, y, run.alphas, only)
    if not np.isfinite(individuals.o1[row]):
        individuals.fitted[row] = np.nan  # so that no regulariser treats it as a model
        return
    n, m = len(y), int(individuals.n_trees[row])
    best = int(np.argmax(run.alphas == individuals.alpha[row]))
    weights, scale = individuals.weights[row, :m], pool.scaling[individuals.trees[row, :m], SCALE]
    weights[:] = 0.0
    np.divide(coefficients[:m], scale, out=weights, where=scale > 0.0)
    scratch.weights[best, :m] = weights
    leave_one_out(scratch, y, dot(y, scratch.each, n) / scratch.total, m, best)
    individuals.o1[row] = dot(scratch.errors[best], scratch.each, n) / scratch.total
    individuals.loo[row], individuals.fitted[row] = scratch.errors[best], scratch.values[best]


def _write_scores(run: Evolution, archive: Archive, entries: Integers, rows: Integers) -> None:
    """Write weights, scales, objective 1 and training R² of the rows into the entries."""
    individuals, y = run.individuals, run.y
    given = run.weights.each if run.weights.given else None
    for entry, row in zip(entries, rows, strict=True):
        scores, linear = archive.scores[entry], archive.linear[entry]
        scores[O1], scores[archives.ALPHA] = individuals.o1[row], individuals.alpha[row]
        fitted = np.clip(individuals.fitted[row], y.min(), y.max())
        scores[archives.TRAIN_R2] = r2(y, fitted, given)
        count = individuals.n_trees[row]
        scaling = run.pool.scaling[individuals.trees[row, :count]]
        linear[WEIGHT, :count] = individuals.weights[row, :count]
        linear[archives.CENTRE, :count] = scaling[:, MEAN]
        linear[FACTOR, :count] = scaling[:, SCALE]
