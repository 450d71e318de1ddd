"""By how much: effect sizes of paired differences, and intervals by bootstrap."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from ...core.arrays import Floats

DRAWS = 1000
"""Resamples of a bootstrap."""
COVERAGE = 0.95
SEED = 0


def rank_biserial(differences: Floats) -> Floats:
    """Matched-pairs rank-biserial correlation along the last axis, from −1 to 1.

    The share of the rank sum that speaks for the first side, minus the share that speaks against
    it. Zeros are left out, as in Wilcoxon's test; NaN are missing pairs. Nothing but zeros is 0,
    nothing at all is NaN.
    """
    there = np.isfinite(differences)
    counts = there & (differences != 0.0)
    size = np.where(counts, np.abs(differences), np.inf)  # what is left out ranks last
    ranks = np.where(counts, rankdata(size, axis=-1), 0.0)
    total = ranks.sum(axis=-1)
    signed = (ranks * np.sign(np.where(counts, differences, 0.0))).sum(axis=-1)
    with np.errstate(invalid="ignore"):
        found = np.where(total > 0.0, signed / total, 0.0)
    return np.where(there.any(axis=-1), found, np.nan)


def resamples(size: int, draws: int = DRAWS, seed: int = SEED) -> NDArray[np.int64]:
    """Draws × size: places drawn with replacement."""
    return np.random.default_rng([seed, size]).integers(size, size=(draws, size))


def bootstrap_medians(
    differences: Floats, draws: int = DRAWS, seed: int = SEED, coverage: float = COVERAGE
) -> tuple[Floats, Floats]:
    """Percentile intervals of the median of each row; NaN are missing pairs.

    All rows with as many pairs share their resamples. A resample's median is then at the same
    places of every sorted row, so that no row has to be resampled by itself.
    """
    low, high = np.full((2, len(differences)), np.nan)
    pairs = np.isfinite(differences).sum(axis=1)
    tails = [(1.0 - coverage) / 2.0, (1.0 + coverage) / 2.0]
    for size in np.unique(pairs[pairs > 0]):
        rows = np.flatnonzero(pairs == size)
        ordered = np.sort(differences[rows], axis=1)[:, :size]  # NaN are sorted to the end
        places = np.sort(resamples(int(size), draws, seed), axis=1)
        middle = places[:, (size - 1) // 2], places[:, size // 2]
        medians = (ordered[:, middle[0]] + ordered[:, middle[1]]) / 2.0
        low[rows], high[rows] = np.quantile(medians, tails, axis=1)
    return low, high


def bootstrap_beside(
    values: Floats, reference: Floats, is_ratio: bool = False, coverage: float = COVERAGE
) -> tuple[float, float]:
    """A paired interval of a mean, drawn from the mean of a reference on the same datasets.

    Datasets are resampled for both at once. The interval is that of the difference of the means
    (or of their ratio), added to the reference's mean (or multiplied by it): the reference's mean
    is outside of it where the two are clearly different.
    """
    places = resamples(len(values))
    own, other = values[places].mean(axis=1), reference[places].mean(axis=1)
    tails = [(1.0 - coverage) / 2.0, (1.0 + coverage) / 2.0]
    middle = reference.mean()
    if is_ratio:
        low, high = middle * np.quantile(own / other, tails)
    else:
        low, high = middle + np.quantile(own - other, tails)
    return float(low), float(high)


def bootstrap_rank_biserial(
    differences: Floats, draws: int = DRAWS, seed: int = SEED, coverage: float = COVERAGE
) -> tuple[float, float]:
    """A percentile interval of the rank-biserial correlation of one row of differences."""
    kept = differences[np.isfinite(differences)]
    if not len(kept):
        return np.nan, np.nan
    found = rank_biserial(kept[resamples(len(kept), draws, seed)])
    low, high = np.quantile(found, [(1.0 - coverage) / 2.0, (1.0 + coverage) / 2.0])
    return float(low), float(high)
