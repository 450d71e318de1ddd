"""Contents of the report's pages, before they are rendered."""

import pandas as pd

from vjmgp.pages.formats import count, in_words, number, p_value, short, signed
from vjmgp.study.plan.study import Experiment
from vjmgp.study.report.experiment_pages import count_pairs, pairs_to_show, papers_counts
from vjmgp.study.report.overview_page import progress
from vjmgp.study.report.run_page import gp_settings, learners
from vjmgp.study.scoreboard.claims import OutcomeCounts


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
