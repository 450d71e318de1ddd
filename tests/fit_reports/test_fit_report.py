"""Tests of `vjmgp.fit_report`, the function behind `vjmgp fit`."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.command import FIT, write_table

from vjmgp import fit_report, load_model
from vjmgp.cli import main
from vjmgp.tables.errors import InputError

QUICK = {"population": 20, "generations": 3, "holdout": 0.25, "nominal": ["site"]}


@pytest.fixture
def table(here):
    return write_table(here)


@pytest.mark.parametrize(
    "first", ["vjmgp", "vjmgp.fit_reports.fit_report", "vjmgp.fit_reports.page"]
)
def test_fit_report_is_callable_whatever_is_imported_first(first):
    code = f"import {first}; from vjmgp import fit_report; import vjmgp.fit_reports.page, vjmgp"
    check = "; assert callable(fit_report) and vjmgp.fit_report is fit_report"
    subprocess.run([sys.executable, "-c", code + check], check=True)
    importlib.import_module(first)
    assert callable(importlib.import_module("vjmgp").fit_report)


def test_fit_report_does_what_the_command_does(table, capsys):
    report = fit_report("data.csv", "y", "python", **QUICK)
    assert main([*FIT, "--nominal", "site", "--output", "command"]) == 0
    said = capsys.readouterr()
    assert said.out == f"{report.model}\n{report.summary}\nEverything: {report.page}\n".replace(
        "python/report", "command/report"
    )
    assert said.err.splitlines() == [f"Caution: {text}" for text in report.cautions] + report.notes
    for name in ("model.json", "models.json", "formulas.txt", "front.csv", "about.json"):
        assert Path("python", name).read_text() == Path("command", name).read_text()
    assert load_model("python/model.json") == report.model


def test_fit_report_takes_a_dataframe(table, capsys):
    of_file = fit_report("data.csv", "y", "file", **QUICK)
    of_frame = fit_report(table, "y", "frame", **QUICK)
    assert of_frame.model == of_file.model
    assert of_frame.page.exists()
    fit_report(table, "y", "frame", **QUICK)  # the same again
    with pytest.raises(InputError, match="frame holds the model of a DataFrame, target 'y'; name"):
        fit_report(table[:50], "y", "frame", **QUICK)
    assert main(["choose", "frame", "0"]) == 0
    assert "The DataFrame of the fit is no longer available" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"holdout": 2.0}, "'holdout' is 2.0; it must be from 0 to 0.9, 'last', or"),
        ({"missing": "zero"}, "'missing' is 'zero'; it must be one of 'error', 'median'"),
        ({"method": "magic"}, "'method' is 'magic'; it must be one of VJM, FDM"),
        ({"nominal": [], "ignore": "no"}, "the table: 2 things are wrong:\n- there is no column"),
        ({"nominal": []}, "or the column in 'nominal'."),
    ],
)
def test_errors_name_the_parameters(table, settings, message):
    with pytest.raises(InputError) as caught:
        fit_report(table, "y", "out", **QUICK | settings)
    assert message in str(caught.value)
