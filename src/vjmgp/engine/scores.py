"""How well a prediction fits."""

from __future__ import annotations

import numpy as np

from .arrays import Floats


def r2(truth: Floats, prediction: Floats) -> float:
    """Coefficient of determination; 0 where the truth does not vary."""
    total = float(np.sum((truth - np.mean(truth)) ** 2))
    return 1.0 - float(np.sum((truth - prediction) ** 2)) / total if total > 0 else 0.0
