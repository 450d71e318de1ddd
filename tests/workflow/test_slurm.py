"""The workflow on a real SLURM of two nodes: as on one machine, whatever happens to the nodes.

Slow, so not part of `make test`: `make test-slurm`. Needs root; installs SLURM with apt if it is
missing, and is skipped if it cannot.
"""

import copy
import json
import os
import re
import signal
import subprocess
import time

import pandas as pd
import pytest
from tests.support.result_files import all_tables
from tests.support.slurm_cluster import CannotStartError, Cluster
from tests.support.workflow_runs import ROOT, STUDY, TABLES, TARGET, command, snakemake, study_in

pytestmark = pytest.mark.slurm
PROFILE = (
    *("--profile", str(ROOT / "profiles/slurm"), "--cores", "2"),
    # A SLURM without accounts and accounting, and no time to lose.
    *("--slurm-no-account", "--slurm-status-command", "squeue"),
    *("--slurm-init-seconds-before-status-checks", "1", "--seconds-between-status-checks", "2"),
)
LONGER = STUDY | {"seeds": 4, "seeds_per_job": 1}


@pytest.fixture(scope="module")
def slurm():
    try:
        cluster = Cluster()
    except CannotStartError as error:
        pytest.skip(f"no SLURM here: {error}")
    cluster.start()
    yield cluster
    cluster.stop()


@pytest.fixture
def cluster(slurm):
    slurm.empty()
    return slurm


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The tables of the longer study, computed without a cluster."""
    folder = tmp_path_factory.mktemp("undisturbed")
    snakemake(folder, LONGER, TARGET)
    return all_tables(folder)


def start_and_wait(folder, study, blocks):
    """Start a study on the cluster, and wait until some blocks are done."""
    call = command(folder, study, TARGET, *PROFILE)
    with (folder / "said.txt").open("w") as log:
        process = subprocess.Popen(call, stdout=log, stderr=log, start_new_session=True)
    while len(list(folder.glob("results/runs/**/*.jsonl"))) < blocks:
        assert process.poll() is None, (folder / "said.txt").read_text()
        time.sleep(0.2)
    return process


def times(folder):
    """The wall time of every run that is finished: another one if it was computed again."""
    return {
        path.relative_to(folder).as_posix(): pd.read_json(path, lines=True)["seconds"].tolist()
        for path in folder.glob("results/runs/**/*.jsonl")
    }


def test_cluster_and_local_run_give_the_same_tables(cluster, tmp_path):
    local, remote = tmp_path / "local", tmp_path / "it's on “two” nodes"
    for folder in (local, remote):
        folder.mkdir()
    smoke = ROOT / "config/smoke.yaml"
    snakemake(local, smoke, "--config", "results=results")
    said = snakemake(remote, smoke, *PROFILE, "--config", "results=results")
    assert all_tables(remote) == all_tables(local)
    assert (remote / "results/report.html").exists()
    assert "FAILED" not in said
    assert not cluster.queue()


def test_study_survives_the_death_of_a_node(cluster, tmp_path, undisturbed):
    process = start_and_wait(tmp_path, LONGER, blocks=2)
    while not cluster.is_busy("n2"):
        time.sleep(0.1)
    assert cluster.kill_node("n2")  # some process of a job
    assert process.wait(timeout=900) == 0, (tmp_path / "said.txt").read_text()
    assert all_tables(tmp_path) == undisturbed
    assert not cluster.queue()


def test_study_continues_after_snakemake_is_killed(cluster, tmp_path, undisturbed):
    process = start_and_wait(tmp_path, LONGER, blocks=2)
    while not cluster.queue():
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    finished = times(tmp_path)
    assert len(finished) >= 2
    left_over = {line.split()[1] for line in cluster.queue()}
    snakemake(tmp_path, LONGER, "--unlock")
    said = snakemake(tmp_path, LONGER, TARGET, *PROFILE)
    if left_over:
        assert "that a killed run had left in the queue." in said
    again = times(tmp_path)
    assert {name: again[name] for name in finished} == finished
    assert all_tables(tmp_path) == undisturbed
    assert not cluster.queue()


def test_another_study_does_not_cancel_live_jobs(cluster, tmp_path, undisturbed):
    """Of the same config, from the same directory, into another results folder."""
    process = start_and_wait(tmp_path, LONGER, blocks=1)
    facts = study_in(tmp_path, LONGER).files.prepared("192_vineyard")[1]
    facts = facts.replace(f"{tmp_path}/results", "other")
    snakemake(tmp_path, LONGER, facts, *PROFILE, "--config", "results=other")
    assert (tmp_path / facts).exists()
    assert process.wait(timeout=900) == 0
    assert "FAILED" not in (tmp_path / "said.txt").read_text()
    assert all_tables(tmp_path) == undisturbed
    assert not cluster.queue()


GREEDY = '''
import json, time
from pathlib import Path

import numba
import numpy as np
from threadpoolctl import threadpool_info
from sklearn.linear_model import LinearRegression


class Slow(LinearRegression):
    """Takes more than the minute that its first attempt has."""

    def fit(self, x, y):
        if len(y) != 20:  # the trial before the run
            pools = [pool["num_threads"] for pool in threadpool_info()]
            Path("threads.json").write_text(json.dumps([*pools, numba.config.NUMBA_NUM_THREADS]))
            time.sleep(75)
        return super().fit(x, y)


class Large(LinearRegression):
    """Takes more than the memory that its first attempt has."""

    def fit(self, x, y):
        if len(y) != 20:
            self.waste_ = np.ones(90_000_000)  # 690 MB, beside some 200 for the libraries
            time.sleep(8)
            del self.waste_
        return super().fit(x, y)
'''


def test_job_is_retried_with_more_time_and_memory(cluster, tmp_path):
    (tmp_path / "greedy.py").write_text(GREEDY)
    config = copy.deepcopy(STUDY) | {"seeds": 1, "seeds_per_job": 1}
    config["methods"] = {
        "Slow": {"estimator": "greedy.Slow", "run_minutes": 1, "mem_mb": 1500},
        "Large": {"estimator": "greedy.Large", "run_minutes": 5, "mem_mb": 900},
    }
    config["experiments"]["one"]["methods"] = ["Slow", "Large"]
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    said = snakemake(tmp_path, config, TARGET, *PROFILE, PYTHONPATH=path)
    assert "FAILED: run_baseline: Slow on 192_vineyard, seeds 0-0" in said
    assert "TIMEOUT" in said
    assert "AGAIN: run_baseline: Slow on 192_vineyard, seeds 0-0, with 3000 MB and 2 min" in said
    assert "FAILED: run_baseline: Large on 192_vineyard, seeds 0-0" in said
    # Without accounting, SLURM's reason is in the job's log alone.
    assert re.search("slurmstepd.*exceeded.* memory limit", said, re.IGNORECASE)
    assert "AGAIN: run_baseline: Large on 192_vineyard, seeds 0-0, with 1800 MB and 10 min" in said
    assert (pd.read_csv(tmp_path / TABLES)["status"] == "ok").all()
    assert set(json.loads((tmp_path / "threads.json").read_text())) == {1}
    assert not cluster.queue()
