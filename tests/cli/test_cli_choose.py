"""Tests of the model that a fit keeps, and of `vjmgp choose`."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.support.command import SITE, about, said_by

from vjmgp import VJMRegressor, load_model
from vjmgp.cli import main
from vjmgp.tables.reader import EXACT


def printed(capsys, words):
    """Return what a command prints."""
    assert main(words) == 0
    return capsys.readouterr().out


def regressor(**changes):
    settings = {"population_size": 20, "generations": 3, "random_state": 0}
    return VJMRegressor(**settings | {"categorical_features": ["site"]} | changes)


def halves(table):
    """Return training and test rows as the command splits them."""
    order = np.random.default_rng(0).permutation(len(table))
    return table.iloc[np.sort(order[15:])], table.iloc[np.sort(order[:15])]


def test_final_fit_uses_all_rows_and_reports_the_tested_counterpart(table, capsys):
    said = printed(capsys, SITE)
    inputs = table.drop(columns="y")
    assert load_model("data_model/model.json") == regressor().fit(inputs, table["y"]).model_
    train, test = halves(table)
    tested = regressor().fit(train[inputs.columns], train["y"])
    expected = tested.errors(test[inputs.columns], test["y"])
    assert about()["errors"]["test"] == pytest.approx(expected)
    assert about()["fitted_to"] == "all"
    assert f"did not see: R² {expected['r2']:.4f}, RMSE {expected['rmse']:.4g}" in said
    assert "The formula is of a second fit, to all 60 rows: R² there" in said


def test_no_final_fit_keeps_the_tested_model(table, capsys):
    said = printed(capsys, [*SITE, "--no-final-fit"])
    train, _ = halves(table)
    expected = regressor().fit(train.drop(columns="y"), train["y"])
    assert load_model("data_model/model.json") == expected.model_
    assert "The formula is fitted to 45 training rows: R² there" in said
    assert about()["fitted_to"] == "training"
    front = pd.read_csv("data_model/front.csv")
    assert front["test_rmse"].notna().all()


def test_holdout_zero_makes_one_fit(table, capsys):
    said = printed(capsys, [*SITE, "--holdout", "0"])
    assert "No rows were held out that could test it.\nThe formula is fitted to all 60" in said
    assert set(about()["errors"]) == {"training"}


def test_both_fits_share_the_seconds(table, capsys, monkeypatch):
    seen = []
    fit = VJMRegressor.fit

    def noted(self, X, y, sample_weight=None):
        seen.append((self.max_time, len(X)))
        return fit(self, X, y, sample_weight)

    monkeypatch.setattr(VJMRegressor, "fit", noted)
    printed(capsys, [*SITE, "--seconds", "60"])
    assert seen == [(30.0, 45), (30.0, 60)]


def test_interrupted_final_fit_keeps_the_tested_model(table, capsys, monkeypatch):
    fit = VJMRegressor.fit

    def stopped(self, X, y, sample_weight=None):
        fit(self, X, y, sample_weight)
        if len(X) == len(table):
            self.stopped_by_ = "interrupt"
        return self

    monkeypatch.setattr(VJMRegressor, "fit", stopped)
    said = said_by(capsys, SITE, 130)
    assert said == "Stopped by Ctrl-C in the final fit: this is the model of the first one.\n"
    assert about()["fitted_to"] == "training"


def test_settings_reach_the_regressor(table, capsys):
    words = ["--functions", "add", "mul,sin", "--max-trees", "2", "--no-clip", "--restarts", "2"]
    printed(capsys, [*SITE, "--holdout", "0", *words])
    expected = regressor(
        functions=("add", "mul", "sin"), max_trees=2, clip_predictions=False, restarts=2
    )
    expected.fit(table.drop(columns="y"), table["y"])
    assert load_model("data_model/model.json") == expected.model_
    assert about()["stability"]["restarts"] == 2
    assert "functions is ['adds']; it must be" in said_by(capsys, [*SITE, "--functions", "adds"])


def test_max_size_limits_the_model(table, capsys):
    printed(capsys, [*SITE, "--holdout", "0", "--max-size", "7"])
    expected = regressor().fit(table.drop(columns="y"), table["y"]).choose(max_size=7)
    assert load_model("data_model/model.json") == expected.model_
    assert expected.model_.size <= 7
    assert "--max-size is 0; it must be 1 or more." in said_by(capsys, [*SITE, "--max-size", "0"])


def test_predict_adds_intervals(table, capsys):
    printed(capsys, SITE)
    printed(capsys, ["predict", "data_model", "data.csv", "--interval", "0.8", "--output", "p.csv"])
    found = pd.read_csv("p.csv", **EXACT)
    values, ends = load_model("data_model/model.json").predict(table, interval=0.8)
    assert found["prediction"].tolist() == values.tolist()
    assert found[["low", "high"]].to_numpy().tolist() == ends.tolist()
    table.assign(low=1).to_csv("low.csv", index=False)
    for name, share, answer in (
        ("data.csv", "90", "it must be between 0 and 1"),
        ("low.csv", "0.9", "low.csv: there is a column 'low' already"),
    ):
        assert answer in said_by(capsys, ["predict", "data_model", name, "--interval", share])


def test_choose_replaces_the_model(table, capsys):
    printed(capsys, [*SITE, "--generations", "10"])
    front = pd.read_csv("data_model/front.csv")
    before = int(front["chosen"].to_numpy().argmax())
    assert front["row"].tolist() == list(range(len(front)))
    listed = printed(capsys, ["choose", "data_model", "--all"]).splitlines()
    assert len(listed) == len(front)
    assert [line[0] for line in listed].index("*") == before
    short = front[front["max_size"].notna() | front["chosen"]].sort_values("size", kind="stable")
    listed = printed(capsys, ["choose", "data_model"]).splitlines()
    assert [int(line[1:4]) for line in listed] == short.index.tolist()
    assert len(listed) < len(front)
    row = int(front["max_size"].notna().to_numpy().nonzero()[0][0])
    said = printed(capsys, ["choose", "data_model", str(row)])
    assert f"Row {row} in place of row {before}: size {front['size'][row]} instead of" in said
    assert f"R² {front['test_r2'][row]:.4f}" in said
    model = load_model("data_model/model.json")
    assert str(model) == front["formula"][row]
    assert model.size == front["size"][row]
    again = pd.read_csv("data_model/front.csv")
    assert again["chosen"].to_numpy().nonzero()[0].tolist() == [row]
    pd.testing.assert_frame_equal(again.drop(columns="chosen"), front.drop(columns="chosen"))
    assert model.text() in Path("data_model/formulas.txt").read_text()
    printed(capsys, ["predict", "data_model", "data.csv", "--interval", "0.9", "--output", "p.csv"])
    assert pd.read_csv("p.csv")["prediction"].tolist() == model.predict(table).tolist()


def test_choose_works_without_the_table(table, capsys):
    printed(capsys, SITE)
    Path("data.csv").unlink()
    said = printed(capsys, ["choose", "data_model", "0"])
    assert "data.csv is no longer available, so the page has no plots of its rows." in said
    front = pd.read_csv("data_model/front.csv")
    assert load_model("data_model/model.json").size == front["size"][0]


def test_choose_rejects_unknown_rows_and_folders(table, capsys):
    said = said_by(capsys, ["choose", "data_model", "0"])
    assert "data_model: it holds no models to choose from" in said
    printed(capsys, SITE)
    last = len(pd.read_csv("data_model/front.csv")) - 1
    said = said_by(capsys, ["choose", "data_model", "99"])
    assert f"there is no row 99; the last one is {last}." in said
