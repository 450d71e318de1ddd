"""The check of `sample_weight`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.arrays import Floats
from .validation import as_numbers

SMALLEST, LARGEST = 1e-30, 1e30
"""What weights may add up to: far beyond these, sums of squares leave the range of floats."""


def check_sample_weight(
    sample_weight: Any, n_rows: int, what: str = "X", least: int = 2
) -> Floats | None:
    """A weight for each row, as floats; None where none were given. A number is one for all.

    The rows are those of `what`, and `least` of them must count.
    """
    if sample_weight is None:
        return None
    try:
        weights = as_numbers(sample_weight, "sample_weight")
    except ValueError:
        raise ValueError(
            f"sample_weight must be numbers, one for each row of {what}; some are not."
        ) from None
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.ndim != 1:
        raise ValueError(
            f"sample_weight has {weights.ndim} dimensions; it must have one number for each row."
        )
    if len(weights) != n_rows:
        raise ValueError(f"sample_weight has {len(weights)} values, but {what} has {n_rows} rows.")
    for bad, what in (
        (~np.isfinite(weights), "NaN or infinity"),
        (weights < 0.0, "a negative number"),
    ):
        if bad.any():
            row = int(np.argmax(bad))
            raise ValueError(
                f"sample_weight has {what} in row {row} ({int(bad.sum())} of {n_rows} rows): "
                "weights must be 0 or more."
            )
    if np.count_nonzero(weights) < least:
        raise ValueError(
            f"sample_weight is zero in {n_rows - np.count_nonzero(weights)} of {n_rows} rows; it "
            f"must be above zero in {least} or more."
        )
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if not SMALLEST < total < LARGEST:
        raise ValueError(
            f"sample_weight adds up to {total:g}; divide or multiply all weights by a number that "
            f"brings the sum between {SMALLEST:g} and {LARGEST:g}."
        )
    return weights
