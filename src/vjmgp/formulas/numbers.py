"""Numbers as text, and numbers that have a short name: 1/3, 2*pi."""

import math
from bisect import bisect
from functools import cache
from itertools import chain, product
from operator import attrgetter
from typing import NamedTuple

import numpy as np

AGREEMENT, SAME = 5e-7, 1e-12
"""Relative distances: of a number that is meant to be a named one, and of one that is."""


class NamedNumber(NamedTuple):
    """The number above/below·π^power, or above/below·(2π)^power if the power is ±½."""

    value: float
    above: int
    below: int
    power: float


@cache
def _named_numbers() -> list[NamedNumber]:
    """Return fractions that are no decimals, and multiples of π, in ascending order."""
    powers = {k: math.pi**k for k in (1.0, 2.0, -1.0, -2.0)}
    powers |= {k: (2.0 * math.pi) ** k for k in (0.5, -0.5)}
    fractions = product((1.0,), (3, 6, 7, 9), (0.0,))
    multiples = ((unit, b, k) for (k, unit), b in product(powers.items(), (1, 2, 3, 4, 6, 8)))
    return sorted(
        NamedNumber(a / b * unit, a, b, k)
        for unit, b, k in chain(fractions, multiples)
        for a in range(1, 10)
        if math.gcd(a, b) == 1
    )


def named(value: float, tolerance: float = SAME) -> NamedNumber | None:
    """Return the named number that agrees with a positive number, if there is one."""
    place = bisect(_named_numbers(), value, key=attrgetter("value"))
    near = _named_numbers()[max(place - 1, 0) : place + 1]
    return next((one for one in near if abs(one.value - value) <= tolerance * value), None)


def half(value: float) -> NamedNumber | None:
    """Return 1/2, 1/4, 1/8 or 1/16 if the number is one of them."""
    below = next((below for below in (2, 4, 8, 16) if value * below == 1.0), None)
    return None if below is None else NamedNumber(value, 1, below, 0.0)


def meant(value: float) -> float | None:
    """Return the decimal of three digits or the named number that agrees with six digits."""
    size = abs(value)
    short = float(f"{size:.2e}")
    if abs(short - size) <= AGREEMENT * size:
        return math.copysign(short, value)
    one = named(size, AGREEMENT)
    return one and math.copysign(one.value, value)


def number(value: float, digits: int | None) -> str:
    """Return a number in full, or with a number of significant digits."""
    return repr(float(value)) if digits is None else f"{float(value):.{digits}g}"


def number_text(value: float) -> str:
    """Return the shortest text that is read as this number: 3, 0.00025, 1.5e-7."""
    plain = np.format_float_positional(value, trim="-")
    power = np.format_float_scientific(value, trim="-", exp_digits=1).replace("e+", "e")
    return power if len(power) + 2 < len(plain) else plain
