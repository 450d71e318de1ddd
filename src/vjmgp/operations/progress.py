"""Count the jobs of a running study, and estimate the time that is left.

`snakemake_logger_plugin_vjmgp` reports Snakemake's events to `JobProgress`.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

UNSEEN_SECONDS = 1.0
"""The assumed duration of a job before the first of its rule has ended."""


class Job(NamedTuple):
    """A running job."""

    rule: str
    what: str
    started: float


@dataclass
class JobProgress:
    """The jobs of a run of the workflow."""

    planned: Counter[str] = field(default_factory=Counter)
    """Jobs by rule."""
    done: Counter[str] = field(default_factory=Counter)
    running: dict[int, Job] = field(default_factory=dict)
    failed: dict[int, Job] = field(default_factory=dict)
    spent: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    """Seconds of the finished jobs, by rule."""
    widest: int = 1
    """The largest number of jobs that ran at once."""

    def plan(self, jobs_by_rule: Mapping[str, int]) -> None:
        """Set the number of jobs of each rule, before the first job."""
        self.planned = Counter({rule: n for rule, n in jobs_by_rule.items() if rule != "total"})

    def start(self, number: int, rule: str, what: str, now: float | None = None) -> None:
        """Record that a job starts."""
        self.running[number] = Job(rule, what, time.monotonic() if now is None else now)
        self.widest = max(self.widest, len(self.running))

    def finish(self, number: int, now: float | None = None) -> None:
        """Record that a job is done."""
        job = self.running.pop(number, None)
        if job:
            self.done[job.rule] += 1
            self.spent[job.rule] += (time.monotonic() if now is None else now) - job.started

    def fail(self, number: int) -> Job | None:
        """Record that a job has failed, and return it if it was running."""
        job = self.running.pop(number, None)
        if job:
            self.failed[number] = job
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
        """Estimate the seconds left from the mean duration of each rule's jobs."""
        now = time.monotonic() if now is None else now
        work = sum(count * self._mean(rule) for rule, count in self.waiting.items())
        for job in self.running.values():
            work += max(self._mean(job.rule) - (now - job.started), 0.0)
        return work / self.widest

    def _mean(self, rule: str) -> float:
        return self.spent[rule] / self.done[rule] if self.done[rule] else UNSEEN_SECONDS

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
