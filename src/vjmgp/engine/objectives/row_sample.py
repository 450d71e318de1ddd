"""Stratified samples of the rows, for steps that would take too long on all of them."""

import numpy as np

from ...core.arrays import Floats, Integers
from ..numerics.rng import below, stream

MOST_FOREST_ROWS = 5000
"""Maximum number of rows for the noise estimate."""


def sample_of_rows(y: Floats, most: int, seed: int) -> Integers:
    """Return at most this many rows, in order: one from each stratum of the target.

    Rows with similar targets form a stratum, so the sample has the target's distribution.
    """
    n = len(y)
    if n <= most:
        return np.arange(n)
    order = np.argsort(y, kind="stable")
    ends = np.arange(1, most + 1) * n // most
    starts = np.concatenate([[0], ends[:-1]])
    state = stream(seed, "rows")
    places = [start + below(state, end - start) for start, end in zip(starts, ends, strict=True)]
    return np.sort(order[places])
