"""Operators of parent selection."""

from typing import ClassVar

import numpy as np

from ....core.arrays import Integers, Words
from ...objectives.row_weights import RowWeights
from ..population import Individuals
from .lexicase import case_sums, lexicase, mark_passes
from .tournaments import dominance_tournament, pareto_tournament

SHARE = 0.1
"""Share of the population that takes part in a Pareto tournament."""


class Selection:
    """An operator for training rows of these weights; it draws with the run's random state."""

    name: ClassVar[str]

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
        if new_generation:
            self._prepare(individuals, population)
        parents = np.empty(count, np.int64)
        self._draw(state, individuals, population, parents)
        return parents

    def _prepare(self, individuals: Individuals, population: Integers) -> None: ...

    def _draw(
        self, state: Words, individuals: Individuals, population: Integers, parents: Integers
    ) -> None:
        raise NotImplementedError


class Lexicase(Selection):
    """Automatic ε-lexicase selection on the leave-one-out errors."""

    name = "lexicase"

    def __init__(self, weights: RowWeights | None = None) -> None:
        self._passes: Words = np.empty((0, 0), np.uint64)
        self._sums = case_sums(weights.each if weights is not None and weights.given else None)

    def _prepare(self, individuals: Individuals, population: Integers) -> None:
        shape = individuals.loo.shape[1], (len(population) + 63) // 64
        if self._passes.shape != shape:
            self._passes = np.empty(shape, np.uint64)
        mark_passes(individuals.loo, population, self._passes)

    def _draw(
        self, state: Words, individuals: Individuals, population: Integers, parents: Integers
    ) -> None:
        lexicase(state, self._passes, self._sums, population, parents)


class DominanceTournament(Selection):
    """The dominating one of two random individuals; if neither dominates, one at random."""

    name = "dominance_tournament"

    def _draw(
        self, state: Words, individuals: Individuals, population: Integers, parents: Integers
    ) -> None:
        dominance_tournament(state, individuals.o1, individuals.o2, population, parents)


class ParetoTournament(Selection):
    """The first front of a random tenth of the population, an even number at a time."""

    name = "pareto_tournament"

    def _draw(
        self, state: Words, individuals: Individuals, population: Integers, parents: Integers
    ) -> None:
        size = max(int(SHARE * len(population)), min(2, len(population)))
        pareto_tournament(state, individuals.o1, individuals.o2, population, size, parents)


SELECTIONS: dict[str, type[Selection]] = {
    operator.name: operator for operator in (Lexicase, DominanceTournament, ParetoTournament)
}
