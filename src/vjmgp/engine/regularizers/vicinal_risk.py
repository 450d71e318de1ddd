"""P-VRM: vicinal risk, the error against mixed labels at mixed points."""

from __future__ import annotations

from .jensen_gap import JensenGap
from .worst_gap import LABELS


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
