"""The report's pages are complete, self-contained, and safe with any names."""

import copy
import html
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from benchmarks.report import make_tables, paper_study, steps
from tests.support.html_page import Page
from tests.support.workflow_runs import ROOT, STUDY, snakemake

from vjmgp.core.files import write_json
from vjmgp.pages.formats import count, in_words, number, p_value, short, signed
from vjmgp.study.plan.study import Experiment
from vjmgp.study.report.experiment_pages import count_pairs, pairs_to_show, papers_counts
from vjmgp.study.report.overview_page import progress
from vjmgp.study.report.run_page import LAYOUT, gp_settings, learners
from vjmgp.study.report.write import other_reports
from vjmgp.study.scoreboard.claims import OutcomeCounts
from vjmgp.study.steps import STEPS


def test_gp_settings_name_methods_that_differ_from_the_paper():
    methods = {
        "VJM": {"gp": {}},
        "PP": {"gp": {"regularizer": "parsimony", "init_depth": [0, 3]}},
        "small": {"gp": {"population_size": 10, "max_time": 2.0}},
        "SVR": {"estimator": "sklearn.svm.SVR", "grid": {"C": [0.1, 1]}, "settings": {"tol": 0.1}},
    }
    found = {row["name"]: row for row in gp_settings(methods)}
    assert found["regularizer"]["others"] == {"parsimony": ["PP"]}
    assert found["population_size"]["value"] == "200"
    assert found["population_size"]["others"] == {"10": ["small"]}
    assert (found["init_depth"]["value"], found["init_depth"]["others"]) == ("0, 3", {})
    assert (found["max_time"]["value"], found["max_time"]["others"]) == ("none", {"2": ["small"]})
    assert found["final_rule"]["value"] == "paper"
    assert not {"max_size", "memory_limit", "progress"} & found.keys()
    assert [(row["name"], row["grids"]) for row in learners(methods)] == [
        ("SVR", [{"C": [0.1, 1]}])
    ]
    assert gp_settings({"SVR": methods["SVR"]}) == []
    assert in_words([1e-6, None, True, "rbf"]) == "1e-06, none, yes, rbf"


def test_progress_counts_missing_and_failed_runs():
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
    )  # seed 3 is left from a study with more seeds
    found = progress(table, study)
    assert (found["expected"], found["missing_runs"], found["complete"]) == (9, 1 + 3, False)
    first, second = found["experiments"]
    assert (first["ok"], first["failed"], first["missing"]) == (4, 1, 1)
    assert (second["ok"], second["failed"], second["missing"]) == (3, 0, 3)
    assert [(c["method"], c["dataset"], c["runs"]) for c in found["missing"]] == [
        ("B", "d", 1),
        ("A", "x", 3),
    ]


def test_papers_counts_have_both_directions():
    paper = papers_counts("complexity_measures", "paper")
    assert paper["test_r2", "VJM", "PP"] == OutcomeCounts(29, 27, 2, 58)
    assert paper["test_r2", "PP", "VJM"] == OutcomeCounts(2, 27, 29, 58)
    assert papers_counts("label_noise", "label_noise")["test_r2", "VJM", "PP"].datasets == 36
    assert papers_counts("mine", None) == {}


def test_count_pairs_has_our_counts_and_those_of_the_paper():
    table = pd.DataFrame(
        [("VJM", "PP", 3, 2, 1, 4, 0)],
        columns=[
            *("method", "versus", "better", "similar", "worse", "too_few_pairs", "unpaired_runs")
        ],
    )
    counts = {"test_r2": table}
    paper = papers_counts("complexity_measures", "paper")
    (row,) = count_pairs(counts, ["VJM", "PP"], paper)
    ours = {"better": 3, "similar": 2, "worse": 1, "too_few_pairs": 4}
    theirs = {"better": 29, "similar": 27, "worse": 2, "too_few_pairs": 0}
    assert row["test_r2"] == {"ours": ours, "paper": theirs}
    (row,) = count_pairs(counts, ["VJM", "PP"], {})
    assert row["test_r2"] == {"ours": ours, "paper": None}
    assert len(pairs_to_show(list("abcd"))) == 6
    assert pairs_to_show(list("abcde")) == [("a", other) for other in "bcde"]


def test_formats_of_numbers():
    assert number(1234.5678) == "1,234.568"
    assert number(-0.5, 1) == "−0.5"
    assert number(None) == "–"
    assert number(float("nan")) == "–"
    assert number(12345.6, 0) == "12,346"
    assert (signed(0.5, 1), signed(-0.5, 1), signed(None)) == ("+0.5", "−0.5", "–")
    assert (p_value(0.0002), p_value(0.25), p_value(float("nan"))) == ("< 0.001", "0.250", "–")
    assert (count(1, "run"), count(1200, "run")) == ("1 run", "1,200 runs")
    assert short(-12345.678) == "−1.235e+04"


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


def test_every_page_is_complete_and_self_contained(report):
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


def test_names_are_escaped(report):
    for path in pages_of(report):
        text = path.read_text(encoding="utf-8")
        assert "<script>alert" not in text
        assert "<b>x" not in text
    assert "A &lt; B" in (report / "report/experiment-one.html").read_text()
    assert "&lt;b&gt;x" in (report / "report/dataset-odd.html").read_text()


def test_pages_show_the_runs(report):
    entry = (report / "report.html").read_text(encoding="utf-8")
    runs = pd.read_csv(report / "tables/runs.csv", dtype={"engine": str})
    assert f"{len(runs)} runs: 3 methods, 2 datasets, 2 seeds" in entry
    assert runs["engine"].dropna().iloc[0] in entry
    assert "Too few seeds to tell on single datasets: with 2, no difference there" in entry
    for page in ("report/experiment-one.html", "report/dataset-192_vineyard.html"):
        text = (report / page).read_text(encoding="utf-8").lower()
        assert "too few seeds to tell" in text
        assert "similar" not in text
    assert "not complete" not in entry
    how = (report / "report/run.html").read_text(encoding="utf-8")
    for words in ("scikit-learn", "numba", "tables/runs.csv", "significance: 0.01"):
        assert words in how
    assert "SHA-256" in (report / "report/dataset-192_vineyard.html").read_text()
    medians = pd.read_csv(report / "tables/one/medians.csv").set_index("dataset")
    page = (report / "report/experiment-one.html").read_text()
    assert f">{number(medians.loc['192_vineyard', 'LassoLars'])}</td>" in page


def test_models_use_original_columns(report):
    models = {
        (m["dataset"], m["method"]): m
        for m in json.loads((report / "tables/one/models.json").read_text())
    }
    model, linear = (models["192_vineyard", method] for method in ("VJM", "LassoLars"))
    page = (report / "report/models.html").read_text(encoding="utf-8")
    for _, text in model["features"]:
        assert html.escape(text, quote=True).replace("&#x27;", "&#39;") in page
    dataset = (report / "report/dataset-192_vineyard.html").read_text(encoding="utf-8")
    assert f'<pre class="formula">{linear["formula"]}</pre>' in dataset
    assert f"size {model['size']}, training R² {number(model['train_r2'])}" in page
    medians = pd.read_csv(report / "tables/one/medians.csv").set_index("dataset")
    ours = medians.loc["192_vineyard", ["VJM", "LassoLars", "A < B"]]
    other = ours.drop("VJM").idxmax()
    is_best = ours["VJM"] >= ours[other]
    roles = ("reference and best", "best other method") if is_best else ("reference", "best")
    for method, role in zip(("VJM", other), roles, strict=True):
        words = f"{role}, median test R² {number(ours[method])}"
        assert f'<h4>{html.escape(method)} <span class="soft">{words}</span></h4>' in dataset


def test_run_page_has_the_workflow_and_the_hyper_parameters(report):
    page = (report / "report/run.html").read_text(encoding="utf-8")
    for rule in filter(None, sum(LAYOUT, ())):
        assert f">{rule}</text>" in page
    assert "<td><code>max_trees</code></td>" in page
    assert "<code>alpha</code> 0.0001, 0.001, 0.01, 0.1, 1</p>" in page


def test_picture_of_the_workflow_equals_the_graph_of_snakemake(tmp_path):
    """It has all rules, and the edges that no other edges imply."""
    text = snakemake(tmp_path, ROOT / "config/smoke.yaml", "--rulegraph", "mermaid-js")
    names = dict(re.findall(r"(id\d+)\[(\w+)\]", text))
    lines = {(names[a], names[b]) for a, b in re.findall(r"(id\d+) --> (id\d+)", text)}
    drawn = {name for row in LAYOUT for name in row if name}
    assert drawn == set(names.values()) - {"all"}
    after = {name: {a for a, b in lines if b == name} for name in drawn}

    def all_before(name):
        return after[name].union(*map(all_before, after[name]))

    for name in drawn:
        implied = set().union(*map(all_before, after[name]))
        assert set(STEPS[name].after) & drawn == after[name] - implied, name


def test_reports_of_make_demo_link_to_each_other():
    assert other_reports(Path("results")) == {"The paper's study": "full/"}
    assert other_reports(Path("results/full")) == {"The default study": "../"}
    assert list(other_reports(Path("results/plant")).values()) == ["../", "../full/"]
    assert other_reports(Path("/elsewhere")) == {}
    for config, results in (("config", "results"), ("paper", "results/full")):
        study = yaml.safe_load((ROOT / f"config/{config}.yaml").read_text())
        assert study.get("results", "results") == results


@pytest.mark.parametrize(("protocol", "is_papers"), [("paper", True), ("halves", False)])
def test_claims_and_illustrations_need_methods_of_the_paper(tmp_path, protocol, is_papers):
    study = paper_study(
        tmp_path / "results",
        datasets=["547_no2"],
        seeds=8,
        protocols={"halves": {"train_share": 0.5}},
        experiments={"two": {"methods": ["PP", "VJM"], "protocol": protocol}},
    )
    make_tables(study)
    files = study.files.report()
    write_json(Path(files.illustrations) / "figures.json", [])
    for step in ("statistics", "scoreboard", "figures", "pages"):
        steps(study)[step]()
    assert (tmp_path / "results/report/scoreboard.html").exists() == is_papers
    entry = (tmp_path / "results/report.html").read_text()
    assert ("The paper's claims" in entry) == is_papers
    table = pd.read_csv(tmp_path / "results/tables/scoreboard.csv")
    claims = table[table["verdict"] != "no claim"]
    left_out = int((claims["verdict"] == "not run").sum())
    assert (left_out < len(claims)) == is_papers
    for name in ("report.html", *["report/scoreboard.html"] * is_papers):
        text = (tmp_path / "results" / name).read_text()
        assert (f"{left_out} of {len(claims)} claims" in text) == is_papers
        assert ("The published study has most of them" in text) == is_papers
        assert ">not run<" not in text
        assert "VJM against XGB" not in text
    page = (tmp_path / "results/report/models.html").read_text()
    assert page.index("<h4>PP <") < page.index("<h4>VJM <")  # the reference comes first
    assert ("The paper's VJM model here" in page) == is_papers
