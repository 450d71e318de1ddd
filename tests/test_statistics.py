"""Statistics on hand-made runs, and against SciPy."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wilcoxon

from vjmgp.study.statistics import (
    BETTER,
    SIMILAR,
    WORSE,
    medians_of,
    outcome,
    summary_of,
    too_few,
    win_tie_loss,
    with_paper,
)


def made_up(scores):
    """Runs from {(dataset, method): [score of each seed]}."""
    rows = [
        {
            "dataset": dataset, "method": method, "seed": seed, "test_r2": value,
            "train_r2": value, "size": 10 + seed, "trees": 2, "seconds": 0.5,
        }
        for (dataset, method), values in scores.items()
        for seed, value in enumerate(values)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_outcomes():
    low = np.linspace(0.1, 0.5, 10)
    assert outcome(low + 0.1, low, 0.01) == BETTER
    assert outcome(low, low + 0.1, 0.01) == WORSE
    assert outcome(low, low, 0.01) == SIMILAR  # all ties
    noisy = low + np.array([0.1, -0.1] * 5)
    assert outcome(noisy, low, 0.01) == SIMILAR
    assert outcome(low[:7] + 0.1, low[:7], 0.01) == SIMILAR  # seven pairs never reach 0.01
    assert outcome(low[:8] + 0.1, low[:8], 0.01) == BETTER


def test_the_smallest_number_of_pairs():
    assert too_few(7, 0.01)
    assert not too_few(8, 0.01)
    assert too_few(0, 0.01)
    for pairs in range(6, 12):
        p = wilcoxon(np.arange(1.0, pairs + 1)).pvalue
        assert too_few(pairs, 0.01) == (p >= 0.01)


@given(
    st.lists(st.floats(-1, 1), min_size=12, max_size=30),
    st.integers(0, 2**31),
    st.sampled_from([0.01, 0.05]),
)
def test_outcome_is_scipys_test_and_antisymmetric(values, seed, level):
    a = np.array(values)
    b = a + np.random.default_rng(seed).normal(0.1, 0.3, len(a))
    found = outcome(a, b, level)
    assert (found != SIMILAR) == (wilcoxon(a, b).pvalue < level)
    opposite = {BETTER: WORSE, WORSE: BETTER, SIMILAR: SIMILAR}
    assert outcome(b, a, level) == opposite[found]


def test_win_tie_loss_pairs_by_seed_whatever_the_order():
    base = np.linspace(0.2, 0.6, 10)
    runs = made_up(
        {
            ("d1", "A"): base + 0.05, ("d1", "B"): base,
            ("d2", "A"): base, ("d2", "B"): base,
            ("d3", "A"): base - 0.05, ("d3", "B"): base,
        }
    )  # fmt: skip
    shuffled = runs.sample(frac=1, random_state=1)
    table = win_tie_loss(shuffled, ["A", "B"], ["d1", "d2", "d3"], "test_r2", 0.01)
    row = table.set_index(["method", "versus"]).loc[("A", "B")]
    assert (row["better"], row["similar"], row["worse"]) == (1, 1, 1)
    assert (row["better_on"], row["worse_on"]) == ("d1", "d3")
    back = table.set_index(["method", "versus"]).loc[("B", "A")]
    assert (back["better_on"], back["worse_on"]) == ("d3", "d1")


def test_missing_runs_are_left_out_and_counted():
    base = np.linspace(0.2, 0.6, 12)
    runs = made_up({("d1", "A"): base + 0.05, ("d1", "B"): base, ("d2", "A"): base})
    runs = runs[~((runs["method"] == "B") & (runs["seed"] < 2))]
    row = win_tie_loss(runs, ["A", "B"], ["d1", "d2", "none"], "test_r2", 0.01).iloc[0]
    assert (row["better"], row["similar"], row["worse"]) == (1, 0, 0)
    assert row["unpaired_runs"] == 2 + 12


def test_medians_ranks_and_the_papers_column():
    runs = made_up(
        {
            ("547_no2", "A"): [0.1, 0.5, 0.6], ("547_no2", "B"): [0.4, 0.4, 0.4],
            ("mine", "A"): [0.9, 0.9, 0.9], ("mine", "B"): [0.1, 0.2, 0.3],
        }
    )  # fmt: skip
    medians = medians_of(runs, ["A", "B", "C"], ["mine", "547_no2"])
    assert medians.loc["547_no2", "A"] == 0.5
    assert medians["C"].isna().all()
    paper = with_paper(medians)["VJM in the paper"]
    assert paper["547_no2"] == 0.447828
    assert np.isnan(paper["mine"])
    summary = summary_of(runs, ["A", "B", "C"]).set_index("method")
    assert summary.loc["A", "mean_of_median_test_r2"] == pytest.approx(0.7)
    assert summary.loc["A", "mean_rank"] == 1.0
    assert summary.loc["C", "runs"] == 0
