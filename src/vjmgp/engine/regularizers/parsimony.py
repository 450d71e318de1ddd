"""PP: parsimony pressure, the number of nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.arrays import Integers
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
