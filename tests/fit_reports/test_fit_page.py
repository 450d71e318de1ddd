"""Tests of the page of a fit: valid, self-contained, escaped and correct."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.support.command import QUICK, about
from tests.support.html_page import Page

from vjmgp import VJMRegressor, load_model
from vjmgp.cli import main
from vjmgp.fit_reports.cautions import noise_in_words

BAD = "<b>&amp; $x$"


def make(folder, rows=80, **columns):
    """Write data.csv, a table whose names need escaping."""
    rng = np.random.default_rng(0)
    numbers = rng.integers(-4, 5, size=(2, rows)) / 2
    data = pd.DataFrame({BAD: numbers[0], "b": numbers[1]})
    data["site"] = rng.choice(["<i>", "south"], rows)
    data["y<"] = (data[BAD] + 2) * data["b"] + (data["site"] == "south")
    data["y<"] += 0.1 * rng.normal(size=rows)
    data = data.assign(**columns)
    data.to_csv(folder / "data.csv", index=False)
    return data


def page_of(capsys, *words):
    """Return the page of a quick fit of data.csv."""
    assert main(["fit", "data.csv", "--target", "y<", *QUICK, *words]) == 0
    capsys.readouterr()
    return Path("data_model/report.html").read_text()


def test_the_page_is_valid_and_self_contained(here, capsys):
    make(here)
    page = page_of(capsys, "--restarts", "2")
    found = Page(page)
    assert found.faults == []
    inside = [link[1:] for link in found.links if link.startswith("#")]
    assert [link for link in found.links if not link.startswith(("#", "data:,"))] == []
    assert {link for link in inside if re.fullmatch("[a-z]+", link)} <= found.ids
    assert "<b>" not in page
    assert "<i>" not in page
    titles = re.findall("<h[23][^>]*>(.*?)</h", page)
    assert titles == [
        *("Formula", "Shorter versions", "Errors", "Inputs", "Responses"),
        *("How far to trust it", "All models", "Use it"),
    ]
    ids = re.findall(r' id="([^"]+)"', page)
    assert not [name for name in set(ids) if ids.count(name) > 1]


def test_errors_and_intervals_belong_to_the_stated_fit(here, capsys):
    data = make(here)
    page = page_of(capsys, "--interval", "0.8")
    errors = about()["errors"]
    lines = re.findall(
        r"<tr[^>]*><td>(\w+ rows)<small>(.*?)</small></td><td>(\d+)</td><td>([\d.−]+)</td>", page
    )
    assert [(name, count) for name, _, count, _ in lines] == [
        ("test rows", "20"), ("training rows", "60"), ("all rows", "80"),
    ]  # fmt: skip
    for (_, fit, _, r2), rows in zip(lines, ("test", "training", "all"), strict=True):
        assert float(r2) == pytest.approx(errors[rows]["r2"], abs=1e-4)
        assert ("training" in fit) == (rows != "all")
    order = np.random.default_rng(0).permutation(80)
    test, train = np.sort(order[:20]), np.sort(order[20:])
    tested = VJMRegressor(population_size=20, generations=3, random_state=0)
    inputs, target = data.drop(columns="y<"), data["y<"]
    tested.fit(inputs.iloc[train], target.iloc[train])
    ends = tested.model_.intervals(tested.predictor_.predict(inputs.iloc[test]), 0.8)
    inside = ((target.iloc[test] >= ends[:, 0]) & (target.iloc[test] <= ends[:, 1])).sum()
    assert "80 % of new targets should lie within ±" in page
    assert f"Of the 20 test rows, {inside} do ({round(100 * inside / 20)} %)" in page


def test_the_plot_of_sizes_has_a_title_for_each_model(here, capsys):
    make(here)
    page = page_of(capsys)
    front = pd.read_csv("data_model/front.csv")
    titles = re.findall("<g><title>row (\\d+), (\\d+) nodes", page)
    found = {int(row): int(size) for row, size in titles}
    assert found == dict(zip(front["row"], front["size"], strict=True))


def test_the_page_without_its_table(here, capsys):
    make(here)
    before = page_of(capsys)
    Path("data.csv").unlink()
    assert main(["choose", "data_model", "0"]) == 0
    page = Path("data_model/report.html").read_text()
    assert "The table is no longer available" in page
    assert "Responses" in before
    assert "Responses" not in page
    assert Page(page).faults == []


def test_the_page_without_matplotlib(here, capsys, monkeypatch):
    make(here)
    monkeypatch.setattr("vjmgp.fit_reports.page.is_installed", lambda module: False)
    assert main(["fit", "data.csv", "--target", "y<", *QUICK]) == 0
    assert "The page has no plots, which need matplotlib" in capsys.readouterr().err
    page = Path("data_model/report.html").read_text()
    assert Page(page).faults == []
    assert page.count("which need matplotlib") == 1
    assert "<svg" not in page
    assert "Point at one" not in page
    assert re.search(r"<tr><td>b</td><td>\d\.\d+</td></tr>", page)


def test_cautions(here, capsys):
    data = make(here, rows=30)
    nearly = data["y<"] * 1.5 + 2
    make(here, rows=30, nearly=nearly)
    assert main(["fit", "data.csv", "--target", "y<", *QUICK]) == 0
    said, page = capsys.readouterr().err, Path("data_model/report.html").read_text()
    cautions = about()["cautions"]
    assert said == "".join(f"Caution: {caution}\n" for caution in cautions)
    assert cautions[0] == "Errors and intervals from 30 rows can be far off."
    assert cautions[1].startswith("The input 'nearly' nearly is the target (correlation 1.0000)")
    for text in ("intervals from 30 rows", "nearly is the target"):
        assert text in page
    make(here, rows=80, **{"y<": np.arange(80) % 4})
    page_of(capsys)
    assert about()["cautions"][0].startswith("The target has only 4 different values")
    data = make(here)
    held_back = np.random.default_rng(0).permutation(80)[:5]
    data.loc[held_back, "b"] = 9.0
    data.to_csv("data.csv", index=False)
    page_of(capsys)
    assert about()["cautions"] == [
        "The test rows leave the training range by more than half its width in 5 of 20 rows: the "
        "model extrapolates there. The farthest is 'b' = 9, 1.8 widths beyond -2 to 2."
    ]


def test_columns_that_name_rows_are_left_out(here, capsys):
    days = pd.date_range("2026-01-01", periods=80).strftime("%Y-%m-%d")
    words = [f"P{k}" for k in range(80)]
    make(here, number=np.arange(80) + 1001, year=np.arange(80) + 1901, probe=words, day=days)
    fit = ["fit", "data.csv", "--target", "y<", *QUICK, "--dates", "elapsed"]
    assert main(fit) == 0
    said = capsys.readouterr().err
    assert (
        "Left out columns that name rows: 'number' (a different whole number in each of 80 rows), "
        "'probe' (80 different values in 80 rows). They tell nothing about new rows; the options "
        "'row_labels' and 'nominal' keep them.\n"
    ) in said
    assert [text.split(":")[0] for text in about()["cautions"]] == [
        "The rows are in the order of 'year'"
    ]
    columns = {column.name for column in load_model("data_model/model.json").standardizer.columns}
    assert columns == {BAD, "b", "site", "year", "day"}
    assert main([*fit, "--nominal", "probe", "--row-labels", "keep"]) == 0
    cautions = [text for text in about()["cautions"] if "seems to name the rows" in text]
    assert [text.split()[2] for text in cautions] == ["'number'", "'probe'"]
    page = Path("data_model/report.html").read_text()
    assert page.count("seems to name the rows") == 2
    assert main(["predict", "data_model", "data.csv", "--output", "p.csv"]) == 0


def test_noise_estimate_in_words():
    assert noise_in_words(0.66, 0.6).endswith("a good half of the target's variation can be "
                                              "predicted from these inputs.")  # fmt: skip
    assert "the formula does better" in noise_in_words(0.66, 0.89)
    assert "a good half" in noise_in_words(0.66, float("nan"))
    assert noise_in_words(None, 0.9) == ""


def test_a_good_fit_has_no_cautions(here, capsys):
    make(here)
    page_of(capsys)
    assert about()["cautions"] == []
