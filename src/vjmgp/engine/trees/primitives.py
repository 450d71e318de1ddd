"""The codes of tree nodes: functions, constants and variables.

A tree is a sequence of integers in prefix order. Codes below `CONSTANT` are functions, `CONSTANT`
stands for the value at the same position of the array of constants, and `FIRST_VARIABLE + v` is
input v. The paper's 13 functions have codes from 0. Functions with negative codes are called
through an address (`addresses.py`): code −1 − s has slot s of the address table, in which unary
functions precede binary ones, and the package's functions precede the user's.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from ...core.arrays import Int
from ..compilation.kernels import kernel
from ..numerics.elementary import analytic_log, cos_pi, sin_pi

ADD, SUB, MUL, AQ, MAX, MIN, SQUARE, LOG, SQRT, SIN, COS, ABS, NEG = range(13)
CONSTANT = 13
FIRST_VARIABLE = 14
FIRST_UNARY = SQUARE
ROOM = 16
"""Slots for unary functions beyond the paper's; as many for binary ones, and for the user's."""
FIRST_BINARY = 2 * ROOM
"""The first slot of binary functions in the address table."""
INV, EXP, GAUSS, TANH, SIGMOID, CUBE, CBRT, ATAN, STEP, LN, EXPONENTIAL = range(-1, -12, -1)
DIV = -1 - FIRST_BINARY
LARGEST_EXPONENT = 20.0
"""`exp` is constant above this: 5·10⁸ is extreme for standardised inputs."""


class Primitive(NamedTuple):
    """A function as trees know it: `formulas/functions.py` has its definition and its texts."""

    name: str
    arity: int


PRIMITIVES: tuple[Primitive, ...] = (
    *(Primitive(name, 2) for name in ("add", "sub", "mul", "aq", "max", "min")),
    *(Primitive(name, 1) for name in ("square", "log", "sqrt", "sin", "cos", "abs", "neg")),
)
FUNCTION_NAMES = tuple(primitive.name for primitive in PRIMITIVES)
"""The paper's functions, the default of a run."""
MORE_PRIMITIVES = {DIV: Primitive("div", 2)} | {
    -1 - slot: Primitive(name, 1)
    for slot, name in enumerate(
        (
            *("inv", "exp", "gauss", "tanh", "sigmoid", "cube", "cbrt", "atan", "step"),
            *("ln", "exponential"),
        )
    )
}
MORE_FUNCTION_NAMES = tuple(primitive.name for primitive in MORE_PRIMITIVES.values())
"""Further functions, on demand."""


@runtime_checkable
class UserFunctionLike(Protocol):
    """A user's function as the engine sees it: `vjmgp.UserFunction`."""

    @property
    def name(self) -> str:
        """Its name in stored trees."""

    @property
    def arity(self) -> int:
        """1 or 2."""

    @property
    def scalar(self) -> Callable[..., float]:
        """The function of floats that numba compiles."""


def user_functions(functions: Sequence[str | UserFunctionLike]) -> tuple[UserFunctionLike, ...]:
    """Return those of the functions that are the user's."""
    return tuple(function for function in functions if not isinstance(function, str))


def functions_by_code(
    users: Sequence[UserFunctionLike] = (),
) -> dict[int, Primitive | UserFunctionLike]:
    """Return every function that a tree may contain; the user's have codes in their order."""
    found: dict[int, Primitive | UserFunctionLike] = dict(enumerate(PRIMITIVES))
    found |= MORE_PRIMITIVES
    place = {1: ROOM, 2: FIRST_BINARY + ROOM}
    for function in users:
        found[-1 - place[function.arity]] = function
        place[function.arity] += 1
    return found


def codes_by_name(users: Sequence[UserFunctionLike] = ()) -> dict[str, int]:
    """Return the code of every function that a tree may contain."""
    return {function.name: code for code, function in functions_by_code(users).items()}


def codes_of(functions: Sequence[str | UserFunctionLike]) -> list[int]:
    """Return the codes of the functions of a run."""
    codes = codes_by_name(user_functions(functions))
    return [codes[f if isinstance(f, str) else f.name] for f in functions]


@kernel
def arity(code: Int) -> int:
    """Return the number of children of a node."""
    if code >= FIRST_UNARY:  # most nodes first: this is called very often
        return 1 if code < CONSTANT else 0
    if code >= 0:
        return 2
    return 2 if code < -FIRST_BINARY else 1


@kernel
def apply(code: int, a: Any, b: Any, out: Any) -> None:
    """Compute out = function(a, b) element by element; unary functions ignore b.

    It has the paper's functions only; the rest are called through addresses. Each function has its
    own loop, which compiles to plain vector code. `out` overlaps neither input.
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
