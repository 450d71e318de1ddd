"""What the lean versions of learners share: when they may stand in for a library's own."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any


def asks_only(learner: Any, known: Collection[str]) -> bool:
    """Whether all other parameters of a learner have their default values."""
    usual = type(learner)().get_params()
    return all(
        name in known or repr(value) == repr(usual.get(name))
        for name, value in learner.get_params(deep=False).items()
    )


def agrees(check: Callable[[], bool]) -> bool:
    """Whether a comparison with the library's own learner holds; not if it cannot be made."""
    try:
        return check()
    except (AttributeError, ImportError, TypeError, ValueError):  # another version of the library
        return False
