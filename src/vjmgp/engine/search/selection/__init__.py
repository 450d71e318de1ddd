"""Operators of parent selection.

An operator has a `name` and one method, `select`, which draws rows of the population with the run's
random state. It is constructed with the weights of the training rows.
"""

from __future__ import annotations

from typing import Protocol

from ....core.arrays import Integers, Words
from ...objectives.row_weights import RowWeights
from ..population import Individuals
from .lexicase import Lexicase
from .tournaments import DominanceTournament, ParetoTournament


class Selection(Protocol):
    """The interface of a selection operator."""

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
        """Return the rows of `count` parents.

        `new_generation` is False if this generation needs more parents.
        """
        ...


SELECTIONS: dict[str, type[Selection]] = {
    operator.name: operator for operator in (Lexicase, DominanceTournament, ParetoTournament)
}
