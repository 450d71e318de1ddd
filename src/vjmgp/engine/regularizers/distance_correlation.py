"""IODC: the input-output distance correlation. A smooth model maps close points to close values.

If rows have weights, a pair counts as the product of its weights, and the copies of one row are
pairs, too, at distance 0: wᵢ·max(wᵢ − 1, 0) of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...core.arrays import Floats, Integers
from ..compilation.kernels import kernel, part_of_kernel
from ..numerics.lanes import LANES, distances_of_whole_lanes, dot
from ..objectives.row_weights import RowWeights
from .base import Regularizer

if TYPE_CHECKING:
    from ..search.evolution import Evolution


class Pairs(NamedTuple):
    """All pairs of training rows."""

    distances: Floats
    """n × n: deviations from their mean, times both weights; 0 on the diagonal."""
    number: float
    spread: float
    """Sum of the squared deviations from the mean."""
    weights: RowWeights


class DistanceCorrelation(Regularizer):
    """Negative correlation of distances between inputs with distances between predictions."""

    name = "distance_correlation"
    label = "IODC"
    uses_sample_weight = True
    _pairs: Pairs

    def extra_points(self, x: Floats, y: Floats, seed: int, noise_r2: float) -> None:
        """Prepare the distances between the training rows; there are no extra points."""
        distances = distances_between(np.ascontiguousarray(x))
        n, each = len(x), self.weights.each
        count, copies, total = float(n * (n - 1)), 0.0, float(distances.sum())
        if self.weights.given:
            copies = float(np.sum(each * np.maximum(each - 1.0, 0.0)))
            count = self.weights.total**2 - float(np.sum(each * each)) + copies
            total = float(np.sum(each * [dot(row, each, n) for row in distances]))
        mean = total / count
        distances -= mean
        np.fill_diagonal(distances, 0.0)  # only pairs of different rows count
        weighted = distances * np.outer(each, each) if self.weights.given else distances
        spread = 0.0
        for i in range(n):
            spread += dot(distances[i], weighted[i], n)
        self._pairs = Pairs(weighted, count, spread + copies * mean**2, self.weights)

    def score(self, run: Evolution, rows: Integers) -> None:
        """Score by the negative correlation; 0 if one of the two distances does not vary."""
        run.individuals.o2[rows] = minus_correlations(run.individuals.fitted, rows, self._pairs)


@kernel
def distances_between(x: Floats) -> Floats:
    """Return the Euclidean distances of all pairs of rows, in a fixed order of sums."""
    n, n_inputs = x.shape
    distances = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            square = 0.0
            for c in range(n_inputs):
                square += (x[i, c] - x[j, c]) ** 2
            distances[i, j] = distances[j, i] = np.sqrt(square)
    return distances


@part_of_kernel
def _distances(values: Floats, weights: Floats, here: float) -> tuple[float, float]:
    """Return the sum of the distances of values from `here`, and their weighted sum."""
    n = len(values)
    total, weighted = distances_of_whole_lanes(values, weights, here, n)
    for j in range(n - n % LANES, n):
        distance = abs(values[j] - here)
        total += distance
        weighted += distance * weights[j]
    return total, weighted


@kernel
def minus_correlations(fitted: Floats, rows: Integers, pairs: Pairs) -> Floats:
    """Compute the negative correlation for each row of predictions."""
    distances, weights = pairs.distances, pairs.weights
    n = len(distances)
    found = np.zeros(len(rows))
    centred, weighted = np.empty(n), np.empty(n)
    for k in range(len(rows)):
        values = fitted[rows[k]]
        mean = dot(values, weights.each, n) / weights.total
        for i in range(n):
            centred[i] = values[i] - mean
            weighted[i] = weights.each[i] * centred[i]
        squares = 2.0 * weights.total * dot(centred, weighted, n)  # of distances, all pairs
        total, products = 0.0, 0.0
        for i in range(n):
            # Distances are symmetric: those to earlier lanes count twice.
            whole = i - i % LANES
            until = min(whole + LANES, n)
            before = _distances(values[:whole], distances[i, :whole], values[i])
            beside = _distances(values[whole:until], distances[i, whole:until], values[i])
            if weights.given:
                near = _distances(values[:whole], weights.each[:whole], values[i])
                same = _distances(values[whole:until], weights.each[whole:until], values[i])
                total += weights.each[i] * (2.0 * near[1] + same[1])
            else:
                total += 2.0 * before[0] + beside[0]
            products += 2.0 * before[1] + beside[1]
        own_spread = squares - total * total / pairs.number
        if own_spread > 1e-12 * squares and pairs.spread > 0.0:
            found[k] = -products / np.sqrt(own_spread * pairs.spread)
    return found
