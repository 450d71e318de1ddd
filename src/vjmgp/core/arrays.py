"""Types of arrays and numbers."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
Codes: TypeAlias = NDArray[np.int32]
"""Codes of tree nodes."""
Words: TypeAlias = NDArray[np.uint64]
"""Bit patterns: random states, hashes, sets."""
Int: TypeAlias = Any
"""An integer whose type numba infers: int64 for numbers, uint64 for bit patterns."""
