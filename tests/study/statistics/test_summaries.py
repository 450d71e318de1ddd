"""Medians, means and ranks of methods."""

import numpy as np
import pytest
from tests.support.made_up_runs import made_up_runs

from vjmgp.study.statistics.summaries import (
    by_dataset,
    common_datasets,
    paper_medians,
    summarise_methods,
    with_paper,
)


def test_by_dataset_with_paper_and_summarise_methods():
    runs = made_up_runs(
        {
            ("547_no2", "A"): [0.1, 0.5, 0.6], ("547_no2", "B"): [0.4, 0.4, 0.4],
            ("mine", "A"): [0.9, 0.9, 0.9], ("mine", "B"): [0.1, 0.2, 0.3],
        }
    )  # fmt: skip
    medians = by_dataset(runs, ["A", "B", "C"], ["mine", "547_no2"])
    assert medians.loc["547_no2", "A"] == 0.5
    assert by_dataset(runs, ["A"], ["547_no2"], how="mean").iloc[0, 0] == pytest.approx(0.4)
    assert medians["C"].isna().all()
    ours = medians.set_axis(["VJM", "XGB", "C"], axis=1)
    beside = with_paper(ours)
    assert beside.columns.tolist() == [
        "VJM", "VJM in the paper", "XGB", "XGB in the paper", "C"
    ]  # fmt: skip
    assert beside.loc["547_no2", "VJM in the paper"] == 0.447828
    assert beside.loc["547_no2", "XGB in the paper"] == paper_medians().loc["547_no2", "XGB"]
    assert np.isnan(beside.loc["mine", "VJM in the paper"])
    assert with_paper(ours.drop("547_no2")).columns.tolist() == ["VJM", "XGB", "C"]
    summary = summarise_methods(runs, ["A", "B", "C"], ["mine", "547_no2"]).set_index("method")
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
    common = common_datasets(by_dataset(runs, methods, datasets))
    assert common.index.tolist() == easy
    assert common.columns.tolist() == ["A", "B"]
    summary = summarise_methods(runs, methods, datasets).set_index("method")
    assert summary["mean_of_median_test_r2"].tolist()[:2] == pytest.approx([0.9, 0.8])
    assert summary["mean_of_median_test_r2"].isna().tolist() == [False, False, True, True]
    assert summary["mean_rank"].tolist()[:2] == [1.0, 2.0]
    assert summary["datasets"].tolist() == [6, 5, 1, 0]
    assert summary["common_datasets"].tolist() == [5] * 4
    alone = summarise_methods(runs, ["A", "C"], datasets).set_index("method")
    assert alone["mean_of_median_test_r2"].notna().tolist() == [True, False]
    assert alone["mean_rank"].isna().all()  # without a rival
