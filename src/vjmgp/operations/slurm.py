"""Cancel jobs that a killed run has left in SLURM's queue, before the next run.

Snakemake cancels its jobs when it is stopped, but not when it is killed. They would continue beside
those of the next run and compute the same blocks. SLURM's executor gives all jobs of a run a unique
name; `lock.claim` notes it in the results folder.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from . import lock


def cancel(results: Path, run_id: str | None, *, is_alone: bool) -> None:
    """Cancel the jobs of earlier runs in this results folder.

    `is_alone` says that the lock on the folder is held, so that no earlier run is alive.
    """
    names = [name for name in lock.job_names(results) if name != run_id]
    if not names or not shutil.which("squeue"):
        return  # the names stay noted for a run that can query the queue
    said = ""
    try:
        jobs = _ask("squeue", "--me", "--noheader", "--format=%i", f"--name={','.join(names)}")
        count = f"{len(jobs)} job{'s' * (len(jobs) != 1)}"
        if jobs and not is_alone:
            # On a file system without locks the earlier run may be alive. Computing blocks twice
            # costs less than cancelling the jobs of a live run, so the user decides.
            said = (
                f"{count} of an earlier run in the queue. The file system has no locks, so it may "
                f"be alive. If it is not: scancel {' '.join(jobs)}"
            )
        elif jobs:
            _ask("scancel", *jobs)
            said = f"cancelled {count} that a killed run had left in the queue."
        if is_alone:
            lock.note(results, {"job_names": [run_id] if run_id else []})
    except (OSError, subprocess.SubprocessError) as error:
        why = getattr(error, "stderr", None) or error
        said = f"jobs of an earlier run may still be in SLURM's queue: {str(why).strip()}"
    if said:
        print(f"Note: {said}", file=sys.stderr, flush=True)


def _ask(*words: str) -> list[str]:
    """Return the words of a command's output; raise if it fails or takes too long."""
    result = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120)  # noqa: S603
    return result.stdout.split()
