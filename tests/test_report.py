"""The report's page: whole, self-contained, and safe with whatever names it shows."""

import copy
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from workflow_runs import STUDY, snakemake

from vjmgp.study.report import number

VOID = {"meta", "br", "img", "link", "hr", "input"}


class Page(HTMLParser):
    """Tags in balance, ids, and where links and pictures point."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.faults = [], set(), [], []
        self.feed(text)
        self.close()
        self.faults += self.open

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


def test_the_page_is_whole_and_needs_nothing_else(report):
    text = (report / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert not page.faults
    for link in page.links:
        if link.startswith("#"):
            assert link[1:] in page.ids
        elif not link.startswith("data:"):
            assert (report / link).is_file(), link
    assert "http" not in text.replace("http://www.w3.org", "")
    assert '<meta name="viewport"' in text


def test_names_are_text_never_markup(report):
    text = (report / "report.html").read_text(encoding="utf-8")
    assert "<script" not in text
    assert "<b>x" not in text
    assert "A &lt; B" in text
    assert "&lt;b&gt;x" in text


def test_the_page_tells_what_was_run(report):
    text = (report / "report.html").read_text(encoding="utf-8")
    runs = pd.read_csv(report / "tables/runs.csv")
    assert f"{len(runs)} runs: 3 methods, 2 datasets, 2 seeds" in text
    assert runs["engine"].dropna().iloc[0] in text
    for words in ("scikit-learn", "numba", "2 seeds are too few", "SHA-256", "tables/runs.csv"):
        assert words in text
    medians = pd.read_csv(report / "tables/one/medians.csv").set_index("dataset")
    assert f"<td>{number(medians.loc['192_vineyard', 'LassoLars'])}</td>" in text.replace(
        ' class="best"', ""
    )


def test_numbers_for_people():
    assert number(1234.5678) == "1,234.568"
    assert number(-0.5, 1) == "−0.5"
    assert number(None) == "–"
    assert number(float("nan")) == "–"
    assert number(12345.6, 0) == "12,346"
