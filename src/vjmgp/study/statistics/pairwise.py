"""Methods over all datasets: Wilcoxon's test on medians by dataset, with Benjamini–Hochberg."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control, wilcoxon

from ...core.arrays import Floats
from .effects import bootstrap_medians, bootstrap_rank_biserial, rank_biserial
from .paired import ALL_TIES, MANY_TIES, NO_PAIRS, TOO_FEW, too_few

COLUMNS = [
    *("method", "versus", "datasets", "median_difference", "low", "high"),
    *("rank_biserial", "rank_biserial_low", "rank_biserial_high", "p", "p_adjusted", "note"),
]


def pairwise_tests(scores: pd.DataFrame, level: float) -> pd.DataFrame:
    """Each pair of columns of datasets × methods, once.

    A pair is tested on the datasets that both have. The p-values of the pairs that could be tested
    are adjusted together; the note tells why one could not. Intervals are bootstrapped over the
    datasets.
    """
    rows = []
    for a, b in itertools.combinations(scores.columns, 2):
        differences = (scores[a] - scores[b]).to_numpy(dtype=np.float64)
        differences = differences[np.isfinite(differences)]
        (low,), (high,) = bootstrap_medians(differences[np.newaxis])
        effect_low, effect_high = bootstrap_rank_biserial(differences)
        p, note = _test(differences, level)
        rows.append(
            {
                "method": a,
                "versus": b,
                "datasets": len(differences),
                "median_difference": np.median(differences) if len(differences) else np.nan,
                "low": low,
                "high": high,
                "rank_biserial": float(rank_biserial(differences)),
                "rank_biserial_low": effect_low,
                "rank_biserial_high": effect_high,
                "p": p,
                "note": note,
            }
        )
    table = pd.DataFrame(rows, columns=COLUMNS)
    table[["p", "p_adjusted"]] = table[["p", "p_adjusted"]].astype(np.float64)
    tested = table["p"].notna()
    if tested.any():
        adjusted = false_discovery_control(table.loc[tested, "p"].to_numpy(), method="bh")
        table.loc[tested, "p_adjusted"] = adjusted
    return table


def _test(differences: Floats, level: float) -> tuple[float, str]:
    """SciPy's p-value, or none and why."""
    other = differences[differences != 0.0]
    if not len(differences):
        return np.nan, NO_PAIRS
    if not len(other):
        return np.nan, ALL_TIES
    if too_few(len(other), level):
        return np.nan, TOO_FEW if too_few(len(differences), level) else MANY_TIES
    with np.errstate(all="ignore"):
        return float(wilcoxon(other).pvalue), ""
