"""The base class of regularisers, and the one of standard GP, which has none."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ...core.arrays import Floats, Integers
from ..search.survival import nsga2

if TYPE_CHECKING:
    from ..objectives.row_weights import RowWeights
    from ..search.evolution import Evolution
    from ..settings import Settings


class Regularizer(ABC):
    """The second objective of a run. One object serves one run.

    Subclass it, give it a name and a label, and write `score`, which may be plain NumPy: it is
    called once per generation. docs/own_regularizer.md has an example.
    """

    name: ClassVar[str]
    """Name in parameters and configs."""
    label: ClassVar[str]
    """The paper's name of the method."""
    two_objectives: ClassVar[bool] = True
    """If False, evolution uses objective 1 only and offspring replace their parents."""
    final_rule: ClassVar[str] = "knee"
    """The rule of `front_rules.RULES` that picks the final model."""
    depends_on_weights: ClassVar[bool] = False
    """Whether `score` is called again after the weights are fitted to all rows of a large table."""
    uses_noise_estimate: ClassVar[bool] = False
    """Whether it uses τ and thus the noise estimate."""
    uses_sample_weight: ClassVar[bool] = False
    """Whether it supports row weights. If not, a fit with weights raises an error."""
    chooses_from_population: ClassVar[bool] = False
    """Whether the final model is one of `candidates`, not of all that were ever non-dominated."""

    weights: RowWeights
    """Weights of the training rows; set before `extra_points` is called."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def extra_points(self, x: Floats, y: Floats, seed: int, noise_r2: float) -> Floats | None:
        """Return points (rows × inputs) beyond the training rows on which trees are evaluated."""
        return None

    def extra_weights(self, n_extra: int) -> Floats:
        """Return the weights of the extra points for a student."""
        return np.ones(n_extra)

    @abstractmethod
    def score(self, run: Evolution, rows: Integers) -> None:
        """Write objective 2 of these valid rows into `run.individuals.o2`.

        A value that is not finite makes the individual invalid.
        """

    def survivors(self, run: Evolution, pool: Integers) -> Integers:
        """Return the rows of parents and offspring that survive; by NSGA-II on both objectives."""
        o1, o2 = run.individuals.o1[pool], run.individuals.o2[pool]
        return pool[nsga2(o1, o2, run.settings.population_size)]

    def candidates(self, run: Evolution) -> Integers:
        """Return the rows of the population from which the final model may be chosen."""
        return run.population


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
