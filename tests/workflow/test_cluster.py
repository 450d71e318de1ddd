"""The profile for other queues, with a queue of three lines; jobs left in a stand-in for SLURM."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest
from filelock import FileLock
from tests.support import slurm_cluster
from tests.support.result_files import file_of
from tests.support.workflow_runs import ROOT, STUDY, command, snakemake, study_in

from vjmgp.operations import lock, slurm
from vjmgp.operations.progress import JobProgress
from vjmgp.study.paths import RUNNING

QSUB = """#!/bin/sh
echo "$@" >> submitted.txt
while [ $# -gt 1 ]; do
    # Grid Engine, too, does not start a job whose output has no folder.
    if [ "$1" = -o ] && [ ! -d "$2" ]; then exit 1; fi
    shift
done
sh "$1" > /dev/null 2>&1 &
echo $!
"""


def lasso(folder):
    """Return the file with the runs of LassoLars, relative to the folder."""
    path = study_in(folder, STUDY).files.runs("one")[-1]
    return path.removeprefix(f"{folder}/")


@pytest.fixture
def put_command(tmp_path, monkeypatch):
    """Return a function that puts a command before those of the machine."""
    folder = tmp_path / "commands"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def put(name, script):
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)

    return put


def test_study_runs_on_a_queue_with_a_submit_command(finished, tmp_path, put_command):
    put_command("qsub", QSUB)
    snakemake(
        tmp_path, STUDY, lasso(tmp_path), "--profile", str(ROOT / "profiles/cluster"),
        "--set-resources", "run_baseline:runtime=90",
    )  # fmt: skip
    ours, theirs = (
        pd.read_json(file_of(folder, "LassoLars"), lines=True) for folder in (tmp_path, finished)
    )
    for column in ("test_r2", "train_r2", "inputs", "identity"):
        assert ours[column].tolist() == theirs[column].tolist()
    # Downloads run where Snakemake runs; prepare, split and the runs are submitted.
    submitted = (tmp_path / "submitted.txt").read_text().splitlines()
    assert len(submitted) == 3
    assert "-l h_rt=5400 " in submitted[-1]


SLURM = """#!{python}
import os, sys
from pathlib import Path

queue, words = Path({queue!r}), [part for word in sys.argv[1:] for part in word.split("=")]
match Path(sys.argv[0]).name:
    case "sinfo":
        print("PARTITION", "main*", sep="\\n")
    case "sacct":
        sys.exit("no accounts here")
    case "sbatch":  # jobs wait for ever
        (queue / str(os.getpid())).write_text(words[words.index("--job-name") + 1])
        print(os.getpid())
    case "squeue":
        names = words[words.index("--name") + 1].split(",")
        form = words[words.index("--format") + 1].replace("%T", "PENDING")
        for job in queue.iterdir():
            if job.read_text() in names:
                print(form.replace("%i", job.name))
    case "scancel":
        for number in words:
            (queue / number).unlink()
"""


@pytest.fixture
def queue(tmp_path, put_command):
    """Return the folder with a file for each job of a SLURM that runs none."""
    queue = tmp_path / "queue"
    queue.mkdir()
    for name in ("sinfo", "sacct", "sbatch", "squeue", "scancel"):
        put_command(name, SLURM.format(python=sys.executable, queue=str(queue)))
    return queue


def submit(queue, **jobs):
    for job, name in jobs.items():
        (queue / job).write_text(name)


def left_in(queue):
    return sorted(job.name for job in queue.iterdir())


def start(results, run_id, is_alone=True):
    """Do what happens before a run; the run ends as if killed."""
    held = lock.claim(results, "my.yaml", run_id)
    slurm.cancel(results, run_id, is_alone=is_alone)
    held.release()


def test_only_jobs_of_earlier_runs_in_this_folder_are_cancelled(queue, tmp_path, capsys):
    start(tmp_path / "results", "vjmgp_a")
    start(tmp_path / "other", "vjmgp_b")
    submit(queue, a1="vjmgp_a", a2="vjmgp_a", b1="vjmgp_b", mine="my_job")
    start(tmp_path / "third", "vjmgp_c")
    assert left_in(queue) == ["a1", "a2", "b1", "mine"]
    start(tmp_path / "results", "vjmgp_d")
    assert left_in(queue) == ["b1", "mine"]
    said = capsys.readouterr().err
    assert said == "Note: cancelled 2 jobs that a killed run had left in the queue.\n"
    assert lock.job_names(tmp_path / "results") == ["vjmgp_d"]  # earlier ones are settled


def test_jobs_stay_noted_while_slurm_does_not_answer(
    queue, tmp_path, put_command, monkeypatch, capsys
):
    results = tmp_path / "results"
    start(results, "vjmgp_a")
    submit(queue, a1="vjmgp_a", b1="vjmgp_b")
    with monkeypatch.context() as patch:
        patch.setenv("PATH", "/nowhere")
        start(results, None)  # a local run, on a machine without SLURM
    works = (tmp_path / "commands/squeue").read_text()
    put_command("squeue", "#!/bin/sh\necho 'Unable to contact slurm controller' >&2; exit 1\n")
    start(results, "vjmgp_b")
    assert capsys.readouterr().err == (
        "Note: jobs of an earlier run may still be in SLURM's queue: "
        "Unable to contact slurm controller\n"
    )
    put_command("squeue", works)
    start(results, None)
    assert left_in(queue) == []
    assert lock.job_names(results) == []


def test_jobs_are_not_cancelled_without_locks(queue, tmp_path, capsys):
    results = tmp_path / "results"
    start(results, "vjmgp_a")
    submit(queue, a1="vjmgp_a")
    start(results, "vjmgp_b", is_alone=False)
    assert left_in(queue) == ["a1"]
    assert capsys.readouterr().err == (
        "Note: 1 job of an earlier run in the queue. The file system has no locks, so it may be "
        "alive. If it is not: scancel a1\n"
    )
    assert lock.job_names(results) == ["vjmgp_a", "vjmgp_b"]


def test_copy_of_a_results_folder_cancels_no_jobs(queue, tmp_path):
    start(tmp_path / "results", "vjmgp_a")
    submit(queue, a1="vjmgp_a")
    shutil.copytree(tmp_path / "results", tmp_path / "copy")
    start(tmp_path / "copy", "vjmgp_b")
    assert left_in(queue) == ["a1"]


def test_local_run_cancels_jobs_of_a_killed_slurm_run(queue, tmp_path):
    submit(queue, other="vjmgp_other")
    call = command(
        tmp_path, STUDY, lasso(tmp_path), "--profile", str(ROOT / "profiles/slurm"),
        "--slurm-no-account", "--slurm-status-command", "squeue",
    )  # fmt: skip
    with (tmp_path / "said.txt").open("w") as log:
        process = subprocess.Popen(call, stdout=log, stderr=log, start_new_session=True)
    while len(left_in(queue)) < 2:
        assert process.poll() is None, (tmp_path / "said.txt").read_text()
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    about = json.loads((tmp_path / "results" / RUNNING).read_text())
    assert {(queue / job).read_text() for job in left_in(queue)} == {
        "vjmgp_other",
        *about["job_names"],
    }
    snakemake(tmp_path, STUDY, "--unlock")
    said = snakemake(tmp_path, STUDY, lasso(tmp_path))
    assert "that a killed run had left in the queue." in said
    assert left_in(queue) == ["other"]


def test_retried_job_does_not_count_as_failed():
    progress = JobProgress()
    progress.plan({"run_gp": 2, "total": 2})
    progress.start(1, "run_gp", "VJM")
    progress.fail(1)
    assert (len(progress.failed), progress.waiting.total()) == (1, 1)
    progress.retry(1)
    assert (len(progress.failed), progress.waiting.total()) == (0, 2)
    progress.retry(7)  # an unknown job


def test_time_and_memory_double_with_each_attempt(tmp_path):
    # Without the profile's logger, Snakemake prints the resources of each job.
    said = snakemake(
        tmp_path, STUDY, lasso(tmp_path), "-n", "--workflow-profile", "none", "--attempt", "3"
    )
    assert "mem_mb=8000" in said
    assert "runtime=20" in said


def test_slurm_is_installed_if_missing(here, put_command):
    put_command("apt-get", "#!/bin/sh\nif [ $1 = update ]; then touch lists; else ls lists; fi\n")
    slurm_cluster.install()
    put_command("apt-get", "#!/bin/sh\necho no network >&2; exit 100\n")
    with pytest.raises(slurm_cluster.CannotStartError, match="no network"):
        slurm_cluster.install()


def test_second_test_run_cannot_start_slurm(tmp_path, put_command, monkeypatch):
    put_command("slurmctld", "")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(slurm_cluster, "LOCK", tmp_path / "lock")
    with (
        FileLock(tmp_path / "lock", is_singleton=False),
        pytest.raises(slurm_cluster.CannotStartError, match="other tests run on a SLURM"),
    ):
        slurm_cluster.Cluster()


def test_daemons_of_a_killed_test_run_are_stopped(tmp_path, monkeypatch):
    config, folder = tmp_path / "slurm.conf", tmp_path / "slurm-1"
    monkeypatch.setattr(slurm_cluster, "CONFIG", config)
    monkeypatch.setattr(slurm_cluster, "PORTS", {"no_such_node": 0})
    config.write_text("ClusterName=theirs\n")
    with pytest.raises(slurm_cluster.CannotStartError, match="not ours"):
        slurm_cluster.stop_leftovers()
    folder.mkdir()
    config.write_text(
        slurm_cluster.TEMPLATE.format(mark=slurm_cluster.MARK, host="here", folder=folder)
    )
    shutil.copy(shutil.which("sleep"), tmp_path / "slurmd")
    ours, other = (subprocess.Popen([name, "60"]) for name in (tmp_path / "slurmd", "sleep"))
    (folder / "slurmd-n1.pid").write_text(f"{ours.pid}\n")
    (folder / "slurmd-n2.pid").write_text(f"{other.pid}\n")  # a number that was reused
    slurm_cluster.stop_leftovers()
    assert ours.wait(timeout=5) == -signal.SIGKILL
    assert other.poll() is None
    other.kill()
    other.wait()
    assert not config.exists()
    assert not folder.exists()
