"""The profile for queues other than SLURM, with a queue of three lines."""

import pandas as pd
from workflow_runs import ROOT, STUDY, snakemake

from vjmgp.study.leftovers import _is_of
from vjmgp.study.progress import Progress

QUEUE = """
sh "$1" > /dev/null 2>&1 &
echo "$1" >> submitted.txt
echo $!
"""
LASSO = "results/runs/paper/192_vineyard/LassoLars/seeds_0-1.jsonl"


def test_a_queue_with_a_command_to_submit(finished, tmp_path):
    (tmp_path / "queue.sh").write_text(QUEUE)
    snakemake(
        tmp_path, STUDY, LASSO, "--cores", "2", "--profile", str(ROOT / "profiles/cluster"),
        "--cluster-generic-submit-cmd", "sh queue.sh",
    )  # fmt: skip
    ours, theirs = (pd.read_json(folder / LASSO, lines=True) for folder in (tmp_path, finished))
    for column in ("test_r2", "train_r2", "inputs", "basis"):
        assert ours[column].tolist() == theirs[column].tolist()
    # Downloads run where Snakemake runs; prepare, split and the runs are submitted.
    assert len((tmp_path / "submitted.txt").read_text().splitlines()) == 3


def test_jobs_of_this_study_alone_are_cancelled():
    script = "python -m snakemake --configfiles {} --config {} --mode remote"
    mine = script.format("'/a b/my.yaml'", "")
    assert _is_of(mine, ["/a b/my.yaml"], "results")
    assert not _is_of(mine, ["/a b/other.yaml"], "results")
    assert not _is_of(mine, [], "results")
    moved = script.format("/a/my.yaml", "results=elsewhere")
    assert _is_of(moved, ["/a/my.yaml"], "elsewhere")
    assert not _is_of(moved, ["/a/my.yaml"], "results")
    assert _is_of("python -m snakemake --mode remote", [], "results")


def test_a_job_that_is_tried_again_has_not_failed():
    progress = Progress()
    progress.plan({"run_gp": 2, "total": 2})
    progress.start(1, "run_gp", "VJM")
    progress.fail(1)
    assert progress.failed.total() == 1
    progress.again(1)
    assert not progress.failed
    assert progress.to_go == 2
    progress.again(7)  # nobody knows it


def test_time_and_memory_double_with_each_attempt(tmp_path):
    # Without the profile's line of progress, Snakemake tells what each job asks for.
    said = snakemake(tmp_path, STUDY, LASSO, "-n", "--workflow-profile", "none", "--attempt", "3")
    assert "mem_mb=8000" in said
    assert "runtime=20" in said
