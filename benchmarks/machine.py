"""What machine and versions a measurement was made with."""

from __future__ import annotations

import datetime
import os
import platform
from importlib.metadata import version

from vjmgp import ENGINE_VERSION, __version__
from vjmgp.study.report.environment import processor


def description() -> str:
    """One line: date, processor, versions, engine."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "scikit-learn"))
    return (
        f"{datetime.date.today().isoformat()}, {processor()} ({os.cpu_count()} cores), "
        f"Python {platform.python_version()}, {packages}, vjmgp {__version__}, "
        f"engine {ENGINE_VERSION}"
    )
