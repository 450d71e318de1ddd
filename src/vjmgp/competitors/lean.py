"""When a lean version may replace a library's learner."""

from collections.abc import Callable, Collection
from typing import Any


def has_only_settings(learner: Any, known: Collection[str]) -> bool:
    """Return whether all parameters except these have default values."""
    usual = type(learner)().get_params()
    return all(
        name in known or repr(value) == repr(usual.get(name))
        for name, value in learner.get_params(deep=False).items()
    )


def holds_true(check: Callable[[], bool]) -> bool:
    """Return whether a comparison with the library's learner succeeds."""
    try:
        return check()
    except (AttributeError, ImportError, TypeError, ValueError):  # another version of the library
        return False
