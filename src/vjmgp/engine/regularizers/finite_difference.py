"""FDM: the finite difference, the change of predictions under input noise."""

from __future__ import annotations

from ...core.arrays import Floats
from ..numerics.rng import stream
from ..objectives.vicinal import Vicinity, finite_difference
from .worst_gap import WorstGap


class FiniteDifference(WorstGap):
    """Finite difference minimisation under Gaussian input noise."""

    name = "finite_difference"
    label = "FDM"

    def make_vicinity(self, x: Floats, y: Floats, seed: int, noise_r2: float) -> Vicinity:
        """Return every row plus N(0, σ²)."""
        state = stream(seed, "vicinal")
        return finite_difference(state, x, self.settings.rounds, float(self.settings.sigma))
