"""Functions that kernels call through an address, a block of rows at a time.

The kernels of the engine are compiled once. Functions beyond the paper's, and those of the user,
are compiled separately when they are first used, so they cost nothing otherwise.
"""

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import NumbaError
from numba.extending import intrinsic

from ...core.arrays import Integers
from ..compilation.kernels import compile_once, kept_on_disk
from ..numerics.curves import arctangent, cube_root, hyperbolic_tangent, logistic
from ..numerics.elementary import natural_exp, natural_log
from . import primitives
from .primitives import UserFunctionLike, codes_of, functions_by_code, user_functions

_POINTER = types.CPointer(types.float64)  # type: ignore[attr-defined]
_BLOCK = types.void(types.int64, _POINTER, _POINTER, _POINTER, types.int64)
"""Signature of the function at an address: f(code, a, b, out, rows)."""


def addresses_of(codes: Iterable[int], own: Sequence[UserFunctionLike] = ()) -> Integers:
    """Return the table of addresses for trees with these codes; `own` are the user's functions."""
    table = np.zeros(2 * primitives.FIRST_BINARY, np.int64)
    known = functions_by_code(own)
    for code in {int(code) for code in codes}:
        if code in primitives.MORE_PRIMITIVES:
            compile_once("more", compiled_more)
            table[-1 - code] = compiled_more().address
        elif code < 0:
            function = known[code]
            assert isinstance(function, UserFunctionLike)
            table[-1 - code] = _compiled(function.scalar, function.arity).address
    return table


def addresses_of_run(functions: Sequence[str | UserFunctionLike]) -> Integers:
    """Return the table for a run's functions; compile those that are not compiled yet."""
    return addresses_of(codes_of(functions), user_functions(functions))


@intrinsic  # type: ignore[untyped-decorator]
def call_address(typing: Any, address: Any, code: Any, a: Any, b: Any, out: Any) -> Any:
    """Compute out = function(a, b), element by element, for the function at an address."""
    signature = types.void(types.int64, types.int64, a, b, out)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        arrays = [
            cgutils.create_struct_proxy(kind)(context, builder, value)
            for kind, value in zip(signature.args[2:], arguments[2:], strict=True)
        ]
        number, pointer = ir.IntType(64), ir.DoubleType().as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [number, pointer, pointer, pointer, number])
        function = builder.inttoptr(arguments[0], kind.as_pointer())
        builder.call(function, [arguments[1], *(array.data for array in arrays), arrays[-1].nitems])
        return context.get_dummy_value()

    return signature, generate


def _apply_more(code: int, a: Any, b: Any, out: Any, n: int) -> None:
    """Compute like `primitives.apply`, for the functions beyond the paper's."""
    if code == primitives.DIV:
        for i in range(n):
            out[i] = a[i] / b[i] if b[i] != 0.0 else np.nan
    elif code == primitives.INV:
        for i in range(n):
            out[i] = 1.0 / a[i] if a[i] != 0.0 else np.nan
    elif code == primitives.EXP:  # this order keeps a NaN
        for i in range(n):
            too_large = a[i] > primitives.LARGEST_EXPONENT
            out[i] = natural_exp(primitives.LARGEST_EXPONENT if too_large else a[i])
    elif code == primitives.GAUSS:
        for i in range(n):
            out[i] = natural_exp(-(a[i] * a[i]))
    elif code == primitives.TANH:
        for i in range(n):
            out[i] = hyperbolic_tangent(a[i])
    elif code == primitives.SIGMOID:
        for i in range(n):
            out[i] = logistic(a[i])
    elif code == primitives.CUBE:
        for i in range(n):
            out[i] = a[i] * a[i] * a[i]
    elif code == primitives.CBRT:
        for i in range(n):
            out[i] = cube_root(a[i])
    elif code == primitives.ATAN:
        for i in range(n):
            out[i] = arctangent(a[i])
    elif code == primitives.STEP:
        for i in range(n):
            out[i] = a[i] if a[i] != a[i] else (1.0 if a[i] > 0.0 else 0.0)
    elif code == primitives.LN:
        for i in range(n):
            out[i] = natural_log(a[i]) if a[i] > 0.0 else np.nan
    elif code == primitives.EXPONENTIAL:
        for i in range(n):
            out[i] = natural_exp(a[i])


@functools.cache
def compiled_more() -> Any:
    """Compile the functions beyond the paper's; simple laws have reciprocals."""
    with kept_on_disk():
        return numba.cfunc(_BLOCK, cache=True, error_model="numpy")(_apply_more)


@functools.cache  # an address is valid as long as its function is kept
def _compiled(scalar: Callable[..., float], arity: int) -> Any:
    """Compile a loop over the user's function; an exception gives NaN."""
    function = _njit(scalar)
    if arity == 1:

        def block(code: int, a: Any, b: Any, out: Any, n: int) -> None:
            for i in range(n):
                try:
                    out[i] = function(a[i])
                except Exception:  # noqa: BLE001 (numba supports no other)
                    out[i] = np.nan
    else:

        def block(code: int, a: Any, b: Any, out: Any, n: int) -> None:
            for i in range(n):
                try:
                    out[i] = function(a[i], b[i])
                except Exception:  # noqa: BLE001 (numba supports no other)
                    out[i] = np.nan

    return numba.cfunc(_BLOCK, error_model="numpy")(block)


def _njit(scalar: Callable[..., float]) -> Any:
    """Compile with the options of kernels, whatever options the user chose."""
    return numba.njit(nogil=True, error_model="numpy")(getattr(scalar, "py_func", scalar))


def arguments_of(scalar: Callable[..., float]) -> tuple[str, ...]:
    """Return the names of a function's arguments; raise unless there are one or two."""
    function = getattr(scalar, "py_func", scalar)
    if not inspect.isfunction(function):
        raise ValueError(f"scalar is {scalar!r}; it must be a function written in Python")
    found = inspect.signature(function).parameters.values()
    names = tuple(p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))
    if len(names) != len(found) or len(names) not in (1, 2):
        raise ValueError(f"scalar has {len(found)} arguments; it must have one or two")
    return names


def check_scalar(scalar: Callable[..., float]) -> None:
    """Raise if numba cannot compile a function or if it does not return a float."""
    kinds = (types.float64,) * len(arguments_of(scalar))
    function = _njit(scalar)
    try:
        function.compile(kinds)
        gives = numba.types.unliteral(function.overloads[kinds].signature.return_type)
    except NumbaError as error:
        plain = re.sub("\x1b\\[[0-9;]*m", "", str(error))  # with colorama, errors are in colour
        lines = [line.strip() for line in plain.splitlines() if line.strip()]
        reasons = [line for line in lines if not line.startswith("Failed in nopython mode")]
        raise ValueError(f"numba cannot compile scalar: {(reasons or lines)[0]}") from None
    if gives != types.float64:
        raise ValueError(f"scalar returns {gives}; it must return a float (1.0, not 1)")
