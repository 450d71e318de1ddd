"""Sums whose terms share a factor with a constant inside, and quotients of sums.

y = b + c·x + (d + e·x) · f(k·u)        f: exp, sin, cos, a logistic curve; k from a grid
y · (x + c·z + d) = a·x·z + b + …       linear in all constants
"""

import itertools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ...core.arrays import Floats, Integers
from .expressions import (
    FUNCTION_PRICES,
    ONE,
    Expression,
    plus,
    power,
    price_of,
    times,
    value_of,
)
from .fitting import LawData
from .library import FITTED, MOST_PROPOSED
from .shapes import CYCLES, PLACES, RISES
from .sums import best_sums, coefficients

SCREENED, MODULATING, MODULATED = 10, 2, 5
"""Number of inputs of which products with others are tried, of those that are then tried within the
shared factor, and of those that it may multiply."""
RATES = (-8.0, -3.0, -1.0, 1.0, 3.0)
"""Exponents over the range of an input."""
MOST_CYCLES = 8.0
STEPS = (1.3, 1.15, 1.07, 1.03)
"""Factors by which constants of the grid are changed to find better ones."""
BEST = 2
"""Number of points of the grid for which terms are selected."""
MOST_TERMS = 4
DIVISORS, QUOTIENT_INPUTS = 4, 5
Point = tuple[float, ...]


class Family(NamedTuple):
    """Functions of an input that terms may share, with constants from a grid."""

    make: Callable[[Point], list[Expression]]
    grid: list[Point]


def families(u: Floats, place: int, functions: frozenset[str]) -> Iterator[Family]:
    """Yield exponentials, waves and logistic curves of an input."""
    x: Expression = ("x", place)
    width = float(np.ptp(u)) or 1.0
    if "exp" in functions:
        yield Family(
            lambda point: [("exp", times(("k", point[0]), x))],
            [(rate / width,) for rate in RATES],
        )
        yield Family(
            lambda point: [_logistic(x, point[0], float(u.min()) + point[1] * width)],
            [(rise / width, share) for rise in RISES for share in PLACES],
        )
    if {"sin", "cos"} <= functions:
        cycles = CYCLES[(len(u) >= 4.0 * CYCLES) & (CYCLES <= MOST_CYCLES)]
        yield Family(
            lambda point: [(kind, times(("k", point[0]), x)) for kind in ("sin", "cos")],
            [(2.0 * np.pi * float(each) / width,) for each in cycles],
        )


def _logistic(x: Expression, rate: float, middle: float) -> Expression:
    """Return 1/(1 + exp(−rate·(x − middle)))."""
    inner = plus(times(("k", -rate), x), ("k", rate * middle))
    return power(plus(ONE, ("exp", inner)), -1.0)


def modulated(problem: LawData, order: Integers, functions: frozenset[str]) -> Iterator[Expression]:
    """Yield sums in which some terms are multiplied by a function of one input."""
    columns, y, weights, plain = problem
    names = [int(k) for k in order if plain[k]]
    roots = np.sqrt(weights)
    cases = []
    for place in names[:SCREENED]:
        others = [("x", k) for k in names if k != place][:MODULATED]
        lines = np.vstack([np.ones(len(y)), *(columns[x[1]] for x in others)])
        bent = columns[place] - columns[place].mean()
        error = _error(lines, [bent, bent**2], columns[place], roots * y, roots)
        cases.append((error, place, others, lines))
    for _, place, others, lines in sorted(cases, key=lambda case: case[0])[:MODULATING]:
        for family in families(columns[place], place, functions):

            def error_of(point: Point, case: Any = (family, lines, columns[place])) -> float:
                family, lines, u = case
                factors = [value_of(factor, columns) for factor in family.make(point)]
                return _error(lines, factors, u, roots * y, roots)

            for point in sorted(family.grid, key=error_of)[:BEST]:
                for step, k in itertools.product(STEPS, range(len(point))):
                    near = [(*point[:k], point[k] * f, *point[k + 1 :]) for f in (step, 1 / step)]
                    point = min([point, *near], key=error_of)
                yield from _sums(problem, ("x", place), others, family.make(point))


def _error(lines: Floats, factors: list[Floats], u: Floats, y: Floats, roots: Floats) -> float:
    """Return the squared error of u and all lines, these also times the factors.

    It is infinite if there are too few rows.
    """
    if 3 * (len(factors) + 1) * len(lines) > len(y):
        return np.inf
    design = np.vstack([lines, u, *(factor * lines for factor in factors)]) * roots
    if not np.isfinite(design).all():
        return np.inf
    answer = np.linalg.lstsq(design.T, y, rcond=1e-10)[0]
    return float(np.sum((y - answer @ design) ** 2))


def _sums(
    problem: LawData, u: Expression, others: list[Expression], factors: list[Expression]
) -> Iterator[Expression]:
    """Yield the best sums of inputs, and of inputs and 1 times the factors."""
    columns, y, weights, _ = problem
    pairs = [(ONE, x) for x in (u, *others)]
    pairs += [(factor, x) for factor in factors for x in (ONE, *others)]
    values = np.array([value_of(f, columns) * value_of(x, columns) for f, x in pairs])
    dear = {f: max(FUNCTION_PRICES.get(f[0], 0.0) - MOST_PROPOSED, 0.0) for f, _ in pairs}
    prices = [
        price_of(times(f, x), len(columns)) + (FITTED - dear[f] if f != ONE else 0.0)
        for f, x in pairs
    ]
    ones = np.ones(len(y))
    for _, places in best_sums(values, np.array(prices), y, weights, MOST_TERMS, BEST):
        numbers = coefficients(np.vstack([values[list(places)], ones]), y, weights)
        parts: dict[Expression, list[Expression]] = {}
        for number, place in zip(numbers, places, strict=False):
            factor, x = pairs[place]
            parts.setdefault(factor, []).append(times(("k", float(number)), x))
        terms = [times(factor, plus(*inner)) for factor, inner in parts.items()]
        yield plus(*terms, ("k", float(numbers[-1])))


def quotients(problem: LawData, order: Integers) -> Iterator[Expression]:
    """Yield quotients of sums, from regressions of y times a term of the divisor."""
    columns, y, weights, plain = problem
    names = sorted(int(k) for k in order[plain[order]][:QUOTIENT_INPUTS])
    if not names:
        return
    inputs: list[Expression] = [("x", k) for k in names]
    above = [
        *inputs,
        *(times(a, b) for a, b in itertools.combinations(inputs, 2)),
        *(power(a, 2.0) for a in inputs),
    ]
    below = [ONE, *inputs, *above[len(inputs) :]]
    every, count, ones = [*above, *below], len(above), np.ones(len(y))
    values = np.array([value_of(term, columns) for term in every])
    values[count:] *= y
    prices = np.array([price_of(term, len(columns)) for term in every])
    for first in below[: 1 + DIVISORS]:
        divisor = value_of(first, columns)
        if not np.abs(divisor).min() > 0.0:
            continue
        kept = np.array([k for k, term in enumerate(every) if k < count or term != first])
        target, counts = y * divisor, weights / divisor**2
        for _, chosen in best_sums(values[kept], prices[kept], target, counts, MOST_TERMS, BEST):
            places = kept[list(chosen)].tolist()
            numbers = coefficients(np.vstack([values[places], ones]), target, counts).tolist()
            parts = list(zip(places, numbers, strict=False))
            over = [times(("k", number), every[k]) for k, number in parts if k < count]
            under = [times(("k", -number), every[k]) for k, number in parts if k >= count]
            if under:
                yield times(plus(*over, ("k", numbers[-1])), power(plus(first, *under), -1.0))
