"""One run at a time in a results folder, and whether one is under way.

Snakemake locks its working directory, and a killed run leaves that lock behind. This lock is the
operating system's: it is on the results folder, whatever directory a run was started in, and it
ends with the process that holds it. So `is_running` tells a study that runs from a killed one.
"""

from __future__ import annotations

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
"""What file systems without locks answer, beside ENOSYS, which filelock knows."""


def claim(results: Path, config: str, run_id: str | None = None) -> FileLock | None:
    """Hold the folder until this process ends, or say why that cannot be.

    None on a file system without locks. `run_id` is the name of the jobs that this run is going to
    submit to SLURM; those of earlier runs stay noted until `slurm.cancel` has seen to them.
    """
    lock, can_lock = FileLock(results / LOCK), True
    try:
        results.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=1)  # `is_running` of another process may hold it for a moment
    except Timeout:
        raise OSError(
            f"results: {results} is in use by {_describe(results)}. Wait until it ends, or give "
            "each study a folder of its own."
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
    """Who runs a study in this folder, if anybody does.

    A process that was just killed may take a moment to go: this waits so many seconds for it.
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
    """What is noted about the last run in this folder."""
    try:
        return dict(json.loads((results / RUNNING).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return {}


def note(results: Path, about: dict[str, Any]) -> None:
    """Note something about this run."""
    write_json(results / RUNNING, about_last_run(results) | about)


def job_names(results: Path) -> list[str]:
    """Names of jobs that runs in this folder have submitted to SLURM, and that may be left.

    A copy of a results folder has none: its jobs are those of the folder it was copied from.
    """
    about = about_last_run(results)
    is_here = about.get("folder") == str(results.resolve())
    return list(about.get("job_names", [])) if is_here else []


def _describe(results: Path) -> str:
    about = about_last_run(results)
    if not {"pid", "host", "since"} <= about.keys():
        return "another process"
    return f"process {about['pid']} on {about['host']} since {about['since']}"
