"""Machine and versions of libraries that made the report."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

LIBRARIES = [
    *("vjmgp", "snakemake", "numpy", "numba", "scikit-learn", "scipy", "pandas", "pmlb"),
    "matplotlib",
]


def processor() -> str:
    """Return the name of the processor."""
    info = Path("/proc/cpuinfo")
    for line in info.read_text(encoding="utf-8").splitlines() if info.exists() else ():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def machine() -> str:
    """Return processor, cores and system as text."""
    system = f"{platform.system()}, Python {platform.python_version()}"
    return f"{processor()}, {os.cpu_count()} cores, {system}"


def versions() -> dict[str, str]:
    """Return the versions of the main libraries."""
    return {name: version(name) for name in LIBRARIES}
