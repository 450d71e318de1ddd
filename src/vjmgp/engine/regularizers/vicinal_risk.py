"""P-VRM: vicinal risk, how far the model is from mixed labels at mixed points."""

from __future__ import annotations

from .jensen_gap import JensenGap
from .worst_gap import LABELS


class VicinalRisk(JensenGap):
    """Vicinal risk minimisation: the gap to the labels' mixture in place of the model's own."""

    name = "vicinal_risk"
    label = "P-VRM"
    final_rule = "o2"
    uses_noise_estimate = False
    clean_side = LABELS

    def detects_intrusion(self, noise_r2: float) -> bool:
        """The paper's P-VRM takes every mixed point."""
        return False
