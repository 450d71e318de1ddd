"""Parent selection. Each operator is a class; this module lists them.

An operator has a `name` and one method, `select`: given the rows of the parents and how many are
wanted, return that many rows, drawn with the run's random state. It is made with the weights of the
training rows.
"""

from __future__ import annotations

from typing import Protocol

from ....core.arrays import Integers, Words
from ...objectives.row_weights import RowWeights
from ..population import Individuals
from .lexicase import Lexicase
from .tournaments import DominanceTournament, ParetoTournament


class Selection(Protocol):
    """What the evolution asks of a selection operator."""

    name: str

    def __init__(self, weights: RowWeights | None = None) -> None: ...

    def select(
        self,
        state: Words,
        individuals: Individuals,
        population: Integers,
        count: int,
        new_generation: bool,
    ) -> Integers:
        """Rows of `count` parents. `new_generation` is False when more are asked for."""
        ...


SELECTIONS: dict[str, type[Selection]] = {
    operator.name: operator for operator in (Lexicase, DominanceTournament, ParetoTournament)
}
