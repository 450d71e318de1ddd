"""GC: grand complexity, the rank by size and norm together.

The rank is that within the pool of parents and offspring, so it is made anew each generation, for
the parents too. The archive keeps the rank that an individual was born with.
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
    """Grand complexity: non-dominated by number of nodes (PP) and norm of predictions (TK)."""

    name = "grand_complexity"
    label = "GC"
    uses_sample_weight = True

    def score(self, run: Evolution, rows: Integers) -> None:
        """The front of (nodes, norm) that each parent and each of these rows is on."""
        pool = np.concatenate([run.population, rows])
        nodes = run.individuals.size[pool].astype(np.float64)
        found = norms(run.individuals.fitted, run.weights, pool)
        run.individuals.o2[pool] = front_numbers(nodes, found)
