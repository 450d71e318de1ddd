"""Weights of the training rows.

A row of weight 3 counts like three copies. Leaving out "one row" leaves out one copy, or all of a
row whose weight is below 1.
"""

from typing import NamedTuple

import numpy as np

from ...core.arrays import Floats, Words
from ..compilation.kernels import kernel
from ..numerics.rng import uniform


class RowWeights(NamedTuple):
    """The weights of the training rows, all of them positive."""

    each: Floats
    """Ones if no weights were given."""
    total: float
    given: bool
    """Whether any weight differs from 1. If not, kernels do no extra work."""
    copy: Floats
    """The part that is left out: min(1, weight). Empty if none were given."""
    ends: Floats
    """Cumulative weights, for drawing rows. Empty if none were given."""

    def mean(self, values: Floats) -> float:
        """Return the weighted mean of one value per row."""
        return float(np.average(values, weights=self.each) if self.given else values.mean())

    def relative(self) -> Floats | None:
        """Return the weights scaled to mean 1; None if none were given."""
        return self.each * (len(self.each) / self.total) if self.given else None


def row_weights(n: int, sample_weight: Floats | None = None) -> RowWeights:
    """Return the weights of n rows; None stands for ones."""
    each = np.ones(n)
    if sample_weight is not None:
        each = np.ascontiguousarray(sample_weight, dtype=np.float64)
    given = bool((each != 1.0).any())
    copy, ends = (np.minimum(each, 1.0), np.cumsum(each)) if given else (np.empty(0), np.empty(0))
    return RowWeights(each, float(each.sum()), given, copy, ends)


@kernel
def draw_row(state: Words, ends: Floats) -> int:
    """Draw a row by weight."""
    mark = uniform(state) * ends[len(ends) - 1]
    low, high = 0, len(ends) - 1  # the first row that ends beyond the mark
    while low < high:
        middle = (low + high) // 2
        if ends[middle] > mark:
            high = middle
        else:
            low = middle + 1
    return low
