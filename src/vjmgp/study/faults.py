"""What may have happened to a study since its last run, put right or told before the next one."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from . import leftovers, running, seals
from .config import Study

MOST_LINES = 20
"""Of damaged files that are named."""


def put_in_order(study: Study) -> None:
    """Before anything is planned: damaged files, and files from the future.

    Not while another process runs the study, whose files come and go.
    """
    results = Path(study.config["results"])
    if running.is_running(results):
        return
    with contextlib.suppress(OSError):  # a folder that cannot be written is told of by `claim`
        set_damaged_aside(results)
        set_times_right(results)


def set_damaged_aside(results: Path) -> None:
    """Name the files that are not as they were written, and let them be made again."""
    damaged = seals.set_damaged_aside(results)
    for path in damaged[:MOST_LINES]:
        tell(f"DAMAGED: {path} is not as it was written. It is set aside and made again.")
    if len(damaged) > MOST_LINES:
        tell(f"DAMAGED: {len(damaged) - MOST_LINES} more files, all set aside and made again.")


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
    results = study.config["results"]
    before = running.last_config(Path(results))
    if before and Path(before).name != Path(config).name:
        tell(
            f"Note: {results} has the study of {before}. Runs that both have are shared; tables "
            "and report are now those of this study. A folder of its own keeps both: --config "
            "results=FOLDER"
        )


def cancel_leftovers(study: Study, configs: list[str]) -> None:
    """Cancel the cluster jobs of a run of this study that was killed."""
    numbers = leftovers.cancel_leftovers(configs, study.config["results"])
    if numbers:
        tell(f"Note: {len(numbers)} jobs of a killed run were in the queue; they are cancelled.")


def remove_journals(study: Study) -> None:
    """Journals of runs are of no more use once all blocks are known to be done."""
    for path in Path(study.config["results"]).glob(f"runs/*/*/*/*{seals.JOURNAL}"):
        path.unlink(missing_ok=True)


def tell(text: str) -> None:
    """Say something to the person who started a run."""
    print(text, file=sys.stderr, flush=True)
