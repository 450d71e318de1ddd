"""How far a study has come: by its files, while it runs or not."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ..study.paths import REPORT, seeds_of
from ..study.plan.study import Study
from ..study.runs.records import runs_in
from .lock import is_running
from .repair import damaged_files

MOST_LINES = 20
"""Of files that are named."""


class Progress(NamedTuple):
    """How far an experiment is, in runs."""

    experiment: str
    done: int
    """Those that the next run would not compute: also in blocks of another size and in journals."""
    failed: int
    total: int
    published: int
    """Those that are taken over instead of computed here."""


class State(NamedTuple):
    """How far a study is."""

    rows: list[Progress]
    running: str | None
    damaged: list[Path]
    missing: list[str]
    """Files that are still to be made, or to be made again."""
    results: Path

    @property
    def has_all_runs(self) -> bool:
        """Whether every run is done."""
        return all(row.done == row.total for row in self.rows) and not self.damaged

    @property
    def is_complete(self) -> bool:
        """Whether there is nothing left to do."""
        return not self.missing and not self.damaged

    def text(self) -> str:
        """For people."""
        width = max(len(row.experiment) for row in self.rows)
        lines = [f"{row.experiment:{width}}  {_in_words(row)}" for row in self.rows]
        lines += named("DAMAGED", self.damaged, "vjmgp study repair takes it away")
        if self.has_all_runs:
            lines += named("MISSING", self.missing, "the next run makes it")
        lines.append(f"Running: {self.running}" if self.running else "Not running.")
        if self.is_complete:
            lines.append(f"Complete. Report: {self.results / REPORT}")
        elif not self.results.exists():
            here = "(paths in a config start from the folder you are in)"
            lines.append(f"Nothing is there yet: {self.results} {here}")
        elif not self.running:
            lines.append(f"Not complete; vjmgp study resume continues. Results: {self.results}")
        return "\n".join(lines)


def _in_words(row: Progress) -> str:
    """How far an experiment is; published runs are told apart, where there are some."""
    text = f"{row.done:6} of {row.total} runs done"
    if row.published:
        text += f" ({row.published} published, {row.done - row.published} computed here)"
    return text + (f", {row.failed} failed" if row.failed else "")


def named(what: str, files: Iterable[str | Path], then: str) -> list[str]:
    """A line for each file, but not too many."""
    lines = [f"{what}: {path}; {then}" for path in files]
    more = [f"{what}: {len(lines) - MOST_LINES} more"] if len(lines) > MOST_LINES else []
    return lines[:MOST_LINES] + more


def state_of(study: Study) -> State:
    """Look at a study's files."""
    rows, states_in = [], functools.cache(_states_in)
    for experiment in study.experiments:
        files = [Path(path) for path in study.run_files(experiment)]
        states = [states_in(p.parent).get(seed) for p in files for seed in seeds_of(p.name)]
        done, failed = len(states) - states.count(None), states.count("failed")
        taken = sum(cell.seeds for cell in study.taken(experiment))
        rows.append(Progress(experiment, taken + done, failed, taken + len(states), taken))
    wanted = [*study.everything(), study.manifest("write_report")]
    missing = [path for path in wanted if not Path(path).exists()]
    damaged = list(damaged_files(study.results))
    return State(rows, is_running(study.results), damaged, missing, study.results.resolve())


def _states_in(folder: Path) -> dict[int, str]:
    """Whether each run in a folder is good or failed, by seed."""
    return {seed: record["status"] for seed, record in runs_in(folder).items()}
