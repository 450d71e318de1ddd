"""PP, TK and GC: the number of nodes, the norm of the predictions, and the rank by both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...core.arrays import Floats, Integers
from ..compilation.kernels import kernel
from ..numerics.lanes import dot
from ..objectives.row_weights import RowWeights
from ..search.survival import front_numbers
from .base import Regularizer

if TYPE_CHECKING:
    from ..search.evolution import Evolution


class Parsimony(Regularizer):
    """Parsimony pressure: small models."""

    name = "parsimony"
    label = "PP"
    uses_sample_weight = True

    def score(self, run: Evolution, rows: Integers) -> None:
        """Count the nodes of all trees."""
        run.individuals.o2[rows] = run.individuals.size[rows]


class Tikhonov(Regularizer):
    """Tikhonov regularisation: predictions close to the target's mean."""

    name = "tikhonov"
    label = "TK"
    uses_sample_weight = True

    def score(self, run: Evolution, rows: Integers) -> None:
        """Score by the L2 norm of the predictions on the training rows."""
        run.individuals.o2[rows] = norms(run.individuals.fitted, run.weights, rows)


class GrandComplexity(Regularizer):
    """Grand complexity: the non-dominated rank by number of nodes (PP) and norm (TK).

    The rank is relative to the pool of parents and offspring, so it is updated in each generation,
    for parents, too. The archive keeps the first rank of an individual.
    """

    name = "grand_complexity"
    label = "GC"
    uses_sample_weight = True

    def score(self, run: Evolution, rows: Integers) -> None:
        """Rank parents and these rows by fronts of (nodes, norm)."""
        pool = np.concatenate([run.population, rows])
        nodes = run.individuals.size[pool].astype(np.float64)
        found = norms(run.individuals.fitted, run.weights, pool)
        run.individuals.o2[pool] = front_numbers(nodes, found)


@kernel
def norms(fitted: Floats, weights: RowWeights, rows: Integers) -> Floats:
    """Return the L2 norm of each of these rows."""
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
