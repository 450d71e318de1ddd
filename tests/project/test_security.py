"""Untrusted models and configs run no code, and paths stay where they belong."""

import ast
import json
import sys

import numpy as np
import pandas as pd
import pytest
import yaml
from tests.support.configs import study_of
from tests.support.result_files import all_tables
from tests.support.workflow_runs import ROOT, STUDY, snakemake

from vjmgp import VJMRegressor, load_model
from vjmgp.cli import main
from vjmgp.study.config.preflight import check_before_a_run
from vjmgp.study.config.schema import ConfigError

EVIL = "__import__('pathlib').Path('pwned').touch()"


def test_loading_a_model_runs_no_code(here):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=40), "b": rng.normal(size=40)})
    fitted = VJMRegressor(generations=2, population_size=10, random_state=0)
    fitted.fit(table, table["a"] * table["b"])
    text = fitted.model_.to_json().replace('"a"', json.dumps(EVIL))
    (here / "model.json").write_text(text)
    model = load_model("model.json")
    model.predict(table.rename(columns={"a": EVIL}))
    for way in (model.text, model.sympy, model.latex, model.feature_texts, model.to_json):
        way()
    assert not (here / "pwned").exists()


@pytest.mark.parametrize("part", [[EVIL, 1, 2], ["eval", EVIL], ["column", EVIL], EVIL])
def test_unknown_tree_nodes_are_rejected(tmp_path, part):
    model = {
        "format": "vjmgp-model", "version": 1, "intercept": 0.0, "scores": {},
        "target": {"mean": 0.0, "scale": 1.0, "range": [0.0, 1.0]},
        "columns": [{"name": "x", "used": True, "mean": 0.0, "scale": 1.0}],
        "features": [{"tree": part, "weight": 1.0, "centre": 0.0, "factor": 1.0}],
    }  # fmt: skip
    path = tmp_path / "model.json"
    path.write_text(json.dumps(model))
    with pytest.raises(ValueError, match=r"model\.json: A tree"):
        load_model(path)


def evil_study(method):
    return study_of(methods={"Evil": method}, experiments={"one": {"methods": ["Evil"]}})


@pytest.mark.parametrize(
    ("path", "settings"),
    [
        ("subprocess.Popen", {"args": ["touch", "pwned"]}),
        ("os.system", {"command": "touch pwned"}),
        ("builtins.eval", {"source": EVIL}),
        ("numpy.testing.run_module_suite", {}),
        ("numpy.f2py.__main__.X", {}),
        ("snakemake.__main__.X", {}),
        ("numpy.tests.X", {}),
        ("conftest.X", {}),
        ("sklearn.svm._classes.SVR", {}),
        ("sklearn.utils.check_random_state", {"seed": 0}),
        ("sklearn.preprocessing.StandardScaler", {}),
    ],
)
def test_config_rejects_paths_that_are_not_learners(here, path, settings):
    before = set(sys.modules)
    with pytest.raises(ConfigError, match=r"methods\.Evil\.estimator"):
        check_before_a_run(evil_study({"estimator": path, "settings": settings}))
    assert not [name for name in set(sys.modules) - before if "__main__" in name]
    assert not (here / "pwned").exists()


def test_config_rejects_paths_that_are_not_regularisers():
    for path in ("antigravity.fly", "subprocess.Popen", "numpy.ndarray", "numpy.f2py.__main__.X"):
        with pytest.raises(ConfigError, match=r"methods\.Evil\.gp"):
            check_before_a_run(evil_study({"gp": {"regularizer": path}}))
    assert not {"antigravity", "numpy.f2py.__main__"} & set(sys.modules)


@pytest.mark.parametrize("path", ["antigravity.fly", "numpy.f2py.__main__.X", "numpy.tests.X"])
@pytest.mark.parametrize(
    ("key", "part"),
    [
        ("settings.regularizer", lambda path: {"settings": {"regularizer": path}}),
        ("grid.regularizer", lambda path: {"grid": {"regularizer": ["none", path]}}),
        ("grid.vjm__regularizer", lambda path: {"grid": [{}, {"vjm__regularizer": path}]}),
    ],
)
def test_regularisers_in_settings_and_grids_are_checked(path, key, part):
    definition = {"estimator": "vjmgp.VJMRegressor", **part(path)}
    with pytest.raises(ConfigError, match=rf"^methods\.Evil\.{key}: {path} is "):
        study_of(methods={"Evil": definition})


def test_yaml_tags_create_no_objects(tmp_path):
    path = tmp_path / "evil.yaml"
    path.write_text(f"title: !!python/object/apply:os.system ['touch {tmp_path}/pwned']\n")
    snakemake(tmp_path, path, "-n", ok=False)
    with pytest.raises(yaml.YAMLError):
        yaml.safe_load(path.read_text())
    assert not (tmp_path / "pwned").exists()


def test_config_templates_are_rejected(here, capsys):
    (here / "evil.yaml").write_text(f"__use_yte__: true\ntitle: ?{EVIL} or 'x'\n")
    for what in ("check", "run", "resume", "status", "report"):
        assert main(["study", what, "evil.yaml"]) == 2
        assert "there is no key '__use_yte__'" in capsys.readouterr().err
    assert not (here / "pwned").exists()


@pytest.mark.parametrize("folder", ["..", "../elsewhere", "a/../../b", "~/results", ".", "/"])
def test_results_folder_outside_the_study_is_rejected(folder):
    with pytest.raises(ConfigError, match=r"^results: "):
        study_of(results=folder)


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "a/b", "..", ""])
def test_dataset_names_cannot_be_paths(name):
    with pytest.raises(ConfigError, match="datasets"):
        study_of(datasets=[name])


FORBIDDEN = {
    *("eval", "exec", "compile", "__import__", "os.system", "os.popen", "shell=", "yaml.load"),
    *("yaml.unsafe_load", "yaml.full_load", "pd.read_pickle", "joblib.load", "sympy.sympify"),
    *("sympify", "parse_expr", "np.load"),
    *("pickle", "cloudpickle", "dill", "marshal", "shelve"),
}


def used(tree):
    """Yield the functions that are called, their keywords, and the modules that are imported."""
    for node in ast.walk(tree):
        match node:
            case ast.Call():
                yield from (ast.unparse(node.func), *(f"{word.arg}=" for word in node.keywords))
            case ast.Import():
                yield from (name.name.split(".")[0] for name in node.names)
            case ast.ImportFrom(module=str(module)):
                yield module.split(".")[0]


def test_source_never_evaluates_text():
    files = [*ROOT.glob("src/**/*.py"), *ROOT.glob("workflow/**/*.py")]
    assert len(files) > 60
    for path in files:
        # The engine compiles its own source to hash it, and never runs the result.
        allowed = {"compile"} if path.match("vjmgp/engine/version.py") else set()
        assert set(used(ast.parse(path.read_text(encoding="utf-8")))) & FORBIDDEN <= allowed, path


def test_workflow_writes_only_data_files(finished):
    files = [path for path in (finished / "results").rglob("*") if path.is_file()]
    assert {path.suffix for path in files} <= {
        *(".csv", ".json", ".jsonl", ".parquet", ".gz", ".txt", ".log", ".svg", ".pdf"),
        *(".html", ".yaml", ".lock", ".tex", ".png", ".journal", ""),
    }
    assert not [path for path in files if path.read_bytes().startswith(b"\x80")]  # as pickles do


def test_names_with_spaces_quotes_and_unicode(tmp_path, finished):
    folder = tmp_path / "it's “mine”, $HOME"
    folder.mkdir()
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"länge (m)": rng.normal(size=40), 'a "b" & <c>': rng.normal(size=40)})
    table["y's"] = table["länge (m)"] * 2 + table['a "b" & <c>']
    (folder / "meine Daten").mkdir()
    table.to_csv(folder / "meine Daten/it's “ö”.csv", index=False)
    results = "my results/it's größer; $(touch pwned) & co"
    config = STUDY | {
        "results": results,
        "title": "<script>alert('x')</script>",
        "datasets": ["192_vineyard", "mine"],
        "own_data": {"mine": {"file": "meine Daten/it's “ö”.csv", "target": "y's"}},
    }
    snakemake(folder, config)
    assert not list(tmp_path.rglob("pwned"))
    runs = pd.read_csv(folder / results / "tables/runs.csv")
    assert (runs["status"] == "ok").all()
    assert set(runs["dataset"]) == {"192_vineyard", "mine"}
    pages = [folder / results / "report.html", *(folder / results / "report").glob("*.html")]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    assert "<script>alert" not in text
    assert "a &#34;b&#34; &amp; &lt;c&gt;" in text
    same = runs[runs["dataset"] == "192_vineyard"]["test_r2"].tolist()
    assert same == pd.read_csv(finished / "results/tables/runs.csv")["test_r2"].tolist()
    assert all_tables(finished)
