"""Signed-rank tests on made-up runs, and against SciPy."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, wilcoxon
from tests.support.made_up_runs import made_up_runs

from vjmgp.study.statistics.fewest_pairs import fewest_pairs
from vjmgp.study.statistics.paired_tests import (
    OPPOSITE,
    OUTCOMES,
    compare_by_dataset,
    compare_over_datasets,
    outcomes,
    p_values,
)

BETTER, SIMILAR, WORSE = OUTCOMES


def outcome(a, b, level):
    differences = (a - b)[np.newaxis]
    return str(outcomes(differences, p_values(differences, level), level)[0])


def test_outcomes():
    low = np.linspace(0.1, 0.5, 10)
    assert outcome(low + 0.1, low, 0.01) == BETTER
    assert outcome(low, low + 0.1, 0.01) == WORSE
    assert outcome(low, low, 0.01) == SIMILAR  # all ties
    noisy = low + np.array([0.1, -0.1] * 5)
    assert outcome(noisy, low, 0.01) == SIMILAR
    assert outcome(low[:7] + 0.1, low[:7], 0.01) == SIMILAR  # seven pairs never reach 0.01
    assert outcome(low[:8] + 0.1, low[:8], 0.01) == BETTER


def test_fewest_pairs_is_where_scipy_becomes_significant():
    assert fewest_pairs(0.01) == 8
    for pairs in range(6, 12):
        p = wilcoxon(np.arange(1.0, pairs + 1)).pvalue
        assert (pairs < fewest_pairs(0.01)) == (p >= 0.01)


@given(
    st.lists(st.floats(-1, 1), min_size=12, max_size=30),
    st.integers(0, 2**31),
    st.sampled_from([0.01, 0.05]),
)
def test_outcome_is_that_of_scipy_and_antisymmetric(values, seed, level):
    a = np.array(values)
    b = a + np.random.default_rng(seed).normal(0.1, 0.3, len(a))
    found = outcome(a, b, level)
    assert (found != SIMILAR) == (wilcoxon(a, b).pvalue < level)
    opposite = {BETTER: WORSE, WORSE: BETTER, SIMILAR: SIMILAR}
    assert opposite == OPPOSITE
    assert outcome(b, a, level) == opposite[found]


@settings(deadline=None, max_examples=10)  # SciPy permutes small samples with ties
@given(st.integers(0, 2**31))
def test_p_values_of_many_rows_equal_those_of_single_rows(seed):
    """With ties, zeros and gaps, which SciPy handles in different ways."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(0.1, 0.3, (6, 18))
    rows[1] = np.round(rows[1], 1)
    rows[2, 3] = np.nan
    rows[3, :2] = 0.0
    rows[4] = 0.0
    rows[5, 3:] = np.nan
    expected = [wilcoxon(row[np.isfinite(row) & (row != 0)]).pvalue for row in rows[:4]]
    np.testing.assert_array_equal(p_values(rows, 0.01), [*expected, 1.0, 1.0])


def test_compare_by_dataset_notes_why_a_dataset_was_not_tested():
    base = np.linspace(0.2, 0.6, 12)
    runs = made_up_runs(
        {
            ("clear", "A"): base + 0.05, ("clear", "B"): base,
            ("ties", "A"): base, ("ties", "B"): base,
            ("few", "A"): base[:5] + 0.1, ("few", "B"): base,
            ("alone", "A"): base,
            ("tied", "A"): [*base[:9], 0.9, 0.8, 0.7], ("tied", "B"): base,
        }
    )  # fmt: skip
    datasets = ["clear", "ties", "few", "alone", "not run", "tied"]
    tests = compare_by_dataset(runs, ["A", "B"], datasets, "test_r2", 0.01).set_index("dataset")
    assert tests["pairs"].tolist() == [12, 12, 5, 0, 0, 12]
    assert tests["ties"].tolist() == [0, 12, 0, 0, 0, 9]
    assert tests["unpaired"].tolist() == [0, 0, 7, 12, 0, 0]
    assert tests["outcome"].tolist() == [BETTER, SIMILAR, SIMILAR, "", "", SIMILAR]
    assert tests["note"].tolist() == [
        "", "all ties", "too few pairs", "no pairs", "no pairs", "too many ties"
    ]  # fmt: skip
    assert tests.loc["clear", "p"] == wilcoxon(np.arange(1.0, 13)).pvalue
    assert tests.loc["clear", "median_difference"] == pytest.approx(0.05)
    assert tests.loc["clear", "rank_biserial"] == 1.0
    assert tests.loc["clear", ["low", "high"]].tolist() == pytest.approx([0.05, 0.05])
    assert np.isnan(tests.loc["alone", "p"])


def test_compare_by_dataset_rejects_two_runs_of_one_seed():
    runs = made_up_runs({("d", "A"): [0.1, 0.2], ("d", "B"): [0.1, 0.2]})
    twice = pd.concat([runs, runs.iloc[:1]])
    with pytest.raises(ValueError, match="A has more than one run on d with seed 0"):
        compare_by_dataset(twice, ["A", "B"], ["d"], "test_r2", 0.01)


def test_compare_over_datasets_is_scipy_with_benjamini_hochberg():
    rng = np.random.default_rng(1)
    scores = pd.DataFrame(rng.normal(size=(20, 3)), columns=list("ABC"))
    scores["A"] += 1.0
    scores["D"] = np.nan
    scores.loc[:4, "D"] = 0.0
    table = compare_over_datasets(scores, 0.01).set_index(["method", "versus"])
    pairs = [("A", "B"), ("A", "C"), ("B", "C")]
    p = np.array([wilcoxon(scores[a], scores[b]).pvalue for a, b in pairs])
    assert table.loc[pairs, "p"].tolist() == p.tolist()
    # By hand: the k-th smallest of m is p·m/k, never larger than that of a larger p.
    order = np.argsort(p)
    hand = np.minimum.accumulate((p[order] * 3 / np.arange(1, 4))[::-1])[::-1]
    assert table.loc[pairs, "p_adjusted"].to_numpy()[order] == pytest.approx(hand)
    assert table.loc[pairs, "p_adjusted"].to_numpy() == pytest.approx(false_discovery_control(p))
    assert table.loc[("A", "D"), "note"] == "too few pairs"
    assert table.loc[("A", "D"), "datasets"] == 5
    row = table.loc[("A", "B")]
    assert row["low"] <= row["median_difference"] <= row["high"]
    assert row["rank_biserial_low"] <= row["rank_biserial"] <= row["rank_biserial_high"]
    ties = pd.DataFrame({"A": [1.0] * 9, "B": [1.0] * 9, "C": [np.nan] * 9})
    ties = compare_over_datasets(ties, 0.01)
    assert ties["note"].tolist() == ["all ties", "no pairs", "no pairs"]
    assert ties["p_adjusted"].isna().all()
