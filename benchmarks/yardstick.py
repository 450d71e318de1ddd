"""A fixed piece of work, independent of the engine, that times are compared with.

It does what evolution does most: polynomials and quotients of short columns, and dot products of
longer ones. The ratio of a method's time to the yardstick's in the same run depends less on the
machine and its load; `STORED` has the ratios of engine 1.0.
"""

from __future__ import annotations

import time

import numba
import numpy as np

STORED = {"VJM": 4.74, "VJM with early stopping": 3.90, "WCRV": 34.6, "Standard GP": 2.98}
"""Evolution on 547_no2 in yardsticks, medians of 15 seeds (WCRV: 3) on an AMD EPYC, 2026-11-17.
The previous engine had 4.75, 3.65 and 2.81 without WCRV."""


@numba.njit(nogil=True)
def _work(columns: np.ndarray, rounds: int) -> float:
    total = 0.0
    n, rows = columns.shape
    out = np.empty(rows)
    for turn in range(rounds):
        a, b = columns[turn % n], columns[(turn + 1) % n]
        for i in range(rows):
            x = a[i] * b[i] + 0.5
            out[i] = (0.1 * x * x - 0.3 * x + a[i]) / np.sqrt(1.0 + b[i] * b[i])
        for k in range(n):
            s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
            for i in range(0, rows, 4):
                s0 += columns[k, i] * out[i]
                s1 += columns[k, i + 1] * out[i + 1]
                s2 += columns[k, i + 2] * out[i + 2]
                s3 += columns[k, i + 3] * out[i + 3]
            total += (s0 + s1) + (s2 + s3)
    return total


def yardstick() -> float:
    """Return the CPU seconds of the fixed work, about 0.1."""
    columns = np.random.default_rng(0).normal(size=(16, 1024))
    _work(columns, 1)
    started = time.process_time()
    _work(columns, 6_000)
    return time.process_time() - started
