"""Count the jobs of a running study, and estimate the time that is left.

`snakemake_logger_plugin_vjmgp` reports Snakemake's events to `JobProgress`. Jobs count by their
expected seconds, which differ by method; these are corrected by the seconds that jobs have taken.
"""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

SECONDS = {"compile_kernels": 20.0, "draw_figures": 8.0, "write_report": 8.0, "illustrations": 8.0}
"""Expected seconds of jobs that are not runs."""
UNSEEN_SECONDS = 1.0
"""Expected seconds of all other jobs."""
PRIOR_SECONDS = 30.0
"""Expected seconds that weigh as much as those measured, for the pace of this machine."""


@dataclass
class Forecast:
    """The expected seconds of runs, and how many jobs may run at once."""

    seconds: dict[str, dict[str, float]] = field(default_factory=dict)
    """By rule and path of the runs' file."""
    workers: int = 1


CURRENT = Forecast()
"""The forecast of the study that this process runs."""


class Job(NamedTuple):
    """A running job."""

    rule: str
    what: str
    started: float
    path: str = ""
    """The file of runs that it makes, if any."""

    @property
    def kind(self) -> tuple[str, str]:
        """What decides how long it takes: its rule, and the method of its runs."""
        return self.rule, Path(self.path).parent.name.rpartition("-")[0]


class Paces:
    """The expected and measured seconds of jobs, by rule and method."""

    def __init__(self, others: "Paces | None" = None) -> None:
        self._sums: dict[tuple[str, str], tuple[int, float, float]] = {}
        self._runs: tuple[float, float] = PRIOR_SECONDS, PRIOR_SECONDS
        if others:
            self._sums, self._runs = dict(others._sums), others._runs

    def add(self, job: Job, expected: float, measured: float) -> None:
        """Add a job."""
        jobs, known, taken = self._sums.get(job.kind, (0, 0.0, 0.0))
        self._sums[job.kind] = jobs + 1, known + expected, taken + measured
        if job.path:
            self._runs = self._runs[0] + expected, self._runs[1] + measured

    def of(self, job: Job) -> float:
        """Return measured by expected seconds of jobs of this kind.

        The pace of all runs, or for other jobs the expected one, weighs as much as one job.
        """
        pace = self._runs[1] / self._runs[0] if job.path else 1.0
        jobs, known, taken = self._sums.get(job.kind, (0, 0.0, 0.0))
        mean = known / jobs if jobs else 1.0
        return (taken + mean * pace) / (known + mean)


@dataclass
class JobProgress:
    """The jobs of a run of the workflow."""

    planned: Counter[str] = field(default_factory=Counter)
    """Jobs by rule."""
    done: Counter[str] = field(default_factory=Counter)
    running: dict[int, Job] = field(default_factory=dict)
    failed: dict[int, Job] = field(default_factory=dict)
    forecast: Forecast = field(default_factory=Forecast)
    measured: Paces = field(default_factory=Paces)
    """Expected and measured seconds of the finished jobs."""
    widest: int = 1
    """The largest number of jobs that ran at once."""
    started: set[str] = field(default_factory=set)
    """The files of runs whose jobs have been started."""

    def plan(self, jobs_by_rule: Mapping[str, int]) -> None:
        """Set the number of jobs of each rule, before the first job."""
        self.planned = Counter({rule: n for rule, n in jobs_by_rule.items() if rule != "total"})

    def start(
        self, number: int, rule: str, what: str, path: str = "", now: float | None = None
    ) -> None:
        """Record that a job starts; `path` is the file of runs that it makes, if any."""
        self.running[number] = Job(rule, what, time.monotonic() if now is None else now, path)
        self.started.add(path)
        self.widest = max(self.widest, len(self.running))

    def finish(self, number: int, now: float | None = None) -> None:
        """Record that a job is done."""
        job = self.running.pop(number, None)
        if job:
            self.done[job.rule] += 1
            taken = (time.monotonic() if now is None else now) - job.started
            self.measured.add(job, self._expected(job), taken)

    def fail(self, number: int) -> Job | None:
        """Record that a job has failed, and return it if it was running."""
        job = self.running.pop(number, None)
        if job:
            self.failed[number] = job
            self.started.discard(job.path)
        return job

    def retry(self, number: int) -> None:
        """Record that a failed job will be tried again."""
        self.failed.pop(number, None)

    @property
    def waiting(self) -> Counter[str]:
        """Jobs that have not started, by rule."""
        started = (job.rule for job in (*self.running.values(), *self.failed.values()))
        return self.planned - self.done - Counter(started)

    def seconds_left(self, now: float | None = None) -> float:
        """Estimate the seconds left from the expected seconds and the pace of each kind of job."""
        now = time.monotonic() if now is None else now
        paces = Paces(self.measured)
        for job in self.running.values():  # one that is overdue tells as much as a finished one
            if now - job.started > self._expected(job) * paces.of(job):
                paces.add(job, self._expected(job), now - job.started)
        left = [
            self._expected(job) * paces.of(job) - (now - job.started)
            for job in self.running.values()
        ]
        work = sum(max(seconds, 0.0) for seconds in left)
        for rule, count in self.waiting.items():
            paths = self.forecast.seconds.get(rule, {}).keys() - self.started or {""}
            jobs = [Job(rule, "", now, path) for path in paths]
            seconds = sum(self._expected(job) * paces.of(job) for job in jobs)
            work += count * seconds / len(jobs)
        workers = max(self.widest, self.forecast.workers)
        at_once = max(1, min(workers, len(self.running) + self.waiting.total()))
        return max(work / at_once, *left, 0.0)

    def _expected(self, job: Job) -> float:
        known = self.forecast.seconds.get(job.rule, {})
        return known.get(job.path, SECONDS.get(job.rule, UNSEEN_SECONDS))

    def line(self, width: int = 100, now: float | None = None) -> str:
        """Return a line for the screen."""
        total, done = max(self.planned.total(), 1), self.done.total()
        filled = round(16 * done / total)
        text = (
            f"[{'#' * filled}{'.' * (16 - filled)}] {done} of {total} jobs done, "
            f"{len(self.running)} running, {self.waiting.total()} to go"
        )
        if self.failed:
            text += f", {len(self.failed)} failed"
        if done and done < total:
            text += f", {duration(self.seconds_left(now))} left"
        newest = max(self.running.values(), key=lambda job: job.started, default=None)
        if newest and newest.what and len(text) + 3 + len(newest.what) <= width:
            text += f" | {newest.what}"
        return text[:width]


def duration(seconds: float) -> str:
    """Return a rounded duration in words."""
    if seconds < 10:
        return "a few seconds"
    if seconds < 90:
        return f"about {round(seconds / 10) * 10} s"
    if seconds < 5400:
        return f"about {round(seconds / 60)} min"
    return f"about {seconds / 3600:.1f} h"


def describe(rule: str, wildcards: Mapping[str, str]) -> str:
    """Return a job in words, such as "VJM on 547_no2, seeds 0-9"."""
    parts = wildcards.get("method", "").replace("_", " ") or rule.replace("_", " ")
    if "dataset" in wildcards:
        parts += f" on {wildcards['dataset']}"
    elif "experiment" in wildcards:
        parts += f" of {wildcards['experiment']}"
    if "block" in wildcards:
        parts += f", seeds {wildcards['block']}"
    return parts
