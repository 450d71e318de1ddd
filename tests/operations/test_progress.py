"""The view of progress: counts, the estimate, and Snakemake's events."""

import io
import logging
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from snakemake_interface_logger_plugins.common import LogEvent

import snakemake_logger_plugin_vjmgp as plugin
from vjmgp.operations.jobs import REASONS, lines_of
from vjmgp.operations.progress import (
    UNSEEN_SECONDS,
    Forecast,
    JobProgress,
    describe,
    duration,
)
from vjmgp.study.config import estimate
from vjmgp.study.paths import seeds_of


def test_progress_counts_jobs_and_estimates_time():
    progress = JobProgress()
    progress.plan({"run": 6, "report": 1, "total": 7})
    assert progress.waiting.total() == 7
    progress.start(1, "run", "VJM on a", now=0.0)
    progress.start(2, "run", "VJM on b", now=0.0)
    assert (progress.waiting.total(), len(progress.running)) == (5, 2)
    progress.finish(1, now=10.0)
    progress.finish(2, now=20.0)
    run = (30 + 1) / (2 + 1)  # 30 s where 2 s were expected
    assert progress.seconds_left(now=20.0) == pytest.approx((4 * run + 1) / 2)
    progress.start(3, "run", "VJM on c", now=20.0)
    assert progress.seconds_left(now=25.0) == pytest.approx((4 * run + 1 - 5) / 2)
    line = progress.line(now=25.0)
    assert "2 of 7 jobs done, 1 running, 4 to go, about 20 s left | VJM on c" in line
    assert len(progress.line(width=40)) == 40
    progress.fail(3)
    assert ", 1 failed" in progress.line()
    assert progress.waiting.total() == 4


def recorded_jobs():
    """Return the jobs of a study on two busy cores, as recorded: some methods come late."""
    path = Path(__file__).parents[1] / "data/recorded_jobs.csv"
    table = pd.read_csv(path, keep_default_na=False)
    table["path"] = [
        f"runs/paper/{job.dataset}/{job.method}-0123abcd/seeds_{job.block}.jsonl" * bool(job.method)
        for job in table.itertuples()
    ]
    return table


def test_estimates_of_a_recorded_study_do_not_jump():
    jobs = recorded_jobs()
    runs = jobs[jobs["method"] != ""]
    runs = runs.assign(
        each=runs["method"].map(estimate.SECONDS).fillna(estimate.GP_SECONDS),
        runs=runs["block"].map(lambda block: len(seeds_of(block))),
    )
    seconds = {
        rule: dict(zip(part["path"], (0.5 + part["runs"] * part["each"]).tolist(), strict=True))
        for rule, part in runs.groupby("rule")
    }
    progress = JobProgress(forecast=Forecast(seconds, workers=2))
    progress.plan(jobs["rule"].value_counts())
    left = []
    for now in range(int(jobs["ended"].max()) + 1):
        for number, job in jobs.iterrows():
            if job["started"] == now:
                progress.start(number, job["rule"], "", job["path"], now=now)
            if job["ended"] == now:
                progress.finish(number, now=now)
        left.append(progress.seconds_left(now=now))
    seconds_past = np.arange(len(left))
    total = seconds_past + left
    steps = np.exp(np.abs(np.diff(np.log(total))))
    assert steps.max() < 1.25  # from one second to the next; with means of rules, elevenfold
    late = seconds_past > len(left) / 2
    assert np.all(np.abs(total / len(left) - 1.0)[late] < 0.25)


def test_run_is_known_by_its_file():
    made = handler()
    made.progress.forecast = Forecast({"run_gp": {"runs/a.jsonl": 7.0}})
    say(made, event=LogEvent.RUN_INFO, stats={"run_gp": 2, "total": 2})
    job = {"rule_name": "run_gp", "wildcards": {}, "output": ["runs/a.jsonl"]}
    say(made, event=LogEvent.JOB_INFO, jobid=1, **job)
    assert made.progress.started == {"runs/a.jsonl"}
    assert made.progress.seconds_left() == pytest.approx(7 + UNSEEN_SECONDS, abs=0.5)


def test_durations_and_jobs_in_words():
    times = {3: "a few seconds", 62: "about 60 s", 600: "about 10 min", 10800: "about 3.0 h"}
    assert {seconds: duration(seconds) for seconds in times} == times
    job = {"method": "Standard_GP", "dataset": "547_no2", "block": "0-9"}
    assert describe("run_gp", job) == "Standard GP on 547_no2, seeds 0-9"
    assert describe("draw_figures", {"experiment": "alpha"}) == "draw figures of alpha"
    assert describe("join_runs", {}) == "join runs"


class Screen(io.StringIO):
    def isatty(self):
        return True


def handler(stream=None, **settings):
    """Return the log handler; its stream, a file by default, keeps what is written."""
    stream = stream or io.StringIO()
    common = {"stdout": False, "dryrun": False, "verbose": False} | settings
    made = plugin.LogHandler(SimpleNamespace(**common), None)
    made.stream, made.is_screen = stream, stream.isatty()
    made.setFormatter(logging.Formatter("%(message)s"))
    return made


def say(made, message="", level=logging.INFO, **extra):
    record = logging.LogRecord("snakemake", level, "", 0, message, None, None)
    record.__dict__.update(extra)
    made.emit(record)


def a_run(made, log):
    say(made, event=LogEvent.RUN_INFO, stats={"run_gp": 2, "total": 2})
    wildcards = {"method": "VJM", "dataset": "a", "block": "0-1"}
    job = {"rule_name": "run_gp", "wildcards": wildcards}
    say(made, event=LogEvent.JOB_INFO, jobid=1, **job)
    say(made, event=LogEvent.JOB_FINISHED, job_id=1)
    say(made, event=LogEvent.JOB_INFO, jobid=2, **job)
    failed = {"event": LogEvent.JOB_ERROR, "jobid": 2, "rule_name": "run_gp", "log": [log]}
    say(made, "boom", logging.ERROR, **failed)


def test_line_is_redrawn_on_a_screen(tmp_path):
    log = tmp_path / "job.log"
    log.write_bytes(b"Traceback of K\xf6ln\nValueError: column 'a'\n")  # as a C library may write
    made = handler(Screen())
    a_run(made, log)
    made.close()
    text = made.stream.getvalue()
    assert "0 of 2 jobs done, 1 running, 1 to go | VJM on a, seeds 0-1" in text
    assert "1 of 2 jobs done, 0 running, 1 to go" in text
    assert "FAILED: run_gp: VJM on a, seeds 0-1\n    ValueError: column 'a'" in text
    assert str(log) in text


def test_log_may_have_another_encoding(tmp_path):
    log = tmp_path / "job.log"
    log.write_bytes(b"Gr\xf6\xdfe\nno room for K\xf6ln\n")
    assert lines_of(log)[-1] == "no room for K\ufffdln"
    assert lines_of(tmp_path / "none.log") == []


def test_slurm_reason_is_shown_instead_of_the_last_line(tmp_path):
    log = tmp_path / "76.log"
    reason = "slurmstepd-n2: error: StepId=76.0 exceeded memory limit (2 > 1), being killed"
    lines = ["rule run_gp:", reason, "slurmstepd-n2: error: later", "At least one job failed"]
    log.write_text("\n".join(lines) + "\n")
    made = handler()
    a_run(made, log)
    shown = f"FAILED: run_gp: VJM on a, seeds 0-1\n    {reason}\n    log: {log}\n"
    assert shown in made.stream.getvalue()


def test_failed_group_is_reported_once_and_retried(tmp_path):
    """The blocks that share a job of a cluster (profiles/slurm)."""
    log = tmp_path / "78.log"
    log.write_text("slurmstepd-n2: error: *** JOB 78 ON n2 CANCELLED DUE TO TIME LIMIT ***\n")
    made = handler()
    say(made, event=LogEvent.RUN_INFO, stats={"run_gp": 3, "total": 3})
    group = {"event": LogEvent.GROUP_INFO, "group_id": "fits"}
    jobs = [{"event": LogEvent.JOB_INFO, "jobid": n, "rule_name": "run_gp"} for n in (2, 6)]

    def submit():
        say(made, **group, jobs=[SimpleNamespace(jobid=job["jobid"]) for job in jobs])
        for job in jobs:
            say(made, **job, wildcards={})

    submit()
    errors = [job | {"event": LogEvent.JOB_ERROR, "log": ["none.log"]} for job in jobs]
    failed = {"groupid": "fits", "aux_logs": [str(log)], "job_error_info": errors}
    say(made, "Error", logging.ERROR, event=LogEvent.GROUP_ERROR, **failed)
    for error in errors:
        say(made, "Error", logging.ERROR, **error)
    assert len(made.progress.failed) == 2
    say(made, "Trying to restart job 2e3a5ced-17fa-5d72-b2c5-fc29200470f1.")  # not job 2
    assert len(made.progress.failed) == 2
    submit()
    assert not made.progress.failed
    assert len(made.progress.running) == 2
    assert [line for line in made.stream.getvalue().splitlines() if "jobs done" not in line] == [
        "FAILED: 2 jobs of the group fits",
        f"    {log.read_text().strip()}",
        f"    log: {log}",
        "AGAIN: 2 jobs of the group fits",
    ]


def test_few_lines_are_written_to_a_file(tmp_path):
    made = handler()
    a_run(made, tmp_path / "none.log")
    assert made.stream.getvalue().count("jobs done") == 1
    assert "\r" not in made.stream.getvalue()
    assert list(REASONS.values())[1] in made.stream.getvalue()  # an empty log: it was killed


def test_errors_and_idle_runs_are_reported():
    made = handler()
    error = 'WorkflowError in file "x", line 3:\nmy.yaml: no key\n  File "x", line 3, in <module>'
    say(made, error, logging.ERROR, event=LogEvent.ERROR)
    say(made, "Building DAG of jobs...")
    say(made, "Nothing to be done (all requested files are present).")
    gone = "OSError:\nMissing files after 5 seconds.\na/splits.json (missing locally, parent)"
    say(made, gone, logging.ERROR, event=LogEvent.ERROR)
    assert made.stream.getvalue().splitlines() == [
        "Error:",
        "my.yaml: no key",
        "Nothing to be done (all requested files are present).",
        "Error:",
        "a/splits.json: deleted while the study ran. Run the same command to make it again and "
        "continue.",
    ]


def test_dry_run_shows_everything():
    made = handler(dryrun=True)
    say(made, "rule run_gp:", event=LogEvent.JOB_INFO)
    assert made.stream.getvalue() == "rule run_gp:\n"
