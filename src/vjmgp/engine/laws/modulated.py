"""Sums whose terms share a factor with a constant inside, and quotients of sums.

y = b + c·x + (d + e·x) · f(k·u)        f: exp, sin and cos; k from a grid
y · (x + c·z + d) = a·x·z + b + …       linear in all constants
"""

import itertools
from collections.abc import Iterator

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
from .library import FITTED
from .shapes import CYCLES
from .sums import best_sums

MODULATING, MODULATED = 3, 5
"""Number of inputs within the shared factor, and of those that it may multiply."""
RATES = (-8.0, -3.0, -1.0, 1.0, 3.0)
"""Exponents over the range of an input."""
MOST_CYCLES = 8.0
BEST = 2
"""Number of constants of the grid for which terms are selected."""
MOST_TERMS = 4
DIVISORS, QUOTIENT_INPUTS = 4, 5


def modulated(problem: LawData, order: Integers, functions: frozenset[str]) -> Iterator[Expression]:
    """Yield sums in which some terms are multiplied by a function of one input."""
    columns, y, weights, plain = problem
    names = [int(k) for k in order if plain[k]]
    roots = np.sqrt(weights)
    for u in names[:MODULATING]:
        width = np.ptp(columns[u])
        others = [("x", k) for k in names if k != u][:MODULATED]
        lines = np.vstack([np.ones(len(y)), *(columns[x[1]] for x in others)])
        cycles = CYCLES[(len(y) >= 4.0 * CYCLES) & (CYCLES <= MOST_CYCLES)]
        grids = [
            ("exp", np.array(RATES) / width, ("exp",)),
            ("sin", 2.0 * np.pi * cycles / width, ("sin", "cos")),
        ]
        for needed, grid, kinds in grids:
            if needed not in functions or 3 * (len(kinds) + 1) * len(lines) > len(y):
                continue
            errors = []
            for rate in grid:
                inside: Expression = times(("k", float(rate)), ("x", u))
                factors = [value_of((kind, inside), columns) for kind in kinds]
                design = np.vstack([lines, columns[u], *(f * lines for f in factors)]) * roots
                answer = np.linalg.lstsq(design.T, roots * y, rcond=1e-10)[0]
                errors.append(float(np.sum((roots * y - answer @ design) ** 2)))
            for place in np.argsort(errors, kind="stable")[:BEST]:
                inside = times(("k", float(grid[place])), ("x", u))
                yield from _sums(problem, ("x", u), others, [(kind, inside) for kind in kinds])


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
    for _, places in best_sums(values, np.array(prices), y, weights, MOST_TERMS, BEST):
        numbers = _coefficients(values[list(places)], y, weights)
        parts: dict[Expression, list[Expression]] = {}
        for number, place in zip(numbers, places, strict=False):
            factor, x = pairs[place]
            parts.setdefault(factor, []).append(times(("k", float(number)), x))
        terms = [times(factor, plus(*inner)) for factor, inner in parts.items()]
        yield plus(*terms, ("k", float(numbers[-1])))


def _coefficients(values: Floats, y: Floats, weights: Floats) -> Floats:
    """Return coefficients of least squares; the last one is the constant's."""
    design = np.vstack([values, np.ones(len(y))])
    scale = np.sqrt(np.mean(design**2, axis=1))
    roots = np.sqrt(weights)
    return np.linalg.lstsq((design / scale[:, None] * roots).T, roots * y, rcond=None)[0] / scale


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
    values = np.array([value_of(each, columns) for each in (*above, *below)])
    values[len(above) :] *= y
    prices = np.array([price_of(each, len(columns)) for each in (*above, *below)])
    for first in below[: 1 + DIVISORS]:
        divisor = value_of(first, columns)
        if np.abs(divisor).min() <= 0.0:
            continue
        own = np.array([each != first for each in (*above, *below)])
        own[: len(above)] = True
        kept = np.flatnonzero(own)
        counts = weights / divisor**2
        target = y * divisor
        found = best_sums(values[kept], prices[kept], target, counts, MOST_TERMS, BEST)
        for _, chosen in found:
            places = kept[list(chosen)]
            if (places < len(above)).all():
                continue
            numbers = _coefficients(values[places], target, counts)
            parts = [
                times(("k", float(-number if place >= len(above) else number)), term)
                for number, place in zip(numbers, places, strict=False)
                for term in [(*above, *below)[place]]
            ]
            over = [part for part, place in zip(parts, places, strict=True) if place < len(above)]
            under = [part for part, place in zip(parts, places, strict=True) if place >= len(above)]
            bottom = power(plus(first, *under), -1.0)
            yield times(plus(*over, ("k", float(numbers[-1]))), bottom)
