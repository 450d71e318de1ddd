"""The walk through a tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..engine.trees.primitives import CONSTANT, FIRST_VARIABLE, UserFunctionLike, functions_by_code


def fold(
    codes: Sequence[int],
    constants: Sequence[float],
    leaf: Callable[[int], Any],
    constant: Callable[[float], Any],
    call: Callable[[str, list[Any]], Any],
    user_functions: Sequence[UserFunctionLike] = (),
) -> Any:
    """Walk a prefix tree bottom up: leaves by column number, constants, function calls."""
    functions = functions_by_code(user_functions)
    stack: list[Any] = []
    for code, value in zip(reversed(codes), reversed(constants), strict=True):
        if code >= FIRST_VARIABLE:
            stack.append(leaf(code - FIRST_VARIABLE))
        elif code == CONSTANT:
            stack.append(constant(value))
        else:
            function = functions[code]
            stack.append(call(function.name, [stack.pop() for _ in range(function.arity)]))
    return stack[0]
