"""Run one step of the workflow: the only place where a script of the workflow ends up.

It imports nothing heavy. A step's own module is loaded after thread counts are set, and where a
warm worker is at hand, it is loaded already (see `warm`).
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import logging
import os
import sys
import traceback
from pathlib import Path
from typing import Any

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
NUMBA_VARIABLE = "NUMBA_NUM_THREADS"
DISK_FULL = 73
"""Exit code of a job that found no room to write; its log may be cut short, too."""
FULL = "No space is left on the disk, or in your quota. Make room, and run again."


def run_step(step: str, log: str, threads: int = 1, **arguments: Any) -> None:
    """Call `module:function` of `vjmgp.study` with arguments; what it says goes to the log file."""
    from . import warm

    try:
        code = warm.run(step, log, arguments) if threads == 1 else None
        if code is None:
            for variable in (*THREAD_VARIABLES, NUMBA_VARIABLE):
                os.environ[variable] = str(threads)
            code = execute(step, log, arguments)
    except KeyboardInterrupt:
        sys.exit(130)  # Snakemake tells what was stopped
    if code:
        why = {warm.LOST: "the worker is gone", DISK_FULL: FULL}.get(code) or last_line(log)
        print(f"{step} failed; see {log}:\n{why}", file=sys.stderr)
        sys.exit(code)


def execute(step: str, log: str, arguments: dict[str, Any]) -> int:
    """Run a step in this process; 0, or another code with the reason in the log file."""
    try:
        return _execute(step, log, arguments)
    except OSError as error:  # the log itself
        if not _is_full(error):
            raise
        return DISK_FULL


def _execute(step: str, log: str, arguments: dict[str, Any]) -> int:
    module, _, function = step.partition(":")
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    Path(log).write_bytes(b"")
    with Path(log).open("a", encoding="utf-8", buffering=1) as file:
        handler = logging.StreamHandler(file)
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
        root = logging.getLogger()
        root.addHandler(handler)
        root.setLevel(logging.INFO)
        try:
            with contextlib.redirect_stdout(file), contextlib.redirect_stderr(file):
                getattr(importlib.import_module(f"vjmgp.study.{module}"), function)(**arguments)
        except Exception as error:  # noqa: BLE001 (whatever it is, the log tells it)
            traceback.print_exc(file=file)
            return DISK_FULL if _is_full(error) else 1
        finally:
            root.removeHandler(handler)
    return 0


def _is_full(error: BaseException | None) -> bool:
    """Whether an error comes from a disk or a quota that is full."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        error = error.__cause__ or error.__context__
    return False


def lines_of(log: str) -> list[str]:
    """What a step said. Messages of a library's own may be in any encoding."""
    path = Path(log)
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    return text.strip().splitlines()


def last_line(log: str) -> str:
    """What a failed step said last: the message of its exception."""
    return (lines_of(log) or [""])[-1]
