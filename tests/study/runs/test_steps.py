"""The steps between a dataset's file and a run's record, as plain functions."""

import json
import logging
import warnings
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.svm import SVR
from tests.support.configs import study_of_config

from vjmgp import VJMRegressor, load_dataset, load_model, paper_split, r2
from vjmgp.core.files import checksum, read_json
from vjmgp.engine.trees.primitives import FIRST_VARIABLE
from vjmgp.engine.version import ENGINE_VERSION
from vjmgp.models.symbolic import Feature, SymbolicModel
from vjmgp.study import result_tables as tables
from vjmgp.study.names import WALL_TIMES
from vjmgp.study.paths import experiment_files
from vjmgp.study.plan.study import Experiment, Table
from vjmgp.study.protocols import LABEL_NOISE, PAPER
from vjmgp.study.runs import block as blocks
from vjmgp.study.runs import collect, gp, records
from vjmgp.study.runs.block import learner_of, run
from vjmgp.study.runs.model_description import legend_of
from vjmgp.study.runs.noise_estimates import estimate_noise
from vjmgp.study.runs.prepare import fetch_dataset, prepare_dataset, split_rows
from vjmgp.study.runs.problems import problems
from vjmgp.study.statistics.compare_methods import compare_methods

GP = {"gp": {"regularizer": "jensen_gap", "population_size": 20, "generations": 4}}
LINEAR = {"estimator": "sklearn.linear_model.LinearRegression"}


class Study:
    """The files of a small study, made by its steps."""

    def __init__(self, folder, dataset="210_cloud", protocol=PAPER, block="0-2"):
        self.dataset = dataset
        self.block = block
        self.folder = folder
        self.data, self.facts = str(folder / "data.parquet"), str(folder / "facts.json")
        self.splits, self.noise = (f"{folder}/{k}/seeds_{block}.json" for k in ("splits", "noise"))
        table = str(folder / "source.tsv.gz")
        note = str(folder / "source.json")
        fetch_dataset(dataset, None, table, note)
        prepare_dataset(dataset, table, None, self.data, self.facts, note)
        split_rows(self.data, self.facts, protocol, self.splits)
        estimate_noise(self.data, self.facts, self.splits, self.noise)

    def file(self, name, block=None):
        folder = self.folder / f"results/runs/paper/{self.dataset}/{name}-00000000"
        return str(folder / f"seeds_{block or self.block}.jsonl")

    def run(self, definition, block=None, name="method"):
        output, noise = self.file(name, block), [self.noise] if "gp" in definition else []
        blocks.run_block(name, definition, self.data, self.facts, [self.splits], output, noise)
        return records.read_block(output)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return Study(tmp_path_factory.mktemp("study"))


def timeless(records):
    return [{k: v for k, v in r.items() if k not in WALL_TIMES} for r in records]


def test_fetch_and_prepare_note_the_origin_of_data(study):
    source = read_json(study.folder / "source.json")
    assert source["from"] == "shipped"
    assert len(source["sha256"]) == 64
    facts = read_json(study.facts)
    assert (facts["rows"], facts["nominal"]) == (108, ["season"])


def test_splits_follow_the_protocol(study):
    for problem in problems(study.data, study.facts, [study.splits]):
        train, test = paper_split("210_cloud", 108, problem.seed)
        np.testing.assert_array_equal(problem.train, train)
        assert sorted(problem.test) == sorted(test)
        np.testing.assert_array_equal(problem.labels, load_dataset("210_cloud").target[train])


def test_label_noise_changes_training_labels_only(tmp_path):
    study = Study(tmp_path, protocol=LABEL_NOISE)
    clean = load_dataset("210_cloud").target
    for problem in problems(study.data, study.facts, [study.splits]):
        assert len(problem.train) == 86
        noise = problem.labels - clean[problem.train]
        assert 0.7 < noise.std() / clean[problem.train].std() < 1.3
        np.testing.assert_array_equal(problem.target, clean)


@pytest.mark.filterwarnings("ignore::vjmgp.ExtrapolationWarning")
def test_gp_run_equals_a_fit_of_the_regressor(study):
    """Estimating noise in a separate step changes nothing."""
    data = load_dataset("210_cloud")
    for record in study.run(GP):
        train, _ = paper_split("210_cloud", 108, record["seed"])
        test = np.setdiff1d(np.arange(108), train)
        model = VJMRegressor.paper(
            **GP["gp"], random_state=record["seed"], categorical_features=data.nominal
        ).fit(data.inputs.iloc[train], data.target[train])
        prediction = model.predict(data.inputs.iloc[test])
        assert record["test_r2"] == pytest.approx(r2(data.target[test], prediction), abs=1e-12)
        assert record["noise_r2"] == model.noise_r2_
        assert record["tau"] == model.tau_
        assert record["formula"] == model.model_.text()
        assert record["size"] == model.model_.evolved_size
        assert record["engine"] == model.engine_version_
        stored = SymbolicModel.from_dict(record["model"])
        np.testing.assert_array_equal(stored.predict(data.inputs.iloc[test]), prediction)
        last = [round(record[name], 4) for name in ("train_r2", "test_r2")]
        assert record["curve"][-1][1:] == last
        generations = [point[0] for point in record["curve"]]
        assert generations == sorted(set(generations))
        assert generations[-1] <= 4


PAPERS_METHODS = {
    name: method.definition
    for name, method in study_of_config("paper.yaml").methods.items()
    if method.is_gp
}


@pytest.mark.parametrize("name", PAPERS_METHODS)
def test_every_gp_method_of_the_paper_runs(study, name):
    settings = PAPERS_METHODS[name]["gp"] | {"population_size": 20}
    if "max_time" in settings:
        settings["max_time"] = 0.1
    else:
        settings["generations"] = 2
    record, *_ = study.run({"gp": settings}, "0-0", name)
    assert record["status"] == "ok"
    assert record["generations"] == 2 or "max_time" in settings
    assert -1.0 < record["train_r2"] <= 1.0
    assert record["size"] >= 1


def test_size_of_blocks_changes_no_record(study):
    whole = study.run(GP, name="whole")
    parts = [record for block in ("0-0", "1-2") for record in study.run(GP, block, "parts")]
    assert len(parts) == 3
    assert timeless(whole) == timeless([record | {"method": "whole"} for record in parts])


def test_runs_of_other_blocks_are_reused_unless_versions_change(study, monkeypatch):
    first = study.run(GP, "0-1", "again")
    whole = study.run(GP, "0-2", "again")
    assert whole[:2] == first  # wall times and all
    assert whole[2]["seed"] == 2
    monkeypatch.setattr(blocks, "versions", lambda _: {"numpy": "another"})
    assert study.run(GP, "0-1", "again")[0]["seconds"] != first[0]["seconds"]


def test_share_of_time_is_of_the_median_of_unlimited_fits(monkeypatch):
    clock, settings = iter([0.0, 2.0, 10.0, 14.0, 20.0, 23.0]), []
    monkeypatch.setattr(gp, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    monkeypatch.setattr(
        gp.GeneticProgramming, "_fitted", lambda self, problem, given: settings.append(given)
    )
    limited = GP["gp"] | {"max_time": {"share": 0.5, "of": GP["gp"]}}
    learner = gp.GeneticProgramming(limited, {})
    for problem in (object(), object(), object()):
        learner.prepare(problem)
        learner.fit(problem)
    assert settings[::2] == [GP["gp"]] * 3
    assert [given["max_time"] for given in settings[1::2]] == [1.0, 1.5, 1.5]


def test_baseline_equals_grid_search_on_standardised_data(study):
    definition = {
        "estimator": "sklearn.svm.SVR",
        "settings": {"kernel": "rbf"},
        "grid": {"C": [0.1, 10], "epsilon": [0.01, 0.5]},
    }
    records = study.run(definition)
    for problem, record in zip(
        problems(study.data, study.facts, [study.splits]), records, strict=True
    ):
        standardizer = problem.standardizer
        x = standardizer.standardize(problem.train_table)
        y = standardizer.standardize_target(problem.labels)
        folds = KFold(5, shuffle=True, random_state=problem.seed)
        search = GridSearchCV(SVR(kernel="rbf"), definition["grid"], cv=folds).fit(x, y)
        values = search.predict(standardizer.standardize(problem.test_table))
        values = np.clip(values, y.min(), y.max()) * problem.labels.std() + problem.labels.mean()
        assert record["parameters"] == search.best_params_
        assert record["test_r2"] == pytest.approx(r2(problem.target[problem.test], values))
        assert record["size"] == len(search.best_estimator_.support_)


class Fragile(LinearRegression):
    """A learner that fails on one of the splits and warns on the rest."""

    def fit(self, x, y):
        if abs(y[0]) < Fragile.threshold:
            raise RuntimeError("too close to zero")
        warnings.warn("shaky", stacklevel=1)
        return super().fit(x, y)


def test_failed_run_is_recorded_and_does_not_stop_the_block(study, caplog):
    firsts = [
        abs(p.standardizer.standardize_target(p.labels)[0])
        for p in problems(study.data, study.facts, [study.splits])
    ]
    Fragile.threshold = np.mean(sorted(firsts)[:2])  # one of three fails
    caplog.set_level(logging.INFO)
    definition = {"estimator": f"{__name__}.Fragile"}
    records = study.run(definition, name="Fragile")
    assert sorted(record["status"] for record in records) == ["failed", "ok", "ok"]
    failed = next(record for record in records if record["status"] == "failed")
    assert failed["error"] == "RuntimeError: too close to zero"
    assert f"FAILED: Fragile on 210_cloud, seed {failed['seed']}" in caplog.text
    ok = next(record for record in records if record["status"] == "ok")
    assert ok["warnings"] == {"UserWarning": 1}
    assert "1 × UserWarning, first: shaky" in caplog.text


def test_collect_and_join_write_tidy_tables(study, tmp_path):
    study.run(GP, name="VJM")
    study.run(LINEAR, name="LR")
    folder = study.folder / "results"
    files = [study.file(name) for name in ("VJM", "LR")]
    out = [str(folder / "tables/one" / name) for name in ("runs.csv", "curves.csv", "models.json")]
    experiment = Experiment("one", "One", ["VJM", "LR"], ["210_cloud"], "paper")
    collect.collect_runs(experiment, files, [], None, *out)
    table = pd.read_csv(out[0])
    assert list(table.columns) == collect.COLUMNS
    assert len(table) == 6
    assert table["file"].tolist()[0] == "runs/paper/210_cloud/VJM-00000000/seeds_0-2.jsonl"
    assert set(pd.read_csv(out[1])["method"]) == {"VJM"}
    models = json.loads((folder / "tables/one/models.json").read_text())
    middle = table[table["method"] == "VJM"]["test_r2"].median()
    assert [model["method"] for model in models] == ["VJM", "LR"]
    assert models[0]["features"][0][1] == "1"
    assert models[1]["features"] == []
    linear = sorted(records.read_block(files[1]), key=lambda record: record["test_r2"])
    assert models[1]["formula"] == linear[1]["formula"]
    assert models[0]["test_r2"] == pytest.approx(middle)
    joined, failures = str(tmp_path / "runs.csv"), str(tmp_path / "failures.csv")
    collect.join_runs([out[0], out[0]], joined, failures)
    assert (tmp_path / "runs.csv").read_text() == (folder / "tables/one/runs.csv").read_text()
    assert len(pd.read_csv(failures)) == 0


def test_record_has_the_provenance_of_a_run(study):
    gp, other = (study.run(definition, name="origin")[0] for definition in (GP, LINEAR))
    for record in (gp, other):
        assert record["versions"]["numpy"] == np.__version__
        assert record["inputs"]["data"] == checksum(Path(study.data))
        assert record["inputs"]["source"] == checksum(study.folder / "source.tsv.gz")
        assert len(record["inputs"]["training_rows"]) == 64
        assert record["identity"] == "00000000"
    assert gp["definition"] == GP
    assert gp["engine"] == ENGINE_VERSION


def test_own_table_keeps_its_columns(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"size m²": rng.normal(size=30), "site": rng.choice(["a", "b"], 30)})
    table["level"] = rng.integers(0, 3, 30)
    table["price"] = table["size m²"] + (table["site"] == "a")
    table.to_csv(tmp_path / "mine.csv", index=False)
    own = Table(str(tmp_path / "mine.csv"), "price", ("level",))
    data, facts = str(tmp_path / "data.parquet"), str(tmp_path / "facts.json")
    prepare_dataset("mine", own.file, own, data, facts)
    about = read_json(facts)
    assert about["inputs"] == ["size m²", "site", "level"]
    assert about["nominal"] == ["site", "level"]
    splits = str(tmp_path / "seeds_0-0.json")
    split_rows(data, facts, PAPER, splits)
    problem = next(problems(data, facts, [splits]))
    assert problem.dataset == "mine"
    assert len(problem.train) == 15
    assert problem.standardizer.standardize(problem.test_table).shape == (15, 3)


@pytest.mark.parametrize("missing", ["drop", "median", "indicator"])
def test_missing_cells_of_an_own_table_are_dropped_or_filled_from_training_rows(tmp_path, missing):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=30), "b": rng.normal(size=30)}).astype(object)
    table["y"] = table["a"] + 2.0 * table["b"]
    table.loc[[2, 5, 7, 11], "b"], table.loc[9, "y"] = "k.A.", None
    table.to_csv(tmp_path / "mine.csv", index=False)
    own = Table(str(tmp_path / "mine.csv"), "y", (), "", ("k.A.",), missing)
    data, facts = str(tmp_path / "data.parquet"), str(tmp_path / "facts.json")
    prepare_dataset("mine", own.file, own, data, facts)
    assert read_json(facts)["rows"] == (25 if missing == "drop" else 29)
    splits, noise = str(tmp_path / "seeds_0-0.json"), str(tmp_path / "noise.json")
    split_rows(data, facts, PAPER, splits)
    estimate_noise(data, facts, splits, noise)
    problem = next(problems(data, facts, [splits]))
    known = problem.train_table["b"].dropna()
    fill = next(column.fill for column in problem.standardizer.columns if column.name == "b")
    assert fill == (None if missing == "drop" else known.median())
    inputs = 3 if missing == "indicator" and len(known) < len(problem.train) else 2
    assert problem.standardizer.standardize(problem.test_table).shape[1] == inputs
    for definition in (GP, LINEAR):
        output = str(tmp_path / "results/runs/paper/mine/method-00000000/seeds_0-0.jsonl")
        Path(output).unlink(missing_ok=True)
        blocks.run_block("method", definition, data, facts, [splits], output, [noise])
        (record,) = records.read_block(output)
        assert record["status"] == "ok"
        assert record["test_r2"] > 0.3


FIXED = {"tau": 1, "intrusion_detection": True}
"""Settings with which neither τ nor detection depends on the noise estimate."""


@pytest.mark.parametrize(
    ("uses", "regularizer", "settings"),
    [
        (True, "jensen_gap", {}),
        (True, "jensen_gap", {"tau": 1}),
        (True, "jensen_gap", {"intrusion_detection": False}),
        (False, "jensen_gap", FIXED),
        (True, "jensen_gap", FIXED | {"final_rule": "auto"}),
        (True, "jensen_gap", FIXED | {"final_rule": "short"}),
        (True, "jensen_gap", FIXED | {"final_rule": "distil"}),
        (True, "jensen_gap", FIXED | {"predict_with": "front"}),
        (True, "jensen_gap", {"final_rule": "o1"}),
        (True, "finite_difference", {}),
        (False, "finite_difference", {"tau": 1}),
        (False, "vicinal_risk", {}),
        (False, "parsimony", {"final_rule": "auto"}),
        (True, "parsimony", {"predict_with": "front"}),
    ],
)
def test_training_time_includes_the_noise_estimate_if_used(uses, regularizer, settings, tmp_path):
    """Only methods that use the estimate give another record for another estimate."""
    study = Study(tmp_path, "210_cloud", block="0-0")  # no law or line is shown
    definition = {"gp": {"regularizer": regularizer, "population_size": 50, "generations": 8}}
    definition["gp"] |= settings
    found = []
    for noise_r2 in (0.05, 0.95):
        entry = {"seed": 0, "mean": noise_r2, "seconds": 2.0, "cpu_seconds": 1.0}
        problem = next(problems(study.data, study.facts, [study.splits]))
        record = run(learner_of(definition, {0: entry}), problem)
        assert record.get("noise_seconds") == (2.0 if uses else None)
        assert record.get("noise_cpu_seconds") == (1.0 if uses else None)
        decided = ("test_r2", "train_r2", "size", "curve", "model")
        found.append({name: record.get(name) for name in decided})
    assert (found[0] != found[1]) == uses


def test_tables_keep_names_that_pandas_takes_for_missing(tmp_path):
    """By default, pandas takes None and NA for missing values."""
    records = [
        {"dataset": "NA", "protocol": "paper", "method": method, "seed": seed, "status": "ok",
         "train_r2": 0.5, "test_r2": 0.5 + seed, "seconds": 1.0, "cpu_seconds": 1.0, "size": 1,
         "definition": {}}
        for method in ("None", "null", "=nan()") for seed in range(3)
    ]  # fmt: skip
    files = experiment_files(str(tmp_path), "one")
    methods = ["None", "null", "=nan()"]
    experiment = Experiment("one", "One", methods, ["NA"], "mine")
    tables.write_csv(files.runs, collect.Runs(experiment, records, []).table_of_runs())
    assert "\nNA,'=nan()," in Path(files.runs).read_text()  # a spreadsheet does not run it
    assert set(tables.read_runs(files.runs)["method"]) == set(methods)
    compare_methods(files.runs, experiment, 0.01, files.latex, **files.statistics)
    found = {name: tables.read_table(path) for name, path in files.statistics.items()}
    summary = found["summary"].set_index("method")
    assert summary.loc["None", "mean_of_median_test_r2"] == 1.5
    assert found["medians"].set_index("dataset").loc["NA", "=nan()"] == 1.5
    assert found["win_tie_loss_test_r2"]["similar"].tolist() == [1] * 6
    assert "null" in (Path(files.latex) / "medians.tex").read_text()


def test_read_runs_raises_if_all_runs_failed(tmp_path):
    record = {"dataset": "d", "protocol": "paper", "method": "m", "seed": 0}
    record |= {"status": "failed", "error": "E: why", "definition": {}}
    experiment = Experiment("one", "One", ["m"], ["d"], "paper")
    runs = collect.Runs(experiment, [record], [])
    tables.write_csv(tmp_path / "runs.csv", runs.table_of_runs())
    with pytest.raises(ValueError, match="All 1 runs failed; the first: E: why"):
        tables.read_runs(tmp_path / "runs.csv")


def test_failed_candidates_are_counted(study):
    definition = {"estimator": "sklearn.svm.SVR", "grid": {"C": [1.0, -1.0]}}
    record = study.run(definition, name="half")[0]
    assert record["parameters"] == {"C": 1.0}
    assert record["failed_candidates"] == 1
    ((point, reason),) = record["failures"]
    assert point == {"C": -1.0}
    assert reason.startswith("InvalidParameterError: The 'C' parameter of SVR must be")


def test_distilled_and_front_are_methods_of_a_study(study):
    settings = GP["gp"] | {"regularizer": "jensen_gap", "final_rule": "distil"}
    distilled = next(iter(study.run({"gp": settings})))
    front = next(iter(study.run({"gp": settings | {"predict_with": "front"}})))
    assert SymbolicModel.from_dict(distilled["model"]).evolved_size == distilled["size"]
    assert distilled["formula"]
    assert front["formula"] is None
    assert "model" not in front
    assert front["size"] > distilled["size"]
    assert front["curve"] == distilled["curve"]


def test_legend_explains_names_that_are_not_columns(study):
    data = load_dataset("210_cloud")
    table = data.inputs.rename(columns={"NC": "Temp (°C)"})
    model = VJMRegressor.paper(
        generations=3, population_size=20, random_state=0, categorical_features=data.nominal
    ).fit(table, data.target)
    whole = [Feature((FIRST_VARIABLE + k,), (0.0,), 1.0, 0.0, 1.0) for k in range(5)]
    legend = dict(legend_of(replace(model.model_, features=tuple(whole))))
    assert legend["Temp_C"] == "the column 'Temp (°C)'"
    assert legend["encoded_season"].startswith("the column 'season', encoded: ")
    assert "any other → " in legend["encoded_season"]


def test_model_of_a_record_can_be_loaded(study, tmp_path):
    record = study.run(GP)[0]
    (tmp_path / "model.json").write_text(json.dumps(record["model"]))
    model = load_model(tmp_path / "model.json")
    assert model.text() == record["formula"]
