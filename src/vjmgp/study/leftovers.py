"""Jobs that a killed run has left in SLURM's queue: found and cancelled before the next run.

Snakemake cancels its jobs when it is stopped, but not when it is killed. They would go on, beside
those of the next run, and compute the same blocks.
"""

from __future__ import annotations

import base64
import re
import shlex
import shutil
import subprocess
from pathlib import Path

PREFIX = "vjmgp"
"""Of the names of jobs, as in profiles/slurm."""


def cancel_leftovers(configs: list[str], results: str) -> list[str]:
    """Cancel the jobs of an earlier run of this study; their numbers.

    Only call it while the results folder is claimed: then no other run can own them.
    """
    if not shutil.which("squeue") or not shutil.which("scancel"):
        return []
    found = [number for number in _jobs_from_here() if _is_of(_script(number), configs, results)]
    if found:
        subprocess.run(["scancel", *found], check=False)  # noqa: S603, S607
    return found


def _jobs_from_here() -> list[str]:
    """Numbers of this user's jobs that wait or run, and were submitted from this directory."""
    lines = _say("squeue", "--me", "--noheader", "--states=PD,R,CF", "--format=%i|%j|%Z")
    jobs = (line.split("|", 2) for line in lines.splitlines())
    here = str(Path.cwd())
    return [job[0] for job in jobs if job[1].startswith(PREFIX + "_") and job[2] == here]


def _script(number: str) -> str:
    """What a job runs, with the parts that Snakemake has encoded in plain text."""
    text = _say("scontrol", "write", "batch_script", number, "-")
    return re.sub(
        "base64//([A-Za-z0-9+/=]+)",
        lambda part: base64.b64decode(part[1]).decode(errors="replace"),
        text,
    )


def _is_of(script: str, configs: list[str], results: str) -> bool:
    """Whether a job is one of the study of these config files with this results folder."""
    wanted = [any(name in script for name in (path, shlex.quote(path))) for path in configs]
    same_configs = all(wanted) and ("--configfiles" in script) == bool(configs)
    given = re.search(r"results=(\S+)", script)
    return same_configs and (given is None or given[1].strip("'\"") == results)


def _say(*words: str) -> str:
    result = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
    return result.stdout if result.returncode == 0 else ""
