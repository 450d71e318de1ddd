"""Gaps at vicinal points.

VJM is the deviation from linearity between nearby points, P-VRM the error against mixed labels, and
FDM the change of predictions under input noise.
"""

import numpy as np

from ...core.arrays import Floats
from ..numerics.rng import stream
from ..objectives.forest import fit_forest
from ..objectives.noise import THRESHOLD
from ..objectives.vicinal import MixupRule, Vicinity, finite_difference, mixup
from .worst_gap import LABELS, WorstGap


class JensenGap(WorstGap):
    """Vicinal Jensen gap minimisation on mixup points."""

    name = "jensen_gap"
    label = "VJM"

    def detects_intrusion(self, noise_r2: float) -> bool:
        """Return whether points off the data manifold are drawn again."""
        wanted = self.settings.intrusion_detection
        return noise_r2 >= THRESHOLD if wanted == "adaptive" else bool(wanted)

    def make_vicinity(self, x: Floats, y: Floats, seed: int, noise_r2: float) -> Vicinity:
        """Return mixup points, filtered by an Extra Trees forest if noise is low."""
        settings = self.settings
        detector = None
        if self.detects_intrusion(noise_r2):
            given = self.weights.each if self.weights.given else None
            columns = np.ascontiguousarray(x.T)
            detector = fit_forest(stream(seed, "detector"), columns, y, weights=given)
        joint = settings.mixup_kernel == "joint"
        rule = MixupRule(settings.mixup_alpha, settings.mixup_gamma, joint, settings.fold_share)
        margin, state = settings.intrusion_margin, stream(seed, "vicinal")
        return mixup(state, x, y, settings.rounds, rule, detector, margin, self.weights)


class VicinalRisk(JensenGap):
    """Vicinal risk minimisation: the gap to mixed labels instead of mixed predictions."""

    name = "vicinal_risk"
    label = "P-VRM"
    final_rule = "o2"
    uses_noise_estimate = False
    clean_side = LABELS

    def detects_intrusion(self, noise_r2: float) -> bool:
        """Return False: the paper's P-VRM accepts every mixed point."""
        return False


class FiniteDifference(WorstGap):
    """Finite difference minimisation under Gaussian input noise."""

    name = "finite_difference"
    label = "FDM"

    def make_vicinity(self, x: Floats, y: Floats, seed: int, noise_r2: float) -> Vicinity:
        """Return every row plus N(0, σ²)."""
        state = stream(seed, "vicinal")
        return finite_difference(state, x, self.settings.rounds, self.settings.sigma)
