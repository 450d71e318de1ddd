"""What our runs say of a claim of the paper. docs/scoreboard.md has the same in words."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import binom, binomtest, false_discovery_control

from ...core.arrays import Floats
from ..statistics.effects import COVERAGE, resamples
from .claims import PAPER_RUNS, Counts, ValueClaim

SAME, OPPOSITE, INCONCLUSIVE, NOT_RUN = "same", "opposite", "inconclusive", "not run"
VERDICTS = (SAME, OPPOSITE, INCONCLUSIVE, NOT_RUN)
NO_CLAIM = "no claim"
"""Of a cell of the paper's tables whose counts decide nothing."""
LEVEL = 0.05
"""Of every test on this page."""
EVEN_IN_PAPER, EVEN_HERE = 1 / 4, 1 / 3
"""Shares of datasets that may be decided, one way or the other, where two methods are even."""
MARGIN = 0.05
"""Median R² closer than this are the same: half of the difference in the paper's own example."""
FEWEST_RUNS = math.ceil(math.log2(1 / LEVEL))
"""Runs of which a sign test can be significant, if all agree."""


def binomial_p(counts: Counts) -> float:
    """Two-sided p-value of wins against losses."""
    decided = counts.better + counts.worse
    return float(binomtest(counts.better, decided).pvalue) if decided else 1.0


def direction(counts: Counts) -> int:
    """1: more wins than losses; −1: fewer; 0: the test decides neither."""
    return int(np.sign(counts.better - counts.worse)) if binomial_p(counts) < LEVEL else 0


def claimed(paper: Counts) -> int | None:
    """The direction that the paper's counts claim, 0 for even; None: they claim nothing."""
    found = direction(paper)
    even = (paper.better + paper.worse) / paper.datasets <= EVEN_IN_PAPER
    return found if found or (even and paper.similar is not None) else None


def verdict_on_counts(paper: Counts, ours: Counts) -> str:
    """By direction; even is the same only where few enough datasets are decided."""
    wanted, found = claimed(paper), direction(ours)
    if wanted is None:
        return NO_CLAIM
    if found:
        return SAME if found == wanted else OPPOSITE
    decided = ours.better + ours.worse
    return SAME if not wanted and decided <= EVEN_HERE * ours.datasets else INCONCLUSIVE


def amount(claim: ValueClaim, figures: Floats) -> Floats:
    """The first of the last axis against the largest of the others: ratio or difference."""
    first, other = figures[..., 0], figures[..., 1:].max(axis=-1)
    return np.asarray(first / other if claim.ratio else first - other)


def interval(claim: ValueClaim, scores: pd.DataFrame) -> tuple[float, float]:
    """Of the amount, by bootstrap over the rows (datasets or seeds), which all methods share."""
    drawn = scores.to_numpy(dtype=np.float64)[resamples(len(scores))]
    over = np.median if claim.over_datasets == "median" else np.mean
    tails = [(1.0 - COVERAGE) / 2.0, (1.0 + COVERAGE) / 2.0]
    low, high = np.quantile(amount(claim, over(drawn, axis=1)), tails)
    return float(low), float(high)


def verdict_on_interval(low: float, high: float, bound: float) -> str:
    """The claim is that the amount is above the bound."""
    return SAME if low > bound else OPPOSITE if high < bound else INCONCLUSIVE


def verdict_on_test(p: float, effect: float) -> str:
    """The claim is that the effect is positive."""
    return INCONCLUSIVE if not p < LEVEL else SAME if effect > 0.0 else OPPOSITE


def median_p(paper: float, values: Floats) -> tuple[float, float]:
    """p-values that our median is within the margin of the paper's, and that it is beyond.

    By sign tests against both ends of the margin. The paper's median is itself of 30 runs on other
    splits, so our runs are first stretched about their median by as much as that adds to the
    deviation of the difference.
    """
    middle, n = float(np.median(values)), len(values)
    away = middle - paper + math.sqrt(1.0 + n / PAPER_RUNS) * (values - middle)

    def sign_test(holds: NDArray[np.bool_]) -> float:
        return float(binom.sf(holds.sum() - 1, n, 0.5))

    within = max(sign_test(away < MARGIN), sign_test(away > -MARGIN))
    return within, min(1.0, 2.0 * min(sign_test(away > MARGIN), sign_test(away < -MARGIN)))


def verdicts_on_medians(p: list[tuple[float, float]]) -> list[dict[str, object]]:
    """By `median_p` of each cell of the table, after Benjamini and Hochberg."""
    if not p:
        return []
    within, beyond = np.asarray(false_discovery_control(p, axis=0)).T
    words = np.select([within < LEVEL, beyond < LEVEL], [SAME, OPPOSITE], INCONCLUSIVE)
    shown = np.where(words == OPPOSITE, beyond, within)
    return [{"verdict": str(w), "p": float(x)} for w, x in zip(words, shown, strict=True)]
