"""Names for the kinds of arrays and numbers that kernels work on."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
Codes: TypeAlias = NDArray[np.int32]
"""Nodes of trees."""
Words: TypeAlias = NDArray[np.uint64]
"""Bits: random states, hashes, sets."""
Whole: TypeAlias = Any
"""A whole number that numba types: int64 for numbers, uint64 for bits."""
