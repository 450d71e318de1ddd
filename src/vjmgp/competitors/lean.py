"""When a lean version may replace a library's learner."""

from collections.abc import Collection
from typing import Any

OTHER_VERSION = AttributeError, ImportError, TypeError, ValueError
"""Errors of a comparison with the library's learner, if the library has another version."""


def has_only_settings(learner: Any, known: Collection[str]) -> bool:
    """Return whether all parameters except these have default values."""
    usual = type(learner)().get_params()
    return all(
        name in known or repr(value) == repr(usual.get(name))
        for name, value in learner.get_params(deep=False).items()
    )
