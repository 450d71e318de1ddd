"""Report rows that lie far outside the range of the training data."""

import contextlib
import warnings
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ..core.arrays import Flags, Floats
from ..tables.preprocessing import Standardizer

TOLERANCE, ORDINARY_SHARE, FAR = 0.5, 0.05, 10.0
"""Distance in widths of the training range, the share of rows that may be beyond it, and the
distance that no row may have: ordinary test sets rarely have more (docs/trust.md)."""


class ExtrapolationWarning(UserWarning):
    """Warning that rows lie far outside the training range of an input."""


class OutOfRange(NamedTuple):
    """How rows leave the training range, and the input that leaves it farthest."""

    rows: int
    """Rows beyond the tolerance."""
    name: str
    low: float
    high: float
    value: float
    distance: float
    """Distance of the value from the training range of the input, in widths of that range."""

    def text(self, of_rows: int) -> str:
        """Describe it."""
        return (
            f"the training range by more than half its width in {self.rows} of {of_rows} rows: the "
            f"model extrapolates there. The farthest is {self.name!r} = {self.value:.6g}, "
            f"{self.distance:.2g} widths beyond {self.low:.6g} to {self.high:.6g}."
        )


def find_extrapolation(
    standardizer: Standardizer, values: Floats, inputs: Iterable[int]
) -> OutOfRange | None:
    """Return how rows leave the ranges of the inputs; None if ordinary test rows do so, too.

    `values` are rows × inputs, encoded.
    """
    distances, found = np.zeros(len(values)), []
    for k in sorted(inputs) if len(values) else ():
        column = standardizer.inputs[k]
        if column.limits is not None:
            low, high = column.limits
            with np.errstate(over="ignore"):
                beyond = np.maximum(low - values[:, k], values[:, k] - high) / ((high - low) or 1.0)
            row = int(beyond.argmax())
            found.append((float(beyond[row]), column.name, low, high, float(values[row, k])))
            distances = np.maximum(distances, beyond)
    rows = int(np.count_nonzero(distances > TOLERANCE))
    if rows <= ORDINARY_SHARE * len(values) and distances.max(initial=0.0) <= FAR:
        return None
    distance, name, low, high, value = max(found)
    return OutOfRange(rows, name, low, high, value, distance)


def extrapolation_text(
    standardizer: Standardizer, encoded: Floats, inputs: Iterable[int], clipped: Flags
) -> str:
    """Describe how rows leave the training range, and how many predictions are clipped; or "".

    `clipped` are 2 × rows: predictions clipped at the lower limit, and at the upper one.
    """
    found = find_extrapolation(standardizer, encoded, inputs)
    if found is None:
        return ""
    parts = [
        f"{count} prediction{' is' if count == 1 else 's are'} clipped at {limit:.6g}"
        for count, limit in zip(clipped.sum(axis=1), standardizer.limits, strict=True)
        if count
    ]
    return f"leaves {found.text(len(encoded))} {' and '.join(parts) or 'No prediction is clipped'}."


@contextlib.contextmanager
def extrapolation_ignored() -> Iterator[None]:
    """Suppress these warnings, for test rows that may lie anywhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExtrapolationWarning)
        yield
