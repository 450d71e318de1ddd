"""Tests of `vjmgp predict`."""

from pathlib import Path

import pandas as pd
import pytest
from tests.support.command import SITE, said_by

from vjmgp import VJMRegressor, load_model
from vjmgp.cli import main


@pytest.fixture
def fitted(table, capsys):
    said_by(capsys, SITE, 0)
    return table


def test_predict_adds_a_column(fitted, capsys):
    expected = load_model("data_model/model.json").predict(fitted)
    # No A: pandas reads numbers, where training had text.
    rows = (fitted["site"] != "A").to_numpy()
    new = fitted[rows].drop(columns="y").assign(id="007")
    new.to_csv("new.csv", index=False)
    assert main(["predict", "data_model/model.json", "new.csv"]) == 0
    printed = capsys.readouterr().out
    lines = printed.splitlines()
    assert lines[0] == "gamma,it's ok,site,id,prediction"
    assert lines[1].rsplit(",", 1)[0] == Path("new.csv").read_text().splitlines()[1]
    assert [float(line.rsplit(",", 1)[1]) for line in lines[1:]] == expected[rows].tolist()
    assert main(["predict", "data_model", "new.csv", "--output", "out/p.csv"]) == 0
    assert Path("out/p.csv").read_text() == printed
    assert main(["predict", "data_model", "new.csv", "--output", "p.tsv"]) == 0
    assert Path("p.tsv").read_text() == printed.replace(",", "\t")
    for name in ("out/p.csv", "p.tsv"):  # its own files are replaced
        assert main(["predict", "data_model", "new.csv", "--output", name]) == 0
    data = Path("data.csv").read_text()
    words = ["predict", "data_model", "new.csv", "--output", "data.csv"]
    assert "--output data.csv exists, and this command did not write" in said_by(capsys, words)
    assert Path("data.csv").read_text() == data
    assert main([*words, "--force"]) == 0
    assert Path("data.csv").read_text() == printed


def test_predict_recognises_numeric_levels_among_text(table, capsys):
    table["site"] = table["site"].map({"01": 1, "02": 2, "A": 3})
    table.to_csv("data.csv", index=False)
    said_by(capsys, SITE, 0)
    expected = load_model("data_model/model.json").predict(table)
    table["site"] = table["site"].astype(str)
    table.loc[0, "site"] = "new"
    table.to_csv("new.csv", index=False)
    said = said_by(capsys, ["predict", "data_model", "new.csv", "--output", "p.csv"], 0)
    assert "column 'site' has levels that training did not see in 1 of 60 rows, first 'new'" in said
    assert pd.read_csv("p.csv")["prediction"][1:].tolist() == expected[1:].tolist()


def test_predict_reports_an_error_in_one_line(fitted, capsys):
    fitted.drop(columns="gamma").to_csv("no gamma.csv", index=False)
    fitted.assign(gamma=[*range(59), "much"]).to_csv("text.csv", index=False)
    fitted.assign(gamma=[*range(59), None]).to_csv("empty.csv", index=False)
    fitted.assign(prediction=1).to_csv("twice.csv", index=False)
    for words, answer in (
        (["data_model", "no gamma.csv"], "no gamma.csv: no column 'gamma', which the model was"),
        (["data_model", "text.csv"], "no number in 1 of 60 rows, first 'much' in row 60"),
        (["data_model", "empty.csv"], "no number in 1 of 60 rows, first an empty cell in row 60"),
        (["data_model", "twice.csv"], "twice.csv: there is a column 'prediction' already"),
        (["data.csv", "data.csv"], "data.csv: This is not a vjmgp model: it is not JSON"),
        (["none.json", "data.csv"], "none.json: no such file"),
        (["data_model", "none.csv"], "none.csv: no such file"),
        (["data_model", "data.csv", "--output", "data.csv"], "is the table itself"),
        (["data_model", "data.csv", "--output", "p.xlsx"], "ends with .csv or .tsv"),
        (["data_model", "data.csv", "--output", "data.csv/p.csv"], "cannot write there ("),
    ):
        assert answer in said_by(capsys, ["predict", *words])


def test_predict_reports_all_problems_at_once(fitted, capsys):
    fitted.drop(columns="site").assign(gamma="much").to_csv("new.csv", index=False)
    assert said_by(capsys, ["predict", "data_model", "new.csv"], lines=3) == (
        "vjmgp: new.csv: 2 things are wrong:\n"
        "- no column 'site', which the model was fitted to.\n"
        "- column 'gamma' has no number in 60 of 60 rows, first 'much' in row 1: correct it, or "
        "leave these rows out.\n"
    )


def test_predict_warns_of_extrapolation(table, capsys):
    table.assign(y=3 * table["gamma"]).to_csv("data.csv", index=False)
    said_by(capsys, [*SITE, "--holdout", "0"], 0)
    table.assign(gamma=[1e6, *table["gamma"][1:]]).to_csv("far.csv", index=False)
    said = said_by(capsys, ["predict", "data_model", "far.csv", "--output", "p.csv"], 0)
    low, high = table["gamma"].min(), table["gamma"].max()
    widths = (1e6 - high) / (high - low)
    assert said == (
        "Warning: far.csv leaves the training range by more than half its width in 1 of 60 rows: "
        f"the model extrapolates there. The farthest is 'gamma' = 1e+06, {widths:.2g} widths "
        f"beyond {low:.6g} to {high:.6g}. No prediction is clipped.\n"
    )
    assert pd.read_csv("p.csv")["prediction"][0] == pytest.approx(3e6)
    model = VJMRegressor(clip_predictions=True, generations=3, random_state=0)
    model.fit(table[["gamma"]], 3 * table["gamma"]).model_.to_json("model.json")
    predict = ["predict", "model.json", "far.csv", "--interval", "0.9", "--output", "p.csv"]
    told = said_by(capsys, predict, 0)
    assert told == said.replace("No prediction is", "1 prediction is").replace(
        "clipped.", f"clipped at {3 * high:.6g}."
    )
    row = pd.read_csv("p.csv").iloc[0]
    assert row["prediction"] == pytest.approx(3 * high)
    assert row["high"] == pytest.approx(3e6)


def test_predict_fills_missing_numbers_if_the_model_does(table, capsys):
    gaps = table.assign(gamma=table["gamma"].where(table["gamma"] < 1.0)).drop(columns="site")
    inputs = gaps.drop(columns="y")
    model = VJMRegressor(missing="indicator", population_size=20, generations=3, random_state=0)
    model.fit(inputs, gaps["y"]).model_.to_json("model.json")
    inputs.to_csv("new.csv", index=False)
    said_by(capsys, ["predict", "model.json", "new.csv", "--output", "p.csv"], 0)
    assert pd.read_csv("p.csv")["prediction"].tolist() == model.predict(inputs).tolist()
    inputs.astype(object).fillna("much").to_csv("new.csv", index=False)
    assert "first 'much' in row" in said_by(capsys, ["predict", "model.json", "new.csv"])
