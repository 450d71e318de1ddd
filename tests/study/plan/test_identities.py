"""The identities of a study's results: what changes them and what does not."""

import sys

import pytest
from tests.support.configs import one, study_of

from vjmgp.study.plan import identities as identity


def identities(study):
    """Return the identity of every step of a study."""
    where = "paper", "547_no2"
    found = {
        "prepare": study.ids.prepared("547_no2"),
        "split": study.ids.split(*where),
        "noise": study.ids.noise(*where),
        "gp": study.ids.run(*where, "VJM"),
        "baseline": study.ids.run(*where, "SVR"),
    }
    return found | study.ids.steps


def changed(before, after):
    return {name for name in before if before[name] != after[name]}


RUNS = {"gp", "baseline"}
TABLES = {
    *("collect_runs", "join_runs", "compare_methods", "compare_srbench", "score_claims"),
    "draw_figures",
}
PICTURES = {"illustrations"}
REPORT = TABLES | {"write_report"}
TESTED = REPORT - {"collect_runs", "join_runs", "compare_srbench"}


@pytest.mark.parametrize(
    ("file", "steps"),
    [
        ("data/nominal_columns.yaml", {"illustrations", "write_report"}),
        ("study/protocols.py", {"illustrations", "write_report"}),
        ("study/runs/gp.py", set()),
        ("competitors/tuning.py", set()),
        ("study/runs/collect.py", REPORT),
        ("study/statistics/paired_tests.py", TESTED | {"compare_srbench"}),
        ("data/paper/win_tie_loss.csv", {"score_claims", "write_report"}),
        ("study/figures/box_plots.py", {"draw_figures", "write_report"}),
        ("data/srbench/black_box_medians.csv", {"compare_srbench", "write_report"}),
        ("pages/templates/base.html.jinja", {"write_report"}),
        ("study/report/so_far.py", set()),
        ("core/files.py", set()),
        ("operations/lock.py", set()),
        ("study/plan/study.py", set()),
        ("regressor.py", set()),
        ("tables/preprocessing.py", REPORT | PICTURES),
        ("formulas/simplify.py", REPORT | PICTURES),
        ("formulas/input_names.py", REPORT | PICTURES),
        ("engine/numerics/rng.py", set()),
    ],
)
def test_edited_file_changes_the_identities_of_its_steps(monkeypatch, file, steps):
    before = identities(study_of(**one("VJM", "SVR")))
    plain = identity._sum
    edited = identity.PACKAGE / file
    assert edited.exists()
    monkeypatch.setattr(identity, "_sum", lambda path: "x" if path == edited else plain(path))
    identity.code_of.cache_clear()
    after = identities(study_of(**one("VJM", "SVR")))
    identity.code_of.cache_clear()
    assert changed(before, after) == steps


@pytest.mark.parametrize(
    ("version", "steps"),
    [
        ("ENGINE_VERSION", {"noise", "gp", "illustrations"}),
        ("DATA_VERSION", {"prepare", "split", "noise"} | RUNS),
        ("COMPETITORS_VERSION", {"baseline"}),
    ],
)
def test_new_version_changes_the_identities_that_depend_on_it(monkeypatch, version, steps):
    before = identities(study_of(**one("VJM", "SVR")))
    monkeypatch.setattr(identity, version, "another")
    after = identities(study_of(**one("VJM", "SVR")))
    assert changed(before, after) == steps | REPORT


def test_identities_of_published_runs_are_unchanged():
    """A change here makes all published runs worthless."""
    study = study_of(**one("VJM", "SVR"))
    assert study.ids.run("paper", "547_no2", "VJM") == "4a00e09d"
    assert study.ids.run("paper", "547_no2", "SVR") == "92856d50"


def test_new_options_of_own_tables_change_identities_only_if_they_are_used(tmp_path):
    (tmp_path / "mine.csv").write_text("a,y\n1,2\n")

    def prepared(**options):
        entry = {"file": str(tmp_path / "mine.csv"), "target": "y"} | options
        return study_of(datasets=["mine"], own_data={"mine": entry}).ids.prepared("mine")

    assert prepared() == "698de72f"
    assert prepared(na_values=[], missing="error") == prepared()
    assert len({prepared(), prepared(na_values=["-"]), prepared(missing="drop")}) == 3


def test_run_identity_depends_on_data_and_code_only(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "my_learners.py").write_text("from sklearn.linear_model import Ridge\n")
    (tmp_path / "mine.csv").write_text("a,y\n1,2\n")

    def ids(**changes):
        config = {
            "methods": {"Mine": {"estimator": "my_learners.Ridge"}},
            "experiments": {"one": {"methods": ["VJM", "Mine"]}},
            "datasets": ["547_no2", "mine"],
            "own_data": {"mine": {"file": str(tmp_path / "mine.csv"), "target": "y"}},
        } | changes
        study = study_of(**config)
        return {
            (method, dataset): study.ids.run("paper", dataset, method)
            for method in ("VJM", "Mine")
            for dataset in ("547_no2", "mine")
        }

    before = ids()
    same = {"seeds": 30, "seeds_per_job": 3, "title": "x", "significance": 0.1, "results": "out"}
    assert ids(**same) == before
    (tmp_path / "mine.csv").write_text("a,y\n1,3\n")
    table = ids()
    assert changed(before, table) == {("VJM", "mine"), ("Mine", "mine")}
    (tmp_path / "my_learners.py").write_text("from sklearn.linear_model import Ridge  # edited\n")
    identity.own_code.cache_clear()  # each call of Snakemake is a new process
    identity._sum.cache_clear()
    code = ids()
    assert {method for method, _ in changed(table, code)} == {"Mine"}
    assert identity.own_code("sklearn.linear_model.Ridge") == ""  # its version tells
    assert identity.own_code("vjmgp.competitors.ffx.FFXRegressor") != ""
    assert "my_learners" not in sys.modules
