"""The config: what it may say, what it is told when it may not, and that all lists agree."""

import re
import subprocess
import sys
import tomllib

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.support.configs import SCHEMA, load, study_of, study_of_config
from tests.support.workflow_runs import ROOT

from vjmgp import FUNCTION_NAMES, MORE_FUNCTION_NAMES, REGULARIZERS, SELECTIONS, embedded_datasets
from vjmgp.engine.paper_names import REGULARIZER_OF
from vjmgp.engine.parameters import PREDICTORS
from vjmgp.engine.search.front_rules import FINAL_RULES
from vjmgp.engine.settings import Settings
from vjmgp.study.config import estimate, preflight
from vjmgp.study.config.reader import RULES as RULES_OF_WORKFLOW
from vjmgp.study.config.schema import ConfigError, check, check_text
from vjmgp.study.paths import blocks, seeds_of
from vjmgp.study.plan import identity
from vjmgp.study.plan import study as model
from vjmgp.tables.paper_datasets import paper_datasets, paper_medians, pmlb_number

RULES_OF_SCHEMA = yaml.safe_load(SCHEMA.read_text())


def test_defaults_are_filled_in():
    study = study_of()
    assert study.seeds == 10
    assert study.config["results"] == "results"
    assert study.experiments["one"].protocol == "paper"
    assert study.experiments["one"].datasets == ["547_no2"]
    assert study.methods["VJM"].definition == {"gp": {"regularizer": "jensen_gap"}}


def test_both_names_of_a_method_make_the_same_runs():
    ids = {
        study_of(methods={"VJM": {"gp": {"regularizer": name}}}).run_id("paper", "547_no2", "VJM")
        for name in ("VJM", "jensen_gap")
    }
    assert ids == {study_of().run_id("paper", "547_no2", "VJM")}


@pytest.mark.parametrize("folder", ["out/a", "out/a/", "out//a", "./out/a"])
def test_ways_to_write_a_folder_are_one(folder):
    assert study_of(results=folder).run_files("one")[0].startswith("out/a/runs/")


def test_seconds_make_variants_that_time_ends():
    study = study_of(
        experiments={
            "one": {"methods": ["VJM", "PP"], "seconds": 0.5},
            "two": {"methods": ["VJM"]},
        }
    )
    assert study.experiments["one"].methods == ["VJM 0.5 s", "PP 0.5 s"]
    assert study.experiments["two"].methods == ["VJM"]
    assert study.config["experiments"]["one"]["methods"] == ["VJM", "PP"]
    settings = study.methods["PP 0.5 s"].definition["gp"]
    assert settings["max_time"] == 0.5
    assert settings["generations"] >= 10**6
    assert study.methods["VJM"].definition == {"gp": {"regularizer": "jensen_gap"}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seedz": 3}, "config: there is no key 'seedz'; did you mean 'seeds'?"),
        ({"seeds": 0}, "seeds: 0 is less than the minimum of 1."),
        ({"seeds": "many"}, "seeds is 'many'; it must be a whole number of 1 or more."),
        ({"unavailable": "no"}, "unavailable is 'no'; known are 'refuse', 'skip'."),
        ({"datasets": []}, "datasets: [] should be non-empty."),
        (
            {"datasets": ["547_no"]},
            "datasets: '547_no' is not a PMLB regression dataset; did you mean '547_no2'?",
        ),
        (
            {"experiments": {"one": {"methods": ["VMJ"]}}},
            "experiments.one.methods: 'VMJ' is not a method; did you mean 'VJM'?",
        ),
        (
            {"experiments": {"one": {"methods": ["VJM"], "protocol": "papr"}}},
            "experiments.one.protocol: 'papr' is not a protocol; did you mean 'paper'?",
        ),
        (
            {"experiments": {"one": {"methods": ["VJM"], "datasets": ["210_cloud"]}}},
            "experiments.one.datasets: '210_cloud' is not a dataset of the study",
        ),
        (
            {"experiments": {"one": {"methods": ["VJM", "SVR"], "seconds": 1}}},
            "experiments.one.seconds: 'SVR' is not genetic programming",
        ),
        ({"experiments": {"one": {}}}, "experiments.one: the key 'methods' is missing."),
        (
            {"methods": {"Mine": {"gp": {"regularizer": "jensen"}}}},
            "methods.Mine.gp.regularizer is 'jensen'; did you mean 'jensen_gap'?",
        ),
        (
            {"methods": {"Mine": {"gp": {"generation": 3}}}},
            "methods.Mine.gp: there is no key 'generation'; did you mean 'generations'",
        ),
        (
            {"methods": {"Mine": {"gp": {"tau": "big"}}}},
            "methods.Mine.gp.tau is 'big'; it must be a number of 0 or more or 'adaptive'.",
        ),
        (
            {"methods": {"Mine": {"gp": {"functions": ["add", "tan"]}}}},
            "methods.Mine.gp.functions.1 is 'tan'",
        ),
        (
            {"methods": {"Mine": {"gp": {"init_depth": [4, 2]}}}},
            "methods.Mine.gp.init_depth: it must be [low, high] ≤ max_depth.",
        ),
        ({"methods": {"Mine": {}}}, "methods.Mine: give either 'gp' or 'estimator'."),
        (
            {"methods": {"Mine": {"gp": {}, "grid": {"a": [1]}}}},
            "methods.Mine: 'grid' and 'settings' belong to 'estimator'.",
        ),
        (
            {"protocols": {"mine": {"label_noise": 1}}},
            "protocols.mine: give either 'train_rows' or 'train_share'.",
        ),
        (
            {"own_data": {"mine": {"file": "nowhere.csv", "target": "y"}}},
            "own_data.mine.file: there is no file 'nowhere.csv'.",
        ),
        ({"own_data": {"mine": {"file": "a.csv"}}}, "own_data.mine: the key 'target' is missing."),
        (
            {"methods": {"Mine": {"estimator": "sklearn.svm.SVR", "grid": {"C": ["1e-4"]}}}},
            "methods.Mine.grid.C: '1e-4' is text to YAML, not a number; write it with a point",
        ),
        (
            {"methods": {"Mine": {"estimator": "sklearn.svm.SVR", "grid": [{"C": "1e-4"}]}}},
            "methods.Mine.grid.C: '1e-4' is text to YAML, not a number; write it with a point",
        ),
        (
            {"methods": {"Mine": {"estimator": "sklearn.svm.SVR", "grid": 3}}},
            "methods.Mine.grid is 3; it must be a mapping of keys to values or a list.",
        ),
        (
            {"methods": {"Mine": {"estimator": "sklearn.svm.SVR", "grid": [{"C": []}]}}},
            "methods.Mine.grid.0.C: [] should be non-empty.",
        ),
        (
            {"methods": {"Mine": {"estimator": "sklearn.svm.SVR", "grid": {"C": 1}}}},
            "methods.Mine.grid.C is 1; it must be a list.",
        ),
        (
            {"methods": {"Mine": {"gp": {"regularizer": ".x.Y"}}}},
            "methods.Mine.gp.regularizer is '.x.Y'; it must be the path of a class, like my_",
        ),
        (
            {"methods": {"Mine": {"gp": {"regularizer": 1}}}},
            "methods.Mine.gp.regularizer is 1; it must be text.",
        ),
        *(
            ({key: {2024: {}}}, f"{key}: the key 2024 is not text to YAML; write it in quotes.")
            for key in ("experiments", "protocols", "methods", "own_data")
        ),
        (
            {"methods": {"Mine": {"estimator": "sklearn.svm.SVR", "settings": {False: 1}}}},
            "methods.Mine.settings: the key False is not text to YAML",
        ),
        (
            {"experiments": {"one": {"methods": ["VJM", "SVR", "VJM"]}}},
            "experiments.one.methods: 'VJM' appears twice; name it once.",
        ),
        ({"experiments": {"run_gp": {"methods": ["VJM"]}}}, "experiments.run_gp: a rule"),
        ({"experiments": {"my exp": {"methods": ["VJM"]}}}, "'my exp' is not a name; use"),
        ({"curve_datasets": ["zz"]}, "curve_datasets: 'zz' is not a dataset of the study"),
        ({"results": "res/{x}"}, "results: 'res/{x}' may not have any of { };"),
        (
            {"own_data": {"mine": {"file": "a<b>.csv", "target": "y"}}},
            "own_data.mine.file: 'a<b>.csv' may not have any of < >; choose another name.",
        ),
        ({"results": "README.md"}, "results: 'README.md' is a file; name a folder."),
        ({"results": "README.md/a"}, "results: 'README.md' is a file; name a folder."),
        ({"results": "/dev/null"}, "results: '/dev/null' is a file; name a folder."),
        ({"results": "docs"}, "results: 'docs' holds 'architecture.md', which"),
        ({"results": "a" * 300}, "results: a name in it has more than 200 bytes; shorten it."),
        ({"seeds": 2.0}, "seeds is 2.0; it must be a whole number of 1 or more."),
        ({"seeds": 10**9}, "seeds: 1000000000 is greater than the maximum of 100000."),
        ({"significance": float("nan")}, "significance is nan; write a finite number."),
        ({"significance": float("inf")}, "significance is inf; write a finite number."),
        ({"title": "a\nb"}, "title: 'a\\nb' has a line break or a tab in it; remove it."),
        ({"protocols": {"a\n": {"train_rows": 5}}}, "protocols: 'a\\n' has a line break"),
        (
            {"methods": {"M" * 300: {"gp": {}}}, "experiments": {"one": {"methods": ["M" * 300]}}},
            "the name has more than 200 letters; shorten it.",
        ),
        (
            {
                "methods": {"Mine": {"estimator": "nowhere.Thing"}},
                "experiments": {"one": {"methods": ["Mine"]}},
            },
            "methods.Mine.estimator: Python cannot find the module of nowhere.Thing. Put its file",
        ),
        (
            {"protocols": {"paper": {"train_rows": 5}}},
            "protocols.paper: this protocol exists already",
        ),
        (
            {"methods": {"..": {"gp": {}}}, "experiments": {"one": {"methods": [".."]}}},
            "methods...: the name needs a letter a to z or a digit.",
        ),
        (
            {"methods": {"dataset": {"gp": {}}}, "experiments": {"one": {"methods": ["dataset"]}}},
            "methods.dataset: tables have a column of this name; choose another.",
        ),
        (
            {
                "methods": {"X in the paper": {"gp": {}}},
                "experiments": {"one": {"methods": ["X in the paper"]}},
            },
            "methods.X in the paper: tables have a column of this name; choose another.",
        ),
        (
            {
                "methods": {"V J": {"gp": {}}, "V_J": {"gp": {}}},
                "experiments": {"one": {"methods": ["V J", "V_J"]}},
            },
            "methods.V_J: its files would be called 'V_J', like those of 'V J'",
        ),
    ],
)
def test_what_is_wrong_is_told_in_one_line(changes, message, monkeypatch):
    monkeypatch.chdir(ROOT)
    with pytest.raises(ConfigError) as error:
        study_of(**changes)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seeds: 2\ntitle: a\n'seeds': 4\n", "seeds: the key appears twice, in lines 1 and 3"),
        (
            "experiments:\n  a: {methods: [], methods: []}\n",
            "experiments.a.methods: the key appears",
        ),
        (
            "methods: {M: {grid: [{a: 1}, {a: 1, b: 2, a: 3}]}}\n",
            "methods.M.grid.a: the key appears",
        ),
        ("a: " + "[" * 5000 + "]" * 5000, "config: it is nested too deeply"),
        (
            "a0: &a0 [1, 1]\n"
            + "".join(f"a{k}: &a{k} [*a{k - 1}, *a{k - 1}]\n" for k in range(1, 30)),
            "config: it has more than 200000 values; make it smaller",
        ),
        (b"title: Gr\xf6\xdfe\n", "config: byte 9 is not UTF-8; save it as UTF-8"),
        ("{", "config: not YAML, line 1: "),
    ],
)
def test_a_text_that_loaders_choke_on_is_refused(tmp_path, text, message):
    (tmp_path / "my.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError, match=message):
        check_text(tmp_path / "my.yaml")


@pytest.mark.parametrize(
    "text",
    [
        "a: &x {seeds: 1, more: *x}\nb: {<<: *x, seeds: 2}\nc: [*x, *x]\n",  # anchors
        '{"seeds": 1, "1": 2, "b": {"seeds": 1}}',
        "1: a\n'1': b\n",
        "",
        "title: !!python/object/apply:os.system ['touch pwned']\n",
    ],
)
def test_keys_that_only_look_alike_are_not(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.yaml").write_text(text)
    check_text(tmp_path / "my.yaml")
    assert list(tmp_path.iterdir()) == [tmp_path / "my.yaml"]


def test_methods_without_their_packages_are_refused_or_skipped(monkeypatch):
    experiments = {
        "one": {"methods": ["Operon", "XGB", "VJM", "ExcelFormer"]},
        "two": {"methods": ["Operon"]},
    }
    assert study_of(experiments=experiments).skipped == []
    monkeypatch.setitem(sys.modules, "pyoperon", None)  # as if it were not installed
    with pytest.raises(ConfigError) as error:
        study_of(experiments=experiments)
    assert str(error.value) == (
        "experiments: packages are missing for Operon. Install them: pip install "
        '"vjmgp[competitors]"; or skip these methods: --config unavailable=skip'
    )
    monkeypatch.setitem(sys.modules, "torch_frame", None)
    with pytest.raises(ConfigError, match=r"for Operon, ExcelFormer.*\[competitors,excelformer\]"):
        study_of(experiments=experiments)
    study = study_of(experiments=experiments, unavailable="skip")
    assert study.skipped == ["Operon", "ExcelFormer"]
    assert list(study.experiments) == ["one"]
    assert study.experiments["one"].methods == ["XGB", "VJM"]
    with pytest.raises(ConfigError, match="packages of all methods are missing"):
        study_of(experiments={"two": {"methods": ["Operon"]}}, unavailable="skip")


def test_nothing_heavy_is_imported_to_look_for_packages():
    """Every job reads the config again."""
    code = (
        "import sys; from vjmgp.competitors.packages import REQUIREMENTS, missing_extra\n"
        "import vjmgp.operations.hooks, vjmgp.study.config.reader\n"
        "assert not {'pandas', 'sklearn', 'numba', 'scipy'} & set(sys.modules)\n"
        "assert not any(missing_extra(f'{name}.X') for name in REQUIREMENTS)\n"
        "assert not {'torch', 'xgboost', 'lightgbm', 'pyoperon', 'ffx'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_estimators_of_the_study_are_tried_before_anything_runs():
    for definition, message in (
        ({"estimator": "sklearn.svm.SVX"}, "methods.Mine.estimator: sklearn.svm.SVX: "),
        (
            {"estimator": "sklearn.svm.SVR", "grid": {"c": [1]}},
            "methods.Mine.grid: 'c' is not an argument of this class",
        ),
        (
            {"estimator": "sklearn.svm.SVR", "grid": [{"C": 1}, {"c": 1}]},
            "methods.Mine.grid: 'c' is not an argument of this class",
        ),
        (
            {"estimator": "sklearn.svm.SVR", "grid": {1: [1]}},
            "methods.Mine.grid: 1 is not an argument of this class",
        ),
        ({"estimator": "sklearn.svm.SVC"}, "methods.Mine.estimator: SVC is not a regressor"),
        (
            {"estimator": "sklearn.svm.SVR", "settings": {"C": -1}},
            "methods.Mine: a trial fit failed (The 'C' parameter of SVR must be",
        ),
    ):
        study = study_of(
            methods={"Mine": definition}, experiments={"one": {"methods": ["VJM", "Mine"]}}
        )
        with pytest.raises(ConfigError, match=re.escape(message)):
            preflight.check_estimators(study)


LEARNER = """from sklearn.linear_model import Ridge
class Mine(Ridge):
    def fit(self, x, y):
        raise NotImplementedError
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\nclass Mine(:\n", "{file}, line 2: invalid syntax."),
        ("x = 1\ny = x / 0\n", "{file}, line 2: ZeroDivisionError: division by zero."),
        ("import nowhere\n", "{file}, line 1: ModuleNotFoundError: No module named 'nowhere'."),
        ("import sys\nsys.exit()\n", "{file}, line 2: SystemExit."),
    ],
)
def test_what_is_wrong_with_ones_own_module_is_told(tmp_path, monkeypatch, text, message):
    file = tmp_path / "wrong_module.py"
    file.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    path = "wrong_module.Mine"
    for key, definition in (
        ("estimator", {"estimator": path}),
        ("gp.regularizer", {"gp": {"regularizer": path}}),
    ):
        study = study_of(methods={"Mine": definition}, experiments={"one": {"methods": ["Mine"]}})
        with pytest.raises(ConfigError) as error:
            preflight.check_before_a_run(study)
        assert str(error.value) == f"methods.Mine.{key}: {path}: {message.format(file=file)}"


def test_a_trial_that_fails_without_a_word_is_told(tmp_path, monkeypatch):
    (tmp_path / "wordless.py").write_text(LEARNER)
    monkeypatch.syspath_prepend(tmp_path)
    study = study_of(
        methods={"Mine": {"estimator": "wordless.Mine"}},
        experiments={"one": {"methods": ["Mine"]}},
    )
    with pytest.raises(ConfigError, match=r"trial fit failed \(.*, line 4: NotImplementedError\)"):
        preflight.check_estimators(study)


def numbered(line):
    """A table of a and y with twelve lines."""
    return "a,y\n" + "".join(line.format(k=k) + "\n" for k in range(12))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "no column 'y'; the columns are 'a', 'b'"),
        ("a, y\n1,2\n", "no column 'y'; did you mean ' y'? The columns are"),
        ("a;y\n1;2\n", "separated by semicolons"),
        ("", "cannot be read (No columns to parse from file)"),
        ("a,y,y\n1,2,3\n", "the column name 'y' appears more than once"),
        (numbered("1,2,{k}"), "its rows have more cells than its header, which has 2"),
        (numbered("{k},{k}") + "1,2,3\n", "cannot be read (Error tokenizing data"),
        ("a,y\n" + "1,2\n" * 12, "the target has the same value in all rows"),
        (numbered("1,{k}"), "every column beside the target has the same value"),
        (numbered("2026-01-{k},{k}"), "column 'a' is text with 12 different values in 12 rows"),
        (numbered("1e999,{k}") + "1,2\n", "column 'a' has infinite values"),
        (",a,y\n" + "".join(f"{k},{k},{k}\n" for k in range(12)), "column number 1 has no name"),
        ("a,y\n1,2\n3,4\n", "2 rows are too few; at least 10 needed"),
        (
            numbered("{k},{k}") + "n/a!,3\n",
            "column 'a' has text among its numbers in 1 of 13 rows, first 'n/a!' in row 13",
        ),
        (numbered("{k},{k}") + ",3\n", "column 'a' has no value in 1 of 13 rows"),
        (numbered("{k},{k}") + "1,oh\n", "the target 'y' is not numeric"),
        ("y\n" + "1\n2\n" * 6, "there is no column beside the target"),
    ],
)
def test_own_data_is_checked_before_anything_runs(tmp_path, text, message):
    path = tmp_path / "my data.csv"
    path.write_text(text)
    study = study_of(datasets=["mine"], own_data={"mine": {"file": str(path), "target": "y"}})
    with pytest.raises(ConfigError, match=re.escape(message)) as error:
        preflight.check_own_data(study)
    assert str(error.value).startswith("own_data.mine: ")
    assert "my data.csv" in str(error.value)


@given(st.integers(1, 200), st.integers(1, 60), st.integers(0, 100))
def test_blocks_are_a_partition_and_more_seeds_keep_full_blocks(seeds, size, more):
    these = blocks(range(seeds), size)
    assert [seed for block in these for seed in seeds_of(block)] == list(range(seeds))
    full = [block for block in these if len(seeds_of(block)) == size]
    assert blocks(range(seeds + more), size)[: len(full)] == full


def test_results_do_not_leave_the_tree_through_a_link(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "here/link").symlink_to(tmp_path / "elsewhere")
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(ConfigError, match=r"results: 'link/a' leads through a link to .*elsewhere"):
        study_of(results="link/a")


def test_the_fewest_seeds_and_the_time_are_known():
    assert [estimate.seeds_needed(level) for level in (0.05, 0.01)] == [6, 8]
    study = study_of(
        methods={"Mine": {"estimator": "sklearn.linear_model.Ridge"}},
        experiments={"one": {"methods": ["VJM", "FFX", "Mine"]}},
    )
    seconds, unknown = estimate.seconds_of(study)
    assert seconds == pytest.approx(10 * (0.4 + 35.0) + 4 * estimate.JOB_SECONDS)
    assert unknown == ["Mine"]


# -- identities ----------------------------------------------------------------------------------


def identities(study):
    """The identity of every step of a study."""
    where = "paper", "547_no2"
    found = {
        "prepare": study.prepared_id("547_no2"),
        "split": study.split_id(*where),
        "noise": study.noise_id(*where),
        "gp": study.run_id(*where, "VJM"),
        "baseline": study.run_id(*where, "SVR"),
    }
    return found | study.steps


RUNS = {"gp", "baseline"}
TABLES = {
    *("collect_runs", "join_runs", "compare_methods", "compare_srbench", "score_claims"),
    "draw_figures",
}
PICTURES = {"illustrations"}
REPORT = TABLES | {"write_report"}


@pytest.mark.parametrize(
    ("file", "steps"),
    [
        ("data/nominal_columns.yaml", {"illustrations", "write_report"}),
        ("study/protocols.py", {"illustrations", "write_report"}),
        ("study/runs/gp.py", set()),
        ("competitors/tuning.py", set()),
        ("study/runs/collect.py", REPORT),
        ("study/statistics/pairwise.py", REPORT - {"collect_runs", "join_runs", "compare_srbench"}),
        ("data/paper/win_tie_loss.csv", {"score_claims", "write_report"}),
        ("study/figures/boxes.py", {"draw_figures", "write_report"}),
        ("data/srbench/black_box_medians.csv", {"compare_srbench", "write_report"}),
        ("study/report/templates/base.html.jinja", {"write_report"}),
        ("study/report/so_far.py", set()),
        ("core/files.py", set()),
        ("operations/lock.py", set()),
        ("study/plan/study.py", set()),
        ("regressor.py", set()),
        ("tables/preprocessing.py", set()),
        ("engine/numerics/rng.py", set()),
    ],
)
def test_an_edit_makes_exactly_the_right_steps_run_again(monkeypatch, file, steps):
    experiments = {"one": {"methods": ["VJM", "SVR"]}}
    before = identities(study_of(experiments=experiments))
    plain = identity._sum
    edited = identity.PACKAGE / file
    assert edited.exists()
    monkeypatch.setattr(identity, "_sum", lambda path: "x" if path == edited else plain(path))
    identity.code_of.cache_clear()
    after = identities(study_of(experiments=experiments))
    identity.code_of.cache_clear()
    assert {step for step in before if before[step] != after[step]} == steps


@pytest.mark.parametrize(
    ("version", "steps"),
    [
        ("ENGINE_VERSION", {"noise", "gp", "illustrations"}),
        ("DATA_VERSION", {"prepare", "split", "noise"} | RUNS),
        ("COMPETITORS_VERSION", {"baseline"}),
    ],
)
def test_a_new_version_runs_what_it_stands_for_again_and_nothing_else(monkeypatch, version, steps):
    experiments = {"one": {"methods": ["VJM", "SVR"]}}
    before = identities(study_of(experiments=experiments))
    monkeypatch.setattr(model, version, "another")
    after = identities(study_of(experiments=experiments))
    changed = {step for step in before if before[step] != after[step]}
    assert changed == steps | REPORT


def test_published_runs_keep_their_names():
    """A change here makes all published runs worthless: it must be meant."""
    study = study_of(experiments={"one": {"methods": ["VJM", "SVR"]}})
    assert study.run_id("paper", "547_no2", "VJM") == "4a00e09d"
    assert study.run_id("paper", "547_no2", "SVR") == "92856d50"


def test_what_decides_a_result_is_in_its_identity_and_what_does_not_is_not(tmp_path, monkeypatch):
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
            (method, dataset): study.run_id("paper", dataset, method)
            for method in ("VJM", "Mine")
            for dataset in ("547_no2", "mine")
        }

    before = ids()
    same = {"seeds": 30, "seeds_per_job": 3, "title": "x", "significance": 0.1, "results": "out"}
    assert ids(**same) == before
    (tmp_path / "mine.csv").write_text("a,y\n1,3\n")
    table = ids()
    assert {key for key in before if before[key] != table[key]} == {
        ("VJM", "mine"),
        ("Mine", "mine"),
    }
    (tmp_path / "my_learners.py").write_text("from sklearn.linear_model import Ridge  # edited\n")
    identity.own_code.cache_clear()  # each call of Snakemake is a process of its own
    identity._sum.cache_clear()
    code = ids()
    assert {key[0] for key in table if table[key] != code[key]} == {"Mine"}
    assert identity.own_code("sklearn.linear_model.Ridge") == ""  # its version tells
    assert identity.own_code("vjmgp.competitors.ffx.FFXRegressor") != ""
    assert "my_learners" not in sys.modules


def test_scripts_call_the_modules_whose_code_is_counted():
    for step in identity.STEPS:
        text = (ROOT / f"workflow/scripts/{step}.py").read_text()
        assert re.findall(r"from (vjmgp\.study[\w.]+) import", text) == [identity.STEPS[step]]


# -- lists that must agree -----------------------------------------------------------------------


def gp_rules():
    return RULES_OF_SCHEMA["$defs"]["method"]["properties"]["gp"]["properties"]


def test_the_schema_knows_every_setting_and_no_other():
    assert set(gp_rules()) == set(Settings.__dataclass_fields__) | {
        "max_time",
        "max_rows",
        "restarts",
        "node_price",
        "predict_with",
        "encoding",
    }
    assert gp_rules()["regularizer"]["then"]["enum"] == [*REGULARIZERS, *REGULARIZER_OF]
    assert gp_rules()["selection"]["enum"] == list(SELECTIONS)
    assert gp_rules()["functions"]["items"]["enum"] == [*FUNCTION_NAMES, *MORE_FUNCTION_NAMES]
    assert gp_rules()["final_rule"]["enum"] == list(FINAL_RULES)
    assert gp_rules()["predict_with"]["enum"] == list(PREDICTORS)


def test_every_key_of_the_schema_is_described():
    def walk(rules, where):
        for key, rule in rules.get("properties", {}).items():
            if where != "config.method.gp":  # VJMRegressor describes these
                assert rule.get("description"), f"{where}.{key}"
            walk(rule, f"{where}.{key}")
        if isinstance(rules.get("additionalProperties"), dict):
            walk(rules["additionalProperties"], f"{where}.*")

    walk(RULES_OF_SCHEMA, "config")
    walk(RULES_OF_SCHEMA["$defs"]["method"], "config.method")
    for key, rule in RULES_OF_SCHEMA["properties"].items():
        assert "default" in rule or key in RULES_OF_SCHEMA["required"], key
    documented = (ROOT / "config/README.md").read_text()
    for key in RULES_OF_SCHEMA["properties"]:
        assert f"`{key}`" in documented, key


def test_no_experiment_can_have_the_name_of_a_rule():
    text = "".join(path.read_text() for path in [*ROOT.glob("workflow/rules/*.smk")])
    text += (ROOT / "Snakefile").read_text() + (ROOT / "workflow/Snakefile").read_text()
    rules = re.findall(r"^(?:use rule run_gp as|rule) (\w+)", text, re.MULTILINE)
    assert sorted(rules) == sorted(RULES_OF_WORKFLOW)


def test_the_grids_are_the_papers():
    paper = yaml.safe_load((ROOT / "src/vjmgp/data/paper/baseline_grids.yaml").read_text())
    catalogue = load("methods.yaml")
    methods = {"additionalProperties": {"$ref": "#/$defs/method"}}
    check(catalogue, methods | {"$defs": RULES_OF_SCHEMA["$defs"]})
    assert set(paper) <= set(catalogue)
    for name, grid in paper.items():
        assert catalogue[name].get("grid", {}) == grid, name
    assert len(paper) == 15
    assert catalogue["Operon"]["settings"] == {
        "local_iterations": 5,
        "offspring_generator": "basic",
        "reinserter": "keep-best",
        "max_evaluations": 500000,
    }


def test_the_default_study_needs_no_network():
    study = study_of_config("config.yaml")
    assert set(study.datasets) <= set(embedded_datasets())
    assert study.datasets == list(embedded_datasets())  # all, so that none is chosen
    assert study.seeds >= estimate.seeds_needed(study.significance)
    first, *others = study.experiments["competitors"].methods
    assert first == "VJM distilled"
    assert {"LinearRegression", "ElasticNet", "KernelRidge", "SVR", "GaussianProcess"} <= {*others}


def test_the_papers_study_is_whole():
    config = load("paper.yaml")
    names = config["datasets"]
    assert names == list(paper_datasets())
    assert {pmlb_number(name) for name in names} == set(paper_medians().index)
    small = [name for name, about in paper_datasets().items() if about.rows and about.rows < 2000]
    assert config["experiments"]["label_noise"]["datasets"] == small
    assert len(small) == 36
    text = (ROOT / "src/vjmgp/data/paper/win_tie_loss.csv").read_text().splitlines()[1:]
    assert {line.split(",")[0] for line in text} <= set(config["experiments"])
    assert config["seeds"] == 30
    assert len(study_of_config("paper.yaml").experiments["competitors"].methods) == 17


def test_the_datasets_of_slow_learners_are_chosen_by_a_rule():
    study = study_of_config("slow.yaml")
    names = list(paper_datasets())
    assert names == sorted(names, key=pmlb_number)
    at_hand = {name for name, about in paper_datasets().items() if about.rows}
    every_fifth = [names[start:] for start in range(0, len(names), 5)]
    assert study.datasets == [next(n for n in rest if n in at_hand) for rest in every_fifth]
    assert len(study.datasets) == 12
    assert study.seeds == estimate.seeds_needed(study.significance)
    paper = study_of_config("paper.yaml")
    assert set(study.methods) <= set(paper.methods)


def test_the_conda_environment_is_in_step_with_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["plots"], *extras["workflow"]]
    wanted = [entry.replace("snakemake[reports]", "snakemake-minimal") for entry in wanted]
    wanted.remove("vjmgp[plots]")
    conda = yaml.safe_load((ROOT / "envs/vjmgp.yaml").read_text())["dependencies"]
    assert f"python{project['requires-python']}" in conda
    beyond = {"pip", "pygments>=2.0", f"python{project['requires-python']}"}
    assert sorted(wanted) == sorted(set(conda) - beyond)
