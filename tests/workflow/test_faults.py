"""Faults of long studies, with the real workflow."""

import errno
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
import yaml
from tests.support.command import VJMGP
from tests.support.result_files import all_tables, file_of, flip, made, ran
from tests.support.workflow_runs import ROOT, STUDY, TABLES, TARGET, command, snakemake, study_in

from vjmgp.cli import main
from vjmgp.core.files import read_records
from vjmgp.operations import lock, repair


@pytest.fixture
def mount(tmp_path):
    """Return a function that mounts a small disk at a folder."""
    mounted = []

    def make(folder, options):
        folder.mkdir(parents=True, exist_ok=True)
        call = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        result = subprocess.run(call, capture_output=True, text=True, check=False)
        if result.returncode:
            pytest.skip(f"needs the right to mount a file system: {result.stderr.strip()}")
        mounted.append(folder)

    yield make
    for folder in mounted:
        subprocess.run(["umount", str(folder)], check=True)


def test_step_stops_at_a_damaged_file_and_repair_removes_it(study, monkeypatch, capfd):
    folder, config, _ = study
    monkeypatch.chdir(folder)
    splits, lasso = file_of(folder, "splits"), file_of(folder, "LassoLars")
    (data,) = folder.glob("results/datasets/192_vineyard/*/data.parquet")
    first = read_records(file_of(folder, "VJM"))[0]
    tables = all_tables(folder)
    contents = {path: path.read_bytes() for path in (splits, data)}
    flip(file_of(folder, "VJM"))  # in the second of two runs
    lasso.write_bytes(lasso.read_bytes()[:-300])
    for path in contents:
        flip(path, 0.5)
    table = folder / "results/tables/one/runs.csv"
    table.write_text(table.read_text().replace("0.", "0.9", 3))
    damaged = {*contents, file_of(folder, "VJM"), lasso, table}
    config["experiments"]["one"]["methods"].append("Standard GP")
    said = snakemake(folder, config, TARGET, ok=False)
    assert "data.parquet is damaged. To repair it: vjmgp study repair CONFIG" in said
    assert splits.read_bytes() != contents[splits]  # plain Snakemake repairs nothing
    (folder / "study.yaml").write_text(yaml.safe_dump(STUDY))
    assert main(["study", "status", "study.yaml"]) == 3
    assert f"DAMAGED: {splits.relative_to(folder)}" in capfd.readouterr().out
    assert main(["study", "repair", "study.yaml"]) == 0
    said = capfd.readouterr()
    assert set(said.err.splitlines()) == {
        f"DAMAGED: {path.relative_to(folder)}; it will be made again." for path in damaged
    }
    assert "Removed 5 damaged files. Next: vjmgp study run study.yaml" in said.out
    assert main(["study", "run", "study.yaml", "--cores", "2", "--", TARGET, "one"]) == 0
    ours = all_tables(folder)
    assert {name: ours[name] for name in tables} == tables
    assert {path: path.read_bytes() for path in contents} == contents
    assert read_records(file_of(folder, "VJM"))[0] == first  # wall time and all: it was whole
    assert main(["study", "repair", "study.yaml"]) == 0
    assert "No file is damaged." in capfd.readouterr().out


def test_misplaced_and_unreadable_files_are_damaged(study):
    """Splits, noise estimates and runs of another dataset, with right checksums."""
    folder, _, _ = study
    results = folder / "results"
    moved = []
    for kind in ("splits", "noise", "VJM"):
        path = file_of(folder, kind)
        other = Path(str(path).replace("192_vineyard", "228_elusage"))
        other.parent.mkdir(parents=True)
        shutil.copy(path, other)
        moved.append(other)
    nowhere = file_of(folder, "LassoLars").with_name("seeds_7-8.jsonl")
    nowhere.symlink_to("nowhere")
    note = results / "datasets/192_vineyard/source.json"
    flip(note)
    found = set(repair.damaged_files(results))
    assert found == {*moved, nowhere, note, note.with_name("source.tsv.gz")}


def test_files_with_future_times_are_accepted(study, monkeypatch):
    """The clock was a day ahead when the study ran, and is right again."""
    folder, config, _ = study
    monkeypatch.chdir(folder)
    tomorrow = time.time() + 86400
    for path in (folder / "results").rglob("*"):
        os.utime(path, (tomorrow, tomorrow))
    old = pd.read_csv(folder / TABLES)
    config["experiments"]["one"]["methods"].append("Standard GP")
    (folder / "study.yaml").write_text(yaml.safe_dump(config))
    assert main(["study", "run", "study.yaml", "--cores", "2", "--", TARGET]) == 0
    new = pd.read_csv(folder / TABLES)
    assert len(new) == 6
    pd.testing.assert_frame_equal(new[new["method"] != "Standard GP"].reset_index(drop=True), old)


def test_full_disk_is_reported_and_finished_runs_are_kept(tmp_path, mount, finished):
    mount(tmp_path / "results", "size=60k")
    said = snakemake(tmp_path, STUDY, TARGET, ok=False)
    assert "No space is left on the disk, or in your quota. Make room, and run again." in said
    assert "Everything that finished is kept" in said
    before = made(tmp_path)
    assert before
    subprocess.run(["mount", "-o", "remount,size=10m", tmp_path / "results"], check=True)
    snakemake(tmp_path, STUDY, TARGET)
    assert not list(repair.damaged_files(tmp_path / "results"))  # no half file was left
    assert not {name for name, when in made(tmp_path).items() if before.get(name, when) != when}
    assert all_tables(tmp_path) == all_tables(finished)


def test_read_only_folder_is_reported_before_the_study_runs(tmp_path, mount):
    mount(tmp_path / "results", "ro")
    said = snakemake(tmp_path, STUDY, ok=False)
    assert f"results: {tmp_path}/results cannot be written to (Read-only file system)" in said
    assert "--config results=FOLDER" in said
    assert "Traceback" not in said
    assert not list((tmp_path / "results").iterdir())


def test_unusual_environment_changes_no_result(tmp_path, finished):
    """Locale, time zone, umask, few open files, a long TMPDIR, a reader that has seen enough."""
    long = tmp_path / ("t" * 100)
    long.mkdir()
    variables = {
        "LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0",
        "TZ": "Pacific/Kiritimati", "TMPDIR": str(long),
    }  # fmt: skip
    call = command(tmp_path, STUDY | {"title": "Größe ‹λ›"})
    with subprocess.Popen(
        call,
        env=os.environ | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        umask=0o077,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)),
    ) as process:
        process.stdout.readline()
        process.stdout.close()  # as `| head -1` does
        assert process.wait() == 0
    tables, wanted = all_tables(tmp_path), all_tables(finished)
    assert {name: tables[name] for name in wanted} == wanted
    assert "Größe ‹λ›" in (tmp_path / "results/report.html").read_text(encoding="utf-8")
    assert list(long.iterdir()) == []


def test_study_runs_with_a_read_only_home(tmp_path, mount):
    mount(tmp_path / "home", "ro")
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(STUDY))
    cache = {"HOME": str(tmp_path / "home"), "VJMGP_CACHE_DIR": str(tmp_path / "kernels")}
    (tmp_path / "kernels").mkdir()
    variables = {name: value for name, value in os.environ.items() if name != "XDG_CACHE_HOME"}
    result = subprocess.run(
        [*VJMGP, "study", "run", "study.yaml", "--", "-n", "--quiet", "rules"],
        cwd=tmp_path, env=variables | cache, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr


def test_second_run_in_a_results_folder_is_refused(tmp_path):
    """Started in different directories, which Snakemake's own lock does not see."""
    results = tmp_path / "shared"
    held = lock.claim(results, "other.yaml")
    assert lock.is_running(results)
    said = snakemake(tmp_path, STUDY | {"results": str(results)}, ok=False)
    assert f"results: {results} is in use by process {os.getpid()} on " in said
    assert sorted(path.name for path in results.iterdir()) == [".running.json", ".running.lock"]
    held.release()
    assert not lock.is_running(results)


def test_note_on_another_study_is_for_another_config_only(tmp_path):
    """Snakemake copies the default config to a folder with another name in each run."""
    (tmp_path / "other.yaml").write_text(yaml.safe_dump(STUDY))
    target = "results/datasets/192_vineyard/source.tsv.gz"
    call = [sys.executable, "-m", "snakemake", "--snakefile", ROOT / "Snakefile", "--forceall"]
    call += ["--directory", tmp_path, "--cores", "1", "--config", "warm_workers=False"]
    default = os.path.relpath(ROOT / "config/config.yaml", tmp_path)
    for config, note in ((None, False), (None, False), (default, False), ("other.yaml", True)):
        more = ["--configfile", config] if config else []
        run = [*call, *more, "--", target]
        result = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=True)
        said = result.stdout + result.stderr
        assert ("holds the study of" in said) == note, said
    assert "config/config.yaml. Runs that both need are shared" in said


def test_study_runs_on_a_file_system_without_locks(tmp_path, monkeypatch):
    def refuse(descriptor, operation):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    assert lock.claim(tmp_path / "results", "study.yaml") is None
    assert lock.about_last_run(tmp_path / "results")["config"] == "study.yaml"
    assert lock.is_running(tmp_path / "results") is None


def test_deleted_file_is_made_again_without_repeating_runs(study):
    folder, config, _ = study
    old = pd.read_csv(folder / TABLES)["seconds"].tolist()
    file_of(folder, "splits").unlink()
    shutil.rmtree(folder / "results/tables")
    for path in study_in(folder, config).files.report().facts.values():
        Path(path).unlink()
    before = made(folder)
    snakemake(folder, config, TARGET, "one")
    assert "splits/paper/192_vineyard/seeds_0-1" in ran(before, folder)
    assert pd.read_csv(folder / TABLES)["seconds"].tolist() == old
