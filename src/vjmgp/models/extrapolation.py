"""Report rows that lie outside the range of the training data."""

import contextlib
import sys
import warnings
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ..core.arrays import Flags, Floats
from ..tables.preprocessing import Standardizer

MOST_NAMED = 5


class ExtrapolationWarning(UserWarning):
    """Warning that rows lie outside the training range of an input."""


class OutOfRange(NamedTuple):
    """An input, its training range, and the number of rows outside it."""

    name: str
    low: float
    high: float
    rows: int


def inputs_beyond(
    standardizer: Standardizer, values: Floats, inputs: Iterable[int]
) -> list[OutOfRange]:
    """Return those of the inputs that leave their range; `values` are rows × inputs, encoded."""
    found = []
    for k in sorted(inputs):
        column = standardizer.inputs[k]
        if column.limits is not None:
            low, high = column.limits
            rows = int(np.count_nonzero((values[:, k] < low) | (values[:, k] > high)))
            if rows:
                found.append(OutOfRange(column.name, low, high, rows))
    return found


def range_text(found: list[OutOfRange], rows: int) -> str:
    """Describe the inputs out of range: their training ranges and the number of rows outside."""
    names = ", ".join(
        f"{name!r} ({low:.6g} to {high:.6g}; {outside} of {rows} rows)"
        for name, low, high, outside in found[:MOST_NAMED]
    )
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return f"the training range of {names}{more}: the model extrapolates there"


def extrapolation_text(
    standardizer: Standardizer, encoded: Floats, inputs: Iterable[int], clipped: Flags
) -> str:
    """Describe inputs out of range, and how many predictions are clipped; "" if none is outside.

    `clipped` are 2 × rows: predictions clipped at the lower limit, and at the upper one.
    """
    found = inputs_beyond(standardizer, encoded, inputs)
    if not found:
        return ""
    parts = [
        f"{count} prediction{' is' if count == 1 else 's are'} clipped at {limit:.6g}"
        for count, limit in zip(clipped.sum(axis=1), standardizer.limits, strict=True)
        if count
    ]
    return f"leaves {range_text(found, len(encoded))}." + f" {' and '.join(parts)}." * bool(parts)


def warn_beyond(text: str) -> None:
    """Warn of extrapolation, if there is a text about it."""
    if text:
        warnings.warn(f"X {text}", ExtrapolationWarning, stacklevel=_stack_level_of_caller())


def _stack_level_of_caller() -> int:
    """Return the stack level of the first caller outside this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("vjmgp."):
        level, frame = level + 1, frame.f_back
    return level


@contextlib.contextmanager
def extrapolation_ignored() -> Iterator[None]:
    """Suppress these warnings, for test rows that may lie anywhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExtrapolationWarning)
        yield
