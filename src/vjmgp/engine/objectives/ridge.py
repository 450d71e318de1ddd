"""The linear model on constructed features, with exact leave-one-out errors.

Features z have mean 0 on the training rows, so the unpenalised intercept is the target's mean
and takes a share 1/n of every row's leverage:

    rᵢ = (yᵢ − ŷᵢ) / (1 − hᵢ),   hᵢ = 1/n + zᵢᵀ (ZᵀZ + αI)⁻¹ zᵢ.

With ZᵀZ + αI = LLᵀ the second part of hᵢ is |L⁻¹zᵢ|²: one forward substitution, done for a block of
rows at a time.

With weights w, W their sum, means are weighted, n is W and ZᵀZ is ZᵀWZ. Leaving out a part c of
row i multiplies hᵢ by c; it is one copy of the row, c = min(1, wᵢ), so that whole weights are the
same as repeated rows.
"""

from typing import NamedTuple

import numpy as np

from ...core.arrays import Floats, Integers
from ..compilation.kernels import kernel, part_of_kernel
from ..numerics.lanes import dot
from ..search.population import Individuals
from ..trees.evaluation import Workspace
from ..trees.pool import INVALID, STATE, Pool, training_feature
from .row_weights import RowWeights, row_weights

ROWS = 256
"""Rows handled together, so that blocks of ten features stay in cache."""


class RidgeScratch(NamedTuple):
    """Scratch arrays for one fit."""

    z: Floats
    """max_trees × n: the individual's features."""
    gram: Floats
    factor: Floats
    """alphas × max_trees × max_trees."""
    moments: Floats
    weights: Floats
    """alphas × max_trees."""
    solved: Floats
    """max_trees × ROWS."""
    leverage: Floats
    fitted: Floats
    errors: Floats
    """alphas × n: squared leave-one-out errors."""
    values: Floats
    """alphas × n: fitted values."""
    weighted: Floats
    """max_trees × n: the features times the rows' weights; empty without weights."""
    each: Floats
    """The rows' weights …"""
    total: float
    """… their sum …"""
    given: bool
    copy: Floats
    """… and the rest of `RowWeights`; flat, because numba counts references of nested tuples."""


def make_ridge_scratch(
    n: int, max_trees: int, n_alphas: int, weights: RowWeights | None = None
) -> RidgeScratch:
    """Allocate scratch for fits on n rows."""
    if weights is None:
        weights = row_weights(n)
    return RidgeScratch(
        z=np.empty((max_trees, n)),
        gram=np.empty((max_trees, max_trees)),
        factor=np.empty((n_alphas, max_trees, max_trees)),
        moments=np.empty(max_trees),
        weights=np.empty((n_alphas, max_trees)),
        solved=np.empty((max_trees, ROWS)),
        leverage=np.empty(ROWS),
        fitted=np.empty(ROWS),
        errors=np.empty((n_alphas, n)),
        values=np.empty((n_alphas, n)),
        weighted=np.empty((max_trees, n) if weights.given else (0, 0)),
        each=weights.each,
        total=weights.total,
        given=weights.given,
        copy=weights.copy,
    )


@part_of_kernel
def factorise(gram: Floats, alpha: float, m: int, factor: Floats) -> None:
    """Compute the Cholesky factor of gram + alpha·I, with the *reciprocals* of its diagonal."""
    for i in range(m):
        for j in range(i + 1):
            total = gram[i, j]
            if i == j:
                total += alpha
            for k in range(j):
                total -= factor[i, k] * factor[j, k]
            if i == j:
                # Exact arithmetic gives at least alpha here; rounding can only spoil that for
                # features that are equal to many digits.
                factor[i, i] = 1.0 / np.sqrt(max(total, 1e-3 * alpha))
            else:
                factor[i, j] = total * factor[j, j]


@part_of_kernel
def solve(factor: Floats, moments: Floats, m: int, weights: Floats) -> None:
    """Solve LLᵀ · weights = moments."""
    for i in range(m):
        total = moments[i]
        for k in range(i):
            total -= factor[i, k] * weights[k]
        weights[i] = total * factor[i, i]
    for i in range(m - 1, -1, -1):
        total = weights[i]
        for k in range(i + 1, m):
            total -= factor[k, i] * weights[k]
        weights[i] = total * factor[i, i]


@part_of_kernel
def _loo_of_rows(
    scratch: RidgeScratch, y: Floats, mean: float, m: int, a: int, first: int, last: int
) -> None:
    """Compute fitted values and squared leave-one-out errors of the rows, for alpha number a."""
    width = last - first
    solved, leverage, fitted = scratch.solved, scratch.leverage[:width], scratch.fitted[:width]
    factor = scratch.factor[a]
    for i in range(width):
        leverage[i] = 1.0 / scratch.total
        fitted[i] = mean
    for k in range(m):
        z = scratch.z[k, first:last]
        u = solved[k, :width]
        weight = scratch.weights[a, k]
        for i in range(width):
            u[i] = z[i]
            fitted[i] += weight * z[i]
        for j in range(0, k - 1, 2):  # two at a time: half the passes over u
            v, w = solved[j, :width], solved[j + 1, :width]
            share, other_share = factor[k, j], factor[k, j + 1]
            for i in range(width):
                u[i] -= share * v[i] + other_share * w[i]
        if k % 2 == 1:
            v = solved[k - 1, :width]
            share = factor[k, k - 1]
            for i in range(width):
                u[i] -= share * v[i]
        reciprocal = factor[k, k]
        for i in range(width):
            u[i] *= reciprocal
            leverage[i] += u[i] * u[i]
    if scratch.given:
        copy = scratch.copy[first:last]
        for i in range(width):
            leverage[i] *= copy[i]
    errors, values, target = scratch.errors[a, first:last], scratch.values[a], y[first:last]
    for i in range(width):
        values[first + i] = fitted[i]
        residual = (target[i] - fitted[i]) / (1.0 - leverage[i])
        errors[i] = residual * residual


@kernel
def leave_one_out(scratch: RidgeScratch, y: Floats, mean: float, m: int, a: int) -> None:
    """Compute fitted values and squared leave-one-out errors for alpha number a."""
    for first in range(0, len(y), ROWS):
        _loo_of_rows(scratch, y, mean, m, a, first, min(len(y), first + ROWS))


@part_of_kernel
def weighted_feature(scratch: RidgeScratch, k: int, n: int) -> Floats:
    """Return feature k times the rows' weights; without weights, the feature itself."""
    feature = scratch.z[k]
    if scratch.given:
        feature = scratch.weighted[k]
        for i in range(n):
            feature[i] = scratch.each[i] * scratch.z[k, i]
    return feature


@part_of_kernel
def fit_ridge(
    scratch: RidgeScratch, y: Floats, mean: float, alphas: Floats, m: int
) -> tuple[int, float]:
    """Fit the first m features; return the number of the best alpha and its mean LOO error."""
    n = len(y)
    for i in range(m):
        # Σ w·z = 0, so the target needs no centring here.
        if scratch.given:
            feature = weighted_feature(scratch, i, n)
            scratch.moments[i] = dot(feature, y, n)
            for j in range(i + 1):
                scratch.gram[i, j] = dot(feature, scratch.z[j], n)
        else:  # the same, but the loop then has a fixed array
            scratch.moments[i] = dot(scratch.z[i], y, n)
            for j in range(i + 1):
                scratch.gram[i, j] = dot(scratch.z[i], scratch.z[j], n)
    for a in range(len(alphas)):
        factorise(scratch.gram, alphas[a], m, scratch.factor[a])
        solve(scratch.factor[a], scratch.moments, m, scratch.weights[a])
    for first in range(0, n, ROWS):
        for a in range(len(alphas)):
            _loo_of_rows(scratch, y, mean, m, a, first, min(n, first + ROWS))
    best, least = 0, np.inf
    for a in range(len(alphas)):
        error = dot(scratch.errors[a], scratch.each, n) / scratch.total
        if error < least:
            best, least = a, error
    return best, least


@part_of_kernel
def _load_features(
    pool: Pool,
    individuals: Individuals,
    workspace: Workspace,
    scratch: RidgeScratch,
    n: int,
    row: int,
) -> bool:
    """Load the individual's features into the scratch; return whether all are finite."""
    valid = True
    for t in range(individuals.n_trees[row]):
        tree = individuals.trees[row, t]
        if pool.facts[tree, STATE] != INVALID:
            training_feature(pool, tree, workspace, n, scratch.each, scratch.total, scratch.z[t])
        valid = valid and pool.facts[tree, STATE] != INVALID
    return valid


@part_of_kernel
def _write(
    individuals: Individuals, scratch: RidgeScratch, row: int, best: int, alpha: float, error: float
) -> None:
    individuals.o1[row] = error
    individuals.o2[row] = 0.0
    individuals.alpha[row] = alpha
    for t in range(individuals.n_trees[row]):
        individuals.weights[row, t] = scratch.weights[best, t]
    for i in range(individuals.loo.shape[1]):
        individuals.loo[row, i] = scratch.errors[best, i]
        individuals.fitted[row, i] = scratch.values[best, i]


@kernel
def fit_individuals(
    pool: Pool,
    individuals: Individuals,
    workspace: Workspace,
    scratch: RidgeScratch,
    y: Floats,
    alphas: Floats,
    rows: Integers,
) -> None:
    """Compute objective 1, weights, fitted values and LOO errors of each row."""
    n = len(y)
    mean = dot(y, scratch.each, n) / scratch.total
    for row in rows:
        individuals.o1[row] = np.inf
        individuals.o2[row] = np.inf
        if not _load_features(pool, individuals, workspace, scratch, n, row):
            continue
        best, error = fit_ridge(scratch, y, mean, alphas, individuals.n_trees[row])
        if np.isfinite(error):
            _write(individuals, scratch, row, best, alphas[best], error)
