"""One run of the workflow at a time in a results folder, and whether one is under way.

Snakemake locks its working directory, and a killed run leaves that lock behind. This lock is the
operating system's: it is on the results folder, whatever directory a run was started in, and it
goes with the process that holds it. So `is_running` can tell a study that runs from one that was
killed.
"""

from __future__ import annotations

import errno
import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

LOCK = ".running.lock"
ABOUT = ".running.json"
NO_LOCKS = {errno.ENOLCK, errno.EOPNOTSUPP}
"""What file systems without locks answer, beside ENOSYS, which filelock knows."""


class StudyIsRunningError(OSError):
    """Another process runs a study in this folder."""


def claim(results: Path, config: str) -> FileLock | None:
    """Hold the folder for this process until it ends; where it cannot be held, tell why.

    None where the file system knows no such locks.
    """
    lock = FileLock(results / LOCK)
    can_lock = True
    try:
        results.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=1)  # `is_running` of another process may hold it for a moment
    except Timeout:
        raise StudyIsRunningError(
            f"results: {results} is in use by {_describe(results)}. Wait until it ends, or give "
            "each study a folder of its own."
        ) from None
    except NotImplementedError:
        can_lock = False
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise OSError(
                f"results: nothing can be written to {results.absolute()} ({error.strerror}). Name "
                "another folder in the config, or with --config results=FOLDER."
            ) from None
        can_lock = False
    about = {
        "pid": os.getpid(),
        "host": platform.node(),
        "since": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "folder": str(Path.cwd()),
        "config": config,
    }
    (results / ABOUT).write_text(json.dumps(about, ensure_ascii=False) + "\n", encoding="utf-8")
    return lock if can_lock else None


def is_running(results: Path, patience: float = 0.0) -> str | None:
    """Who runs the study of this folder; None if nobody does.

    One that was just killed may take a moment to go: so many seconds it is waited for.
    """
    if not (results / LOCK).exists():
        return None
    lock = FileLock(results / LOCK)
    try:
        lock.acquire(timeout=patience)
    except Timeout:
        return _describe(results)
    except (OSError, NotImplementedError):
        return None
    lock.release()
    return None


def last_run(results: Path) -> dict[str, str]:
    """The run before, if there was one: its config, and the directory it was started in."""
    try:
        about = json.loads((results / ABOUT).read_text(encoding="utf-8"))
        return {key: str(about[key]) for key in ("config", "folder")}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _describe(results: Path) -> str:
    try:
        about = json.loads((results / ABOUT).read_text(encoding="utf-8"))
        return f"process {about['pid']} on {about['host']} since {about['since']}"
    except (OSError, ValueError, KeyError):
        return "another process"
