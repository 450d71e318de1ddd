"""Jobs that a killed run has left in SLURM's queue: cancelled before the next run.

Snakemake cancels its jobs when it is stopped, but not when it is killed. They would go on, beside
those of the next run, and compute the same blocks. SLURM's executor gives all jobs of a run one
name that no other run has; `running.claim` notes it in the results folder.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from . import running
from .faults import tell


def cancel(results: Path, run_id: str | None, is_alone: bool) -> None:
    """Cancel the jobs of earlier runs in this results folder, but not those of this run.

    `is_alone` where the lock on the folder is held: then no other run can be alive.
    """
    names = [name for name in running.job_names(results) if name != run_id]
    if not names or not shutil.which("squeue"):
        return  # the names stay noted for a run that can ask
    try:
        jobs = _say("squeue", "--me", "--noheader", "--format=%i", f"--name={','.join(names)}")
        if jobs and not is_alone:
            # On a file system without locks the earlier run may be alive. Blocks that are computed
            # twice cost less than the jobs of somebody's run, so a person has to decide.
            tell(
                f"Note: {len(jobs)} jobs of an earlier run are in the queue, and without locks "
                f"nobody can tell whether it is alive. If it is not: scancel {' '.join(jobs)}"
            )
        elif jobs:
            _say("scancel", *jobs)
            tell(f"Note: {len(jobs)} jobs of a killed run were in the queue; they are cancelled.")
    except (OSError, subprocess.SubprocessError) as error:
        why = getattr(error, "stderr", None) or error
        tell(f"Note: jobs of an earlier run may still be in SLURM's queue: {str(why).strip()}")
        return
    if is_alone:
        running.forget_jobs(results, names)


def _say(*words: str) -> list[str]:
    """The words that a command answers; an error where it fails or takes too long."""
    result = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120)  # noqa: S603
    return result.stdout.split()
