"""Sums whose terms share a factor with a constant inside, and quotients of sums.

y = b + c·x + (d + e·x) · f(k·u)        f: exp, sin and cos; k from a grid
y · (x + c·z + d) = a·x·z + b + …       linear in all constants
"""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...core.arrays import Floats, Integers
from .expressions import (
    FUNCTION_PRICES,
    FUNCTIONS,
    ONE,
    Expression,
    plus,
    power,
    price_of,
    times,
    value_of,
)
from .fitting import LawData
from .library import FITTED
from .shapes import CYCLES
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
"""Number of constants of the grid for which terms are selected."""
MOST_TERMS = 4
DIVISORS, QUOTIENT_INPUTS = 4, 5


def modulated(problem: LawData, order: Integers, functions: frozenset[str]) -> Iterator[Expression]:
    """Yield sums in which some terms are multiplied by a function of one input."""
    columns, y, weights, plain = problem
    names = [int(k) for k in order if plain[k]]
    roots = np.sqrt(weights)
    cases = []
    for u in names[:SCREENED]:
        others = [("x", k) for k in names if k != u][:MODULATED]
        lines = np.vstack([np.ones(len(y)), *(columns[x[1]] for x in others)])
        bent = columns[u] - columns[u].mean()
        error = _error(lines, [bent, bent**2], columns[u], roots * y, roots)
        cases.append((error, u, others, lines))
    for _, u, others, lines in sorted(cases, key=lambda case: case[0])[:MODULATING]:
        width = float(np.ptp(columns[u])) or 1.0
        cycles = CYCLES[(len(y) >= 4.0 * CYCLES) & (CYCLES <= MOST_CYCLES)]
        grids = [
            (np.array(RATES) / width, ("exp",)),
            (2.0 * np.pi * cycles / width, ("sin", "cos")),
        ]
        for grid, kinds in grids:
            if not set(kinds) <= functions or 3 * (len(kinds) + 1) * len(lines) > len(y):
                continue

            def error_of(rate: float, case: Any = (lines, columns[u], kinds)) -> float:
                lines, u, kinds = case
                factors = [FUNCTIONS[kind][0](rate * u) for kind in kinds]
                return _error(lines, factors, u, roots * y, roots)

            for rate in sorted(grid.tolist(), key=error_of)[:BEST]:
                for step in STEPS:
                    rate = min((rate, rate * step, rate / step), key=error_of)
                inside: Expression = times(("k", rate), ("x", u))
                yield from _sums(problem, ("x", u), others, [(kind, inside) for kind in kinds])


def _error(lines: Floats, factors: list[Floats], u: Floats, y: Floats, roots: Floats) -> float:
    """Return the squared error of u and all lines, these also times the factors."""
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
    prices = [
        price_of(x, len(columns)) + (FUNCTION_PRICES[f[0]] + FITTED if f != ONE else 0.0)
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
