"""What made the report: machine and versions."""

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
    """The processor's name."""
    info = Path("/proc/cpuinfo")
    for line in info.read_text(encoding="utf-8").splitlines() if info.exists() else ():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def machine() -> str:
    """Processor and system that made the report."""
    system = f"{platform.system()}, Python {platform.python_version()}"
    return f"{processor()}, {os.cpu_count()} cores, {system}"


def versions() -> dict[str, str]:
    """Versions of the libraries that matter."""
    return {name: version(name) for name in LIBRARIES}
