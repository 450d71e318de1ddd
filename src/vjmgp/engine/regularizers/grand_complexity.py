"""GC: grand complexity, the non-dominated rank by size and norm.

The rank is relative to the pool of parents and offspring, so it is updated in each generation, for
parents, too. The archive keeps the first rank of an individual.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...core.arrays import Integers
from ..search.survival import front_numbers
from .base import Regularizer
from .tikhonov import norms

if TYPE_CHECKING:
    from ..search.evolution import Evolution


class GrandComplexity(Regularizer):
    """Grand complexity: rank by number of nodes (PP) and norm of predictions (TK)."""

    name = "grand_complexity"
    label = "GC"
    uses_sample_weight = True

    def score(self, run: Evolution, rows: Integers) -> None:
        """Rank parents and these rows by fronts of (nodes, norm)."""
        pool = np.concatenate([run.population, rows])
        nodes = run.individuals.size[pool].astype(np.float64)
        found = norms(run.individuals.fitted, run.weights, pool)
        run.individuals.o2[pool] = front_numbers(nodes, found)
