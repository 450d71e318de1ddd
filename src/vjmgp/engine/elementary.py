"""sin(πx), cos(πx) and log as polynomials that the compiler turns into vector instructions.

A call to the C library costs about thirty additions and its last bit differs between systems.
These loops need neither: range reduction is exact, and what follows is multiply and add. The
coefficients are Chebyshev fits made in 60-digit arithmetic; errors stay within a few units in
the last place (tests/test_functions.py compares with mpmath).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from .compiling import kernel


@intrinsic  # type: ignore[untyped-decorator]
def to_bits(typing: Any, x: Any) -> Any:
    """The bits of a float as a whole number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.uint64(types.float64), generate


@intrinsic  # type: ignore[untyped-decorator]
def from_bits(typing: Any, bits: Any) -> Any:
    """The float that has these bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.uint64), generate


@kernel
def _sine_of_half_turn(r: float) -> float:
    """sin(πr) for |r| ≤ 1/2."""
    t = r * r
    p = 7.697826768224191e-07
    p = p * t - 2.1903497074626018e-05
    p = p * t + 0.0004662998161898394
    p = p * t - 0.007370430505916944
    p = p * t + 0.0821458865731029
    p = p * t - 0.5992645293189447
    p = p * t + 2.5501640398773007
    p = p * t - 5.167712780049969
    p = p * t + 3.141592653589793
    return p * r


@kernel
def sin_pi(x: float) -> float:
    """sin(πx)."""
    turn = np.rint(x)
    half = 0.5 * turn
    sign = 1.0 - 4.0 * (half - np.floor(half))  # +1 for an even number of half turns, else −1
    return sign * _sine_of_half_turn(x - turn)


@kernel
def cos_pi(x: float) -> float:
    """cos(πx)."""
    turn = np.rint(x)
    half = 0.5 * turn
    sign = 1.0 - 4.0 * (half - np.floor(half))
    return sign * _sine_of_half_turn(0.5 - abs(x - turn))


@kernel
def analytic_log(x: float) -> float:
    """Log √(1 + x²)."""
    u = 1.0 + x * x
    # u = m · 2^e with m in [√½, √2): move the exponent so that the cut falls on √½.
    shifted = to_bits(u) + (np.uint64(0x3FF0000000000000) - np.uint64(0x3FE6A09E667F3BCC))
    biased = from_bits((shifted >> np.uint64(52)) | np.uint64(0x4330000000000000))
    exponent = biased - (4503599627370496.0 + 1023.0)
    m = from_bits((shifted & np.uint64(0x000FFFFFFFFFFFFF)) + np.uint64(0x3FE6A09E667F3BCC))
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    p = 0.1461916613488797
    p = p * z + 0.1533150161114533
    p = p * z + 0.18182895750119193
    p = p * z + 0.22222211043776857
    p = p * z + 0.2857142862653362
    p = p * z + 0.3999999999989827
    p = p * z + 0.666666666666667
    log = s * (2.0 + z * p) + exponent * 0.6931471805599453
    return 0.5 * (log if u < np.inf else u)
