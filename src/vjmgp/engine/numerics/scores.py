"""Scores of predictions."""

import numpy as np

from ...core.arrays import Floats


def r2(truth: Floats, prediction: Floats, sample_weight: Floats | None = None) -> float:
    """Return the coefficient of determination; 0 if the truth does not vary."""
    errors = (truth - prediction) ** 2
    distances = (truth - np.average(truth, weights=sample_weight)) ** 2
    if sample_weight is not None:
        errors, distances = sample_weight * errors, sample_weight * distances
    total = float(np.sum(distances))
    return 1.0 - float(np.sum(errors)) / total if total > 0 else 0.0
