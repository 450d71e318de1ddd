"""The signals that end a study, on systems that have what it takes to end its jobs with it."""

from __future__ import annotations

import signal

STOPS = tuple(number for number in signal.Signals if number.name in ("SIGINT", "SIGTERM", "SIGHUP"))
"""Windows has no SIGHUP."""


def require_signals() -> None:
    """Refuse systems on which jobs would outlive a study that is stopped."""
    if not hasattr(signal, "pthread_sigmask"):
        raise OSError(
            "studies run on Linux and macOS, on Windows in WSL only: it lacks the signals by which "
            "Snakemake ends its jobs. fit, predict, choose and export work here."
        )
