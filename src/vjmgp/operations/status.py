"""Find out from its files how far a study has come, whether or not it is running."""

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


class ExperimentStatus(NamedTuple):
    """The number of finished runs of an experiment."""

    experiment: str
    done: int
    """Runs that need not be computed, including those in journals and blocks of another size."""
    failed: int
    total: int
    published: int
    """Runs that are reused instead of computed here."""


class StudyStatus(NamedTuple):
    """The status of a study."""

    rows: list[ExperimentStatus]
    running: str | None
    damaged: list[Path]
    missing: list[str]
    """Files that are still to be made."""
    results: Path

    @property
    def has_all_runs(self) -> bool:
        """Whether every run is done."""
        return all(row.done == row.total for row in self.rows) and not self.damaged

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to do."""
        return not self.missing and not self.damaged

    def text(self) -> str:
        """Return the status in words."""
        width = max(len(row.experiment) for row in self.rows)
        lines = [f"{row.experiment:{width}}  {_in_words(row)}" for row in self.rows]
        lines += named("DAMAGED", self.damaged, "vjmgp study repair removes it")
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


def _in_words(row: ExperimentStatus) -> str:
    text = f"{row.done:6} of {row.total} runs done"
    if row.published:
        text += f" ({row.published} published, {row.done - row.published} computed here)"
    return text + (f", {row.failed} failed" if row.failed else "")


def named(what: str, files: Iterable[str | Path], then: str) -> list[str]:
    """Return a line for each file, up to a limit."""
    lines = [f"{what}: {path}; {then}" for path in files]
    more = [f"{what}: {len(lines) - MOST_LINES} more"] if len(lines) > MOST_LINES else []
    return lines[:MOST_LINES] + more


def status_of(study: Study) -> StudyStatus:
    """Return the status of a study from its files."""
    rows, states_in = [], functools.cache(_states_in)
    for experiment in study.experiments:
        files = [Path(path) for path in study.files.runs(experiment)]
        states = [states_in(p.parent).get(seed) for p in files for seed in seeds_of(p.name)]
        done, failed = len(states) - states.count(None), states.count("failed")
        reused = sum(cell.seeds for cell in study.reused(experiment))
        total = reused + len(states)
        rows.append(ExperimentStatus(experiment, reused + done, failed, total, reused))
    wanted = [*study.files.everything(), study.files.manifest("write_report")]
    missing = [path for path in wanted if not Path(path).exists()]
    damaged = list(damaged_files(study.results))
    return StudyStatus(rows, is_running(study.results), damaged, missing, study.results.resolve())


def _states_in(folder: Path) -> dict[int, str]:
    return {seed: record["status"] for seed, record in runs_in(folder).items()}
