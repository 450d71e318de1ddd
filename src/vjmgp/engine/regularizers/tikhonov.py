"""TK: Tikhonov regularisation, the norm of the predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...core.arrays import Floats, Integers
from ..compilation.kernels import kernel
from ..numerics.lanes import dot
from ..objectives.row_weights import RowWeights
from .base import Regularizer

if TYPE_CHECKING:
    from ..search.evolution import Evolution


class Tikhonov(Regularizer):
    """Tikhonov regularisation: predictions close to the target's mean."""

    name = "tikhonov"
    label = "TK"
    uses_sample_weight = True

    def score(self, run: Evolution, rows: Integers) -> None:
        """Score by the L2 norm of the predictions on the training rows."""
        run.individuals.o2[rows] = norms(run.individuals.fitted, run.weights, rows)


@kernel
def norms(fitted: Floats, weights: RowWeights, rows: Integers) -> Floats:
    """Compute the L2 norm of each of these rows."""
    found, weighted = np.empty(len(rows)), np.empty(len(weights.each))
    for k in range(len(rows)):
        values = fitted[rows[k]]
        other = values
        if weights.given:
            other = weighted
            for i in range(len(values)):
                other[i] = weights.each[i] * values[i]
        found[k] = np.sqrt(dot(values, other, len(values)))
    return found
