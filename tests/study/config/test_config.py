"""The config of a study: defaults, errors, and the checks before a run."""

import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.configs import ROOT, mine, one, study_of

from vjmgp.cli import main
from vjmgp.study.config import estimate, preflight
from vjmgp.study.config.schema import ConfigError, check_text
from vjmgp.study.paths import RUNS, blocks, parse, seeds_of
from vjmgp.study.statistics.fewest_pairs import fewest_pairs


def svr(**definition):
    return mine(estimator="sklearn.svm.SVR", **definition)


def named(*names):
    """Return methods with these names, and an experiment with them."""
    return {"methods": {name: {"gp": {}} for name in names}} | one(*names)


def own_table(file):
    """Return the key of a config with a table whose target is y."""
    return {"own_data": {"mine": {"file": file, "target": "y"}}}


def test_defaults_are_filled_in():
    study = study_of()
    assert study.seeds == 10
    assert study.config["results"] == "results"
    assert study.experiments["one"].protocol == "paper"
    assert study.experiments["one"].datasets == ["547_no2"]
    assert study.methods["VJM"].definition == {"gp": {"regularizer": "jensen_gap"}}


def test_both_names_of_a_regularizer_give_the_same_identity():
    ids = {
        study_of(methods={"VJM": {"gp": {"regularizer": name}}}).ids.run("paper", "547_no2", "VJM")
        for name in ("VJM", "jensen_gap")
    }
    assert ids == {study_of().ids.run("paper", "547_no2", "VJM")}


@pytest.mark.parametrize("folder", ["out/a", "out/a/", "out//a", "./out/a"])
def test_results_folder_is_normalized(folder):
    assert study_of(results=folder).files.runs("one")[0].startswith("out/a/runs/")


def test_seconds_add_variants_with_a_time_limit():
    study = study_of(
        experiments={"one": {"methods": ["VJM", "PP"], "seconds": 0.5}, "two": {"methods": ["VJM"]}}
    )
    assert study.experiments["one"].methods == ["VJM 0.5 s", "PP 0.5 s"]
    assert study.experiments["two"].methods == ["VJM"]
    assert study.config["experiments"]["one"]["methods"] == ["VJM", "PP"]
    settings = study.methods["PP 0.5 s"].definition["gp"]
    assert settings["max_time"] == 0.5
    assert settings["generations"] >= 10**6
    assert study.methods["VJM"].definition == {"gp": {"regularizer": "jensen_gap"}}


def test_a_share_of_time_is_that_of_the_first_method():
    experiments = {"one": {"methods": ["VJM", "PP"], "seconds": "96 %"}}
    study = study_of(experiments=experiments)
    assert study.experiments["one"].methods == ["VJM 96 %", "PP 96 %"]
    limit = study.methods["PP 96 %"].definition["gp"]["max_time"]
    assert limit == {"share": 0.96, "of": {"regularizer": "jensen_gap"}}
    with pytest.raises(ConfigError, match="seconds"):
        study_of(experiments={"one": {"methods": ["VJM"], "seconds": "96 s"}})


OF_A_METHOD = [
    (mine(gp={"regularizer": "jensen"}), ".gp.regularizer is 'jensen'; did you mean 'jensen_gap'?"),
    (mine(gp={"generation": 3}), ".gp: there is no key 'generation'; did you mean 'generations'"),
    (mine(gp={"tau": "big"}), ".gp.tau is 'big'; it must be a number of 0 or more or 'adaptive'."),
    (mine(gp={"functions": ["add", "tan"]}), ".gp.functions.1 is 'tan'"),
    (mine(gp={"init_depth": [4, 2]}), ".gp.init_depth: it must be [low, high] ≤ max_depth."),
    (mine(), ": give either 'gp' or 'estimator'."),
    (mine(gp={}, grid={"a": [1]}), ": 'grid' and 'settings' belong to 'estimator'."),
    *(
        (svr(grid=grid), ".grid.C: '1e-4' is text to YAML, not a number; write it with a point")
        for grid in ({"C": ["1e-4"]}, [{"C": "1e-4"}])
    ),
    (svr(grid=3), ".grid is 3; it must be a mapping of keys to values or a list."),
    (svr(grid=[{"C": []}]), ".grid.0.C: [] should be non-empty."),
    (svr(grid={"C": 1}), ".grid.C is 1; it must be a list."),
    (
        mine(gp={"regularizer": ".x.Y"}),
        ".gp.regularizer is '.x.Y'; it must be the path of a class, like my_",
    ),
    (mine(gp={"regularizer": 1}), ".gp.regularizer is 1; it must be text."),
    (svr(settings={False: 1}), ".settings: the key False is not text to YAML"),
]
OF_AN_EXPERIMENT = [
    (one("VMJ"), ".methods: 'VMJ' is not a method; did you mean 'VJM'?"),
    (one("VJM", protocol="papr"), ".protocol: 'papr' is not a protocol; did you mean 'paper'?"),
    (one("VJM", datasets=["210_cloud"]), ".datasets: '210_cloud' is not a dataset of the study"),
    (one("VJM", "SVR", seconds=1), ".seconds: 'SVR' is not genetic programming"),
    ({"experiments": {"one": {}}}, ": the key 'methods' is missing."),
    (one("VJM", "SVR", "VJM"), ".methods: 'VJM' appears twice; name it once."),
]
"""Configs with an error, and the message after the key."""


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
            {"protocols": {"mine": {"label_noise": 1}}},
            "protocols.mine: give either 'train_rows' or 'train_share'.",
        ),
        (own_table("nowhere.csv"), "own_data.mine.file: there is no file 'nowhere.csv'."),
        ({"own_data": {"mine": {"file": "a.csv"}}}, "own_data.mine: the key 'target' is missing."),
        *(
            ({key: {2024: {}}}, f"{key}: the key 2024 is not text to YAML; write it in quotes.")
            for key in ("experiments", "protocols", "methods", "own_data")
        ),
        ({"experiments": {"run_gp": {"methods": ["VJM"]}}}, "experiments.run_gp: a rule"),
        ({"experiments": {"my exp": {"methods": ["VJM"]}}}, "'my exp' is not a name; use"),
        ({"curve_datasets": ["zz"]}, "curve_datasets: 'zz' is not a dataset of the study"),
        ({"results": "res/{x}"}, "results: 'res/{x}' may not have any of { };"),
        (
            own_table("a<b>.csv"),
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
        (named("M" * 300), "the name has more than 200 letters; shorten it."),
        (
            mine(estimator="nowhere.Thing") | one("Mine"),
            "methods.Mine.estimator: Python cannot find the module of nowhere.Thing. Put its file",
        ),
        (
            {"protocols": {"paper": {"train_rows": 5}}},
            "protocols.paper: this protocol exists already",
        ),
        (named(".."), "methods...: the name needs a letter a to z or a digit."),
        *(
            (named(name), f"methods.{name}: tables have a column of this name; choose another.")
            for name in ("dataset", "X in the paper")
        ),
        (named("V J", "V_J"), "methods.V_J: its files would be called 'V_J', like those of 'V J'"),
        *((changes, f"methods.Mine{message}") for changes, message in OF_A_METHOD),
        *((changes, f"experiments.one{message}") for changes, message in OF_AN_EXPERIMENT),
    ],
)
def test_config_error_is_one_line(changes, message, monkeypatch):
    monkeypatch.chdir(ROOT)
    with pytest.raises(ConfigError) as error:
        study_of(**changes)
    assert any(message in line for line in error.value.args)
    assert not any("\n" in line for line in error.value.args)


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
def test_check_text_rejects_ambiguous_or_huge_yaml(tmp_path, text, message):
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
def test_check_text_accepts_anchors_and_different_keys(here, text):
    (here / "my.yaml").write_text(text)
    check_text(here / "my.yaml")
    assert list(here.iterdir()) == [here / "my.yaml"]


def test_methods_without_packages_are_refused_or_skipped(monkeypatch):
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


def test_estimators_are_tried_before_the_study_runs():
    for method, message in (
        (mine(estimator="sklearn.svm.SVX"), ".estimator: sklearn.svm.SVX: "),
        (svr(grid={"c": [1]}), ".grid: 'c' is not an argument of this class"),
        (svr(grid=[{"C": 1}, {"c": 1}]), ".grid: 'c' is not an argument of this class"),
        (svr(grid={1: [1]}), ".grid: 1 is not an argument of this class"),
        (mine(estimator="sklearn.svm.SVC"), ".estimator: SVC is not a regressor"),
        (svr(settings={"C": -1}), ": a trial fit failed (The 'C' parameter of SVR must be"),
    ):
        study = study_of(**method, **one("VJM", "Mine"))
        with pytest.raises(ConfigError, match=re.escape(f"methods.Mine{message}")):
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
def test_error_in_a_users_module_names_file_and_line(tmp_path, monkeypatch, text, message):
    file = tmp_path / "wrong_module.py"
    file.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    path = "wrong_module.Mine"
    for key, definition in (
        ("estimator", {"estimator": path}),
        ("gp.regularizer", {"gp": {"regularizer": path}}),
    ):
        study = study_of(**mine(**definition), **one("Mine"))
        with pytest.raises(ConfigError) as error:
            preflight.check_before_a_run(study)
        assert str(error.value) == f"methods.Mine.{key}: {path}: {message.format(file=file)}"


def test_trial_fit_reports_an_error_without_a_message(tmp_path, monkeypatch):
    (tmp_path / "wordless.py").write_text(LEARNER)
    monkeypatch.syspath_prepend(tmp_path)
    study = study_of(**mine(estimator="wordless.Mine"), **one("Mine"))
    with pytest.raises(ConfigError, match=r"trial fit failed \(.*, line 4: NotImplementedError\)"):
        preflight.check_estimators(study)


def numbered(line):
    """A table of a and y with twelve lines."""
    return "a,y\n" + "".join(line.format(k=k) + "\n" for k in range(12))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "no column 'y'; the columns are 'a', 'b'"),
        ("a, y\n1,2\n", "no column 'y'; did you mean ' y'?"),
        ("a;y\n1;2\n3;4\n", "2 rows are too few; at least 10 are needed"),
        ("", "cannot be read: No columns to parse from file"),
        ("a,y,y\n1,2,3\n", "the column name 'y' appears more than once"),
        (numbered("1,2,{k}"), "its rows have more cells than its header, which has 2"),
        (numbered("{k},{k}") + "1,2,3\n", "cannot be read: Error tokenizing data"),
        ("a,y\n" + "1,2\n" * 12, "the target has the same value in all rows"),
        (numbered("1,{k}"), "every column beside the target has the same value"),
        (numbered("2026-01-{k},{k}"), "column 'a' is text with 12 different values in 12 rows"),
        (numbered("1e999,{k}") + "1,2\n", "column 'a' has infinite values"),
        (",a,y\n" + "".join(f"{k},{k},{k}\n" for k in range(12)), "column number 1 has no name"),
        ("a,y\n1,2\n3,4\n", "2 rows are too few; at least 10 are needed"),
        (
            numbered("{k},{k}") + "n/a!,3\n",
            "column 'a' has text among its numbers in 1 of 13 rows, first 'n/a!' in row 13",
        ),
        (numbered("{k},{k}") + ",3\n", "column 'a' has no value in 1 of 13 rows"),
        (numbered("{k},{k}") + "1,oh\n", "the target 'y' is not numeric"),
        ("y\n" + "1\n2\n" * 6, "there is no column beside the target"),
    ],
)
def test_own_data_is_checked_before_the_study_runs(tmp_path, text, message):
    path = tmp_path / "my data.csv"
    path.write_text(text)
    study = study_of(datasets=["mine"], **own_table(str(path)))
    with pytest.raises(ConfigError, match=re.escape(message)) as error:
        preflight.check_own_data(study)
    assert all(re.match("own_data.mine: .*my data.csv: ", line) for line in error.value.args)


def test_all_problems_of_a_config_are_listed_at_once(tmp_path, monkeypatch, capsys):
    """Also those of tables and classes; what refers to something invalid is not another problem."""
    monkeypatch.chdir(tmp_path)
    Path("good.csv").write_text(numbered("{k},{k}"))
    Path("bad.csv").write_text(numbered("{k},{k}").replace("a,y", ",y") + ",oh\n")
    Path("my.yaml").write_text("""
seedz: 3
significance: 2
results: out
datasets: [good, bad, gone, none, 547_no]
own_data:
  good: {file: good.csv, target: y}
  bad: {file: bad.csv, target: y}
  gone: {file: gone.csv, target: y}
  none: {file: good.csv}
protocols: {half: {label_noise: 1}}
methods:
  Own: {estimator: sklearn.svm.SVX}
  Both: {gp: {}, estimator: sklearn.svm.SVR}
  Wrong: {gp: {generation: 3, tau: -1}}
  SVR: {estimator: sklearn.svm.SVR, grid: {c: [1], d: [2]}}
experiments:
  one: {methods: [VJM, Own, Both, Wrong, SVR, VMJ], datasets: [good, bad, gone, god]}
  two: {methods: [VJM, Own, SVR], datasets: [good, bad, none]}
  three: {methods: [VJM], protocol: half}
""")
    assert main(["study", "check", "my.yaml"]) == 2
    first, *lines = capsys.readouterr().err.splitlines()
    assert first == f"vjmgp: my.yaml: {len(lines)} things are wrong:"
    starts = (
        "config: there is no key 'seedz'; did you mean 'seeds'",
        "methods.Wrong.gp: there is no key 'generation'",
        "methods.Wrong.gp.tau is -1; it must be",
        "own_data.none: the key 'target' is missing",
        "significance: 2 is greater than or equal to the maximum of 1",
        "methods.Both: give either 'gp' or 'estimator'",
        "datasets: '547_no' is not a PMLB regression dataset; did you mean '547_no2'",
        "own_data.gone.file: there is no file 'gone.csv'",
        "protocols.half: give either 'train_rows'",
        "experiments.one.methods: 'VMJ' is not a method; did you mean 'VJM'",
        "experiments.one.datasets: 'god' is not a dataset of the study; did you mean 'good'",
        "own_data.bad: bad.csv: the target 'y' is not numeric",
        "methods.Own.estimator: sklearn.svm.SVX: ",
        "methods.SVR.grid: 'c' is not an argument of this class",
        "methods.SVR.grid: 'd' is not an argument of this class",
    )
    assert [next(filter(line[2:].startswith, starts), line) for line in lines] == list(starts)


@given(st.integers(1, 200), st.integers(1, 60), st.integers(0, 100))
def test_blocks_partition_seeds_and_more_seeds_keep_full_blocks(seeds, size, more):
    these = blocks(range(seeds), size)
    assert [seed for block in these for seed in seeds_of(block)] == list(range(seeds))
    full = [block for block in these if len(seeds_of(block)) == size]
    assert blocks(range(seeds + more), size)[: len(full)] == full


def test_results_folder_must_not_be_behind_a_link(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "here/link").symlink_to(tmp_path / "elsewhere")
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(ConfigError, match=r"results: 'link/a' leads through a link to .*elsewhere"):
        study_of(results="link/a")


def test_estimate_of_seeds_and_time():
    assert [fewest_pairs(level) for level in (0.05, 0.01)] == [6, 8]
    study = study_of(**mine(estimator="sklearn.linear_model.Ridge"), **one("VJM", "FFX", "Mine"))
    seconds, unknown = estimate.seconds_of(study)
    assert seconds == pytest.approx(10 * (0.4 + 35.0) + 4 * estimate.JOB_SECONDS)
    assert unknown == ["Mine"]
    jobs = estimate.seconds_of_jobs(study)
    assert sorted(path for paths in jobs.values() for path in paths) == sorted(study.files.runs())
    unknown_seconds = 10 * estimate.UNKNOWN_SECONDS
    expected = seconds + unknown_seconds
    assert sum(s for paths in jobs.values() for s in paths.values()) == pytest.approx(expected)


def test_paths_are_parsed_as_they_are_written():
    (path,) = study_of().files.runs()
    names = parse(RUNS, path)
    assert (names["method"], names["dataset"], names["block"]) == ("VJM", "547_no2", "0-9")
    assert path == f"results/{RUNS.format(**names)}"
    assert parse(RUNS, f"{path}.journal") is None
