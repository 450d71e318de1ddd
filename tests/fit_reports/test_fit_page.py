"""Tests of the page of a fit: valid, self-contained, escaped and correct."""

import html
import json
import re
import zlib
from base64 import b64decode
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.support.command import QUICK, about
from tests.support.html_page import Page

from vjmgp import VJMRegressor, load_model
from vjmgp.cli import main
from vjmgp.fit_reports.cautions import noise_in_words
from vjmgp.fit_reports.fits import Rows
from vjmgp.fit_reports.folder import read_versions
from vjmgp.fit_reports.panels import response_curves
from vjmgp.formulas.printers.mathml import formula_mathml
from vjmgp.pages.formats import short, short_or_none
from vjmgp.tables.dataset import Dataset

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
    titles = [title.split(" <")[0] for title in re.findall("<h[23][^>]*>(.*?)</h", page)]
    assert titles == [
        *("Formula", "Compare", f"Row {pd.read_csv('data_model/front.csv')['chosen'].idxmax()}"),
        *("Errors", "Inputs", "How far to trust it", "All models", "Use it"),
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


def panels_in(page):
    """Return the panel of each row that the page's script can show."""
    (packed,) = re.findall('id="panels">([A-Za-z0-9+/=]+)</script>', page)
    return {int(row): text for row, text in json.loads(zlib.decompress(b64decode(packed))).items()}


def test_the_plot_of_sizes_has_a_point_for_each_model(here, capsys):
    make(here)
    page = page_of(capsys)
    models = read_versions(Path("data_model")).models
    points = re.findall(r'data-row="(\d+)"><title>row (\d+), size (\d+), RMSE (\S+): y&lt;', page)
    errors = pd.read_csv("data_model/front.csv")["rmse"]
    assert {int(row): int(size) for row, _, size, _ in points} == {
        row: model.size for row, model in enumerate(models)
    }
    for row, named, _, error in points:
        assert row == named
        assert float(error) == pytest.approx(errors[int(row)], rel=1e-3)


def test_every_model_has_a_panel_with_errors_and_exports(here, capsys):
    make(here)
    page = page_of(capsys)
    front, panels = pd.read_csv("data_model/front.csv"), panels_in(page)
    models = read_versions(Path("data_model")).models
    assert sorted(panels) == front["row"].tolist()
    assert panels[int(front["chosen"].idxmax())] in page  # for readers without the script
    for (row, entry), model in zip(front.iterrows(), models, strict=True):
        panel = panels[row]
        assert Page(panel).faults == []
        assert formula_mathml(model) in panel
        facts = dict(re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", panel))
        assert facts["leave-one-out RMSE"] == short(entry["rmse"])
        assert facts["size"] == str(model.size)
        assert facts.get("test RMSE", "–") == short_or_none(entry["test_rmse"])
        texts = dict(re.findall(r"<summary>(\w+)</summary>(.*?)</details>", panel, re.DOTALL))
        given = {
            name: "".join(re.findall(r"<pre[^>]*>\n(.*?)</pre>", text, re.DOTALL))
            for name, text in texts.items()
        }
        assert {name: html.unescape(text) for name, text in given.items()} == {
            **{"Text": model.text(), "LaTeX": model.latex()},
            **{name: model.export(name.lower()) for name in ("Excel", "Python")},
        }
        excel = re.findall(r'<pre class="copied">\n(.*?)</pre>', texts["Excel"], re.DOTALL)
        assert [text[:3] for text in excel] == ["=IF"]
        assert (f"vjmgp choose data_model {row}<" in panel) == (not entry["chosen"])


def test_a_model_that_excel_cannot_hold_says_so(here, capsys, monkeypatch):
    make(here)
    monkeypatch.setattr("vjmgp.export.excel.LONGEST", 40)
    panel = panels_in(page_of(capsys))[0]
    assert "Excel takes 40: choose a smaller model" in panel
    assert panel.count("Copy Excel") == 0
    assert panel.count("Copy Python") == 1


def test_response_curves_are_mean_predictions(here, capsys):
    data = make(here)
    page_of(capsys)
    versions = read_versions(Path("data_model"))
    inputs = Dataset("", data.drop(columns="y<"), data["y<"].to_numpy())
    rows = Rows(inputs, None, np.arange(len(data)), np.empty(0, int))
    model = versions.model
    (*curves,) = response_curves(versions, rows)[versions.chosen]
    assert {curve.column for curve in curves} == {BAD, "b", "site"}
    assert [c.span for c in curves] == sorted((c.span for c in curves), reverse=True)
    for curve in curves:
        for value, mean in zip(curve.values, curve.means, strict=True):
            table = rows.inputs.assign(**{curve.column: value})
            assert mean == pytest.approx(model.predict(table).mean())
    numbers = next(curve for curve in curves if curve.column == "b")
    assert (numbers.values[0], numbers.values[-1], len(numbers.values)) == (-2.0, 2.0, 41)


def test_a_page_with_many_columns_says_what_it_leaves_out(here, capsys, monkeypatch):
    make(here, **{f"more {k}": np.arange(1.5, 81.5) ** (k % 7) for k in range(25)})
    for name, value in (("MOST_COLUMNS", 1), ("MOST_CELLS", 28), ("FEW_ROWS", 30)):
        monkeypatch.setattr(f"vjmgp.fit_reports.page.{name}", value)
    monkeypatch.setattr("vjmgp.fit_reports.panels.WORK", 0)
    page = page_of(capsys)
    panels, chosen = panels_in(page), int(pd.read_csv("data_model/front.csv")["chosen"].idxmax())
    for row, panel in panels.items():
        assert ("Responses: the mean prediction" in panel) == (row == chosen)
        assert ("To save time, no response curves are drawn here" in panel) == (row != chosen)
    assert "if a column is shuffled, on 30 of 80 rows." in page
    assert re.search("To save time, not measured: <code>b</code>, <code>site</code>.", page)
    assert re.search("No influence: .* and 5 others", page)


def test_the_page_runs_no_code_of_its_table(here, capsys):
    evil = {"level": "</pre><img src=x onerror=alert(1)>", "column": "</script><script>alert(1)//"}
    data = make(here).rename(columns={"b": evil["column"], BAD: "a\"b' c&d`${1}"})
    data["site"] = data["site"].replace("south", evil["level"])
    data.to_csv("data.csv", index=False)
    folder = here / "a&b'\"<i>"
    assert main(["fit", "data.csv", "--target", "y<", *QUICK, "--output", str(folder)]) == 0
    page = (folder / "report.html").read_text()
    for text in (page, *panels_in(page).values()):
        assert Page(text).faults == []
        assert not re.search("<(img|b|i)\\b", text)
        assert "<script>alert" not in text
    assert page.count("<script") == 3
    assert evil["level"] in html.unescape("".join(panels_in(page).values()))


def test_the_page_without_its_table(here, capsys):
    make(here)
    before = page_of(capsys)
    Path("data.csv").unlink()
    assert main(["choose", "data_model", "0"]) == 0
    page = Path("data_model/report.html").read_text()
    assert "The table is no longer available" in page
    assert "Responses: " in before
    assert "Responses: " not in page
    assert "Response curves need the table" in panels_in(page)[1]
    assert Page(page).faults == []


def test_the_page_without_matplotlib(here, capsys, monkeypatch):
    make(here)
    monkeypatch.setattr("vjmgp.fit_reports.page.is_installed", lambda module: False)
    assert main(["fit", "data.csv", "--target", "y<", *QUICK]) == 0
    assert (
        "The page lacks the plots of predictions, which need matplotlib" in capsys.readouterr().err
    )
    page = Path("data_model/report.html").read_text()
    assert Page(page).faults == []
    assert page.count("which need matplotlib") == 1
    assert "The plots show" not in page
    assert page.count("<svg") == 1 + 3  # sizes, responses
    assert re.search(r"<tr><td>b</td><td>\d\.\d+</td><td><span class=\"amount\"", page)


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
