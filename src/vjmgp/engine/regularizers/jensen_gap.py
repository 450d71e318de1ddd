"""VJM: the vicinal Jensen gap, the deviation from linearity between nearby points."""

from __future__ import annotations

import numpy as np

from ...core.arrays import Floats
from ..numerics.rng import stream
from ..objectives.forest import fit_forest
from ..objectives.noise import THRESHOLD
from ..objectives.vicinal import MixupRule, Vicinity, mixup
from .worst_gap import WorstGap


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
            detector = fit_forest(
                stream(seed, "detector"), np.ascontiguousarray(x.T), y, weights=given
            )
        rule = MixupRule(
            float(settings.mixup_alpha),
            float(settings.mixup_gamma),
            settings.mixup_kernel == "joint",
            settings.fold_share,
        )
        return mixup(
            stream(seed, "vicinal"),
            x,
            y,
            settings.rounds,
            rule,
            detector,
            settings.intrusion_margin,
            self.weights,
        )
