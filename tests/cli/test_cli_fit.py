"""Tests of `vjmgp fit`."""

import os
import re
import signal
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from tests.support.command import FIT, SITE, VJMGP, about, said_by

from vjmgp import REGULARIZERS, VJMRegressor, load_model, r2
from vjmgp.cli import main
from vjmgp.cli.config_files import workflow_folder
from vjmgp.engine.paper_names import REGULARIZER_OF
from vjmgp.fit_reports.fit_settings import FitSettings


def test_fit_rejects_unusable_folders_before_the_work(table, capsys, monkeypatch):
    monkeypatch.setattr(VJMRegressor, "fit", lambda *_: pytest.fail("fitted in vain"))
    fit = [*SITE, "--output"]
    assert "data.csv: cannot write there (it is a file)" in said_by(capsys, [*fit, "data.csv"])
    assert "name another folder with --output" in said_by(capsys, [*fit, "data.csv/below"])
    # Root may write everywhere but there.
    assert "/proc/self: cannot write there (" in said_by(capsys, [*fit, "/proc/self"])


def test_fit_does_not_overwrite_the_model_of_another_table(table, capsys):
    for _ in range(2):  # the same command again is fine
        said_by(capsys, SITE, 0)
    table.assign(y=-table["y"]).to_csv("data.tsv", index=False, sep="\t")
    said = said_by(capsys, ["fit", "data.tsv", *SITE[2:]])
    assert "data_model holds the model of " in said
    assert "data.csv, target 'y'; name another folder with --output." in said
    assert "target 'y'" in said_by(capsys, ["fit", "data.csv", "--target", "gamma", *SITE[4:]])
    Path("data_model/about.json").unlink()
    assert "a model of unknown origin" in said_by(capsys, SITE)


def test_formulas_have_a_legend_and_about_the_path_of_the_table(table):
    main(SITE)
    assert about()["table"] == str(Path("data.csv").resolve())
    formulas = Path("data_model/formulas.txt").read_text()
    page = Path("data_model/report.html").read_text()
    for text in (formulas, page):
        assert "Predictions are not clipped." in text  # the formula is a law
    assert "site_is_02: 1 where the column 'site' is '02', else 0" in formulas
    noisy = table.assign(y=np.random.default_rng(0).normal(size=len(table)))
    noisy.to_csv("data.csv", index=False)
    main([*SITE, "--output", "noisy", "--functions", "mul"])
    low, high = noisy["y"].min(), noisy["y"].max()
    formulas = Path("noisy/formulas.txt").read_text()
    assert f"clipped to the range of the training target, {low:.6g} to {high:.6g}." in formulas


def test_fit_weights_rows(table, capsys):
    weights = 1.0 + np.arange(len(table)) % 3
    weights[:5] = 0.0
    table.assign(hours=weights).to_csv("data.csv", index=False)
    fit = [*SITE, "--holdout", "0"]
    said_by(capsys, [*fit, "--weights", "hours"], 0)
    model = load_model("data_model/model.json")
    assert about()["options"]["weights"] == "hours"
    assert "hours" not in [column.name for column in model.standardizer.columns]
    inputs = table.drop(columns="y")
    expected = r2(table["y"], model.predict(inputs), weights)
    assert about()["errors"]["training"]["r2"] == pytest.approx(expected)
    assert model.standardizer.target_mean == pytest.approx(np.average(table["y"], weights=weights))
    for options, message in (
        (["--weights", "hour"], "data.csv: there is no column 'hour'; did you mean 'hours'?"),
        (["--weights", "site"], "column 'site' is both in --weights and in --nominal."),
        (
            ["--weights", "gamma"],
            "data.csv: the column of weights 'gamma' has a negative number in row",
        ),
    ):
        assert message in said_by(capsys, [*fit, *options])


def test_ctrl_c_writes_the_model_so_far(table):
    code = "import sys; sys.stderr.isatty = lambda: True; " + VJMGP[2]  # a bar needs a terminal
    process = subprocess.Popen(
        [*VJMGP[:2], code, *FIT[:4], "--nominal", "site", "--generations", "1000000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"COLUMNS": "80"},
    )
    said = b""
    while not re.search(rb" [1-9]\d*/1000000", said):  # the progress bar
        said += process.stderr.read(1)
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate(timeout=60)
    assert process.returncode == 130
    *_, last = rest.decode().splitlines()
    assert last.startswith("Stopped by Ctrl-C after ")
    assert b"Warning" not in rest
    assert last in Path("data_model/report.html").read_text()
    load_model("data_model/model.json")


def test_fit_reports_its_time_limit(table, capsys):
    said = said_by(capsys, [*FIT[:4], "--nominal", "site", "--quiet", "--seconds", "1e-9"], 0)
    assert said == "The time limit ended the fit after 0 of 100 generations.\n"
    assert said.strip() in Path("data_model/report.html").read_text()


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["--seed", "-1"], "--seed is -1; it must be 0 or more."),
        (["--population", "1"], "--population is 1; it must be 2 or more."),
        (["--generations", "-1"], "--generations is -1; it must be 0 or more."),
        (["--seconds", "0"], "--seconds is 0.0; it must be more than 0."),
        (["--method", "magic"], "--method is 'magic'; it must be one of VJM, FDM, "),
        (
            ["--method", "no.such"],
            "--method is invalid: regularizer is 'no.such' (No module named 'no')",
        ),
        (["--nominal", "site", "--ignore", "site"], "is both in --nominal and in --ignore"),
        ([], "correct it, name it in --na if it means a missing cell, or the column in --nominal."),
    ],
)
def test_errors_name_the_options(table, capsys, words, answer):
    assert answer in said_by(capsys, [*FIT[:4], "--quiet", *words])


@pytest.mark.parametrize(
    ("column", "values", "answer"),
    [
        ("site", [f"s{k}" for k in range(60)], "leave it out with --ignore, or name it in --nom"),
        ("site", [None, *range(59)], "set --missing to median, indicator or drop, or leave the"),
        ("", range(60), 'column number 1 has no name; if it is an index, leave it out with --igno'),
    ],
)  # fmt: skip
def test_errors_about_columns_name_the_options(table, capsys, column, values, answer):
    table = table.drop(columns="site")
    table.insert(0, column, values)
    table.to_csv("data.csv", index=False)
    said = said_by(capsys, [*FIT, "--row-labels", "keep"])
    assert answer in said
    if not column:
        assert '--ignore "Unnamed: 0".' in said
        said_by(capsys, [*FIT, "--ignore", "Unnamed: 0"], 0)
        said = said_by(capsys, FIT, 0)
        assert said.startswith("Left out columns that name rows: 'Unnamed: 0' (")


def test_fit_warns_of_a_level_for_each_row(table, capsys):
    table.assign(id=range(60)).to_csv("data.csv", index=False)
    said = said_by(capsys, [*SITE, "id"], 0)
    assert said.startswith("Caution: The input 'id' seems to name the rows (60 different values in")


def test_methods_match_the_configs():
    config = yaml.safe_load((workflow_folder() / "config/methods.yaml").read_text())
    for name, regularizer in REGULARIZER_OF.items():
        assert config[name] == {"gp": {"regularizer": regularizer}}
        for method in (name, name.lower(), name.replace(" ", ""), regularizer):
            assert FitSettings(target="y", method=method).find_regularizer() == regularizer
    assert set(REGULARIZER_OF.values()) == set(REGULARIZERS)
    own = "vjmgp.engine.regularizers.worst_gap.WorstGap"
    assert FitSettings(target="y", method=own).find_regularizer() == own


def test_fit_uses_the_method(table, capsys):
    said_by(capsys, [*SITE, "--method", "standard gp"], 0)
    inputs, y = table.drop(columns="y"), table["y"].to_numpy()
    said_by(capsys, [*SITE, "--method", "PP", "--holdout", "0"], 0)
    expected = VJMRegressor("parsimony", population_size=20, generations=3, random_state=0)
    assert load_model("data_model/model.json") == expected.fit(inputs, y).model_


def test_missing_indicator_fills_numbers(table, capsys):
    data = pd.read_csv("data.csv")
    column = data.select_dtypes("number").columns.drop("y")[0]
    data.loc[::7, column] = np.nan
    data.to_csv("data.csv", index=False)
    said = said_by(capsys, SITE)
    assert f"column {column!r} has no value in" in said
    assert "set --missing to median, indicator or drop, or leave the column out" in said
    assert main([*SITE, "--missing", "indicator"]) == 0
    model = load_model("data_model/model.json")
    assert any(entry.title == f"{column} is missing" for entry in model.standardizer.columns)
    assert main(["predict", "data_model", "data.csv", "--output", "out.csv"]) == 0
    assert pd.read_csv("out.csv")["prediction"].notna().all()
