"""The rules by which our runs confirm or contradict a claim; docs/scoreboard.md explains them."""

import math

import numpy as np
import pandas as pd
from scipy.stats import binom, binomtest, false_discovery_control

from ...core.arrays import Flags, Floats
from ..statistics.effect_sizes import TAILS, resamples
from .claims import PAPER_RUNS, OutcomeCounts, ValueClaim

SAME, OPPOSITE, INCONCLUSIVE, NOT_RUN = "same", "opposite", "inconclusive", "not run"
VERDICTS = (SAME, OPPOSITE, INCONCLUSIVE, NOT_RUN)
NO_CLAIM = "no claim"
"""The verdict on a cell of the paper's tables whose counts decide nothing."""
LEVEL = 0.05
"""Significance level of every verdict."""
EVEN_IN_PAPER, EVEN_HERE = 1 / 4, 1 / 3
"""Largest shares of decided datasets, either way, for two methods that are even."""
MARGIN = 0.05
"""Medians of R² closer than this are the same: half the difference in the paper's example."""
FEWEST_RUNS = math.ceil(math.log2(1 / LEVEL))
"""Fewest runs with which a sign test can be significant."""


def binomial_p(counts: OutcomeCounts) -> float:
    """Return the two-sided p-value of wins against losses."""
    decided = counts.better + counts.worse
    return float(binomtest(counts.better, decided).pvalue) if decided else 1.0


def direction(counts: OutcomeCounts) -> int:
    """Return 1 for more wins than losses, −1 for fewer, 0 if the test decides neither."""
    return int(np.sign(counts.better - counts.worse)) if binomial_p(counts) < LEVEL else 0


def claimed(paper: OutcomeCounts) -> int | None:
    """Return the direction that the paper's counts claim, 0 for even, None for no claim."""
    found = direction(paper)
    even = (paper.better + paper.worse) / paper.datasets <= EVEN_IN_PAPER
    return found if found or (even and paper.similar is not None) else None


def verdict_on_counts(paper: OutcomeCounts, ours: OutcomeCounts) -> str:
    """Judge by direction; even is the same only if few enough datasets are decided."""
    wanted, found = claimed(paper), direction(ours)
    if wanted is None:
        return NO_CLAIM
    if found:
        return SAME if found == wanted else OPPOSITE
    decided = ours.better + ours.worse
    return SAME if not wanted and decided <= EVEN_HERE * ours.datasets else INCONCLUSIVE


def amount(claim: ValueClaim, figures: Floats) -> Floats:
    """Return the ratio or difference of the first of the last axis and the largest of the rest."""
    first, other = figures[..., 0], figures[..., 1:].max(axis=-1)
    return np.asarray(first / other if claim.ratio else first - other)


def interval(claim: ValueClaim, scores: pd.DataFrame) -> tuple[float, float]:
    """Return the interval of the amount, bootstrapped over the rows: datasets or seeds."""
    drawn = scores.to_numpy(dtype=np.float64)[resamples(len(scores))]
    over = np.median if claim.over_datasets == "median" else np.mean
    low, high = np.quantile(amount(claim, over(drawn, axis=1)), TAILS)
    return float(low), float(high)


def verdict_on_interval(low: float, high: float, bound: float) -> str:
    """Judge the claim that the amount is above the bound."""
    return SAME if low > bound else OPPOSITE if high < bound else INCONCLUSIVE


def verdict_on_test(p: float, effect: float) -> str:
    """Judge the claim that the effect is positive."""
    return INCONCLUSIVE if not p < LEVEL else SAME if effect > 0.0 else OPPOSITE


def median_p(paper: float, values: Floats) -> tuple[float, float]:
    """Return p-values that our median is within the margin of the paper's, and beyond it.

    They come from sign tests against both ends of the margin. The paper's median is of 30 runs on
    other splits, so our runs are first stretched around their median by as much as that adds to
    the standard deviation of the difference.
    """
    middle, n = float(np.median(values)), len(values)
    away = middle - paper + math.sqrt(1.0 + n / PAPER_RUNS) * (values - middle)

    def sign_test(holds: Flags) -> float:
        return float(binom.sf(holds.sum() - 1, n, 0.5))

    within = max(sign_test(away < MARGIN), sign_test(away > -MARGIN))
    return within, min(1.0, 2.0 * min(sign_test(away > MARGIN), sign_test(away < -MARGIN)))


def verdicts_on_medians(p: list[tuple[float, float]]) -> list[dict[str, object]]:
    """Judge each cell by its `median_p`, adjusted after Benjamini and Hochberg."""
    if not p:
        return []
    within, beyond = np.asarray(false_discovery_control(p, axis=0)).T
    words = np.select([within < LEVEL, beyond < LEVEL], [SAME, OPPOSITE], INCONCLUSIVE)
    shown = np.where(words == OPPOSITE, beyond, within)
    return [{"verdict": str(w), "p": float(x)} for w, x in zip(words, shown, strict=True)]
