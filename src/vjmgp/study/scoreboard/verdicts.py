"""When a claim of the paper counts as confirmed. docs/scoreboard.md says the same in words."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .claims import Counts

CONFIRMED, NOT_CONFIRMED = "confirmed", "not confirmed"
TOO_FEW_RUNS, NOT_RUN = "too few runs", "not yet run"
STATUSES = (CONFIRMED, NOT_CONFIRMED, TOO_FEW_RUNS, NOT_RUN)
EVEN = 0.05
"""Wins and losses that differ by less than this share of the datasets are even."""
ENOUGH = 0.5
"""The share of the paper's datasets on which a claim is judged at the least."""
SURE = 2.5758
"""Deviations of a normal distribution that hold 99 %."""
SAME_R2 = 0.01
"""Medians as close as this are the same, however little the runs differ."""
PAPER_RUNS = 30


def datasets_needed(papers: int) -> int:
    """How many datasets a claim about so many needs before it is judged."""
    return max(1, math.ceil(ENOUGH * papers))


def direction(counts: Counts) -> int:
    """1: better on clearly more datasets than worse; −1: the other way round; 0: even."""
    return int(np.sign(counts.net)) if abs(counts.net) >= EVEN else 0


def verdict_on_counts(paper: Counts, ours: Counts) -> str:
    """Confirmed where our counts point the same way.

    `ours` counts the datasets that have enough paired runs to be tested at all.
    """
    if ours.datasets < datasets_needed(paper.datasets):
        return TOO_FEW_RUNS
    return CONFIRMED if direction(ours) == direction(paper) else NOT_CONFIRMED


def verdict_on_values(paper: tuple[float, float], ours: tuple[float, float], enough: bool) -> str:
    """Confirmed where the same one of two figures is the larger."""
    if not enough:
        return TOO_FEW_RUNS
    same = np.sign(paper[0] - paper[1]) == np.sign(ours[0] - ours[1])
    return CONFIRMED if same else NOT_CONFIRMED


def tolerance_of_median(values: NDArray[np.float64]) -> float:
    """How far two medians of the same method may lie apart by chance: 99 % of the time.

    One is over these runs, the other over the paper's 30 splits, which were not ours. A median's
    deviation is 1.2533·σ/√n; σ is taken from the middle half of the runs.
    """
    low, high = np.quantile(values, [0.25, 0.75])
    deviation = 1.2533 * (high - low) / 1.349 * math.sqrt(1.0 / len(values) + 1.0 / PAPER_RUNS)
    return max(float(SURE * deviation), SAME_R2)


def verdict_on_median(paper: float, values: NDArray[np.float64], least_runs: int) -> str:
    """Confirmed where our median is as near to the paper's as chance would have it."""
    if len(values) < least_runs:
        return TOO_FEW_RUNS
    near = abs(float(np.median(values)) - paper) <= tolerance_of_median(values)
    return CONFIRMED if near else NOT_CONFIRMED
