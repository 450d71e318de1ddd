"""Standard GP: no regulariser, one objective."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.arrays import Integers
from .base import Regularizer

if TYPE_CHECKING:
    from ..search.evolution import Evolution


class NoRegularizer(Regularizer):
    """Standard GP: the leave-one-out error only; offspring replace parents, with one elite."""

    name = "none"
    label = "Standard GP"
    uses_sample_weight = True
    two_objectives = False
    final_rule = "o1"

    def score(self, run: Evolution, rows: Integers) -> None:
        """Set objective 2 to 0."""
        run.individuals.o2[rows] = 0.0
