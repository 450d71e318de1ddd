"""Fit the constants of laws, and replace them by simple numbers where the data agree."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...core.arrays import Flags, Floats
from .expressions import (
    ONE,
    Expression,
    constants_of,
    parts_of,
    plus,
    power,
    price_of,
    times,
    value_of,
    with_constants,
)
from .least_squares import fit_program, program_of, with_slopes
from .sums import score

STEPS, FEW = 30, 6
"""Number of Levenberg–Marquardt steps, and where laws are only compared."""
ENOUGH, SOLVED = 1e-6, 1e-26
"""Relative fall of the squared error below which a fit ends, and share of the variance."""
FEWEST_ROWS = 2.5
"""A term has to vary on as many rows, if all inputs do …"""
EXACT_LAW = 1e-6
"""… and if more than this share of the variance is left."""
ROUNDS = 8
"""Number of rounds of replacing constants."""
CLOSE = 3.0
"""Standard errors between a constant and the number that replaces it."""
NUMBERS = (
    *(1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 4.0, -4.0, 1.5, -1.5, 0.25, -0.25),
    *(1.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0, -2.0 / 3.0, 5.0, -5.0, 10.0, -10.0),
    *(math.pi, 2.0 * math.pi, math.pi / 2.0, 1.0 / (2.0 * math.pi), 4.0 * math.pi),
)


ALMOST_1 = 1.0 - 1e-9


class LawData(NamedTuple):
    """Inputs in their own units, and the labels to explain."""

    columns: Floats
    """Inputs × rows."""
    y: Floats
    weights: Floats
    plain: Flags
    """Whether inputs are numbers, not levels or indicators of missing values."""

    def on(self, rows: slice) -> "LawData":
        """Return the problem on some rows."""
        return LawData(self.columns[:, rows], self.y[rows], self.weights[rows], self.plain)


class Law(NamedTuple):
    """A law with its constants fitted."""

    score: float
    """The criterion; smaller is better."""
    expression: Expression
    error: float
    """Weighted sum of squares, for weights of mean 1."""
    jacobian: Floats
    """Constants × rows: derivatives times the weights' roots."""


def variance_of(problem: LawData) -> float:
    """Return the weighted sum of squares about the mean."""
    weights = problem.weights / problem.weights.mean()
    mean = float(weights @ problem.y) / len(problem.y)
    return float(weights @ (problem.y - mean) ** 2)


def fitted(
    problem: LawData, expression: Expression, square: float, steps: int = STEPS
) -> Law | None:
    """Return a law with constants of least squares, by Levenberg–Marquardt; None if undefined."""
    columns, y, weights, _ = problem
    roots = np.sqrt(weights / weights.mean())
    program = program_of(expression)
    count = len(program.free)
    if count + 1 >= len(y):
        return None
    jacobian = np.empty((count, len(y)))
    exact, whole = SOLVED * square, np.ascontiguousarray(columns)
    error = fit_program(program, whole, roots * y, roots, steps, ENOUGH, exact, jacobian)
    if not np.isfinite(error):
        return None
    expression = with_constants(expression, iter(program.numbers[program.free]))
    total = score(error, square, len(y)) + 2.0 * price_of(expression, len(columns))
    total += count * np.log(len(y)) + 2.0 * count * (count + 1) / (len(y) - count - 1)
    return Law(float(total), expression, error, jacobian)


def standard_errors(law: Law) -> Floats:
    """Return the standard errors of the constants."""
    jacobian = law.jacobian
    count, rows = jacobian.shape
    if not count:
        return np.empty(0)
    lengths = np.sqrt(np.einsum("ij,ij->i", jacobian, jacobian))
    lengths[~(lengths > 0.0)] = 1.0
    scaled = jacobian / lengths[:, None]
    if not np.isfinite(scaled).all():
        return np.full(count, np.inf)
    inverse = np.linalg.pinv(scaled @ scaled.T, hermitian=True)
    return np.sqrt(np.maximum(np.diag(inverse), 0.0) * law.error / max(rows - count, 1)) / lengths


def leave_one_out(problem: LawData, expression: Expression, copies: Floats) -> Floats:
    """Return the errors of rows that are left out, from leverages on all constants.

    `copies` are the parts of rows that are left out; empty stands for whole rows.
    """
    value, slopes = with_slopes(expression, problem.columns)
    roots = np.sqrt(problem.weights)
    jacobian = roots * slopes
    lengths = np.sqrt(np.einsum("ij,ij->i", jacobian, jacobian))
    lengths[~(lengths > 0.0)] = 1.0
    jacobian = jacobian / lengths[:, None]
    leverage = np.zeros(len(value))
    if len(jacobian) and np.isfinite(jacobian).all():
        inverse = np.linalg.pinv(jacobian @ jacobian.T, hermitian=True)
        leverage = np.einsum("ij,ij->j", jacobian, inverse @ jacobian) / roots**2
        leverage *= copies if len(copies) else 1.0
    return (problem.y - value) / (1.0 - np.minimum(leverage, ALMOST_1))


def is_spike(problem: LawData, law: Law, square: float) -> bool:
    """Return whether a term varies on one or two rows, though inputs vary on more.

    Such a term explains single rows. Exact laws may have one.
    """
    if law.error < EXACT_LAW * square:
        return False
    least = min(FEWEST_ROWS, float(_rows_of(problem.columns).min()))
    values = np.array([value_of(term, problem.columns) for term in _terms_of(law.expression)])
    return bool((_rows_of(values) < least).any())


def _terms_of(expression: Expression) -> list[Expression]:
    """Return the expression, and the terms of all sums in it."""
    inner = [term for part in parts_of(expression) for term in _terms_of(part)[1:]]
    terms = parts_of(expression) if expression[0] == "+" else ()
    return [expression, *terms, *inner]


def _rows_of(values: Floats) -> Floats:
    """Return on how many rows terms × rows vary: (Σv²)² / Σv⁴ of centred values."""
    largest = np.abs(values).max(axis=1, keepdims=True)
    unit = values / np.where(largest > 0.0, largest, 1.0)
    squares = (unit - unit.mean(axis=1, keepdims=True)) ** 2
    total, fourth = squares.sum(axis=1), (squares**2).sum(axis=1)
    rows: Floats = np.where(fourth > 1e-60, total**2 / np.maximum(fourth, 1e-60), np.inf)
    return rows


def replaced(expression: Expression, which: int, new: Expression) -> Expression:
    """Return the expression with another one in place of a constant; powers are recognised."""
    return _replaced(expression, which, new, iter(range(1 << 30)))


def _replaced(
    expression: Expression, which: int, new: Expression, places: Iterator[int]
) -> Expression:
    kind = expression[0]
    if kind == "k":
        return new if next(places) == which else expression
    if kind in ("x", "n"):
        return expression
    if kind == "^":
        return power(_replaced(expression[1], which, new, places), expression[2])
    parts = [_replaced(part, which, new, places) for part in parts_of(expression)]
    if kind == "+":
        return plus(*parts)
    if kind == "*":
        return ("n", 0.0) if ("n", 0.0) in parts else times(*parts)
    if kind == "exp":
        match parts[0]:
            case ("n", 0.0):
                return ONE
            case ("*", ("n", exponent), ("log", base)):
                return power(base, exponent)
            case ("log", base):
                return base
    return (kind, *parts)


def common_factor(expression: Expression) -> Expression | None:
    """Return k·(A + r·B + …) for a sum k·A + l·B + …; None for others."""
    if expression[0] != "+":
        return None
    lead = []
    for term in expression[1:]:
        if term[0] == "k":
            lead.append((term[1], ONE))
        elif term[0] == "*" and term[1][0] == "k":
            lead.append((term[1][1], times(*term[2:])))
        else:
            return None
    if len(lead) < 2 or lead[0][0] == 0.0:
        return None
    first = lead[0][0]
    rest = [times(("k", constant / first), term) for constant, term in lead[1:]]
    return times(("k", first), plus(lead[0][1], *rest))


def simplified(problem: LawData, law: Law, square: float) -> Law:
    """Return the law with a common factor taken out and simple numbers for constants."""
    best = fitted(problem, law.expression, square) or law
    shared = common_factor(best.expression)
    if shared is not None:
        other = fitted(problem, shared, square, 2)
        if other is not None and other.score <= best.score + 1e-9:
            best = other
    for _ in range(ROUNDS):
        numbers = np.array(constants_of(best.expression))
        better = None
        spreads = standard_errors(best)
        for place in np.argsort(spreads / np.maximum(np.abs(numbers), 1e-300), kind="stable"):
            number, spread = numbers[place], spreads[place]
            reach = CLOSE * spread + 1e-9 * abs(number)
            options = [0.0] if abs(number) <= reach else []
            options += sorted(
                (n for n in NUMBERS if abs(n - number) <= reach), key=lambda n: abs(n - number)
            )[:2]
            for option in options:
                trial = replaced(best.expression, int(place), ("n", option))
                other = fitted(problem, trial, square, FEW)
                if other is not None and other.score < best.score:
                    better = other
                    break
            if better is not None:
                break
        if better is None:
            break
        best = better
    return best
