"""The workflow with the real Snakemake: caching, resuming, extending, and failures."""

import copy
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from tests.support.result_files import all_tables, file_of, flip, made, ran, timeless
from tests.support.workflow_runs import ROOT, STUDY, TABLES, TARGET, command, snakemake

from vjmgp.cli import main
from vjmgp.study.runs.collect import COLUMNS


def test_inspecting_the_workflow_changes_no_file(study):
    """The results folder has a damaged file and one of other settings."""
    folder, config, _ = study
    flip(file_of(folder, "LassoLars"))
    config["methods"]["VJM"]["gp"]["generations"] = 3

    def state():
        paths = [folder / "results", *sorted((folder / "results").rglob("*"))]
        return [
            (path, path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
            for path in paths
        ]

    before = state()
    for words in (
        *(["--dag"], ["--rulegraph"], ["--filegraph"], ["--summary"], ["--list-rules"]),
        *(["--list-changes", "code"], ["--report", "x.html"], ["-n"], ["-np"], ["--lint"]),
        ["--containerize"],
    ):
        call = command(folder, config, *words)
        subprocess.run(call, capture_output=True, check=False)
        assert state() == before, words


def test_folder_with_foreign_files_is_left_alone(tmp_path):
    thesis = tmp_path / "results/report/thesis.tex"
    thesis.parent.mkdir(parents=True)
    thesis.write_text("my life's work")
    said = snakemake(tmp_path, STUDY, ok=False)
    assert "results: 'results' holds 'report', which vjmgp did not make; name an empty" in said
    assert [path for path in (tmp_path / "results").rglob("*") if path.is_file()] == [thesis]


def test_more_seeds_run_only_new_blocks(study):
    folder, config, before = study
    snakemake(folder, config | {"seeds": 4}, TARGET)
    assert ran(before, folder) == {
        "splits/paper/192_vineyard/seeds_2-3",
        "noise/paper/192_vineyard/seeds_2-3",
        "runs/paper/192_vineyard/VJM/seeds_2-3",
        "runs/paper/192_vineyard/LassoLars/seeds_2-3",
    }
    assert len(pd.read_csv(folder / TABLES)) == 8
    # In blocks of another size: new files, but the old runs are in them, wall times and all.
    old = pd.read_csv(folder / TABLES).set_index(["method", "seed"])["seconds"]
    snakemake(folder, config | {"seeds": 5, "seeds_per_job": 5}, TARGET)
    new = pd.read_csv(folder / TABLES).set_index(["method", "seed"])["seconds"]
    assert len(new) == 10
    assert (new.loc[old.index] == old).all()


def test_new_release_with_the_same_engine_repeats_nothing(study):
    """Its kernels are others: they are compiled for new runs, and old ones stay."""
    folder, config, before = study
    shutil.rmtree(folder / "results/kernels")
    snakemake(folder, config | {"seeds": 4}, TARGET)
    assert (folder / "results/kernels").exists()
    assert {path.rpartition("/")[2] for path in ran(before, folder)} == {"seeds_2-3"}


def test_changed_settings_keep_the_old_runs(study, tmp_path, monkeypatch):
    folder, config, before = study
    tables = all_tables(folder)
    other = copy.deepcopy(config)
    other["methods"]["VJM"]["gp"]["generations"] = 3
    other["datasets"].append("228_elusage")
    other["experiments"]["one"]["methods"].append("Standard GP")
    path = folder / "other.yaml"
    path.write_text(yaml.safe_dump(other))
    said = snakemake(folder, path, TARGET)
    assert "/study.yaml. Runs that both need are shared" in said
    assert {name for name in ran(before, folder) if "192_vineyard" in name} == {
        "runs/paper/192_vineyard/VJM/seeds_0-1",
        "runs/paper/192_vineyard/Standard_GP/seeds_0-1",
    }
    assert set(pd.read_csv(folder / TABLES)["generations"].dropna()) == {2, 3}
    now = made(folder)
    snakemake(folder, config, TARGET)
    assert not ran(now, folder)
    assert all_tables(folder) == tables
    # Elsewhere, without Snakemake's notes and with any times, nothing is to be done.
    shutil.copytree(folder / "results", tmp_path / "results", copy_function=shutil.copyfile)
    for number, path in enumerate(sorted((tmp_path / "results").rglob("*"))):
        os.utime(path, (1e9 - number, 1e9 - number))
    assert "Nothing to be done" in snakemake(tmp_path, config, TARGET)
    # What no config asks for can be deleted.
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(config))
    monkeypatch.chdir(tmp_path)
    assert main(["study", "prune", "study.yaml"]) == 0
    assert set(made(tmp_path)) == set(before)
    assert "Nothing to be done" in snakemake(tmp_path, config, TARGET)


def test_single_table_as_target_is_up_to_date(study):
    """Of other settings, with other runs or with the same."""
    folder, config, _ = study
    table = "results/tables/one/tests_test_r2.csv"

    def made_with(**changes):
        snakemake(folder, config | changes, table)
        return timeless(folder / table)

    first = made_with()
    assert made_with(significance=0.9) != first
    methods = copy.deepcopy(config["methods"])
    methods["VJM"]["gp"]["generations"] = 20
    assert made_with(methods=methods) != first
    assert made_with() == first
    assert "Nothing to be done" in snakemake(folder, config, table)


def test_cores_blocks_and_workers_change_no_result(finished, tmp_path):
    config = STUDY | {"seeds_per_job": 1, "warm_workers": False}
    snakemake(tmp_path, config, TARGET, "--cores", "1")
    assert all_tables(tmp_path, "file") == all_tables(finished, "file")


LONGER = STUDY | {"seeds": 6, "seeds_per_job": 1, "datasets": ["192_vineyard", "228_elusage"]}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    snakemake(folder, LONGER, TARGET)
    return all_tables(folder)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_stopped_study_continues(tmp_path, monkeypatch, undisturbed, number):
    if number != signal.SIGKILL and signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)  # of nohup, which a child would inherit
    process = subprocess.Popen(
        command(tmp_path, LONGER, TARGET), stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while process.poll() is None and len(list(tmp_path.glob("results/runs/**/*.jsonl"))) < 5:
        time.sleep(0.02)
    os.kill(process.pid, number)
    _, said = process.communicate(timeout=20)
    assert process.returncode != 0
    kept = {name: when for name, when in made(tmp_path).items() if name.startswith("runs/")}
    assert 5 <= len(kept) < 24
    if number == signal.SIGKILL:
        said = snakemake(tmp_path, LONGER, TARGET, ok=False)
        assert "another run is under way, or one was killed. Nothing is lost." in said
        monkeypatch.chdir(tmp_path)
        assert main(["study", "resume", "study.yaml", "--cores", "2", "--", TARGET]) == 0
    else:
        assert "Stopped; jobs that were running are lost." in said
        assert "Traceback" not in said
        snakemake(tmp_path, LONGER, TARGET)
    # A block whose end Snakemake did not live to note may be written again: at most one per core.
    assert len({name for name, when in made(tmp_path).items() if kept.get(name, when) != when}) <= 2
    assert all_tables(tmp_path) == undisturbed


ESTIMATORS = '''
import os
from pathlib import Path
import numpy as np
from sklearn.linear_model import LinearRegression


class Fragile(LinearRegression):
    """Fails for seed 1, and predicts nothing for seed 2, while a file is there."""

    def __init__(self, random_state=None):
        super().__init__()
        self.random_state = random_state

    def fit(self, x, y):
        if self.random_state == 1 and Path("bad_luck").exists():
            raise ValueError("this seed brings bad luck")
        return super().fit(x, y)

    def predict(self, x):
        nothing = self.random_state == 2 and Path("bad_luck").exists()
        return super().predict(x) * (np.nan if nothing else 1.0)


class Crash(LinearRegression):
    """Is killed, as for lack of memory, but not in the trial before the run."""

    def fit(self, x, y):
        if len(y) == 20:
            return super().fit(x, y)
        os.kill(os.getpid(), 9)
'''


def with_estimators(config, *names):
    config = copy.deepcopy(config)
    for name in names:
        config["methods"][name] = {"estimator": f"estimators.{name}"}
        config["experiments"]["one"]["methods"].append(name)
    return config


def test_failed_runs_are_listed_left_out_and_retried(tmp_path, monkeypatch, capfd):
    (tmp_path / "estimators.py").write_text(ESTIMATORS)  # beside the config
    (tmp_path / "bad_luck").touch()
    config = with_estimators(STUDY, "Fragile") | {"seeds": 3, "seeds_per_job": 3}
    said = snakemake(tmp_path, config)
    assert "2 runs failed and are left out of the tables:" in said
    assert "Fragile on 192_vineyard, seed 1: ValueError: this seed brings bad luck" in said
    assert "Fragile on 192_vineyard, seed 2: ValueError:" in said
    report = tmp_path / "results/report.html"
    assert f"Report: {report}" in said
    table = pd.read_csv(tmp_path / TABLES)
    assert (table["status"] == "ok").sum() == 7
    good = table.query("method == 'Fragile' and status == 'ok'")
    medians = pd.read_csv(tmp_path / "results/tables/one/medians.csv").set_index("dataset")
    assert medians.loc["192_vineyard", "Fragile"] == pytest.approx(good["test_r2"].item())
    assert "<strong>2 runs failed</strong>" in report.read_text()
    assert "this seed brings bad luck" in (report.parent / "report/run.html").read_text()
    (log,) = tmp_path.glob("results/logs/run_baseline/paper/192_vineyard/Fragile-*/seeds_0-2.log")
    assert "FAILED: Fragile on 192_vineyard, seed 1" in log.read_text()
    (tmp_path / "bad_luck").unlink()
    monkeypatch.chdir(tmp_path)
    assert main(["study", "retry", "study.yaml", "--cores", "2"]) == 0
    assert "2 failed runs to try again." in capfd.readouterr().out
    again = pd.read_csv(tmp_path / TABLES).query("method == 'Fragile'")
    assert (again["status"] == "ok").all()
    assert again["seconds"].tolist()[0] == good["seconds"].item()


@pytest.mark.parametrize("warm", [True, False])
def test_killed_job_is_explained_and_other_jobs_continue(study, warm):
    folder, config, before = study
    (folder / "estimators.py").write_text(ESTIMATORS)
    config = with_estimators(config, "Crash") | {"warm_workers": warm}
    config["experiments"]["one"]["methods"].append("Standard GP")
    said = snakemake(folder, config, TARGET, ok=False)
    assert "FAILED: run_baseline: Crash on 192_vineyard, seeds 0-1" in said
    assert "The job was killed, probably out of memory. Run fewer at once" in said
    assert "The study is not complete. Everything that finished is kept" in said
    assert ran(before, folder) == {"runs/paper/192_vineyard/Standard_GP/seeds_0-1"}


def test_report_on_an_unfinished_study(study):
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
    assert "Not yet run" in (home / "report/dataset-228_elusage.html").read_text()
    flip(file_of(folder, "VJM"))
    snakemake(folder, config, "report_so_far")
    assert set(pd.read_csv(home / "tables/runs.csv")["method"]) == {"LassoLars"}
    assert "is damaged" in (folder / "results/logs/report_so_far.log").read_text()
    shutil.rmtree(folder / "results/runs")
    said = snakemake(folder, config, "report_so_far", ok=False)
    assert "This study has no finished run yet." in said


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("sedes: 3", "study.yaml: config: there is no key 'sedes'; did you mean 'seeds'?"),
        ("seeds: 4", "study.yaml: seeds: the key appears twice, in lines "),
    ],
)
def test_config_error_of_snakemake_is_one_line(tmp_path, more, message):
    path = tmp_path / "study.yaml"
    path.write_text(f"{yaml.safe_dump(STUDY)}{more}\n")
    said = snakemake(tmp_path, path, ok=False)
    assert f"{tmp_path}/{message}" in said
    assert "Traceback" not in said
    assert not (tmp_path / "results").exists()


def test_all_missing_datasets_are_named_offline(tmp_path):
    config = STUDY | {"datasets": ["192_vineyard", "197_cpu_act", "201_pol"]}
    said = snakemake(
        tmp_path, config, ok=False, VJMGP_PMLB_URL="http://127.0.0.1:9", NO_PROXY="127.0.0.1",
        VJMGP_PMLB_CACHE="",
    )  # fmt: skip
    assert "2 datasets are not at hand" in said
    assert "197_cpu_act, 201_pol. Either connect to the network, or put the files" in said
    assert "Or use those that come with vjmgp: datasets: [embedded]" in said
    assert not (tmp_path / "results").exists()


def test_own_data_are_studied_and_changes_are_noticed(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"length (m)": rng.normal(size=40), "site": rng.choice(["a", "ü"], 40)})
    table["yield"] = table["length (m)"] + 2 * (table["site"] == "a") + 0.1 * rng.normal(size=40)
    (tmp_path / "my data").mkdir()
    file = tmp_path / "my data/plant.parquet"
    table.to_parquet(file)
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
    # A changed table runs again, also if it is older, and nothing else does.
    before = made(tmp_path)
    table.assign(**{"yield": -table["yield"]}).to_parquet(file)
    os.utime(file, (1e9, 1e9))
    snakemake(tmp_path, config, TARGET)
    assert ran(before, tmp_path)
    assert all("plant" in name for name in ran(before, tmp_path))


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    folder = tmp_path_factory.mktemp("smoke")
    said = snakemake(folder, ROOT / "config/smoke.yaml", "--config", "results=results")
    return folder, said


def test_smoke_study_writes_a_report(smoke):
    folder, said = smoke
    assert f"Report: {folder}/results/report.html" in said
    assert "jobs done, 0 running, 0 to go" in said
    runs = pd.read_csv(folder / TABLES)
    assert list(runs.columns) == COLUMNS
    assert len(runs) == 4 * (2 * 3 + 1 * 2)
    seeds = runs.groupby(["protocol", "dataset", "method"])["seed"].apply(list)
    assert seeds.map(lambda seeds: seeds == [0, 1, 2, 3]).all()
    assert runs[runs["method"] == "VJM"]["trees"].notna().all()
    resolved = yaml.safe_load((folder / "results/config.yaml").read_text())
    assert resolved["significance"] == 0.01
    figures = {path.name for path in folder.glob("results/figures/comparison/*")}
    assert {"test_r2.svg", "test_r2.pdf", "curves.png", "overview.svg", "figures.json"} <= figures
    logs = list(folder.glob("results/logs/run_gp/**/*.log"))
    assert len(logs) == 2 * 2 * 2 + 2 * 2
    # Snakemake's own report has captions.
    call = ROOT / "config/smoke.yaml", "--report", "own.html", "--config", "results=results"
    snakemake(folder, *call)
    page = (folder / "own.html").read_text()
    assert "Wilcoxon signed-rank test at 0.01" in page
    assert "of experiment comparison by dataset and method" in page


def test_single_experiment_and_runs_in_batches(finished, tmp_path):
    config = copy.deepcopy(STUDY)
    config["experiments"]["two"] = {"methods": ["Standard GP"]}
    snakemake(tmp_path, config, "two")
    assert {Path(name).parts[3][:-9] for name in made(tmp_path) if name.startswith("runs/")} == {
        "Standard_GP"
    }
    assert (tmp_path / "results/figures/two/curves.svg").exists()
    for part, files in (("1/2", 2), ("2/2", 3)):
        snakemake(tmp_path, STUDY, "runs", "--batch", f"runs={part}")
        assert len(list(tmp_path.glob("results/runs/**/*.jsonl"))) == files
    snakemake(tmp_path, STUDY, TARGET)
    tables = all_tables(tmp_path)
    assert {name: tables[name] for name in all_tables(finished)} == all_tables(finished)
