"""Snakemake's output for people: one line of progress, and errors.

The default profile turns it on (`logger: vjmgp`); `--logger` without a name, or another profile,
restores Snakemake's own output. The whole log is in .snakemake/log as always.
"""

import logging
import os
import re
import shutil
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from vjmgp.operations.jobs import DISK_FULL, REASONS, lines_of
from vjmgp.operations.progress import CURRENT, JobProgress, describe
from vjmgp.operations.warm import CRASHED

SECONDS_BETWEEN_LINES = 60.0
"""For output to a file."""
RESTARTED = re.compile(r"Trying to restart job (\d+)\.")
LOCKED = (
    "Error:\nSnakemake has locked this directory: another run is under way, or one was killed. "
    "Nothing is lost. `vjmgp study status CONFIG` says which. If none is under way, `vjmgp study "
    "resume CONFIG` continues, as does the same command after one with --unlock."
)
KNOWN = [[reason] for reason in REASONS.values()]


def without_places(text: str) -> str:
    """Return an error of the workflow without the places in its own files."""
    lines = text.splitlines()
    if lines and lines[0].startswith("LockException"):
        return LOCKED
    if not lines or lines[0].startswith("RuleException"):
        return ""  # the view has shown the job's failure
    if "Missing files after" in text:
        files = [line.split(" (missing")[0].strip() for line in lines if " (missing" in line]
        what = f"{', '.join(files)}: deleted while the study ran."
        return f"Error:\n{what} Run the same command to make it again and continue."
    if not lines[0].startswith("WorkflowError"):
        return text
    return "\n".join(["Error:", *(line for line in lines[1:] if not line.startswith("  File "))])


def _from_logs(logs: Iterable[str] | None) -> list[str]:
    """Return the most informative line of each log, and its path.

    This is the line in which SLURM explains why it ended the job (memory, time), else the last. A
    job whose log has no error was killed, or found the disk full.
    """
    lines_to_show = []
    for log in logs or ():
        path = Path(str(log).split(" (")[0])
        lines = lines_of(path)
        by_slurm = [line for line in lines if line.startswith("slurmstepd")]
        if by_slurm:
            reason = by_slurm[0]
        elif any(line.startswith("Traceback") for line in lines) or lines[-1:] in KNOWN:
            reason = lines[-1]
        else:
            place = next(folder for folder in path.absolute().parents if folder.exists())
            reason = REASONS[CRASHED if shutil.disk_usage(place).free else DISK_FULL]
        lines_to_show += [f"    {reason}", f"    log: {path}"]
    return lines_to_show


def _jobs(count: int) -> str:
    return "1 job" if count == 1 else f"{count} jobs"


class LogHandler(LogHandlerBase):  # type: ignore[misc]
    """A log handler that turns Snakemake's events into a view for people."""

    def __post_init__(self) -> None:
        self.progress = JobProgress(forecast=CURRENT)
        self.stream = sys.stdout if self.common_settings.stdout else sys.stderr
        self.is_screen = self.stream.isatty()
        self.last_line = 0.0
        self.shown = False
        self.interrupted = False
        self.retried: set[int] = set()

    writes_to_stream = True
    writes_to_file = False
    has_filter = False
    has_formatter = False
    needs_rulegraph = False

    def emit(self, record: logging.LogRecord) -> None:
        """Show a record, or update the progress."""
        try:
            self._show(record, getattr(record, "event", None))
        except Exception:  # noqa: BLE001 (as logging's own handlers do)
            self.handleError(record)

    def _show(self, record: Any, event: Any) -> None:
        if event == LogEvent.ERROR and not self.common_settings.verbose:
            if not self.interrupted:  # else it says that not all jobs were done
                self._print(without_places(self.format(record)))
        elif self.common_settings.dryrun or self.common_settings.verbose:
            self._print(self.format(record))
        elif event == LogEvent.RUN_INFO:
            self.progress.plan(record.stats)
        elif event == LogEvent.GROUP_INFO:  # blocks that share a job of a cluster
            numbers = [job.jobid for job in record.jobs]
            if any(number in self.progress.failed for number in numbers):
                self._print(f"AGAIN: {_jobs(len(numbers))} of the group {record.group_id}")
            for number in numbers:
                self.progress.retry(number)
        elif event == LogEvent.GROUP_ERROR:  # they fail together, for one reason
            for job in record.job_error_info:
                self.progress.fail(job["jobid"])
            if not self.interrupted:
                what = f"FAILED: {_jobs(len(record.job_error_info))} of the group {record.groupid}"
                self._print("\n".join([what, *_from_logs(record.aux_logs)]))
        elif event == LogEvent.JOB_INFO:
            what = describe(record.rule_name, dict(record.wildcards or {}))
            made = next(
                (path for path in getattr(record, "output", None) or () if path.endswith(".jsonl")),
                "",
            )
            self.progress.start(record.jobid, record.rule_name, what, made)
            if record.jobid in self.retried:
                self.retried.remove(record.jobid)
                asks = [getattr(record.resources, name, None) for name in ("mem_mb", "runtime")]
                more = ", with {} MB and {} minutes".format(*asks) if all(asks) else ""
                self._print(f"AGAIN: {record.rule_name}: {what}{more}")
            self._draw()
        elif event == LogEvent.JOB_FINISHED:
            self.progress.finish(record.job_id)
            if self.is_screen or not (self.progress.waiting or self.progress.running):
                self._draw()  # else when the next job has started
        elif event == LogEvent.JOB_ERROR:
            is_new = record.jobid not in self.progress.failed  # else reported with its group
            job = self.progress.fail(record.jobid)
            if is_new and not self.interrupted:
                what = job.what if job else f"job {record.jobid}"
                message = getattr(record, "rule_msg", None)
                lines = [f"FAILED: {record.rule_name}: {what}"]
                lines += [f"    {message}"] if message else []
                self._print("\n".join([*lines, *_from_logs(record.log)]))
        elif restart := RESTARTED.match(str(record.msg)):
            number = int(restart[1])
            self.progress.retry(number)
            self.retried.add(number)
        elif "Terminating processes on user request" in str(record.msg):
            self.interrupted = True
            self._print("Stopped; jobs that were running are lost.")
        elif (
            event == LogEvent.SHELLCMD
            or record.levelno >= logging.WARNING
            or (event is None and str(record.msg).startswith("Nothing to be done"))
        ):
            self._print(self.format(record))

    def _draw(self) -> None:
        """Show the line of progress: over the last one on a screen, once a minute in a file."""
        now = time.monotonic()
        finished = self.progress.done.total() == self.progress.planned.total()
        if self.is_screen:
            width = shutil.get_terminal_size().columns - 1
            self.stream.write("\r\x1b[K" + self.progress.line(width))
            self.shown = True
            if finished:
                self._clear_line("\n")
        elif finished or now - self.last_line >= SECONDS_BETWEEN_LINES:
            self.last_line = now
            self.stream.write(self.progress.line() + "\n")
        self.stream.flush()

    def _print(self, text: str) -> None:
        if text and text != "None":
            self._clear_line("\r\x1b[K")
            self.stream.write(text + "\n")
            self.stream.flush()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (logging's name)
        """Stop writing to a reader, such as `head`, that has closed the pipe."""
        if isinstance(sys.exception(), BrokenPipeError):
            self.stream = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 (to the end of the process)
        else:
            super().handleError(record)

    def _clear_line(self, how: str) -> None:
        if self.shown:
            self.stream.write(how)
            self.shown = False

    def close(self) -> None:
        """Leave the screen in order."""
        self._clear_line("\n")
        super().close()
