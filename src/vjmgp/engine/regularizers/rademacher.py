"""RC: Rademacher complexity, how well the model's features can fit random signs.

For a vector σ of random signs, the model refitted to −σ·y is far from y where σ is 1 and close to
it where σ is −1, so the mean of σ·loss is large. The average over 20 fixed vectors estimates the
complexity of all linear models on the individual's features. If rows have weights, the copies of a
row share its sign.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...core.arrays import Floats, Integers, Words
from ..compilation.kernels import kernel
from ..numerics.lanes import dot
from ..numerics.rng import below, stream
from ..objectives.ridge import RidgeScratch, factorise, solve, weighted_feature
from ..search.population import Individuals
from ..trees.evaluation import Workspace
from ..trees.pool import Pool, training_feature
from .base import Regularizer

if TYPE_CHECKING:
    from ..search.evolution import Evolution

VECTORS = 20


class Signs(NamedTuple):
    """The fixed vectors, and products that all individuals share."""

    signs: Floats
    """VECTORS × n, times the rows' weights."""
    targets: Floats
    """−σ·y, times the rows' weights."""
    means: Floats
    """Mean of each −σ·y."""
    y: Floats
    variance: float


class Rademacher(Regularizer):
    """Rademacher complexity of the linear models on an individual's features."""

    name = "rademacher"
    label = "RC"
    uses_sample_weight = True
    _signs: Signs

    def extra_points(self, x: Floats, y: Floats, seed: int, noise_r2: float) -> None:
        """Draw the random signs of this run; there are no extra points."""
        weights = self.weights
        signs = random_signs(stream(seed, "rademacher"), VECTORS, len(y)) * weights.each
        targets = -signs * y
        means = targets.sum(axis=1) / weights.total
        variance = weights.mean((y - weights.mean(y)) ** 2)
        self._signs = Signs(signs, targets, means, y.copy(), variance)

    def score(self, run: Evolution, rows: Integers) -> None:
        """Score by the complexity of each row."""
        rademacher(run.pool, run.individuals, run.workspace, run.ridge, self._signs, rows)


@kernel
def random_signs(state: Words, vectors: int, n: int) -> Floats:
    """Return vectors of −1 and 1."""
    signs = np.empty((vectors, n))
    for v in range(vectors):
        for i in range(n):
            signs[v, i] = 2.0 * below(state, 2) - 1.0
    return signs


@kernel
def rademacher(
    pool: Pool,
    individuals: Individuals,
    workspace: Workspace,
    scratch: RidgeScratch,
    signs: Signs,
    rows: Integers,
) -> None:
    """Compute objective 2 of each row."""
    n = len(signs.y)
    factor, weights = scratch.factor[0], scratch.weights[0]
    loss = scratch.values[0]
    for row in rows:
        m = individuals.n_trees[row]
        for i in range(m):
            training_feature(
                pool,
                individuals.trees[row, i],
                workspace,
                n,
                scratch.each,
                scratch.total,
                scratch.z[i],
            )
            feature = weighted_feature(scratch, i, n)
            for j in range(i + 1):
                scratch.gram[i, j] = dot(feature, scratch.z[j], n)
        factorise(scratch.gram, individuals.alpha[row], m, factor)
        total = 0.0
        for v in range(len(signs.signs)):
            for k in range(m):
                scratch.moments[k] = dot(scratch.z[k], signs.targets[v], n)
            solve(factor, scratch.moments, m, weights)
            mean = signs.means[v]
            for i in range(n):
                loss[i] = mean - signs.y[i]
            for k in range(m):
                weight, z = weights[k], scratch.z[k]
                for i in range(n):
                    loss[i] += weight * z[i]
            for i in range(n):
                loss[i] = loss[i] * loss[i]
            total += max(dot(signs.signs[v], loss, n) / scratch.total, 0.0)
        individuals.o2[row] = total / (len(signs.signs) * signs.variance)
