"""Counts of better, similar and worse, as tables and in LaTeX."""

import itertools

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.made_up_runs import made_up_runs

from vjmgp.study.latex import latex_of
from vjmgp.study.statistics.fewest_pairs import fewest_pairs
from vjmgp.study.statistics.paired_tests import OUTCOMES, compare_by_dataset, outcomes, p_values
from vjmgp.study.statistics.win_tie_loss import upper_triangle, win_tie_loss, win_tie_loss_matrix


def counts_of(runs, methods, datasets, level=0.01):
    return win_tie_loss(
        compare_by_dataset(runs, methods, datasets, "test_r2", level), methods
    ).set_index(["method", "versus"], drop=False)


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
            one, other = (np.array([scores[m][seed] for seed in seeds]) for m in (a, b))
            differences = (one - other)[np.newaxis]
            outcome = str(outcomes(differences, p_values(differences, 0.05), 0.05)[0])
            found.append("too_few_pairs" if len(seeds) < fewest_pairs(0.05) else outcome)
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
