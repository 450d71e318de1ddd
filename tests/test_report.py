"""The report's page: whole, self-contained, and safe with whatever names it shows."""

import copy
import html
import json
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from workflow_runs import STUDY, snakemake

from vjmgp.study.model import Experiment
from vjmgp.study.report.formats import count, number, p_value, short, signed
from vjmgp.study.report.overview import progress

VOID = {"meta", "br", "img", "link", "hr", "input"}


class Page(HTMLParser):
    """Tags in balance, ids, and where links and pictures point."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.faults = [], set(), [], []
        self.feed(text)
        self.close()
        self.faults += self.open

    def handle_startendtag(self, tag, attrs):
        pass  # closed at once, as in SVG

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.add(value)
            if name in ("href", "src"):
                self.links.append(value)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"<b>x</b>": rng.normal(size=30), 'a "quote"': rng.normal(size=30)})
    table["y & z"] = table["<b>x</b>"] ** 2
    table.to_csv(folder / "odd.csv", index=False)
    config = copy.deepcopy(STUDY) | {
        "title": "Odd names & <script>alert(1)</script>",
        "datasets": ["odd", "192_vineyard"],
        "own_data": {"odd": {"file": "odd.csv", "target": "y & z"}},
    }
    config["methods"]["A < B"] = {"estimator": "sklearn.linear_model.LinearRegression"}
    config["experiments"]["one"]["methods"].append("A < B")
    snakemake(folder, config)
    return folder / "results"


def pages_of(report):
    return [report / "report.html", *sorted((report / "report").glob("*.html"))]


def test_every_page_is_whole_and_needs_nothing_else(report):
    names = [path.name for path in pages_of(report)]
    assert names == [
        "report.html", "dataset-192_vineyard.html", "dataset-odd.html", "datasets.html",
        "experiment-one.html", "illustrations.html", "models.html", "run.html", "scoreboard.html",
    ]  # fmt: skip
    found = {path: Page(path.read_text(encoding="utf-8")) for path in pages_of(report)}
    reached = set()
    for path, page in found.items():
        assert not page.faults, path
        for link in page.links:
            file, _, place = link.partition("#")
            if not link.startswith("data:"):
                target = (path.parent / file).resolve() if file else path
                assert target.is_file(), (path, link)
                reached.add(target)
                assert not place or place in found[target].ids, (path, link)
        text = path.read_text(encoding="utf-8")
        assert "http" not in text.replace("http://www.w3.org", "")
        assert '<meta name="viewport"' in text
    assert {path.resolve() for path in found} <= reached
    style = (report / "report/style.css").read_text() + (report / "report/report.js").read_text()
    assert "http" not in style
    assert "@import" not in style


def test_names_are_text_never_markup(report):
    for path in pages_of(report):
        text = path.read_text(encoding="utf-8")
        assert "<script>alert" not in text
        assert "<b>x" not in text
    assert "A &lt; B" in (report / "report/experiment-one.html").read_text()
    assert "&lt;b&gt;x" in (report / "report/dataset-odd.html").read_text()


def test_the_pages_tell_what_was_run(report):
    entry = (report / "report.html").read_text(encoding="utf-8")
    runs = pd.read_csv(report / "tables/runs.csv", dtype={"engine": str})
    assert f"{len(runs)} runs: 3 methods, 2 datasets, 2 seeds" in entry
    assert runs["engine"].dropna().iloc[0] in entry
    assert "2 seeds are too few" in entry
    assert "not complete" not in entry
    how = (report / "report/run.html").read_text(encoding="utf-8")
    for words in ("scikit-learn", "numba", "tables/runs.csv", "significance: 0.01"):
        assert words in how
    assert "SHA-256" in (report / "report/dataset-192_vineyard.html").read_text()
    medians = pd.read_csv(report / "tables/one/medians.csv").set_index("dataset")
    page = (report / "report/experiment-one.html").read_text().replace(' class="best"', "")
    assert f"<td>{number(medians.loc['192_vineyard', 'LassoLars'])}</td>" in page


def test_models_stand_in_original_columns(report):
    model = next(
        m for m in json.loads((report / "tables/one/models.json").read_text())
        if m["dataset"] == "192_vineyard" and m["method"] == "VJM"
    )  # fmt: skip
    page = (report / "report/models.html").read_text(encoding="utf-8")
    for _, text in model["features"]:
        assert html.escape(text, quote=True).replace("&#x27;", "&#39;") in page
    linear = next(
        m for m in json.loads((report / "tables/one/models.json").read_text())
        if m["method"] == "LassoLars" and m["dataset"] == "192_vineyard"
    )  # fmt: skip
    dataset = (report / "report/dataset-192_vineyard.html").read_text(encoding="utf-8")
    assert f'<pre class="formula">{linear["formula"]}</pre>' in dataset
    assert f"size {model['size']}, training R² {number(model['train_r2'])}" in page


def test_progress_counts_what_is_missing_and_what_failed():
    study = {
        "config": {"seeds": 3},
        "experiments": [
            Experiment("e", "E", ["A", "B"], ["d"], "p"),
            Experiment("f", "F", ["A"], ["d", "x"], "p"),
        ],
    }
    table = pd.DataFrame(
        [("p", "d", "A", seed, "ok") for seed in range(4)]
        + [("p", "d", "B", 0, "ok"), ("p", "d", "B", 1, "failed")],
        columns=["protocol", "dataset", "method", "seed", "status"],
    )  # seed 3 is from a time when the study had more seeds
    found = progress(table, study)
    assert (found["expected"], found["missing_runs"], found["complete"]) == (9, 1 + 3, False)
    first, second = found["experiments"]
    assert (first["ok"], first["failed"], first["missing"]) == (4, 1, 1)
    assert (second["ok"], second["failed"], second["missing"]) == (3, 0, 3)
    assert [(c["method"], c["dataset"], c["runs"]) for c in found["missing"]] == [
        ("B", "d", 1),
        ("A", "x", 3),
    ]


def test_numbers_for_people():
    assert number(1234.5678) == "1,234.568"
    assert number(-0.5, 1) == "−0.5"
    assert number(None) == "–"
    assert number(float("nan")) == "–"
    assert number(12345.6, 0) == "12,346"
    assert (signed(0.5, 1), signed(-0.5, 1), signed(None)) == ("+0.5", "−0.5", "–")
    assert (p_value(0.0002), p_value(0.25), p_value(float("nan"))) == ("< 0.001", "0.250", "–")
    assert (count(1, "run"), count(1200, "run")) == ("1 run", "1,200 runs")
    assert short(-12345.678) == "−1.235e+04"
