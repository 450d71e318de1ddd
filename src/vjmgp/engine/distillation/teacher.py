"""The teacher: a weighted mean of every model that was ever on the front of a run.

No single model of an archive is as good as their mean, because their errors differ. With s = o1 +
τ·o2, the weight of a model is proportional to exp(−(s − s_min) / (TEMPERATURE·s_min)). Averaging
already reduces the gap, so τ is smaller here than in the paper's choice of a single model: MOST_TAU
for labels of pure noise, near 0 for clean ones.
"""

from typing import NamedTuple

import numpy as np

from ...core.arrays import Floats, Integers
from ..compilation.kernels import kernel
from ..numerics.elementary import exp_of
from ..search.archive import ENTRIES, O1, O2, RESTART, Archive

TEMPERATURE = 0.3
LEAST_TAU, MOST_TAU = 0.1, 3.0
LEAST_WEIGHT = 0.05
"""Models below this share of the largest weight are left out."""


class Teacher(NamedTuple):
    """Entries of an archive and their weights, which sum to 1."""

    entries: Integers
    weights: Floats


def teacher_tau(noise_r2: float) -> float:
    """Return τ for the cross-validated R² of Extra Trees (NaN if unknown)."""
    noise = 0.5 if np.isnan(noise_r2) else 1.0 - noise_r2
    return float(min(max(MOST_TAU * noise, LEAST_TAU), MOST_TAU))


def teacher_of(archive: Archive, tau: float) -> Teacher:
    """Return the teacher of all restarts, which have equal shares."""
    count = int(archive.counts[ENTRIES])
    restart = archive.facts[:count, RESTART]
    sums = archive.scores[:count, O1] + tau * archive.scores[:count, O2]
    found = np.unique(restart)
    entries, weights = [], []
    for number in found:
        own = np.flatnonzero(restart == number)
        least = float(sums[own].min())
        # If there is a perfect model, only perfect models count.
        scale = max(TEMPERATURE * least, np.finfo(np.float64).tiny)
        weight = exp_of(-(sums[own] - least) / scale)
        kept = weight > LEAST_WEIGHT
        entries.append(own[kept])
        weights.append(weight[kept] / weight[kept].sum() / len(found))
    return Teacher(np.concatenate(entries), np.concatenate(weights))


class Members(NamedTuple):
    """The models of a teacher as linear models of distinct trees."""

    weights: Floats
    """One for each model; they sum to 1."""
    intercepts: Floats
    first: Integers
    """Model m has the terms first[m] ≤ k < first[m + 1]."""
    tree: Integers
    """The tree of each term …"""
    coefficient: Floats
    """… and its coefficient."""


@kernel
def mean_of_models(members: Members, values: Floats, low: float, high: float) -> Floats:
    """Return the weighted mean of the clipped models; `values` are trees × points.

    An undefined model predicts 0, the mean of the standardised target.
    """
    n = values.shape[1]
    total, model = np.zeros(n), np.empty(n)
    for m in range(len(members.weights)):
        model[:] = members.intercepts[m]
        for k in range(members.first[m], members.first[m + 1]):
            row, coefficient = values[members.tree[k]], members.coefficient[k]
            for i in range(n):
                model[i] += coefficient * row[i]
        weight = members.weights[m]
        for i in range(n):
            value = min(max(model[i], low), high)
            total[i] += weight * (value if value == value else 0.0)
    return total
