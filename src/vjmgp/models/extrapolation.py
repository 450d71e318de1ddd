"""Predictions for rows that lie outside the range of the training data."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats
from ..tables.preprocessing import Standardizer

MOST_NAMED = 5


class ExtrapolationWarning(UserWarning):
    """Some rows lie outside the range that an input had in training."""


class Beyond(NamedTuple):
    """An input, its range in training, and how many rows lie outside."""

    name: str
    low: float
    high: float
    rows: int


def inputs_beyond(
    standardizer: Standardizer, values: Floats, inputs: Iterable[int]
) -> list[Beyond]:
    """Those of these inputs that leave their range; `values` are rows × inputs, encoded."""
    found = []
    for k in sorted(inputs):
        column = standardizer.inputs[k]
        if column.limits is not None:
            low, high = column.limits
            rows = int(np.count_nonzero((values[:, k] < low) | (values[:, k] > high)))
            if rows:
                found.append(Beyond(column.name, low, high, rows))
    return found


def told(found: list[Beyond], rows: int) -> str:
    """Inputs, their ranges, and how many rows leave them, in words."""
    names = ", ".join(
        f"{name!r} ({low:.6g} to {high:.6g}; {outside} of {rows} rows)"
        for name, low, high, outside in found[:MOST_NAMED]
    )
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return f"the training range of {names}{more}: the model extrapolates there"


def warn_beyond(standardizer: Standardizer, values: Floats, inputs: Iterable[int]) -> None:
    """Warn once of all inputs that leave their range."""
    found = inputs_beyond(standardizer, values, inputs)
    if found:
        warnings.warn(
            f"X leaves {told(found, len(values))}.",
            ExtrapolationWarning,
            stacklevel=_level_of_the_user(),
        )


def _level_of_the_user() -> int:
    """How many calls up the first one is that is not of this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("vjmgp."):
        level, frame = level + 1, frame.f_back
    return level


@contextlib.contextmanager
def extrapolation_ignored() -> Iterator[None]:
    """No such warning: for those who know that test rows may lie anywhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExtrapolationWarning)
        yield
