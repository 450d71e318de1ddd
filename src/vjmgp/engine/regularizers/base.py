"""What a regulariser is to the evolution."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ...core.arrays import Floats, Integers

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
    """How users ask for it."""
    label: ClassVar[str]
    """What the paper calls the method."""
    two_objectives: ClassVar[bool] = True
    """False: evolution sees objective 1 alone and offspring replace their parents."""
    final_rule: ClassVar[str] = "knee"
    """Which rule of `choice.RULES` picks the final model."""
    depends_on_weights: ClassVar[bool] = False
    """Whether `score` is called again once the weights were fitted to all rows of a large table."""
    uses_noise_estimate: ClassVar[bool] = False
    """Whether τ (and so the noise estimate) plays a part."""
    uses_sample_weight: ClassVar[bool] = False
    """Whether it counts rows by their weights. If not, weights are refused, never passed over."""

    weights: RowWeights
    """How much each training row counts; set before `extra_points` is called."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def extra_points(self, x: Floats, y: Floats, seed: int, noise_r2: float) -> Floats | None:
        """Points (rows × inputs) beyond the training rows on which trees are needed."""
        return None

    def extra_weights(self, n_extra: int) -> Floats:
        """How much each of the extra points counts for a student."""
        return np.ones(n_extra)

    @abstractmethod
    def score(self, run: Evolution, rows: Integers) -> None:
        """Write objective 2 of these valid rows into `run.individuals.o2`.

        A value that is not finite makes the individual invalid.
        """
