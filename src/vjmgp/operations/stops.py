"""The signals that end a study, and the systems on which its jobs end with it."""

import signal

STOPS = tuple(number for number in signal.Signals if number.name in ("SIGINT", "SIGTERM", "SIGHUP"))
"""Windows has no SIGHUP."""


def require_signals() -> None:
    """Raise OSError on systems where jobs would outlive a stopped study."""
    if not hasattr(signal, "pthread_sigmask"):
        raise OSError(
            "studies run on Linux, macOS and WSL: Windows lacks the signals with which Snakemake "
            "ends its jobs. fit, predict, choose and export work here."
        )
