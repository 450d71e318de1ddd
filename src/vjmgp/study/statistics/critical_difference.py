"""Mean ranks over datasets, Friedman's test and Nemenyi's critical difference.

After Demšar, "Statistical comparisons of classifiers over multiple data sets" (2006).
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import friedmanchisquare, studentized_range

from ...core.arrays import Floats
from .summaries import common_datasets


@dataclass(frozen=True)
class CriticalDifference:
    """The content of a critical-difference diagram."""

    ranks: dict[str, float]
    """Mean rank by method, the best (smallest) first."""
    difference: float
    """Mean ranks closer than this do not differ significantly."""
    groups: list[list[str]]
    """Maximal sets of two or more methods within the critical difference of each other."""
    p: float
    """p-value of Friedman's test that all methods are equal."""
    datasets: int
    """Number of datasets that all methods have; only these count."""


def nemenyi_difference(methods: int, datasets: int, level: float) -> float:
    """Return the critical difference of mean ranks."""
    q = studentized_range.ppf(1.0 - level, methods, np.inf) / np.sqrt(2.0)
    return float(q * np.sqrt(methods * (methods + 1) / (6.0 * datasets)))


def critical_difference(scores: pd.DataFrame, level: float) -> CriticalDifference | None:
    """Rank the methods of datasets × methods, larger scores first.

    Return None for fewer than three methods or two datasets.
    """
    whole = common_datasets(scores)
    datasets, methods = whole.shape
    if methods < 3 or datasets < 2:
        return None
    ranks = whole.rank(axis=1, ascending=False).mean().sort_values(kind="stable")
    difference = nemenyi_difference(methods, datasets, level)
    with np.errstate(all="ignore"):
        p = float(friedmanchisquare(*whole.to_numpy().T).pvalue)
    return CriticalDifference(
        {str(name): float(rank) for name, rank in ranks.items()},
        difference,
        _groups([str(name) for name in ranks.index], ranks.to_numpy(), difference),
        1.0 if np.isnan(p) else p,  # all ranks tied
        datasets,
    )


def _groups(names: list[str], ranks: Floats, difference: float) -> list[list[str]]:
    """Return the runs of neighbours within the difference that no longer run contains."""
    groups: list[list[str]] = []
    reached = 0
    for first in range(len(names)):
        last = int(np.searchsorted(ranks, ranks[first] + difference, side="right"))
        if last > max(reached, first + 1):
            groups.append(names[first:last])
            reached = last
    return groups
