"""Numbers as text."""

import numpy as np


def number(value: float, digits: int | None) -> str:
    """Return a number in full, or with a number of significant digits."""
    return repr(float(value)) if digits is None else f"{float(value):.{digits}g}"


def number_text(value: float) -> str:
    """Return the shortest text that is read as this number: 3, 0.00025, 1.5e-7."""
    plain = np.format_float_positional(value, trim="-")
    power = np.format_float_scientific(value, trim="-", exp_digits=1).replace("e+", "e")
    return power if len(power) + 2 < len(plain) else plain
