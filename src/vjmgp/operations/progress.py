"""A view of a running study for people: done, running, to go, and how long it may take.

`Progress` counts and estimates; `snakemake_logger_plugin_vjmgp` feeds it with Snakemake's events.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

UNSEEN_SECONDS = 1.0
"""What a job of a rule is taken to last before one has ended."""


class Job(NamedTuple):
    """A job that runs."""

    rule: str
    what: str
    started: float


@dataclass
class Progress:
    """The state of a run of the workflow."""

    planned: Counter[str] = field(default_factory=Counter)
    """Jobs by rule."""
    done: Counter[str] = field(default_factory=Counter)
    running: dict[int, Job] = field(default_factory=dict)
    lost: dict[int, Job] = field(default_factory=dict)
    """Jobs that have failed."""
    spent: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    """Seconds of the jobs that are done, by rule."""
    widest: int = 1
    """The largest number of jobs that ran at once."""

    def plan(self, jobs_by_rule: Mapping[str, int]) -> None:
        """Before the first job: how many there are of each rule."""
        self.planned = Counter({rule: n for rule, n in jobs_by_rule.items() if rule != "total"})

    def start(self, number: int, rule: str, what: str, now: float | None = None) -> None:
        """A job starts."""
        self.running[number] = Job(rule, what, time.monotonic() if now is None else now)
        self.widest = max(self.widest, len(self.running))

    def finish(self, number: int, now: float | None = None) -> None:
        """A job is done."""
        job = self.running.pop(number, None)
        if job:
            self.done[job.rule] += 1
            self.spent[job.rule] += (time.monotonic() if now is None else now) - job.started

    def fail(self, number: int) -> Job | None:
        """A job has failed; which one, if it ran."""
        job = self.running.pop(number, None)
        if job:
            self.lost[number] = job
        return job

    def again(self, number: int) -> None:
        """A job that has failed is going to be tried again."""
        self.lost.pop(number, None)

    @property
    def waiting(self) -> Counter[str]:
        """Jobs that have not started, by rule."""
        started = (job.rule for job in (*self.running.values(), *self.lost.values()))
        return self.planned - self.done - Counter(started)

    def seconds_left(self, now: float | None = None) -> float:
        """The work that is left, by what jobs of each rule took so far, shared by the cores."""
        now = time.monotonic() if now is None else now
        work = sum(count * self._mean(rule) for rule, count in self.waiting.items())
        for job in self.running.values():
            work += max(self._mean(job.rule) - (now - job.started), 0.0)
        return work / self.widest

    def _mean(self, rule: str) -> float:
        return self.spent[rule] / self.done[rule] if self.done[rule] else UNSEEN_SECONDS

    def line(self, width: int = 100, now: float | None = None) -> str:
        """One line for the screen."""
        total, done = max(self.planned.total(), 1), self.done.total()
        filled = round(16 * done / total)
        text = (
            f"[{'#' * filled}{'.' * (16 - filled)}] {done} of {total} jobs done, "
            f"{len(self.running)} running, {self.waiting.total()} to go"
        )
        if self.lost:
            text += f", {len(self.lost)} failed"
        if done and done < total:
            text += f", {duration(self.seconds_left(now))} left"
        newest = max(self.running.values(), key=lambda job: job.started, default=None)
        if newest and newest.what and len(text) + 3 + len(newest.what) <= width:
            text += f" | {newest.what}"
        return text[:width]


def duration(seconds: float) -> str:
    """Seconds in words, as coarse as an estimate is."""
    if seconds < 10:
        return "a few seconds"
    if seconds < 90:
        return f"about {round(seconds / 10) * 10} s"
    if seconds < 5400:
        return f"about {round(seconds / 60)} min"
    return f"about {seconds / 3600:.1f} h"


def describe(rule: str, wildcards: Mapping[str, str]) -> str:
    """A job in words: "VJM on 547_no2, seeds 0-9"."""
    parts = wildcards.get("method", "").replace("_", " ") or rule.replace("_", " ")
    if "dataset" in wildcards:
        parts += f" on {wildcards['dataset']}"
    elif "experiment" in wildcards:
        parts += f" of {wildcards['experiment']}"
    if "block" in wildcards:
        parts += f", seeds {wildcards['block']}"
    return parts
