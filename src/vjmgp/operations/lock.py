"""Lock a results folder for one run at a time, and find out whether one is under way.

Snakemake locks its working directory, and a killed run leaves that lock behind. This lock is the
operating system's: it belongs to the results folder, wherever a run was started, and it ends with
the process that holds it. So `is_running` can tell a running study from a killed one.
"""

import errno
import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from ..core.files import write_json
from ..study.paths import LOCK, RUNNING

NO_LOCKS = {errno.ENOLCK, errno.EOPNOTSUPP}
"""Errors of file systems without locks; filelock itself handles ENOSYS."""


def claim(results: Path, config: str, run_id: str | None = None) -> FileLock | None:
    """Lock the folder until this process ends; raise OSError if it is in use or read-only.

    Return None on a file system without locks. `run_id` is the name of the jobs that this run will
    submit to SLURM; those of earlier runs stay noted until `slurm.cancel` has dealt with them.
    """
    lock, can_lock = FileLock(results / LOCK), True
    try:
        results.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=1)  # `is_running` of another process may hold it for a moment
    except Timeout:
        raise OSError(
            f"results: {results} is in use by {_describe(results)}. Wait until it ends, or give "
            "each study its own folder."
        ) from None
    except (OSError, NotImplementedError) as error:
        if isinstance(error, OSError) and error.errno not in NO_LOCKS:
            raise OSError(
                f"results: {results.absolute()} cannot be written to ({error.strerror}). Name "
                "another folder in the config, or with --config results=FOLDER."
            ) from None
        can_lock = False
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    about = {"pid": os.getpid(), "host": platform.node(), "since": now, "config": config}
    names = job_names(results) + ([run_id] if run_id else [])
    note(results, about | {"folder": str(results.resolve()), "job_names": names})
    return lock if can_lock else None


def is_running(results: Path, patience: float = 0.0) -> str | None:
    """Return the process that runs a study in this folder, if any.

    `patience` is the time in seconds to wait for a process that was just killed.
    """
    try:
        if (results / LOCK).exists():
            with FileLock(results / LOCK, timeout=patience):
                pass
    except Timeout:
        return _describe(results)
    except (OSError, NotImplementedError):
        pass
    return None


def about_last_run(results: Path) -> dict[str, Any]:
    """Return the note on the last run in this folder."""
    try:
        return dict(json.loads((results / RUNNING).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return {}


def note(results: Path, about: dict[str, Any]) -> None:
    """Add entries to the note on this run."""
    write_json(results / RUNNING, about_last_run(results) | about)


def job_names(results: Path) -> list[str]:
    """Return the names of jobs in SLURM's queue that earlier runs in this folder may have left.

    A copy of a results folder has none: the jobs belong to the original folder.
    """
    about = about_last_run(results)
    is_here = about.get("folder") == str(results.resolve())
    return list(about.get("job_names", [])) if is_here else []


def _describe(results: Path) -> str:
    about = about_last_run(results)
    if not {"pid", "host", "since"} <= about.keys():
        return "another process"
    return f"process {about['pid']} on {about['host']} since {about['since']}"
