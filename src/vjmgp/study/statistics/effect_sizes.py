"""Effect sizes of paired differences, and bootstrap intervals."""

import numpy as np
from scipy.stats import rankdata

from ...core.arrays import Floats, Integers

DRAWS = 1000
"""Resamples of a bootstrap."""
COVERAGE = 0.95
TAILS = ((1.0 - COVERAGE) / 2.0, (1.0 + COVERAGE) / 2.0)
"""Quantiles at the ends of a percentile interval."""
SEED = 0


def rank_biserial(differences: Floats) -> Floats:
    """Return the matched-pairs rank-biserial correlation along the last axis, from −1 to 1.

    It is the share of the rank sum in favour of the first side minus the share against it. Zeros
    are left out, as in Wilcoxon's test; NaN marks a missing pair. All zeros give 0, no pairs NaN.
    """
    there = np.isfinite(differences)
    counts = there & (differences != 0.0)
    size = np.where(counts, np.abs(differences), np.inf)  # values left out rank last
    ranks = np.where(counts, rankdata(size, axis=-1), 0.0)
    total = ranks.sum(axis=-1)
    signed = (ranks * np.sign(np.where(counts, differences, 0.0))).sum(axis=-1)
    with np.errstate(invalid="ignore"):
        found = np.where(total > 0.0, signed / total, 0.0)
    return np.where(there.any(axis=-1), found, np.nan)


def resamples(size: int, draws: int = DRAWS) -> Integers:
    """Return draws × size indices drawn with replacement."""
    return np.random.default_rng([SEED, size]).integers(size, size=(draws, size))


def bootstrap_medians(differences: Floats, draws: int = DRAWS) -> tuple[Floats, Floats]:
    """Return percentile intervals of the median of each row; NaN marks a missing pair.

    Rows with equally many pairs share their resamples. The median of a resample then has the same
    position in every sorted row, so rows need not be resampled one by one.
    """
    low, high = np.full((2, len(differences)), np.nan)
    pairs = np.isfinite(differences).sum(axis=1)
    for size in np.unique(pairs[pairs > 0]):
        rows = np.flatnonzero(pairs == size)
        ordered = np.sort(differences[rows], axis=1)[:, :size]  # NaN is sorted to the end
        places = np.sort(resamples(int(size), draws), axis=1)
        middle = places[:, (size - 1) // 2], places[:, size // 2]
        medians = (ordered[:, middle[0]] + ordered[:, middle[1]]) / 2.0
        low[rows], high[rows] = np.quantile(medians, TAILS, axis=1)
    return low, high


def bootstrap_rank_biserial(differences: Floats) -> tuple[float, float]:
    """Return a percentile interval of the rank-biserial correlation of one row of differences."""
    kept = differences[np.isfinite(differences)]
    if not len(kept):
        return np.nan, np.nan
    low, high = np.quantile(rank_biserial(kept[resamples(len(kept))]), TAILS)
    return float(low), float(high)


def paired_mean_interval(
    values: Floats, reference: Floats, is_ratio: bool = False
) -> tuple[float, float]:
    """Return a paired interval of a mean, drawn from the mean of a reference.

    The same datasets are resampled for both. The interval is that of the difference of the means
    (or of their ratio), added to the reference's mean (or multiplied by it); it excludes the
    reference's mean if the two clearly differ.
    """
    places = resamples(len(values))
    own, other = values[places].mean(axis=1), reference[places].mean(axis=1)
    middle = reference.mean()
    if is_ratio:
        low, high = middle * np.quantile(own / other, TAILS)
    else:
        low, high = middle + np.quantile(own - other, TAILS)
    return float(low), float(high)
