"""How much each training row counts.

A row of weight 3 counts as three copies of it do. Whatever leaves "one row" out leaves out one
copy; of a row that counts less than one, all of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.arrays import Floats, Words
from ..compilation.kernels import kernel
from ..numerics.rng import uniform


class RowWeights(NamedTuple):
    """The weights of the training rows, all of them positive."""

    each: Floats
    """Ones where no weights were given."""
    total: float
    given: bool
    """Whether any of them differs from 1. If not, no kernel does any work for them."""
    copy: Floats
    """What is left out at a time: min(1, weight). Empty where none were given."""
    ends: Floats
    """The weights added up, for drawing rows by them. Empty where none were given."""

    def mean(self, values: Floats) -> float:
        """The weighted mean of one value for each row."""
        return float(np.average(values, weights=self.each) if self.given else values.mean())

    def relative(self) -> Floats | None:
        """The weights with mean 1; None where none were given."""
        return self.each * (len(self.each) / self.total) if self.given else None


def row_weights(n: int, sample_weight: Floats | None = None) -> RowWeights:
    """The weights of n rows; None stands for ones."""
    each = np.ones(n)
    if sample_weight is not None:
        each = np.ascontiguousarray(sample_weight, dtype=np.float64)
    given = bool((each != 1.0).any())
    none = np.empty(0)
    return RowWeights(
        each,
        float(each.sum()),
        given,
        np.minimum(each, 1.0) if given else none,
        np.cumsum(each) if given else none,
    )


@kernel
def draw_row(state: Words, ends: Floats) -> int:
    """A row, drawn by its weight."""
    mark = uniform(state) * ends[len(ends) - 1]
    low, high = 0, len(ends) - 1  # the first row that ends beyond the mark
    while low < high:
        middle = (low + high) // 2
        if ends[middle] > mark:
            high = middle
        else:
            low = middle + 1
    return low
