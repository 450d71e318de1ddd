"""What may have happened to a study since its last run, put right or told before the next one."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from . import outdated, running, seals
from .config import Study

MOST_LINES = 20
"""Of damaged files that are named."""


def put_in_order(study: Study, only_look: bool = False) -> None:
    """Before anything is planned: what is damaged or outdated, and files from the future.

    Not while another process runs the study, whose files come and go. Whoever only looks, by a dry
    run for example, is told and nothing is changed.
    """
    results = study.results
    if running.is_running(results):
        return
    if only_look:
        tell_of_damage(seals.damaged_files(results), "A run makes it again.")
        return
    with contextlib.suppress(OSError):  # a folder that cannot be written is told of by `claim`
        damaged = seals.set_damaged_aside(results)
        tell_of_damage(damaged, "It is set aside and made again.")
        is_outdated = set_outdated_aside(study)
        if damaged or is_outdated:
            remove_tables_of_runs(study)
        set_times_right(results)


def set_outdated_aside(study: Study) -> bool:
    """Let files be made again that are of another config, table or code. Whether there were any."""
    runs = list(outdated.outdated_runs(study))
    if runs:
        tell(f"Note: {len(runs)} files of runs are of other settings or code; they are made again.")
    files = {*runs, *outdated.files_of_changed_tables(study)}
    for path in files:
        path.replace(seals.aside(path))
    return bool(files) or outdated.is_unexplained(running.last_run(study.results))


def remove_tables_of_runs(study: Study) -> None:
    """Let all tables be made again: they would not be where only what they are made from changed.

    Snakemake leaves a target alone whose sources' sources are missing.
    """
    tables = study.results / "tables"
    for folder in (tables, *(tables / name for name in study.experiments)):
        (folder / "runs.csv").unlink(missing_ok=True)


def tell_of_damage(paths: Iterable[Path], then: str) -> None:
    """Name files that are not as they were written."""
    files = list(paths)
    for path in files[:MOST_LINES]:
        tell(f"DAMAGED: {path} is not as it was written. {then}")
    if len(files) > MOST_LINES:
        tell(f"DAMAGED: {len(files) - MOST_LINES} more files. {then}")


def set_times_right(results: Path) -> None:
    """Files from the future, written while a clock was wrong, are taken as written now.

    Else Snakemake would call whatever is made from them older than they are, and stop.
    """
    now = time.time()
    ahead = [path for path in _files(results) if path.lstat().st_mtime > now]
    for path in ahead:
        os.utime(path, (now, now))
    if ahead:
        tell(f"Note: {len(ahead)} files of {results} had times in the future; they have now's.")


def _files(folder: Path) -> Iterator[Path]:
    for place, _, names in os.walk(folder):
        yield from (Path(place, name) for name in names)


def tell_of_another_study(study: Study, config: str) -> None:
    """Say so where the runs in the results folder are those of another config."""
    before = running.last_run(study.results).get("config")
    if before and before != config:
        tell(
            f"Note: {study.results} has the study of {before}. Runs that both have are shared; "
            "tables and report are now those of this study. A folder of its own keeps both: "
            "--config results=FOLDER"
        )


def tell(text: str) -> None:
    """Say something to the person who started a run."""
    print(text, file=sys.stderr, flush=True)
