"""The 13 functions that trees are built from, and the code numbers of tree nodes.

A tree is a run of whole numbers in prefix order. A node below `CONSTANT` is a function, `CONSTANT`
stands for the value at the same place of the array of constants, and `FIRST_VARIABLE + v` is
input column v.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .arrays import Whole
from .compiling import kernel
from .elementary import analytic_log, cos_pi, sin_pi

ADD, SUB, MUL, AQ, MAX, MIN, SQUARE, LOG, SQRT, SIN, COS, ABS, NEG = range(13)
CONSTANT = 13
FIRST_VARIABLE = 14
FIRST_UNARY = SQUARE


class Primitive(NamedTuple):
    """A function as the rest of the package sees it."""

    name: str
    arity: int
    numpy: Callable[..., Any]
    """The definition in plain NumPy: what the kernels are tested against."""


PRIMITIVES: tuple[Primitive, ...] = (
    Primitive("add", 2, np.add),
    Primitive("sub", 2, np.subtract),
    Primitive("mul", 2, np.multiply),
    Primitive("aq", 2, lambda a, b: a / np.sqrt(1.0 + b * b)),
    Primitive("max", 2, np.maximum),
    Primitive("min", 2, np.minimum),
    Primitive("square", 1, np.square),
    Primitive("log", 1, lambda a: np.log(np.sqrt(1.0 + a * a))),
    Primitive("sqrt", 1, lambda a: np.sqrt(np.abs(a))),
    Primitive("sin", 1, lambda a: np.sin(np.pi * a)),
    Primitive("cos", 1, lambda a: np.cos(np.pi * a)),
    Primitive("abs", 1, np.abs),
    Primitive("neg", 1, np.negative),
)
FUNCTION_NAMES = tuple(primitive.name for primitive in PRIMITIVES)


@kernel
def arity(code: Whole) -> int:
    """How many children a node has."""
    if code >= CONSTANT:
        return 0
    return 2 if code < FIRST_UNARY else 1


@kernel
def apply(code: int, a: Any, b: Any, out: Any) -> None:
    """Out = function(a, b), element by element; unary functions leave b alone.

    One loop per function: each becomes straight vector code. `out` overlaps neither input.
    """
    n = len(out)
    if code == ADD:
        for i in range(n):
            out[i] = a[i] + b[i]
    elif code == SUB:
        for i in range(n):
            out[i] = a[i] - b[i]
    elif code == MUL:
        for i in range(n):
            out[i] = a[i] * b[i]
    elif code == AQ:
        for i in range(n):
            out[i] = a[i] / np.sqrt(1.0 + b[i] * b[i])
    elif code == MAX:  # `a != a` lets a NaN through, as NumPy does
        for i in range(n):
            out[i] = a[i] if (a[i] > b[i]) | (a[i] != a[i]) else b[i]
    elif code == MIN:
        for i in range(n):
            out[i] = a[i] if (a[i] < b[i]) | (a[i] != a[i]) else b[i]
    elif code == SQUARE:
        for i in range(n):
            out[i] = a[i] * a[i]
    elif code == LOG:
        for i in range(n):
            out[i] = analytic_log(a[i])
    elif code == SQRT:
        for i in range(n):
            out[i] = np.sqrt(abs(a[i]))
    elif code == SIN:
        for i in range(n):
            out[i] = sin_pi(a[i])
    elif code == COS:
        for i in range(n):
            out[i] = cos_pi(a[i])
    elif code == ABS:
        for i in range(n):
            out[i] = abs(a[i])
    else:
        for i in range(n):
            out[i] = -a[i]
