"""sin(πx), cos(πx), log and exp as polynomials that the compiler turns into vector instructions.

A call to the C library costs about thirty additions, and its last bit differs between systems. Here
range reduction is exact, followed by multiplications and additions. The
coefficients are Chebyshev fits made in 60-digit arithmetic; errors stay within a few units in
the last place (tests/engine/test_primitives.py compares with mpmath).
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from ...core.arrays import Floats
from ..compilation.kernels import kernel


@intrinsic  # type: ignore[untyped-decorator]
def to_bits(typing: Any, x: Any) -> Any:
    """Return the bits of a float as an integer."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.uint64(types.float64), generate


@intrinsic  # type: ignore[untyped-decorator]
def from_bits(typing: Any, bits: Any) -> Any:
    """Return the float with these bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.uint64), generate


@kernel
def _sine_of_half_turn(r: float) -> float:
    """Return sin(πr) for |r| ≤ 1/2."""
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
    """Return sin(πx)."""
    turn = np.rint(x)
    half = 0.5 * turn
    sign = 1.0 - 4.0 * (half - np.floor(half))  # +1 for an even number of half turns, else −1
    return sign * _sine_of_half_turn(x - turn)


@kernel
def cos_pi(x: float) -> float:
    """Return cos(πx)."""
    turn = np.rint(x)
    half = 0.5 * turn
    sign = 1.0 - 4.0 * (half - np.floor(half))
    return sign * _sine_of_half_turn(0.5 - abs(x - turn))


@kernel
def natural_log(u: float) -> float:
    """Return log u for u ≥ 2⁻¹⁰²²."""
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
    return log if u < np.inf else u


@kernel
def analytic_log(x: float) -> float:
    """Return log √(1 + x²)."""
    return 0.5 * natural_log(1.0 + x * x)


@kernel
def _power_of_two(k: float) -> float:
    """Return 2^k for an integer k from −1022 to 1023."""
    # Added to 2⁵² the exponent's bits stand at the end of the float's.
    return from_bits(to_bits(k + (4503599627370496.0 + 1023.0)) << np.uint64(52))


@kernel
def natural_exp(x: float) -> float:
    """Return exp x; 0 or infinity beyond the range of floats."""
    inside = min(max(x, -746.0), 710.0)
    k = np.rint(inside * 1.4426950408889634)
    # ln 2 in two parts, the first so short that its product with k is exact.
    r = (inside - k * 0.6931471803691238) - k * 1.9082149292705877e-10
    p = 1.6059043836821613e-10  # 1/13!, 1/12!, …
    p = p * r + 2.08767569878681e-09
    p = p * r + 2.505210838544172e-08
    p = p * r + 2.755731922398589e-07
    p = p * r + 2.7557319223985893e-06
    p = p * r + 2.48015873015873e-05
    p = p * r + 0.0001984126984126984
    p = p * r + 0.001388888888888889
    p = p * r + 0.008333333333333333
    p = p * r + 0.041666666666666664
    p = p * r + 0.16666666666666666
    p = p * r + 0.5
    value = 1.0 + (r + r * r * p)
    half = np.floor(0.5 * k)  # twice a factor that is in range
    value = value * _power_of_two(half) * _power_of_two(k - half)
    return value if x == x else x


@kernel
def exp_of(values: Floats) -> Floats:
    """Return exp of each value."""
    out = np.empty(len(values))
    for i in range(len(values)):
        out[i] = natural_exp(values[i])
    return out


@kernel
def log_of(values: Floats) -> Floats:
    """Return the log of each value."""
    out = np.empty(len(values))
    for i in range(len(values)):
        out[i] = natural_log(values[i])
    return out
