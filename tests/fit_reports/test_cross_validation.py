"""Tests of the cross-validation of a fit: its numbers, its choice, and what ends it."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import RepeatedKFold
from tests.support.command import SITE, about, write_table
from tests.support.html_page import Page

from vjmgp import VJMRegressor, fit_report, load_model
from vjmgp.cli import main
from vjmgp.fit_reports.cross_validation import (
    FORMULA,
    LINEAR,
    MEAN,
    TREES,
    Validation,
    at_most,
    summary_of_validation,
    validation_cautions,
)
from vjmgp.fit_reports.fit_settings import FitSettings, SettingError
from vjmgp.fit_reports.fits import planned_repeats

CHEAP = {"population": 20, "generations": 3, "nominal": ["site"], "folds": 3, "repeats": 1}
WORDS = [*SITE[:4], "--population", "20", "--generations", "3", "--nominal", "site"]
WORDS += ["--folds", "3", "--repeats", "1"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a table, and the report of its cross-validated fit."""
    folder = tmp_path_factory.mktemp("made")
    table = write_table(folder)
    return table, fit_report(folder / "data.csv", "y", folder / "model", **CHEAP)


def test_scores_are_those_of_fits_without_the_fold(made):
    table, report = made
    inputs, target = table.drop(columns="y"), table["y"].to_numpy()
    predicted, mean = np.empty((2, len(table)))
    for train, test in RepeatedKFold(n_splits=3, n_repeats=1, random_state=0).split(table):
        model = VJMRegressor(population_size=20, generations=3, random_state=0)
        model.fit(inputs.iloc[train], target[train])
        predicted[test] = model.model_.predict_rows(
            model.model_.standardizer.standardize(inputs.iloc[test])
        )
        mean[test] = target[train].mean()
    scores = report.validation["procedures"]
    errors = predicted - target
    assert scores[FORMULA]["rmse"] == pytest.approx(np.sqrt(np.mean(errors**2)))
    assert scores[FORMULA]["mae"] == pytest.approx(np.mean(np.abs(errors)))
    assert scores[FORMULA]["r2"] == pytest.approx(1 - np.mean(errors**2) / np.var(target))
    assert scores[MEAN]["rmse"] == pytest.approx(np.sqrt(np.mean((mean - target) ** 2)))
    for name in (FORMULA, LINEAR, TREES, MEAN):
        low, high = scores[name]["rmse_range"]
        assert low < scores[name]["rmse"] < high


def test_linear_model_is_that_of_scikit_learn(made):
    table, report = made
    front = pd.read_csv(report.folder / "front.csv")
    row = int(front.index[front["procedure"] == LINEAR][0])
    assert main(["choose", str(report.folder), str(row)]) == 0
    linear = load_model(report.folder / "model.json")
    x = linear.standardizer.standardize(table)
    expected = RidgeCV((0.001, 0.01, 0.1, 1.0, 10.0, 100.0)).fit(x, table["y"]).predict(x)
    np.testing.assert_allclose(linear.evaluate(table), expected, rtol=1e-6, atol=1e-6)
    before = int(front["chosen"].to_numpy().argmax())
    assert main(["choose", str(report.folder), str(before)]) == 0


def test_every_number_says_whose_it_is(made):
    _, report = made
    validation = report.validation
    assert validation == about(str(report.folder))["validation"]
    assert (validation["folds"], validation["repeats"], validation["fits"]) == (3, 1, 3)
    assert sum(validation["forms"].values()) == 3
    own = validation["procedures"][validation["chosen"]]
    assert set(own["inputs"]) == {"gamma", "it's ok", "site"}
    assert sum(count for _, count in own["structures"]) == 3
    assert report.summary.startswith(
        "Cross-validation of the whole procedure (3 fits, 1 × 3 folds)"
    )
    assert f"RMSE {own['rmse']:.4g}, MAE {own['mae']:.4g}." in report.summary
    assert "The formula is fitted to all 60 rows" in report.summary
    front = pd.read_csv(report.folder / "front.csv")
    chosen = front[front["chosen"]].iloc[0]
    assert chosen["test_rmse"] == pytest.approx(own["rmse"])
    assert chosen["procedure"] == validation["chosen"]
    page = report.page.read_text(encoding="utf-8")
    assert Page(page).faults == []
    assert "3 fits, each tested on rows that it did not see" in page
    assert f"{own['same']} of 3 fits found a formula that differs" in page


def scored(**errors):
    """Return a validation with these root mean squared errors."""
    scores = {name: {"rmse": error} for name, error in errors.items()}
    return Validation(5, 1, [], scores, None, False)


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ({at_most(3): 1.5, LINEAR: 1.5}, 0),
        ({at_most(3): 1.5, LINEAR: 1.01}, 2),  # shorter than the formula and as good
        ({at_most(3): 1.01, LINEAR: 0.5}, 1),  # the shortest of those as good
        ({at_most(3): 1.03, LINEAR: 1.03}, 0),
    ],
)
def test_the_shortest_formula_as_good_is_chosen(errors, expected):
    models = [SimpleNamespace(size=size) for size in (20, 5, 12)]
    validation = scored(**{FORMULA: 1.0}, **errors)
    procedures = validation.procedures_of([np.nan, 3.0, np.nan], 0)
    assert procedures == [FORMULA, at_most(3), LINEAR]
    assert validation.shortest_as_good(models, procedures, 0) == expected


def test_a_longer_linear_model_is_not_chosen():
    models = [SimpleNamespace(size=size) for size in (5, 12)]
    validation = scored(**{FORMULA: 1.0, LINEAR: 0.9})
    assert validation.shortest_as_good(models, [FORMULA, LINEAR], 0) == 0


def test_the_size_limit_holds_for_shorter_formulas():
    models = [SimpleNamespace(size=9), SimpleNamespace(size=4)]
    validation = scored(**{FORMULA: 1.0, at_most(5): 0.5})
    for limit, expected in ((None, 1), (4, 1), (3, 0)):
        assert validation.shortest_as_good(models, [FORMULA, at_most(5)], 0, limit) == expected


def plain(chosen, **errors):
    scores = {
        name: {"rmse": error, "mae": 1.0, "r2": 0.5, "r2_range": [0.4, 0.6]}
        for name, error in errors.items()
    }
    return {"folds": 5, "repeats": 2, "fits": 10, "chosen": chosen, "procedures": scores}


def test_words_about_simpler_procedures():
    found = plain(LINEAR, **{FORMULA: 1.0, LINEAR: 1.01, TREES: 0.7, MEAN: 3.0})
    lines = summary_of_validation(found, LINEAR)
    assert lines[0].startswith("Cross-validation of the whole procedure (10 fits, 2 × 5 folds): R²")
    assert lines[1:] == [
        "For comparison, RMSE of the search's own choice 1, of Extra Trees 0.7, of the mean 3.",
        "The formula is a linear model, because it is shorter and as good.",
    ]
    (caution,) = validation_cautions(found)
    assert caution.startswith("Extra Trees predict clearly better")
    found["procedures"][LINEAR]["rmse"] = 3.0
    (caution,) = validation_cautions(found)
    assert caution.endswith("no better than the mean of the target.")


@pytest.mark.parametrize(
    ("settings", "rows", "expected"),
    [
        ({}, 30, 2),
        ({}, 100, 1),
        ({}, 2000, 1),
        ({}, 2001, 0),
        ({"restarts": 4}, 1000, 0),
        ({"repeats": 4}, 10_000, 4),
        ({"folds": 3}, 10_000, 1),
        ({"seconds": 10.0}, 30, 1),
        ({"holdout": 0.25}, 30, 0),
        ({"holdout": "last"}, 30, 0),
        ({"final_fit": False}, 30, 0),
    ],
)
def test_repeats_follow_the_work(settings, rows, expected):
    assert planned_repeats(FitSettings(target="y", **settings), rows) == expected


def test_one_split_and_folds_exclude_each_other():
    with pytest.raises(SettingError, match="asks for one split"):
        FitSettings(target="y", holdout=0.2, repeats=2)


def count_fits(monkeypatch, change=lambda self, number: None):
    """Note the arguments of each fit; `change` may alter its result."""
    seen = []
    fit = VJMRegressor.fit

    def noted(self, X, y, sample_weight=None):
        fit(self, X, y, sample_weight)
        seen.append((len(X), self.max_time))
        change(self, len(seen))
        return self

    monkeypatch.setattr(VJMRegressor, "fit", noted)
    return seen


def stopped(self, number):
    if number == 3:
        self.stopped_by_ = "interrupt"


def raising(self, number):
    if number == 3:
        raise KeyboardInterrupt


@pytest.mark.parametrize("change", [stopped, raising])
def test_ctrl_c_keeps_the_final_fit_and_the_fits_so_far(here, capsys, monkeypatch, change):
    write_table(here)
    seen = count_fits(monkeypatch, change)
    assert main([*WORDS, "--seconds", "40"]) == 130
    assert seen == [(60, 10.0), (40, 10.0), (40, 10.0)]  # seconds are shared
    said = capsys.readouterr().err
    assert said == (  # nothing is drawn outside of a terminal
        "Stopped by Ctrl-C in the cross-validation: only the fits before have tested the formula.\n"
    )
    assert about()["validation"]["fits"] == 1
    assert about()["fitted_to"] == "training"
    assert "2 are missing" in Path("data_model/report.html").read_text()
    load_model("data_model/model.json")


def test_ctrl_c_before_the_first_fold_leaves_a_model(here, capsys, monkeypatch):
    write_table(here)
    count_fits(monkeypatch, lambda self, number: raising(self, number + 1))
    assert main(WORDS) == 130
    assert about()["validation"] is None
    assert "No rows were held out" in capsys.readouterr().out
    load_model("data_model/model.json")
