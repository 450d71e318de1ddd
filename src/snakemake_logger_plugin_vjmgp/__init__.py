"""What Snakemake shows while it runs: one line of progress, and what went wrong.

The default profile turns it on (`logger: vjmgp`); `--logger` with nothing after it, or another
profile, brings Snakemake's own output back. The whole log is in .snakemake/log as ever.
"""

from __future__ import annotations

import logging
import re
import shutil
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from vjmgp.study.jobs import lines_of
from vjmgp.study.progress import Progress, describe

SECONDS_BETWEEN_LINES = 10.0
"""Where output goes to a file, not to a screen."""
STOPPED = "Terminating processes on user request"
RESTARTED = re.compile(r"Trying to restart job (\d+)\.")
NOTHING_TO_DO = "Nothing to be done"
ANSWERS: list[str] = []
"""Lines to show where there was nothing to do; the workflow puts the report's path here."""
UNDER_WAY: list[str] = []
"""Who runs the study at the moment; the workflow puts it here when it starts."""


def about_lock() -> str:
    """What a locked working directory means, and the way out."""
    if UNDER_WAY:
        return f"Error:\nThis study is running already ({UNDER_WAY[0]}). Wait until it ends."
    return (
        "Error:\nThe working directory is locked, but no run of this study is under way: one was "
        "killed and left its lock. Nothing is lost. Either add --unlock to the same command and "
        "then call it again, or: vjmgp study resume CONFIG"
    )


def without_places(text: str) -> str:
    """An error of the workflow, without the places in its own files that it came through."""
    lines = text.splitlines()
    if lines and lines[0].startswith("LockException"):
        return about_lock()
    if not lines or lines[0].startswith("RuleException"):
        return ""  # the job's failure is told already
    if not lines[0].startswith("WorkflowError"):
        return text
    return "\n".join(["Error:", *(line for line in lines[1:] if not line.startswith("  File "))])


def _most_telling(lines: list[str]) -> list[str]:
    """Of a log, the line in which SLURM says why it ended the job (memory, time); else the last."""
    by_slurm = [line for line in lines if line.startswith("slurmstepd")]
    return by_slurm[:1] or lines[-1:]


def _failure(record: Any, what: str) -> str:
    """What failed, what the cluster and a line of its log say, and where the log is."""
    lines = [f"FAILED: {record.rule_name}: {what}"]
    if getattr(record, "rule_msg", None):
        lines.append(f"    {record.rule_msg}")
    lines += _from_logs(record.log)
    return "\n".join(lines)


def _from_logs(logs: Iterable[str] | None) -> list[str]:
    """The most telling line of each log, and where it is."""
    lines = []
    for log in logs or ():
        path = Path(str(log).split(" (")[0])
        said = lines_of(str(path))
        lines += [f"    {line}" for line in _most_telling(said)]
        lines.append(f"    log: {path}")
    return lines


def _asked(resources: Any) -> str:
    """What a job asks a cluster for."""
    memory, minutes = (getattr(resources, name, None) for name in ("mem_mb", "runtime"))
    return f", with {memory} MB and {minutes} minutes" if memory and minutes else ""


class LogHandler(LogHandlerBase):  # type: ignore[misc]
    """Turns Snakemake's events into a view for people."""

    def __post_init__(self) -> None:
        self.progress = Progress()
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
        """Show a record, or let it change what is shown."""
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
        elif event == LogEvent.GROUP_INFO:
            self._start_group(record)
        elif event == LogEvent.GROUP_ERROR:
            self._fail_group(record)
        elif event == LogEvent.JOB_INFO:
            what = describe(record.rule_name, dict(record.wildcards or {}))
            self.progress.start(record.jobid, record.rule_name, what)
            if record.jobid in self.retried:
                self.retried.remove(record.jobid)
                self._print(f"AGAIN: {record.rule_name}: {what}{_asked(record.resources)}")
            self._draw()
        elif event == LogEvent.JOB_FINISHED:
            self.progress.finish(record.job_id)
            if self.is_screen or not self.progress.to_go + len(self.progress.running):
                self._draw()  # else when the next job has started
        elif event == LogEvent.JOB_ERROR:
            is_new = record.jobid not in self.progress.lost  # else told with its group
            job = self.progress.fail(record.jobid)
            if is_new and not self.interrupted:
                self._print(_failure(record, job.what if job else f"job {record.jobid}"))
        elif restart := RESTARTED.match(str(record.msg)):
            number = int(restart[1])
            self.progress.again(number)
            self.retried.add(number)
        elif STOPPED in str(record.msg):
            self.interrupted = True
            self._print("Stopped; jobs that were running are lost.")
        elif event == LogEvent.SHELLCMD or record.levelno >= logging.WARNING:
            self._print(self.format(record))
        elif event is None and str(record.msg).startswith(NOTHING_TO_DO):
            self._print("\n".join([self.format(record), *ANSWERS]))

    def _start_group(self, record: Any) -> None:
        """Blocks that share a job of a cluster; their own events follow."""
        numbers = [job.jobid for job in record.jobs]
        if any(number in self.progress.lost for number in numbers):
            self._print(f"AGAIN: {len(numbers)} jobs of the group {record.group_id}")
        for number in numbers:
            self.progress.again(number)

    def _fail_group(self, record: Any) -> None:
        """The jobs of a group fail together, for one reason."""
        for job in record.job_error_info:
            self.progress.fail(job["jobid"])
        if not self.interrupted:
            what = f"FAILED: {len(record.job_error_info)} jobs of the group {record.groupid}"
            self._print("\n".join([what, *_from_logs(record.aux_logs)]))

    def _draw(self) -> None:
        """The line of progress: over the last one on a screen, now and then in a file."""
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

    def _clear_line(self, how: str) -> None:
        if self.shown:
            self.stream.write(how)
            self.shown = False

    def close(self) -> None:
        """Leave the screen in order."""
        self._clear_line("\n")
        super().close()
