"""Signed-rank tests, effect sizes, counts and summaries, on made-up runs and against SciPy."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, friedmanchisquare, wilcoxon
from tests.support.made_up_runs import made_up_runs

from vjmgp.study.latex import latex_of
from vjmgp.study.statistics import effect_sizes as effects
from vjmgp.study.statistics import summaries
from vjmgp.study.statistics.critical_difference import critical_difference, nemenyi_difference
from vjmgp.study.statistics.fewest_pairs import fewest_pairs
from vjmgp.study.statistics.paired_tests import (
    OPPOSITE,
    OUTCOMES,
    compare_by_dataset,
    compare_over_datasets,
    outcomes,
    p_values,
)
from vjmgp.study.statistics.win_tie_loss import upper_triangle, win_tie_loss, win_tie_loss_matrix

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


def counts_of(runs, methods, datasets, level=0.01):
    tests = compare_by_dataset(runs, methods, datasets, "test_r2", level)
    return win_tie_loss(tests, methods).set_index(["method", "versus"], drop=False)


def test_win_tie_loss_pairs_by_seed_in_any_order():
    base = np.linspace(0.2, 0.6, 10)
    runs = made_up_runs(
        {
            ("d1", "A"): base + 0.05, ("d1", "B"): base,
            ("d2", "A"): base, ("d2", "B"): base,
            ("d3", "A"): base - 0.05, ("d3", "B"): base,
        }
    )  # fmt: skip
    shuffled = runs.sample(frac=1, random_state=1)
    table = counts_of(shuffled, ["A", "B"], ["d1", "d2", "d3"])
    row, back = table.loc[("A", "B")], table.loc[("B", "A")]
    assert (row["better"], row["similar"], row["worse"]) == (1, 1, 1)
    assert (row["better_on"], row["worse_on"]) == ("d1", "d3")
    assert (back["better_on"], back["worse_on"]) == ("d3", "d1")


def test_win_tie_loss_counts_unpaired_runs_and_too_few_pairs():
    base = np.linspace(0.2, 0.6, 12)
    runs = made_up_runs({("d1", "A"): base + 0.05, ("d1", "B"): base, ("d2", "A"): base})
    runs = runs[~((runs["method"] == "B") & (runs["seed"] < 2))]
    row = counts_of(runs, ["A", "B"], ["d1", "d2", "none"]).iloc[0]
    assert (row["better"], row["similar"], row["worse"], row["datasets"]) == (1, 0, 0, 1)
    assert row["unpaired_runs"] == 2 + 12
    few = counts_of(runs[runs["seed"] < 6], ["A", "B"], ["d1"]).iloc[0]
    assert (few["similar"], few["too_few_pairs"], few["datasets"]) == (0, 1, 1)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**31))
def test_win_tie_loss_equals_a_plain_loop(seed):
    rng = np.random.default_rng(seed)
    methods, datasets = ["A", "B", "C"], ["d1", "d2"]
    runs = made_up_runs(
        {(d, m): rng.normal(0.2 * (m == "A"), 0.2, 12) for d in datasets for m in methods}
    )
    runs = runs[rng.random(len(runs)) < 0.9].sample(frac=1, random_state=seed)
    counts = counts_of(runs, methods, datasets, 0.05)
    for a, b in itertools.permutations(methods, 2):
        found = []
        for dataset in datasets:
            of = {m: runs[(runs["dataset"] == dataset) & (runs["method"] == m)] for m in (a, b)}
            scores = {m: dict(zip(of[m]["seed"], of[m]["test_r2"], strict=True)) for m in (a, b)}
            seeds = sorted(set(scores[a]) & set(scores[b]))
            pair = (np.array([scores[m][seed] for seed in seeds]) for m in (a, b))
            few = len(seeds) < fewest_pairs(0.05)
            found.append("too_few_pairs" if few else outcome(*pair, 0.05))
        row = counts.loc[(a, b)]
        kinds = (*OUTCOMES, "too_few_pairs")
        assert [row[kind] for kind in kinds] == [found.count(kind) for kind in kinds]


def test_upper_triangle_prints_the_matrix_as_the_paper_does():
    base = np.linspace(0.2, 0.6, 10)
    runs = made_up_runs({("d", "A"): base + 0.05, ("d", "B"): base, ("d", "C_1"): base})
    methods = ["A", "B", "C_1"]
    matrix = win_tie_loss_matrix(counts_of(runs, methods, ["d"]), methods)
    assert matrix["B"].tolist() == ["1/0/0", "", "0/1/0"]
    printed = upper_triangle(matrix)
    assert printed.columns.tolist() == ["method", "B", "C_1"]
    assert printed["C_1"].tolist() == ["1(+)/0(∼)/0(−)", "0(+)/1(∼)/0(−)"]
    assert printed["B"].tolist() == ["1(+)/0(∼)/0(−)", ""]
    text = latex_of(printed, "100 % of R²")
    for part in ("\\toprule", "\\midrule", "\\bottomrule", "C\\_1", "1(+)/0($\\sim$)/0($-$)",
                 "\\caption{100 \\% of R$^2$}"):  # fmt: skip
        assert part in text


def test_latex_marks_the_best_and_escapes_names():
    table = pd.DataFrame({"dataset": ["a_b", "50 % & more"], "A": [0.5, np.nan], "B": [-0.25, 0.1]})
    text = latex_of(table, "x", best=["A", "B"])
    assert "a\\_b & \\textbf{0.500} & $-$0.250 \\\\" in text
    assert "50 \\% \\& more & -- & \\textbf{0.100} \\\\" in text


def test_rank_biserial_by_hand():
    # |d| = 1, 2, 3 with ranks 1, 2, 3; 3 is against: (1 + 2 − 3) / 6
    assert effects.rank_biserial(np.array([1.0, 2.0, -3.0])) == 0.0
    assert effects.rank_biserial(np.array([1.0, -2.0, 3.0, 0.0, np.nan])) == pytest.approx(2 / 6)
    assert effects.rank_biserial(np.zeros(4)) == 0.0
    assert np.isnan(effects.rank_biserial(np.array([np.nan])))
    assert effects.rank_biserial(np.array([2.0, 2.0, -2.0])) == pytest.approx(1 / 3)  # tied ranks


@given(st.integers(0, 2**31))
def test_bootstrap_medians_are_those_of_resampled_rows(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(3, 9))
    rows[1, 4] = np.nan
    low, high = effects.bootstrap_medians(rows, draws=50)
    for k, row in enumerate(rows):
        kept = np.sort(row[np.isfinite(row)])
        medians = np.median(kept[effects.resamples(len(kept), 50)], axis=1)
        assert [low[k], high[k]] == pytest.approx(np.quantile(medians, [0.025, 0.975]))
    again = effects.bootstrap_medians(rows, draws=50)
    np.testing.assert_array_equal(again, (low, high))


def test_bootstrap_intervals_have_their_nominal_coverage():
    rng = np.random.default_rng(0)
    low, high = effects.bootstrap_medians(rng.normal(0.3, 1.0, (2000, 30)))
    assert 0.90 < np.mean((low <= 0.3) & (high >= 0.3)) < 0.98
    low, high = effects.bootstrap_rank_biserial(rng.normal(0.0, 1.0, 200))
    assert -0.3 < low < 0.0 < high < 0.3
    assert np.isnan(effects.bootstrap_rank_biserial(np.array([]))).all()


def test_paired_mean_interval_of_difference_and_ratio():
    rng = np.random.default_rng(0)
    reference = rng.uniform(0.1, 0.9, 40)  # datasets differ much more than methods do
    mean = reference.mean()
    low, high = effects.paired_mean_interval(reference - 0.02 + rng.normal(0, 0.01, 40), reference)
    assert mean - 0.026 < low < mean - 0.02 < high < mean - 0.01
    shifted = effects.paired_mean_interval(reference + 0.1, reference)
    assert shifted == pytest.approx([mean + 0.1] * 2)
    twice = effects.paired_mean_interval(2 * reference, reference, is_ratio=True)
    assert twice == pytest.approx([2 * mean] * 2)


def test_by_dataset_with_paper_and_summarise_methods():
    runs = made_up_runs(
        {
            ("547_no2", "A"): [0.1, 0.5, 0.6], ("547_no2", "B"): [0.4, 0.4, 0.4],
            ("mine", "A"): [0.9, 0.9, 0.9], ("mine", "B"): [0.1, 0.2, 0.3],
        }
    )  # fmt: skip
    medians = summaries.by_dataset(runs, ["A", "B", "C"], ["mine", "547_no2"])
    assert medians.loc["547_no2", "A"] == 0.5
    means = summaries.by_dataset(runs, ["A"], ["547_no2"], how="mean")
    assert means.iloc[0, 0] == pytest.approx(0.4)
    assert medians["C"].isna().all()
    ours = medians.set_axis(["VJM", "XGB", "C"], axis=1)
    beside = summaries.with_paper(ours)
    assert beside.columns.tolist() == [
        "VJM", "VJM in the paper", "XGB", "XGB in the paper", "C"
    ]  # fmt: skip
    assert beside.loc["547_no2", "VJM in the paper"] == 0.447828
    papers = summaries.paper_medians()
    assert beside.loc["547_no2", "XGB in the paper"] == papers.loc["547_no2", "XGB"]
    assert np.isnan(beside.loc["mine", "VJM in the paper"])
    assert summaries.with_paper(ours.drop("547_no2")).columns.tolist() == ["VJM", "XGB", "C"]
    summary = summaries.summarise_methods(runs, ["A", "B", "C"], ["mine", "547_no2"])
    summary = summary.set_index("method")
    assert summary.loc["A", "mean_of_median_test_r2"] == pytest.approx(0.7)
    assert summary.loc["A", "mean_test_r2"] == pytest.approx(0.65)
    assert summary.loc["A", "mean_rank"] == 1.0
    assert summary.loc["A", "median_train_r2"] == pytest.approx(0.7)  # of all runs it is 0.75
    assert summary.loc["A", "median_cpu_seconds"] == 0.5
    assert summary.loc["C", "runs"] == 0


def test_unfinished_methods_are_compared_on_common_datasets():
    easy, methods = [f"easy{k}" for k in range(5)], ["A", "B", "C", "D"]
    scores = {("hard", "A"): [0.1] * 3, ("easy0", "C"): [0.95] * 3}
    for name in easy:  # B has not run on the hard one, C on hardly any
        scores |= {(name, "A"): [0.9] * 3, (name, "B"): [0.8] * 3}
    runs, datasets = made_up_runs(scores), [*easy, "hard"]
    common = summaries.common_datasets(summaries.by_dataset(runs, methods, datasets))
    assert common.index.tolist() == easy
    assert common.columns.tolist() == ["A", "B"]
    summary = summaries.summarise_methods(runs, methods, datasets).set_index("method")
    assert summary["mean_of_median_test_r2"].tolist()[:2] == pytest.approx([0.9, 0.8])
    assert summary["mean_of_median_test_r2"].isna().tolist() == [False, False, True, True]
    assert summary["mean_rank"].tolist()[:2] == [1.0, 2.0]
    assert summary["datasets"].tolist() == [6, 5, 1, 0]
    assert summary["common_datasets"].tolist() == [5] * 4
    alone = summaries.summarise_methods(runs, ["A", "C"], datasets).set_index("method")
    assert alone["mean_of_median_test_r2"].notna().tolist() == [True, False]
    assert alone["mean_rank"].isna().all()  # without a rival


def test_nemenyi_difference_matches_the_table_of_demsar():
    """Critical values q of the two-tailed Nemenyi test, table 5a."""
    for methods, q05, q10 in ((3, 2.343, 2.052), (5, 2.728, 2.459), (10, 3.164, 2.920)):
        scale = np.sqrt(methods * (methods + 1) / (6 * 14))
        assert nemenyi_difference(methods, 14, 0.05) == pytest.approx(q05 * scale, abs=2e-3)
        assert nemenyi_difference(methods, 14, 0.10) == pytest.approx(q10 * scale, abs=2e-3)


def test_critical_difference_by_hand():
    ranks = {"A": 1, "B": 2, "C": 3, "D": 4}
    scores = pd.DataFrame([{name: -rank for name, rank in ranks.items()}] * 10)
    scores.loc[10] = [1.0, np.nan, 0.0, 0.0]  # missing for one method
    found = critical_difference(scores, 0.05)
    assert found.ranks == {"A": 1.0, "B": 2.0, "C": 3.0, "D": 4.0}
    assert found.datasets == 10
    assert found.difference == pytest.approx(2.569 * np.sqrt(20 / 60), abs=2e-3)  # 1.483
    assert found.groups == [["A", "B"], ["B", "C"], ["C", "D"]]
    assert found.p == friedmanchisquare(*scores.iloc[:10].to_numpy().T).pvalue
    assert critical_difference(scores[["A", "B"]], 0.05) is None
    assert critical_difference(scores.iloc[:1], 0.05) is None
    equal = critical_difference(scores.iloc[:10] * 0, 0.05)
    assert (equal.groups, equal.p) == ([["A", "B", "C", "D"]], 1.0)
