"""Methods of a study beside SRBench's published results: table, plot and page."""

import copy
import json

import numpy as np
import pytest
from tests.support.html_page import Page
from tests.support.made_up_runs import made_up_runs
from tests.support.workflow_runs import STUDY, snakemake

from vjmgp.study.figures.figure_style import study_style
from vjmgp.study.names import MANY_FORMULAS, NO_FORMULA, ONE_FORMULA
from vjmgp.study.plan.study import Experiment
from vjmgp.study.protocols import SRBENCH
from vjmgp.study.result_tables import read_table, write_csv
from vjmgp.study.srbench.compare_srbench import compare_srbench
from vjmgp.study.srbench.mean_ranks import (
    SRBENCH_COLUMNS,
    beside_published,
    published_algorithms,
    published_medians,
)
from vjmgp.study.srbench.rank_size_plot import rank_against_size
from vjmgp.tables.paper_datasets import paper_datasets

DATASETS = ["192_vineyard", "228_elusage", "547_no2"]


def test_published_results_are_complete():
    about = published_algorithms()
    for metric in SRBENCH_COLUMNS:
        medians = published_medians(metric)
        assert set(medians.index) == set(paper_datasets())
        assert sorted(medians.columns) == sorted(about.index)
        assert np.isfinite(medians.to_numpy()).all()
    assert about["kind"].value_counts().to_dict() == {
        ONE_FORMULA: 13, MANY_FORMULAS: 2, NO_FORMULA: 7,
    }  # fmt: skip
    others = about[about["source"] != "SRBench"]
    assert list(others.index) == ["EF", "PSForest"]
    assert set(others["kind"]) == {MANY_FORMULAS}
    assert published_medians("test_r2").loc["1027_ESL", "AFP"] == 0.83093


def runs_of(scores, datasets=DATASETS):
    """Return three runs of each method near its score on each dataset."""
    near = {
        (d, m): [score - 0.01, score, score + 0.01] for m, score in scores.items() for d in datasets
    }
    return made_up_runs(near, size=30.0, seconds=1.5)


def test_beside_published_ranks_methods_among_the_published():
    scores = {"VJM": 1.5, "XGB": -50.0}
    kinds = {"VJM": ONE_FORMULA, "XGB": NO_FORMULA}
    table = beside_published(runs_of(scores), list(scores), [*DATASETS, "mine"], kinds)
    assert len(table) == 24
    assert table["mean_rank"].is_monotonic_increasing
    first, last = table.iloc[0], table.iloc[-1]
    assert (first["method"], first["mean_rank"], first["source"]) == ("VJM", 1.0, "this study")
    assert (last["method"], last["mean_rank"], last["kind"]) == ("XGB (ours)", 24.0, NO_FORMULA)
    assert (first["mean_r2"], first["median_size"], first["seeds"]) == (1.5, 30.0, 3)
    rows = table.set_index("method")
    assert set(table["datasets"]) == {3}
    expected = published_medians("test_r2").loc[DATASETS]
    ranks = [1 + (expected.loc[d] > expected.loc[d, "Operon"]).sum() + 1 for d in DATASETS]
    assert rows.loc["Operon", "mean_rank"] == pytest.approx(np.mean(ranks))
    assert rows.loc["Operon", "mean_r2"] == pytest.approx(expected["Operon"].mean())
    assert rows.loc["Operon", "seeds"] == 10
    assert (rows["rank_low"] <= rows["mean_rank"]).all()
    assert (rows["mean_rank"] <= rows["rank_high"]).all()


def test_beside_published_uses_common_datasets():
    runs = runs_of({"VJM": 0.5, "PP": 0.4})
    part = runs[(runs["method"] == "VJM") | (runs["dataset"] == "547_no2")]
    kinds = dict.fromkeys(("VJM", "PP", "later"), ONE_FORMULA)
    table = beside_published(part, list(kinds), DATASETS, kinds)
    assert set(table["datasets"]) == {len(DATASETS)}
    assert {"PP", "later"}.isdisjoint(table["method"])  # they have too few of them
    nothing = beside_published(runs_of({"VJM": 0.5}, ["mine"]), ["VJM"], ["mine"], kinds)
    assert nothing.empty


def test_rank_against_size_names_each_method_once_without_overlaps():
    scores = {"VJM": 0.7, "VJM distilled": 0.69}
    kinds = dict.fromkeys(scores, ONE_FORMULA)
    datasets = list(paper_datasets())
    table = beside_published(runs_of(scores, datasets), list(scores), datasets, kinds)
    with study_style():
        figure = rank_against_size(table)
        axis = figure.axes[0]
        names = list(axis.texts)
        assert sorted(text.get_text() for text in names) == sorted(table["method"])
        boxes = [text.get_window_extent() for text in names]
        overlaps = [box.count_overlaps(boxes) - 1 for box in boxes]
        assert sum(overlaps) <= 2  # at most one pair
        best, worst = axis.get_ylim()[1], axis.get_ylim()[0]
        assert best < worst


def test_compare_srbench_without_a_common_dataset_writes_an_empty_table(tmp_path):
    write_csv(tmp_path / "runs.csv", runs_of({"VJM": 0.5}, ["mine"]))
    entry = Experiment("e", "E", ["VJM"], ["mine"], "srbench")
    table, folder = tmp_path / "srbench.csv", tmp_path / "figures"
    kinds = {"VJM": ONE_FORMULA}
    compare_srbench(str(tmp_path / "runs.csv"), entry, kinds, str(table), str(folder))
    assert read_table(table).empty
    assert json.loads((folder / "figures.json").read_text()) == []
    assert [path.name for path in folder.iterdir()] == ["figures.json"]


@pytest.fixture(scope="module")
def finished_study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("srbench")
    config = copy.deepcopy(STUDY)
    config["methods"]["VJM"]["gp"]["max_rows"] = 30
    config["experiments"] = {
        "one": {"methods": ["VJM"]},
        "srbench": {"methods": ["VJM", "LassoLars"], "protocol": "srbench"},
    }
    snakemake(folder, config)
    return folder, config


def test_experiment_that_follows_srbench_has_a_page(finished_study):
    results = finished_study[0] / "results"
    pages = {path.name for path in (results / "report").glob("srbench*.html")}
    assert pages == {"srbench-srbench.html"}
    assert not (results / "tables/one/srbench.csv").exists()
    table = read_table(results / "tables/srbench/srbench.csv")
    assert len(table) == 24
    assert set(table[table["source"] == "this study"]["method"]) == {"VJM", "LassoLars"}
    path = results / "report/srbench-srbench.html"
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    assert not page.faults
    for link in page.links:
        assert link.startswith("data:") or (path.parent / link).is_file(), link
    assert "../figures/srbench-srbench/srbench.svg" in page.links
    for words in (
        "Of 24 methods",
        "over 1 dataset.",
        "2 of the same ten",
        "other machines",
        "PSForest",
    ):
        assert words in text
    splits = json.loads(next(results.glob("splits/srbench/*/seeds_0-1.json")).read_text())
    train, _ = SRBENCH.split("192_vineyard", splits["rows"], 1)
    assert splits["runs"][1]["train"] == train.tolist()


def test_unfinished_study_has_the_page_too(finished_study):
    folder, config = finished_study
    snakemake(folder, config, "report_so_far")
    so_far = folder / "results/so_far"
    assert (so_far / "report/srbench-srbench.html").exists()
    assert not (so_far / "report/srbench-one.html").exists()
    written = (so_far / "tables/srbench/srbench.csv").read_text()
    assert written == (folder / "results/tables/srbench/srbench.csv").read_text()
