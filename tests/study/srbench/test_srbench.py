"""SRBench: its protocol, and methods of a study beside its published results."""

import copy
import json

import numpy as np
import pytest
from scipy.stats import wilcoxon
from sklearn.model_selection import train_test_split
from tests.support.configs import study_of, study_of_config
from tests.support.html_page import Page
from tests.support.made_up_runs import made_up_runs
from tests.support.workflow_runs import STUDY, snakemake

from vjmgp.study.config.schema import ConfigError
from vjmgp.study.figures.figure_style import study_style
from vjmgp.study.names import MANY_FORMULAS, NO_FORMULA, ONE_FORMULA
from vjmgp.study.plan.study import Experiment
from vjmgp.study.protocols import PAPER, SRBENCH, SRBENCH_SEEDS, Protocol
from vjmgp.study.result_tables import read_table, write_csv
from vjmgp.study.srbench import mean_ranks
from vjmgp.study.srbench.compare_srbench import compare_srbench
from vjmgp.study.srbench.rank_size_plot import rank_against_size
from vjmgp.tables.paper_datasets import paper_datasets


@pytest.mark.parametrize("rows", [11, 52, 53, 54, 55, 8192])
def test_srbench_splits_equal_those_of_scikit_learn(rows):
    assert len(SRBENCH_SEEDS) == 10
    for run, seed in enumerate(SRBENCH_SEEDS):
        theirs = train_test_split(
            np.arange(rows), train_size=0.75, test_size=0.25, random_state=seed
        )
        for ours, expected in zip(SRBENCH.split("any", rows, run), theirs, strict=True):
            np.testing.assert_array_equal(ours, expected)


def test_srbench_has_ten_splits():
    with pytest.raises(ValueError, match="SRBench has 10 splits; there is none for run 10"):
        SRBENCH.split("any", 100, 10)
    experiments = {"one": {"methods": ["VJM"], "protocol": "srbench"}}
    assert study_of(experiments=experiments, seeds=10).experiments["one"].follows_srbench
    message = (
        "seeds is 11, but the protocol 'srbench' of experiments.one has 10 splits; use at most 10"
    )
    with pytest.raises(ConfigError, match=message):
        study_of(experiments=experiments, seeds=11)


def test_identities_of_other_protocols_are_unchanged():
    study = study_of_config("paper.yaml", unavailable="skip")
    assert study.ids.run("paper", "547_no2", "VJM") == "4a00e09d"
    assert study.ids.split("srbench", "547_no2") != study.ids.split("paper", "547_no2")
    same_share = study_of(protocols={"mine": {"train_share": 0.75}})
    assert same_share.ids.split("mine", "547_no2") != same_share.ids.split("srbench", "547_no2")
    assert Protocol(train_rows=None, train_share=0.75) != SRBENCH
    assert PAPER.most_seeds is None


def test_config_has_the_datasets_of_the_paper_and_samples_rows():
    study = study_of_config("srbench.yaml")
    assert study.config["datasets"] == list(paper_datasets())
    assert study.seeds == len(SRBENCH_SEEDS)
    assert study.experiments_of("compare_srbench") == list(study.experiments)
    for method in study.methods.values():
        assert method.kind == ONE_FORMULA
        assert method.definition["gp"]["max_rows"] <= 3000


DATASETS = ["192_vineyard", "228_elusage", "547_no2"]


def test_published_results_are_complete():
    about = mean_ranks.published_algorithms()
    for metric in mean_ranks.SRBENCH_COLUMNS:
        medians = mean_ranks.published_medians(metric)
        assert set(medians.index) == set(paper_datasets())
        assert sorted(medians.columns) == sorted(about.index)
        assert np.isfinite(medians.to_numpy()).all()
    assert about["kind"].value_counts().to_dict() == {
        ONE_FORMULA: 16, MANY_FORMULAS: 3, NO_FORMULA: 7,
    }  # fmt: skip
    others = about[about["source"] != "SRBench"].groupby("kind").groups
    assert {kind: list(names) for kind, names in others.items()} == {
        MANY_FORMULAS: ["EF", "PS-Tree", "PSForest"],
        ONE_FORMULA: ["MAPMX-GP", "MMTGP", "SHM-GP"],
    }
    assert mean_ranks.published_medians("size").loc["1027_ESL", "MAPMX-GP"] == 233.5
    assert mean_ranks.published_medians("test_r2").loc["1027_ESL", "AFP"] == 0.83093


def runs_of(scores, datasets=DATASETS):
    """Return three runs of each method near its score on each dataset."""
    near = {
        (d, m): [score - 0.01, score, score + 0.01] for m, score in scores.items() for d in datasets
    }
    return made_up_runs(near, size=30.0, seconds=1.5)


def test_beside_published_ranks_methods_among_the_published():
    scores = {"VJM": 1.5, "XGB": -50.0}
    kinds = {"VJM": ONE_FORMULA, "XGB": NO_FORMULA}
    table = mean_ranks.beside_published(runs_of(scores), list(scores), [*DATASETS, "mine"], kinds)
    assert len(table) == 28
    assert table["mean_rank"].is_monotonic_increasing
    first, last = table.iloc[0], table.iloc[-1]
    assert (first["method"], first["mean_rank"], first["source"]) == ("VJM", 1.0, "this study")
    assert (last["method"], last["mean_rank"], last["kind"]) == ("XGB (ours)", 27.0, NO_FORMULA)
    assert (first["mean_r2"], first["median_size"], first["seeds"]) == (1.5, 30.0, 3)
    rows = table.set_index("method")
    assert set(table["datasets"]) == {3}
    expected = mean_ranks.published_medians("test_r2").loc[DATASETS]
    # beside VJM one lower, beside XGB (ours) not, so half a rank
    ranks = [1 + (expected.loc[d] > expected.loc[d, "Operon"]).sum() + 0.5 for d in DATASETS]
    assert rows.loc["Operon", "mean_rank"] == pytest.approx(np.mean(ranks))
    assert rows.loc["Operon", "mean_r2"] == pytest.approx(expected["Operon"].mean())
    assert rows.loc["Operon", "seeds"] == 10
    assert (rows["rank_low"] <= rows["mean_rank"]).all()
    assert (rows["mean_rank"] <= rows["rank_high"]).all()
    pairs = rows.drop(index="VJM")
    assert (pairs["better"] == 3).all()
    assert (pairs["worse"] == 0).all()
    assert rows["p"].isna().all()  # three datasets are too few


def test_our_methods_are_ranked_one_at_a_time():
    datasets = list(paper_datasets())
    theirs = mean_ranks.published_medians("test_r2")
    kinds = dict.fromkeys(("VJM", "PP", "GC"), ONE_FORMULA)
    alone, *_, among = (
        mean_ranks.beside_published(
            runs_of(dict(zip(names, (0.6, 0.61, 0.62), strict=False)), datasets),
            names, datasets, kinds,
        ).set_index("method")
        for names in (["VJM"], ["VJM", "PP", "GC"])
    )  # fmt: skip
    assert alone.loc["VJM", "mean_rank"] == among.loc["VJM", "mean_rank"]
    assert alone.loc["VJM", "mean_rank"] == pytest.approx(1 + (theirs > 0.6).sum(axis=1).mean())
    better = (theirs["Operon"] < 0.6).sum()
    assert tuple(among.loc["Operon", ["better", "worse"]]) == (better, len(datasets) - better)
    expected = wilcoxon(0.6 - theirs["Operon"]).pvalue
    assert among.loc["Operon", "p"] == pytest.approx(expected)
    assert np.isnan(among.loc["VJM", "p"])


def test_beside_published_uses_common_datasets():
    runs = runs_of({"VJM": 0.5, "PP": 0.4})
    part = runs[(runs["method"] == "VJM") | (runs["dataset"] == "547_no2")]
    kinds = dict.fromkeys(("VJM", "PP", "later"), ONE_FORMULA)
    table = mean_ranks.beside_published(part, list(kinds), DATASETS, kinds)
    assert set(table["datasets"]) == {len(DATASETS)}
    assert {"PP", "later"}.isdisjoint(table["method"])  # they have too few of them
    nothing = mean_ranks.beside_published(runs_of({"VJM": 0.5}, ["mine"]), ["VJM"], ["mine"], kinds)
    assert nothing.empty


def test_rank_against_size_names_each_method_once_without_overlaps():
    scores = {"VJM": 0.7, "VJM distilled": 0.69}
    kinds = dict.fromkeys(scores, ONE_FORMULA)
    datasets = list(paper_datasets())
    table = mean_ranks.beside_published(runs_of(scores, datasets), list(scores), datasets, kinds)
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
    assert len(table) == 28
    assert set(table[table["source"] == "this study"]["method"]) == {"VJM", "LassoLars"}
    path = results / "report/srbench-srbench.html"
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    assert not page.faults
    for link in page.links:
        assert link.startswith("data:") or (path.parent / link).is_file(), link
    assert "../figures/srbench-srbench/srbench.svg" in page.links
    for words in (
        "Beside 26 published methods",
        "VJM<br>better / worse",
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
