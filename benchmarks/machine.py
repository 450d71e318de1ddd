"""What machine and versions a measurement was made with."""

from __future__ import annotations

import datetime
import os
import platform
from importlib.metadata import version
from pathlib import Path

from vjmgp import __version__, engine_id


def description() -> str:
    """One line: date, processor, versions, engine."""
    processor = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                processor = line.split(":", 1)[1].strip()
                break
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "scikit-learn"))
    return (
        f"{datetime.date.today().isoformat()}, {processor} ({os.cpu_count()} cores), "
        f"Python {platform.python_version()}, {packages}, vjmgp {__version__}, engine {engine_id()}"
    )
