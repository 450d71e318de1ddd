"""Functions that Snakemake calls before a run, after it, and after a failure."""

import contextlib
import csv
import os
import re
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from ..study import paths
from ..study.config import estimate, preflight
from ..study.plan.study import Study
from . import lock, slurm, warm
from .progress import CURRENT
from .stops import STOPS, require_signals

SLURM_RUN = re.compile(r"SLURM run ID: (\S+)")
"""How SLURM's executor announces the name of its jobs."""
MOST_FAILURES = 20


def before_run(
    study: Study, config: str, logs: list[str], *, is_local: bool, workers: int = 1
) -> Any:
    """Check what a schema cannot, lock the results folder, and start a worker for local jobs.

    The lock is held as long as the returned object exists.
    """
    require_signals()
    preflight.check_before_a_run(study)
    preflight.check_datasets_are_available(study)
    before = lock.about_last_run(study.results).get("config")
    texts = [Path(log).read_text(encoding="utf-8", errors="replace") for log in logs]
    run_id = next((found[1] for text in texts if (found := SLURM_RUN.search(text))), None)
    held = lock.claim(study.results, config, run_id)
    if before and _files(before) != _files(config):
        say(
            f"Note: {study.results} holds the study of {before}. Runs that both need are shared; "
            "tables and report will be those of this study. To keep both, choose another folder "
            "for this one: --config results=FOLDER"
        )
    CURRENT.seconds, CURRENT.workers = estimate.seconds_of_jobs(study), workers
    say_what_is_reused(study)
    slurm.cancel(study.results, run_id, is_alone=held is not None)
    with contextlib.suppress(ValueError):  # not the main thread
        if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            threading.Thread(target=_wait_for_ctrl_c, daemon=True).start()
        for number in STOPS:
            if signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
                signal.signal(number, _interrupt)
    if study.config["warm_workers"] and is_local:
        warm.start()
    return held


def _files(config: str) -> list[Path]:
    """Return the files of a config, however their paths are written."""
    return [Path(path).resolve() for path in config.split(", ")]


def say_what_is_reused(study: Study) -> None:
    """Print how many runs are reused, if any, from where, and how to compute them instead."""
    cells = study.reused()
    if not cells or not study.published:
        return
    count, made = sum(cell.seeds for cell in cells), study.published.made
    left = sum(len(study.seeds_to_run(cell)) for cell in study.cells())
    say(
        f"Reused from {os.path.relpath(study.published.folder)}: {count:,} published runs "
        f"(engine {made['engine']}, {made['date']}); {left:,} are left to compute. To compute all: "
        "--config published=ignore"
    )


def search_in(places: tuple[str, ...]) -> None:
    """Append folders to the module search path of this process and its jobs."""
    sys.path += [place for place in places if place not in sys.path]
    found = (os.environ.get("PYTHONPATH"), *places)
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(filter(None, found)))


def _interrupt(*_: Any) -> None:
    """Stop as on Ctrl-C, once: Snakemake would wait for its jobs on SIGTERM, and die on SIGHUP."""
    for number in STOPS:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _wait_for_ctrl_c() -> None:
    """Turn Ctrl-C into SIGTERM: jobs inherit that SIGINT is blocked, and Snakemake ends them."""
    signal.sigwait({signal.SIGINT})
    os.kill(os.getpid(), signal.SIGTERM)


def say(text: str) -> None:
    """Print, ignoring a reader, such as `head`, that has closed the pipe."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at exit


def closing_message(study: Study, *, so_far: bool = False) -> str:
    """Return failed and skipped runs, if any, and the path of the report."""
    if so_far:
        return f"\nReport so far: {(study.results / paths.SO_FAR / paths.REPORT).resolve()}"
    lines, failed = [], []
    failures = study.results / paths.FAILURES
    if failures.exists():
        with failures.open(encoding="utf-8", newline="") as file:
            failed = list(csv.DictReader(file))
    if failed:
        runs = "run failed and is" if len(failed) == 1 else "runs failed and are"
        lines.append(f"\n{len(failed)} {runs} left out of the tables:")
        lines += [
            f"  {run['method']} on {run['dataset']}, seed {run['seed']}: {run['error']}"
            for run in failed[:MOST_FAILURES]
        ]
        if len(failed) > MOST_FAILURES:
            lines.append(f"  … the rest is in {failures}")
        lines.append("To try them again: vjmgp study retry CONFIG")
    lines += study.missing
    if study.skipped:
        lines.append(
            f"Skipped because their packages are not installed: {', '.join(study.skipped)}"
        )
    # If not, other targets were requested.
    is_whole = Path(study.files.manifest("write_report")).exists()
    place = study.results / paths.REPORT if is_whole else study.results
    lines.append(f"\n{'Report' if is_whole else 'Results'}: {place.resolve()}")
    return "\n".join(lines)


def message_after_failure(study: Study) -> str:
    """Return the place of the finished runs, and how to continue."""
    results = study.results
    return (
        f"\nThe study is not complete. Everything that finished is kept in {results}; run the same "
        f"command to continue. Logs of all jobs: {results / paths.LOGS}\n"
        "For a report on the finished runs: vjmgp study report CONFIG, or snakemake report_so_far"
    )
