"""How much a study is, and how far it has come: by its files, while it runs or not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

from .config import Study, seeds_of
from .outdated import outdated_runs
from .running import is_running
from .seals import JOURNAL, damaged_files, is_whole

REPORT = "report.html"
FAILED = b'"status": "failed"'


def run_files(study: Study, experiment: str) -> dict[str, int]:
    """The files with the runs of an experiment, and how many runs each has."""
    files = study.run_files(experiment)
    return {path: len(seeds_of(Path(path).stem.removeprefix("seeds_"))) for path in files}


def amount(study: Study) -> str:
    """What a study amounts to, in words."""
    files: dict[str, int] = {}
    for experiment in study.experiments:
        files |= run_files(study, experiment)
    return (
        f"{len(study.experiments)} experiments, {len(study.methods)} methods, "
        f"{len(study.datasets)} datasets, {study.seeds} seeds: {sum(files.values())} runs in "
        f"{len(files)} jobs"
    )


@dataclass(frozen=True)
class State:
    """How far a study is."""

    rows: list[tuple[str, int, int, int]]
    """Experiment, runs that are done, of these failed, all."""
    running: str | None
    damaged: list[Path]
    missing: list[str]
    """Of what the runs are made from, once all of them are done."""
    results: Path
    has_report: bool
    """Of this very config."""

    @property
    def has_all_runs(self) -> bool:
        """Whether every run is done."""
        return all(done == total for _, done, _, total in self.rows) and not self.damaged

    @property
    def is_complete(self) -> bool:
        """Whether every run is done and the report is there."""
        return self.has_all_runs and self.has_report and not self.missing

    def text(self) -> str:
        """For people."""
        width = max(len(name) for name, *_ in self.rows)
        lines = [
            f"{name:{width}}  {done:6} of {total} runs done" + (f", {failed} failed" * (failed > 0))
            for name, done, failed, total in self.rows
        ]
        lines += [f"DAMAGED: {path}; the next run makes it again" for path in self.damaged]
        lines += [f"MISSING: {path}; the next run makes it again" for path in self.missing]
        lines.append(f"Running: {self.running}" if self.running else "Not running.")
        if self.is_complete:
            lines.append(f"Complete. Report: {self.results / REPORT}")
        elif not self.results.exists():
            lines.append(
                f"Nothing is there yet: {self.results} (paths in a config start from the folder "
                "you are in)"
            )
        elif not self.running:
            lines.append(f"Not complete; vjmgp study resume goes on. Results: {self.results}")
        return "\n".join(lines)


def progress_of(study: Study) -> State:
    """Look at a study's files."""
    results = study.results
    rows = []
    outdated = set(outdated_runs(study))
    for experiment in study.experiments:
        files = run_files(study, experiment)
        done = failed = 0
        for path in map(Path, files):
            if path in outdated:
                continue
            if not path.exists():
                path = path.with_name(path.name + JOURNAL)  # of a block that is under way
            if path.exists():
                lines = [line for line in path.read_bytes().splitlines(True) if is_whole(line)]
                done += len(lines)
                failed += sum(FAILED in line for line in lines)
        rows.append((experiment, done, failed, sum(files.values())))
    sources = dict.fromkeys(path for name in study.experiments for path in study.sources(name))
    all_done = all(done == total for _, done, _, total in rows)
    return State(
        rows,
        is_running(results),
        list(damaged_files(results)),
        [path for path in sources if all_done and not Path(path).exists()],
        results.resolve(),
        _has_report(results, study),
    )


def _has_report(results: Path, study: Study) -> bool:
    """Whether the report is there, and of this config: the folder may have been another study's."""
    try:
        of = yaml.safe_load((results / "config.yaml").read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError):
        return False
    return (results / REPORT).exists() and of == study.config
