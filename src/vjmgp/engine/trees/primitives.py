"""The functions that trees are built from, and the code numbers of tree nodes.

A tree is a run of whole numbers in prefix order. A node below `CONSTANT` is a function, `CONSTANT`
stands for the value at the same place of the array of constants, and `FIRST_VARIABLE + v` is
input column v. The paper's 13 functions have the codes from 0 on. Those below 0 are called through
an address (`addresses.py`): −1 − s has the place s in the table of addresses, where unary functions
come before binary ones, and the package's own before the user's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from ...core.arrays import Whole
from ..compilation.kernels import kernel
from ..numerics.elementary import analytic_log, cos_pi, sin_pi

ADD, SUB, MUL, AQ, MAX, MIN, SQUARE, LOG, SQRT, SIN, COS, ABS, NEG = range(13)
CONSTANT = 13
FIRST_VARIABLE = 14
FIRST_UNARY = SQUARE
ROOM = 16
"""So many unary and so many binary functions beside the paper's, and as many of the user's."""
FIRST_BINARY = 2 * ROOM
"""Where the binary functions start in the table of addresses."""
INV, EXP, GAUSS, TANH, SIGMOID, CUBE, CBRT, ATAN, STEP = range(-1, -10, -1)
DIV = -1 - FIRST_BINARY
LARGEST_EXPONENT = 20.0
"""Where `exp` stops to grow: 5·10⁸ is far out already for standardised inputs."""


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
"""The paper's functions, which trees have by default."""
MORE_PRIMITIVES: dict[int, Primitive] = {
    # A divisor of 0 gives NaN: no such individual is valid, and the formula a/b tells the truth.
    DIV: Primitive("div", 2, lambda a, b: np.where(b == 0.0, np.nan, a / b)),
    INV: Primitive("inv", 1, lambda a: np.where(a == 0.0, np.nan, 1.0 / a)),
    EXP: Primitive("exp", 1, lambda a: np.exp(np.minimum(a, LARGEST_EXPONENT))),
    GAUSS: Primitive("gauss", 1, lambda a: np.exp(-(a * a))),
    TANH: Primitive("tanh", 1, np.tanh),
    SIGMOID: Primitive("sigmoid", 1, lambda a: 1.0 / (1.0 + np.exp(-a))),
    CUBE: Primitive("cube", 1, lambda a: a * a * a),
    CBRT: Primitive("cbrt", 1, np.cbrt),
    ATAN: Primitive("atan", 1, np.arctan),
    STEP: Primitive("step", 1, lambda a: np.heaviside(a, 0.0)),
}
MORE_FUNCTION_NAMES = tuple(primitive.name for primitive in MORE_PRIMITIVES.values())
"""The functions that trees have on demand."""


@runtime_checkable
class OwnFunction(Protocol):
    """A function of the user, as the engine sees it: `vjmgp.UserFunction`."""

    @property
    def name(self) -> str:
        """How trees in files name it."""

    @property
    def arity(self) -> int:
        """1 or 2."""

    @property
    def scalar(self) -> Callable[..., float]:
        """What numba compiles: floats in, a float out."""


def own_functions(functions: Sequence[str | OwnFunction]) -> tuple[OwnFunction, ...]:
    """Those of the functions that are the user's."""
    return tuple(function for function in functions if not isinstance(function, str))


def functions_by_code(own: Sequence[OwnFunction] = ()) -> dict[int, Primitive | OwnFunction]:
    """Every function that a tree may hold; the user's have codes in their order."""
    found: dict[int, Primitive | OwnFunction] = {**dict(enumerate(PRIMITIVES)), **MORE_PRIMITIVES}
    place = {1: ROOM, 2: FIRST_BINARY + ROOM}
    for function in own:
        found[-1 - place[function.arity]] = function
        place[function.arity] += 1
    return found


def codes_by_name(own: Sequence[OwnFunction] = ()) -> dict[str, int]:
    """The code of every function that a tree may hold."""
    return {function.name: code for code, function in functions_by_code(own).items()}


def codes_of(functions: Sequence[str | OwnFunction]) -> list[int]:
    """The codes of the functions of a run."""
    codes = codes_by_name(own_functions(functions))
    return [codes[f if isinstance(f, str) else f.name] for f in functions]


@kernel
def arity(code: Whole) -> int:
    """How many children a node has."""
    if code >= FIRST_UNARY:  # most nodes first: this is asked very often
        return 1 if code < CONSTANT else 0
    if code >= 0:
        return 2
    return 2 if code < -FIRST_BINARY else 1


@kernel
def apply(code: int, a: Any, b: Any, out: Any) -> None:
    """Out = function(a, b), element by element; unary functions leave b alone.

    The paper's functions only: the others are called through their addresses. One loop per
    function: each becomes straight vector code. `out` overlaps neither input.
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
