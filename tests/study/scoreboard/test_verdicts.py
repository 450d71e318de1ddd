"""The rules by which claims are judged."""

import numpy as np
import pytest

from vjmgp.study.scoreboard.claims import PAPER_RUNS, OutcomeCounts
from vjmgp.study.scoreboard.verdicts import (
    INCONCLUSIVE,
    MARGIN,
    NO_CLAIM,
    OPPOSITE,
    SAME,
    claimed,
    direction,
    median_p,
    verdict_on_counts,
    verdicts_on_medians,
)


@pytest.mark.parametrize(
    ("paper", "claim"),
    [
        (OutcomeCounts(29, 27, 2, 58), 1),
        (OutcomeCounts(4, 16, 38, 58), -1),
        (OutcomeCounts(15, None, 5, 58), 1),  # p = 0.041
        (OutcomeCounts(3, 54, 1, 58), 0),
        (OutcomeCounts(0, 58, 0, 58), 0),
        (OutcomeCounts(4, 43, 11, 58), None),  # p = 0.118, and more than a quarter decided
        (OutcomeCounts(20, 15, 23, 58), None),  # undecided, not even
        (OutcomeCounts(6, None, 2, 58), None),  # similar ones are not stated
    ],
)
def test_claimed_needs_a_significant_or_even_count(paper, claim):
    assert claimed(paper) == claim
    if claim is None:
        assert verdict_on_counts(paper, OutcomeCounts(58, 0, 0, 58)) == NO_CLAIM


@pytest.mark.parametrize(
    ("paper", "ours", "verdict"),
    [
        ("49/6/3", "31/25/2", SAME),
        ("49/6/3", "10/41/7", INCONCLUSIVE),  # more wins than losses, but by chance
        ("49/6/3", "5/53/0", INCONCLUSIVE),  # p = 0.0625
        ("49/6/3", "6/52/0", SAME),
        ("49/6/3", "7/41/20", OPPOSITE),
        ("4/16/38", "2/30/26", SAME),
        ("0/58/0", "2/54/2", SAME),
        ("0/58/0", "10/39/9", SAME),  # 19 of 58 are decided
        ("0/58/0", "10/38/10", INCONCLUSIVE),  # 20 of 58 are more than a third
        ("0/58/0", "20/18/20", INCONCLUSIVE),
        ("0/58/0", "6/52/0", OPPOSITE),
    ],
)
def test_verdicts_on_counts(paper, ours, verdict):
    both = ([*map(int, text.split("/"))] for text in (paper, ours))
    assert verdict_on_counts(*(OutcomeCounts(*counts, sum(counts)) for counts in both)) == verdict


def test_direction_of_equal_methods_is_as_rare_as_the_level():
    rng = np.random.default_rng(0)
    wins = rng.binomial(30, 0.5, size=2000)
    found = [direction(OutcomeCounts(int(k), 28, 30 - int(k), 58)) != 0 for k in wins]
    assert np.mean(found) < 0.06


def drawn(shift, deviation, runs, cells=800):
    """Return p-values for samples of two normal laws that differ by a shift."""
    rng = np.random.default_rng(1)
    papers = np.median(rng.normal(0, deviation, (cells, PAPER_RUNS)), axis=1)
    ours = rng.normal(shift, deviation, (cells, runs))
    return [median_p(float(a), b) for a, b in zip(papers, ours, strict=True)]


def share(verdict, *law):
    """Return how often a verdict is given."""
    return np.mean([row["verdict"] == verdict for row in verdicts_on_medians(drawn(*law))])


def test_same_is_rarer_with_noise_and_with_few_runs():
    same = [share(SAME, 0.0, deviation, 30) for deviation in (0.02, 0.05, 0.06, 0.3)]
    assert same == sorted(same, reverse=True)
    assert (same[0], same[-1]) == (1.0, 0.0)
    assert share(SAME, 0.0, 0.05, 8) < share(SAME, 0.0, 0.05, 30)


@pytest.mark.parametrize("deviation", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("runs", [8, 30, 200])
def test_median_p_holds_its_level_at_the_margin(deviation, runs):
    """The stretch accounts for the paper's variation; without it, 200 runs err once in four."""
    within, beyond = np.mean(np.array(drawn(MARGIN, deviation, runs)) < 0.05, axis=0)
    assert max(within, beyond) < 0.07


def test_distant_medians_are_opposite():
    assert share(OPPOSITE, 0.2, 0.05, 30) == 1.0
    assert share(OPPOSITE, 0.0, 0.3, 200) < 0.01


def test_verdicts_on_medians_are_adjusted_together():
    near, far = np.full(9, 0.01), np.full(9, 0.2)
    assert median_p(0.0, near) == (0.5**9, 1.0)
    assert median_p(0.0, far) == (1.0, 0.5**8)
    five = median_p(0.0, near[:5])  # p = 0.031: enough alone, not in a family of two
    assert verdicts_on_medians([five])[0]["verdict"] == SAME
    assert verdicts_on_medians([five, (0.9, 0.9)])[0]["verdict"] == INCONCLUSIVE
    assert verdicts_on_medians([]) == []
