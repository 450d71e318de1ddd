"""The machine of a measurement, and measurements in separate processes."""

from __future__ import annotations

import datetime
import json
import os
import platform
import resource
import subprocess
import sys
from importlib.metadata import version
from typing import Any

from vjmgp import ENGINE_VERSION, __version__
from vjmgp.study.report.run_page import processor


def description() -> str:
    """Return date, processor, versions and engine in one line."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "scikit-learn"))
    return (
        f"{datetime.date.today().isoformat()}, {processor()} ({os.cpu_count()} cores), "
        f"Python {platform.python_version()}, {packages}, vjmgp {__version__}, "
        f"engine {ENGINE_VERSION}"
    )


def peak_memory() -> float:
    """Return the peak memory of this process in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def in_new_process(module: str, case: dict[str, Any]) -> dict[str, float]:
    """Measure a case by `python -m benchmarks.MODULE --case`, with a peak memory of its own."""
    command = [sys.executable, "-m", f"benchmarks.{module}", "--case", json.dumps(case)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found
