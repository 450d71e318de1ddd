"""IODC: the input-output distance correlation. A smooth model keeps near points near."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Floats, Integers
from ..compiling import kernel, part_of_kernel
from ..lanes import LANES, distances_of_whole_lanes, dot
from .base import Regularizer

if TYPE_CHECKING:
    from ..evolution import Evolution
    from ..settings import Settings


class DistanceCorrelation(Regularizer):
    """Minus the correlation of distances between inputs with distances between predictions."""

    name = "distance_correlation"
    label = "IODC"

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._distances: Floats = np.empty((0, 0))

    def extra_points(self, x: Floats, y: Floats, seed: int, noise_r2: float) -> None:
        """No points; the distances between the training rows, from their mean."""
        distances = distances_between(np.ascontiguousarray(x))
        n = len(x)
        distances -= distances.sum() / (n * (n - 1))
        np.fill_diagonal(distances, 0.0)  # only pairs of different rows count
        self._distances = distances

    def score(self, run: Evolution, rows: Integers) -> None:
        """Minus the correlation; 0 where one of the two distances does not vary."""
        run.individuals.o2[rows] = minus_correlations(run.individuals.fitted, rows, self._distances)


@kernel
def distances_between(x: Floats) -> Floats:
    """Euclidean distances of all pairs of rows, in a fixed order of sums."""
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
    """Sum of the distances of values from `here`, and their weighted sum."""
    n = len(values)
    total, weighted = distances_of_whole_lanes(values, weights, here, n)
    for j in range(n - n % LANES, n):
        distance = abs(values[j] - here)
        total += distance
        weighted += distance * weights[j]
    return total, weighted


@kernel
def minus_correlations(fitted: Floats, rows: Integers, distances: Floats) -> Floats:
    """For each row of predictions. `distances`: n × n, mean 0 over pairs, diagonal 0."""
    n = len(distances)
    pairs = n * (n - 1)
    found = np.zeros(len(rows))
    centred, ones = np.empty(n), np.ones(n)
    spread = 0.0
    for i in range(n):
        spread += dot(distances[i], distances[i], n)
    for k in range(len(rows)):
        values = fitted[rows[k]]
        mean = dot(values, ones, n) / n
        for i in range(n):
            centred[i] = values[i] - mean
        squares = 2.0 * n * dot(centred, centred, n)  # of the distances of all pairs
        total, products = 0.0, 0.0
        for i in range(n):
            # Distances are the same both ways: those to earlier lanes count twice.
            whole = i - i % LANES
            until = min(whole + LANES, n)
            before = _distances(values[:whole], distances[i, :whole], values[i])
            beside = _distances(values[whole:until], distances[i, whole:until], values[i])
            total += 2.0 * before[0] + beside[0]
            products += 2.0 * before[1] + beside[1]
        own_spread = squares - total * total / pairs
        if own_spread > 1e-12 * squares and spread > 0.0:
            found[k] = -products / np.sqrt(own_spread * spread)
    return found
