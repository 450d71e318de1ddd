"""Warn users at the line of their own code."""

import sys
import warnings


def warn_user(text: str, category: type[Warning]) -> None:
    """Warn as from the first caller outside this package; do nothing without a text."""
    if text:
        warnings.warn(text, category, stacklevel=_stack_level_of_caller())


def _stack_level_of_caller() -> int:
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("vjmgp."):
        level, frame = level + 1, frame.f_back
    return level
