"""The workflow by the real Snakemake: cached, resumed, extended, and robust."""

import copy
import os
import shutil
import signal
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from workflow_runs import ROOT, STUDY, TABLES, all_tables, command, made, ran, snakemake

from vjmgp.study.collect import COLUMNS
from vjmgp.study.seals import read_records, write_records

# -- incremental ---------------------------------------------------------------------------------


def test_a_second_run_does_nothing(study):
    folder, config, before = study
    snakemake(folder, config, TABLES)  # tables are made again where a study has moved
    assert "Nothing to be done" in snakemake(folder, config, TABLES)
    assert not ran(before, folder)


def test_more_seeds_run_only_new_blocks(study):
    folder, config, before = study
    snakemake(folder, config | {"seeds": 4}, TABLES)
    new = ran(before, folder)
    assert new == {
        "splits/paper/192_vineyard/seeds_2-3.json",
        "noise/paper/192_vineyard/seeds_2-3.json",
        "runs/paper/192_vineyard/VJM/seeds_2-3.jsonl",
        "runs/paper/192_vineyard/LassoLars/seeds_2-3.jsonl",
    }
    assert len(pd.read_csv(folder / TABLES)) == 8


def test_part_of_a_block_is_not_run_twice(study):
    """From two seeds to three in blocks of three: a new file, but the old runs are in it."""
    folder, config, _ = study
    old = pd.read_csv(folder / TABLES).set_index(["method", "seed"])["seconds"]
    snakemake(folder, config | {"seeds": 3, "seeds_per_job": 3}, TABLES)
    new = pd.read_csv(folder / TABLES).set_index(["method", "seed"])["seconds"]
    assert len(new) == 6
    assert (new.loc[old.index] == old).all()  # not even the wall times differ


def test_a_new_dataset_runs_only_itself(study):
    folder, config, before = study
    config["datasets"].append("228_elusage")
    snakemake(folder, config, TABLES)
    assert {name.split("/")[-2] for name in ran(before, folder) if "runs" in name} == {
        "VJM",
        "LassoLars",
    }
    assert all("228_elusage" in name for name in ran(before, folder))


def test_a_new_method_runs_only_itself(study):
    folder, config, before = study
    config["experiments"]["one"]["methods"].append("Standard GP")
    snakemake(folder, config, TABLES)
    assert ran(before, folder) == {"runs/paper/192_vineyard/Standard_GP/seeds_0-1.jsonl"}


def test_changed_parameters_rerun_their_method_alone(study):
    folder, config, before = study
    config["methods"]["VJM"]["gp"]["generations"] = 3
    snakemake(folder, config, TABLES)
    assert ran(before, folder) == {"runs/paper/192_vineyard/VJM/seeds_0-1.jsonl"}


def test_another_significance_reruns_no_run(study):
    folder, config, before = study
    snakemake(folder, config | {"significance": 0.05, "title": "x"}, "one")
    assert not ran(before, folder)


def test_a_changed_engine_reruns_genetic_programming_alone(study, tmp_path):
    """As if another version of the engine were installed."""
    folder, config, _ = study
    (tmp_path / "sitecustomize.py").write_text(
        "import vjmgp.engine.identity as identity\nidentity.ENGINE_VERSION = 'other'\n"
    )
    said = snakemake(folder, config, TABLES, "-n", PYTHONPATH=str(tmp_path))
    jobs = dict(line.split() for line in said.splitlines() if len(line.split()) == 2)
    assert jobs["run_gp"] == "1"
    assert jobs["estimate_noise"] == "1"
    for rule in ("run_baseline", "split_rows", "prepare_dataset", "fetch_dataset"):
        assert rule not in jobs


def test_a_table_never_mixes_engines(study):
    folder, config, _ = study
    path = folder / "results/runs/paper/192_vineyard/VJM/seeds_0-1.jsonl"
    write_records(path, [record | {"engine": "old"} for record in read_records(path)])
    said = snakemake(folder, config, TABLES, ok=False)
    assert "FAILED: collect_runs: collect runs of one" in said
    assert "seeds_0-1.jsonl was made by engine old" in said


def test_cores_blocks_and_workers_change_no_result(finished, tmp_path):
    config = STUDY | {"seeds_per_job": 1, "warm_workers": False}
    snakemake(tmp_path, config, TABLES, "--cores", "1")
    assert all_tables(tmp_path, "file") == all_tables(finished, "file")


# -- killed, interrupted, failed -----------------------------------------------------------------

LONGER = STUDY | {"seeds": 6, "seeds_per_job": 1, "datasets": ["192_vineyard", "228_elusage"]}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    snakemake(folder, LONGER, TABLES)
    return all_tables(folder)


def start_and_wait(folder, blocks):
    """Start a run with Snakemake's own output, and wait until so many blocks are done."""
    process = subprocess.Popen(
        command(folder, LONGER, TABLES, "--workflow-profile", "none", "--keep-going"),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    for line in process.stderr:
        if line.startswith("Finished jobid") and "Rule: run_" in line:
            blocks -= 1
            if not blocks:
                return process
    raise AssertionError("the study ended before it was killed")


def workers_of(process):
    """Warm workers that a Snakemake process left behind."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().decode().split("\0")
        except OSError:
            continue
        if "vjmgp.study.warm" in words and str(process.pid) in words:
            found.append(path)
    return found


def test_killed_in_the_middle_and_run_again(tmp_path, undisturbed):
    process = start_and_wait(tmp_path, blocks=5)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    kept = {name: when for name, when in made(tmp_path).items() if name.startswith("runs/")}
    assert 5 <= len(kept) < 24
    said = snakemake(tmp_path, LONGER, TABLES, ok=False)
    assert "one was killed and left its lock. Nothing is lost. Either add --unlock" in said
    snakemake(tmp_path, LONGER, "--unlock")
    snakemake(tmp_path, LONGER, TABLES)
    again = ran(kept, tmp_path)
    # A block whose end Snakemake did not live to note may run again: at most one per core.
    assert len(again & set(kept)) <= 2
    assert all_tables(tmp_path) == undisturbed


def test_ctrl_c_loses_at_most_the_running_blocks(tmp_path, undisturbed):
    process = start_and_wait(tmp_path, blocks=4)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate()
    assert process.returncode != 0
    assert not workers_of(process)
    kept = {name: when for name, when in made(tmp_path).items() if name.startswith("runs/")}
    assert len(kept) >= 4
    snakemake(tmp_path, LONGER, TABLES)  # no --unlock: Snakemake has cleaned up
    # A block that had just ended, which Snakemake did not note any more, counts as running.
    assert len(ran(kept, tmp_path) & set(kept)) <= 2
    assert all_tables(tmp_path) == undisturbed


ESTIMATORS = '''
import os
from sklearn.linear_model import LinearRegression


class Fragile(LinearRegression):
    """Fails for seed 1."""

    def __init__(self, random_state=None):
        super().__init__()
        self.random_state = random_state

    def fit(self, x, y):
        if self.random_state == 1:
            raise ValueError("this seed brings bad luck")
        return super().fit(x, y)


class Crash(LinearRegression):
    """Takes its process down, but not in the trial before the run."""

    def fit(self, x, y):
        if len(y) == 20:
            return super().fit(x, y)
        os._exit(3)
'''


def with_estimator(config, name):
    config = copy.deepcopy(config)
    config["methods"][name] = {"estimator": f"estimators.{name}"}
    config["experiments"]["one"]["methods"].append(name)
    return config


def test_one_failed_run_is_listed_and_stops_no_other(tmp_path):
    (tmp_path / "estimators.py").write_text(ESTIMATORS)
    config = with_estimator(STUDY, "Fragile")
    said = snakemake(tmp_path, config, PYTHONPATH=str(tmp_path))
    assert "1 runs failed and are left out of the tables:" in said
    assert "Fragile on 192_vineyard, seed 1: ValueError: this seed brings bad luck" in said
    report = tmp_path / "results/report.html"
    assert said.strip().splitlines()[-1] == f"Report: {report}" or f"Report: {report}" in said
    table = pd.read_csv(tmp_path / TABLES)
    assert (table["status"] == "ok").sum() == 5
    failures = pd.read_csv(tmp_path / "results/tables/failures.csv")
    assert failures["file"].tolist() == ["runs/paper/192_vineyard/Fragile/seeds_0-1.jsonl"]
    assert "<strong>1 runs failed</strong>" in report.read_text()
    assert "this seed brings bad luck" in (report.parent / "report/run.html").read_text()
    log = tmp_path / "results/logs/run_baseline/paper/192_vineyard/Fragile/seeds_0-1.log"
    assert "FAILED: Fragile on 192_vineyard, seed 1" in log.read_text()


def test_a_crashed_job_stops_no_other_and_runs_again(study):
    folder, config, before = study
    (folder / "estimators.py").write_text(ESTIMATORS)
    config = with_estimator(config, "Crash")
    config["experiments"]["one"]["methods"].append("Standard GP")
    said = snakemake(folder, config, TABLES, ok=False, PYTHONPATH=str(folder))
    assert "FAILED: run_baseline: Crash on 192_vineyard, seeds 0-1" in said
    assert "The study is not complete. Everything that was finished is kept" in said
    assert ran(before, folder) == {"runs/paper/192_vineyard/Standard_GP/seeds_0-1.jsonl"}
    before = made(folder)
    (folder / "estimators.py").write_text(
        ESTIMATORS.replace("os._exit(3)", "return super().fit(x, y)")
    )
    snakemake(folder, config, TABLES, PYTHONPATH=str(folder))
    assert ran(before, folder) == {"runs/paper/192_vineyard/Crash/seeds_0-1.jsonl"}


# -- a report of what is there ---------------------------------------------------------------------


def test_a_study_in_the_middle_gives_an_honest_report(study):
    folder, config, before = study
    config["seeds"] = 4
    config["datasets"].append("228_elusage")
    config["experiments"]["one"]["methods"].append("Standard GP")
    config["experiments"]["two"] = {"methods": ["Standard GP"], "title": "To come"}
    said = snakemake(folder, config, "report_so_far", VJMGP_PMLB_CACHE="")
    home = folder / "results/so_far"
    assert f"Report so far: {home}/report.html" in said
    assert made(folder) == before  # nothing was run, nothing was changed
    assert len(pd.read_csv(home / "tables/runs.csv")) == 4
    page = (home / "report.html").read_text()
    # 3 methods × 2 datasets × 4 seeds, of which 2 × 2 are there
    assert "<strong>The study is not complete.</strong> 20 of\n24 runs are still to come" in page
    assert "4 runs: 2 methods, 1 dataset, 4 seeds" in page
    assert '<h3>To come</h3><p class="soft">Not yet run.</p>' in page
    assert "Not yet run: Standard GP" in (home / "report/experiment-one.html").read_text()
    how = (home / "report/run.html").read_text()
    assert (
        '<tr><td>VJM</td><td class="text">192_vineyard</td><td class="text">paper</td><td>2</td>'
        in how
    )
    assert "Not yet run" in (home / "report/dataset-228_elusage.html").read_text()
    # The study goes on as if nothing had been.
    snakemake(folder, config, TABLES)
    assert len(pd.read_csv(folder / TABLES)) == 24
    assert set(before) & ran(before, folder) == set()


def test_a_report_so_far_needs_a_run_and_leaves_other_engines_out(study):
    folder, config, _ = study
    path = folder / "results/runs/paper/192_vineyard/VJM/seeds_0-1.jsonl"
    write_records(path, [record | {"engine": "old"} for record in read_records(path)])
    snakemake(folder, config, "report_so_far")
    assert set(pd.read_csv(folder / "results/so_far/tables/runs.csv")["method"]) == {"LassoLars"}
    log = (folder / "results/logs/report_so_far.log").read_text()
    assert "left out, of another engine" in log
    shutil.rmtree(folder / "results/runs")
    said = snakemake(folder, config, "report_so_far", ok=False)
    assert "There is no finished run in results/runs yet." in said


# -- configs -------------------------------------------------------------------------------------


def test_a_typo_is_told_before_anything_runs(tmp_path):
    said = snakemake(tmp_path, STUDY | {"sedes": 3}, ok=False)
    assert f"{tmp_path}/study.yaml: config: there is no key 'sedes'; did you mean 'seeds'?" in said
    assert "Traceback" not in said
    assert not (tmp_path / "results").exists()


def test_a_key_that_is_there_twice_is_told_before_anything_runs(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text(yaml.safe_dump(STUDY) + "seeds: 4\n")
    said = snakemake(tmp_path, path, ok=False)
    lines = path.read_text().splitlines()
    first = lines.index("seeds: 2") + 1
    assert f"{path}: seeds: the key is there twice, in lines {first} and {len(lines)}" in said
    assert "Traceback" not in said
    assert not (tmp_path / "results").exists()


def test_missing_packages_are_told_before_anything_runs(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nfor name in ('lightgbm', 'torch'):\n    sys.modules[name] = None\n"
    )
    call = tmp_path, ROOT / "config/paper.yaml", "-n"
    said = snakemake(*call, ok=False, PYTHONPATH=str(tmp_path))
    assert "packages are missing for LGBM, ExcelFormer. Install them: pip install" in said
    assert '"vjmgp[competitors,excelformer]"' in said
    assert "Traceback" not in said


def test_offline_all_missing_datasets_are_told_at_once(tmp_path):
    config = STUDY | {"datasets": ["192_vineyard", "197_cpu_act", "201_pol"]}
    said = snakemake(
        tmp_path, config, ok=False, VJMGP_PMLB_URL="http://127.0.0.1:9", NO_PROXY="127.0.0.1",
        VJMGP_PMLB_CACHE="",
    )  # fmt: skip
    assert "2 datasets are not at hand" in said
    assert "197_cpu_act, 201_pol. Either connect to the network, or put the files" in said
    assert not (tmp_path / "results").exists()


def test_own_data_get_the_same_study(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"length (m)": rng.normal(size=40), "site": rng.choice(["a", "ü"], 40)})
    table["yield"] = table["length (m)"] + 2 * (table["site"] == "a") + 0.1 * rng.normal(size=40)
    (tmp_path / "my data").mkdir()
    table.to_parquet(tmp_path / "my data/plant.parquet")
    config = STUDY | {
        "datasets": ["plant", "192_vineyard"],
        "own_data": {"plant": {"file": "my data/plant.parquet", "target": "yield"}},
    }
    snakemake(tmp_path, config)
    runs = pd.read_csv(tmp_path / TABLES)
    assert set(runs["dataset"]) == {"plant", "192_vineyard"}
    assert (runs["status"] == "ok").all()
    page = (tmp_path / "results/report/dataset-plant.html").read_text()
    assert "length (m), site; encoded by target means: site" in page
    # A changed table runs again, and nothing else does.
    before = made(tmp_path)
    table.assign(**{"yield": -table["yield"]}).to_parquet(tmp_path / "my data/plant.parquet")
    snakemake(tmp_path, config, TABLES)
    assert ran(before, tmp_path)
    assert all("plant" in name for name in ran(before, tmp_path))


# -- the whole smoke study -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    folder = tmp_path_factory.mktemp("smoke")
    said = snakemake(folder, ROOT / "config/smoke.yaml", "--config", "results=results")
    return folder, said


def test_the_smoke_study_ends_in_a_report(smoke):
    folder, said = smoke
    assert f"Report: {folder}/results/report.html" in said
    assert "jobs done, 0 running, 0 to go" in said
    runs = pd.read_csv(folder / TABLES)
    assert list(runs.columns) == COLUMNS
    config = yaml.safe_load((ROOT / "config/smoke.yaml").read_text())
    assert len(runs) == 4 * (2 * 3 + 1 * 2)
    assert (
        runs.groupby(["protocol", "dataset", "method"])["seed"]
        .apply(list)
        .map(lambda seeds: seeds == list(range(config["seeds"])))
        .all()
    )
    assert runs[runs["method"] == "VJM"]["formula"].notna().all()
    resolved = yaml.safe_load((folder / "results/config.yaml").read_text())
    assert resolved["significance"] == 0.01
    figures = {path.name for path in folder.glob("results/figures/comparison/*")}
    assert {"test_r2.svg", "test_r2.pdf", "curves.png", "counts.svg", "figures.json"} <= figures
    logs = list(folder.glob("results/logs/run_gp/**/*.log"))
    assert len(logs) == 2 * 2 * 2 + 2 * 2
    assert "VJM on 192_vineyard, seed 0: test R²" in next(
        log.read_text() for log in logs if "VJM/seeds_0-1" in str(log) and "192" in str(log)
    )


def test_one_experiment_alone(tmp_path):
    config = copy.deepcopy(STUDY)
    config["experiments"]["two"] = {"methods": ["Standard GP"]}
    snakemake(tmp_path, config, "two")
    assert {name for name in made(tmp_path) if name.startswith("runs/")} == {
        "runs/paper/192_vineyard/Standard_GP/seeds_0-1.jsonl"
    }
    assert (tmp_path / "results/figures/two/curves.svg").exists()


def test_runs_in_parts_give_the_same_tables(finished, tmp_path):
    for part, files in (("1/2", 1), ("2/2", 2)):
        snakemake(tmp_path, STUDY, "runs", "--batch", f"runs={part}")
        assert len(list(tmp_path.glob("results/runs/**/*.jsonl"))) == files
    snakemake(tmp_path, STUDY, TABLES)
    assert all_tables(tmp_path) == all_tables(finished)


def test_snakemakes_own_report_has_captions(smoke):
    folder, _ = smoke
    snakemake(
        folder, ROOT / "config/smoke.yaml", "--report", "own.html", "--config", "results=results"
    )
    page = (folder / "own.html").read_text()
    for words in (
        "Wilcoxon signed-rank test at 0.01",
        "of experiment comparison by dataset and method",
    ):
        assert words in page


def test_a_whole_run_through_the_workflow_folder(tmp_path):
    """Catalogues of workflows start from workflow/Snakefile."""
    call = command(tmp_path, STUDY, "-n")
    call[call.index("--snakefile") + 1] = str(ROOT / "workflow/Snakefile")
    result = subprocess.run(call, capture_output=True, text=True, check=True)
    assert "write_report" in result.stdout
