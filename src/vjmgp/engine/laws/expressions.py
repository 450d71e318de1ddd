"""Expressions of laws: their values, derivatives, prices and trees.

An expression is a nested tuple: ("x", input), ("n", number), ("k", constant to be fitted),
("+", a, b, …), ("*", a, b, …), ("^", a, power) or (function, a) with a function of `FUNCTIONS`.
"""

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...core.arrays import Floats
from ..trees.primitives import (
    ADD,
    CONSTANT,
    COS,
    EXPONENTIAL,
    FIRST_VARIABLE,
    INV,
    LN,
    MUL,
    SIN,
    SQUARE,
    TANH,
)

Expression = tuple[Any, ...]
Tree = tuple[list[int], list[float]]
FUNCTIONS: dict[str, Callable[[Floats], Floats]] = {
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
}
ONE: Expression = ("n", 1.0)


def times(*parts: Expression) -> Expression:
    """Return a product without factors of 1, nested products joined."""
    flat: list[Expression] = []
    for part in parts:
        flat += part[1:] if part[0] == "*" else [part] if part != ONE else []
    return ONE if not flat else flat[0] if len(flat) == 1 else ("*", *flat)


def plus(*parts: Expression) -> Expression:
    """Return a sum, nested sums joined."""
    flat: list[Expression] = []
    for part in parts:
        flat += part[1:] if part[0] == "+" else [part] if part != ("n", 0.0) else []
    return ("n", 0.0) if not flat else flat[0] if len(flat) == 1 else ("+", *flat)


def power(base: Expression, exponent: float) -> Expression:
    """Return base^exponent, for a number as the exponent."""
    if exponent == 0.0 or base == ONE:
        return ONE
    if base[0] == "exp":
        return ("exp", multiplied(base[1], exponent))
    if base[0] == "^" and (exponent % 1.0 == 0.0 or base[2] % 2.0 == 1.0):
        return power(base[1], base[2] * exponent)
    return base if exponent == 1.0 else ("^", base, float(exponent))


def multiplied(expression: Expression, number: float) -> Expression:
    """Return a multiple of an expression; a constant to be fitted takes up the number."""
    match expression:
        case ("k", value):
            return ("k", value * number)
        case ("*", ("k", value), *rest):
            return times(("k", value * number), *rest)
    return times(("n", number), expression)


def product_of_powers(exponents: Floats) -> Expression:
    """Return Π xᵢ^pᵢ."""
    return times(*(power(("x", i), p) for i, p in enumerate(exponents) if p))


def value_of(expression: Expression, columns: Floats) -> Floats:
    """Return the values of an expression; `columns` are inputs × rows."""
    kind = expression[0]
    if kind == "x":
        return columns[expression[1]]
    if kind in ("n", "k"):
        return np.full(columns.shape[1], expression[1])
    if kind == "^":
        return powered(value_of(expression[1], columns), expression[2])
    parts = [value_of(part, columns) for part in expression[1:]]
    if kind in ("+", "*"):
        return functools.reduce(np.add if kind == "+" else np.multiply, parts)
    return FUNCTIONS[kind](parts[0])


def powered(value: Floats, exponent: float) -> Floats:
    """Return value^exponent."""
    if exponent == 2.0:
        return value * value
    if exponent == 0.5:
        return np.sqrt(value)
    return 1.0 / value if exponent == -1.0 else value**exponent


def constants_of(expression: Expression) -> list[float]:
    """Return the constants to be fitted, from left to right."""
    if expression[0] == "k":
        return [expression[1]]
    return [value for part in parts_of(expression) for value in constants_of(part)]


def with_constants(expression: Expression, values: Iterator[float]) -> Expression:
    """Return the expression with other values of its constants."""
    if expression[0] == "k":
        return ("k", float(next(values)))
    if expression[0] == "^":
        return ("^", with_constants(expression[1], values), expression[2])
    if expression[0] in ("x", "n"):
        return expression
    return (expression[0], *(with_constants(part, values) for part in expression[1:]))


def parts_of(expression: Expression) -> tuple[Expression, ...]:
    """Return the operands of an expression."""
    if expression[0] in ("x", "n", "k"):
        return ()
    return expression[1:2] if expression[0] == "^" else expression[1:]


def inputs_of(expression: Expression) -> set[int]:
    """Return the inputs of an expression."""
    if expression[0] == "x":
        return {expression[1]}
    return set().union(*map(inputs_of, parts_of(expression)))


# -- prices --------------------------------------------------------------------------------------

FUNCTION_PRICES = {"exp": 2.0, "log": 2.7, "sin": 6.5, "cos": 6.5, "tanh": 4.0}
USUAL_POWERS = {2.0: 1.0, -1.0: 0.7, 0.5: 1.2, -2.0: 1.5, -0.5: 1.7, 3.0: 1.7, 1.5: 2.2, -3.0: 2.2}
POWERS_OF_SUMS = {2.0: 2.0, -0.5: 1.8, -2.0: 2.5}
"""Further prices of powers of sums."""
NUMBER_IN_SUM = 0.7
ANY_POWER = 3.5
USUAL_NUMBERS = {1.0: 0.0, -1.0: 0.3, 2.0: 0.7, 0.5: 0.7, -2.0: 1.0, -0.5: 1.0}
ANY_NUMBER = 2.0
SUM, PRODUCT = 0.8, 0.3
NESTED = 2.0
"""Further price of a function with another one inside."""


def price_of(expression: Expression, inputs: int) -> float:
    """Return the length of the expression's description in nats, constants to be fitted apart."""
    kind = expression[0]
    if kind == "x":
        return 0.3 + math.log(max(inputs, 2))
    if kind == "k":
        return 0.3
    if kind == "n":
        return USUAL_NUMBERS.get(expression[1], ANY_NUMBER)
    inner = sum(price_of(part, inputs) for part in parts_of(expression))
    if kind == "^":
        of_sum = expression[1][0] == "+"
        further = POWERS_OF_SUMS.get(expression[2], 0.0) if of_sum else 0.0
        return inner + further + USUAL_POWERS.get(expression[2], ANY_POWER)
    if kind == "+":
        inner += NUMBER_IN_SUM * sum(part[0] == "n" for part in expression[1:])
    if kind in ("+", "*"):
        return inner + (SUM if kind == "+" else PRODUCT) * (len(expression) - 2)
    return inner + FUNCTION_PRICES[kind] + NESTED * _has_function(expression[1])


def _has_function(expression: Expression) -> bool:
    """Return whether there is a function inside, other than the logarithm of a fitted power."""
    match expression:
        case ("exp", ("*", ("k" | "n", _), ("log", base))):
            return _has_function(base)
    return expression[0] in FUNCTIONS or any(map(_has_function, parts_of(expression)))


def prices_of_monomials(exponents: Floats) -> Floats:
    """Return the prices of many products of powers, monomials × inputs."""
    inputs = exponents.shape[1]
    used = exponents != 0.0
    each = np.full(exponents.shape, ANY_POWER)
    for exponent, price in (USUAL_POWERS | {0.0: 0.0, 1.0: 0.0}).items():
        each[exponents == exponent] = price
    count = used.sum(axis=1)
    of_inputs = count * (0.3 + math.log(max(inputs, 2)))
    return each.sum(axis=1) + of_inputs + PRODUCT * np.maximum(count - 1, 0)


FUNCTION_SIZES = {"sin": 4, "cos": 4, "tanh": 2}


def size_of(expression: Expression) -> int:
    """Count numbers, inputs, operations and functions as written; waves count fourfold."""
    kind = expression[0]
    if kind in ("x", "n", "k"):
        return 1
    inner = sum(map(size_of, parts_of(expression)))
    if kind == "^":
        return inner + {-1.0: 1, 0.5: 1}.get(expression[2], 2)
    return inner + (len(expression) - 2 if kind in ("+", "*") else FUNCTION_SIZES.get(kind, 1))


# -- trees ---------------------------------------------------------------------------------------


def in_units(expression: Expression, scale: Floats) -> tuple[float, list[tuple[float, Expression]]]:
    """Return intercept and terms, of an expression in inputs that are divided by their scale."""
    number, scaled = _scaled(expression, scale)
    parts = scaled[1:] if scaled[0] == "+" else (scaled,)
    intercept, terms = 0.0, []
    for part in parts:
        each, rest = _scaled(part, np.ones(len(scale)))
        if rest == ONE:
            intercept += number * each
        else:
            terms.append((number * each, rest))
    return intercept, terms


def _scaled(expression: Expression, scale: Floats) -> tuple[float, Expression]:
    """Return a number, and the rest of the expression in inputs divided by their scale."""
    kind = expression[0]
    if kind == "x":
        return float(scale[expression[1]]), expression
    if kind in ("n", "k"):
        return (expression[1], ONE) if expression[1] else (1.0, expression)
    if kind == "^":
        number, inner = _scaled(expression[1], scale)
        if number > 0.0 or expression[2] % 1.0 == 0.0:
            return number ** expression[2], power(inner, expression[2])
        return 1.0, power(times(("n", number), inner), expression[2])
    pairs = [_scaled(part, scale) for part in expression[1:]]
    if kind == "*":
        return math.prod(number for number, _ in pairs), times(*(part for _, part in pairs))
    if kind == "+":
        first = pairs[0][0]
        return first, plus(*(times(("n", number / first), part) for number, part in pairs))
    number, inner = pairs[0]
    return 1.0, (kind, times(("n", number), inner))


def tree_of(expression: Expression, offset: Floats) -> Tree:
    """Return the tree on standardised inputs z, whose sums z + offset are the expression's."""
    kind = expression[0]
    if kind == "x":
        place = expression[1]
        return _called(ADD, ([FIRST_VARIABLE + place], [0.0]), _number(float(offset[place])))
    if kind in ("n", "k"):
        return _number(expression[1])
    if kind == "^":
        return _power(tree_of(expression[1], offset), expression[2])
    parts = [tree_of(part, offset) for part in expression[1:]]
    if kind in ("+", "*"):
        code = ADD if kind == "+" else MUL
        return _balanced(code, parts)
    if kind in ("sin", "cos"):  # the engine's are of π·a
        code = SIN if kind == "sin" else COS
        return _called(code, _called(MUL, _number(1.0 / math.pi), parts[0]))
    return _called({"exp": EXPONENTIAL, "log": LN, "tanh": TANH}[kind], parts[0])


def _power(tree: Tree, exponent: float) -> Tree:
    if exponent == 1.0:
        return tree
    if exponent < 0.0 and exponent % 1.0 == 0.0:
        return _called(INV, _power(tree, -exponent))
    if exponent % 1.0 or exponent > 16.0:
        return _called(EXPONENTIAL, _called(MUL, _number(exponent), _called(LN, tree)))
    if exponent % 2.0 == 0.0:
        return _called(SQUARE, _power(tree, exponent / 2.0))
    return _called(MUL, _power(tree, exponent - 1.0), tree)


def _balanced(code: int, parts: list[Tree]) -> Tree:
    half = len(parts) // 2
    if not half:
        return parts[0]
    return _called(code, _balanced(code, parts[:half]), _balanced(code, parts[half:]))


def _number(value: float) -> Tree:
    return [CONSTANT], [float(value)]


def _called(code: int, *parts: Tree) -> Tree:
    return [code, *(c for part in parts for c in part[0])], [0.0, *(v for p in parts for v in p[1])]
