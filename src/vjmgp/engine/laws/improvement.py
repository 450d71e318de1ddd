"""Improve laws by small changes: another power or function, one factor or term more or less.

Regressions of log |y|, from which products come, are misled by noise where y is near 0. Here each
change is judged by the criterion itself, with all constants fitted to y.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from ...core.arrays import Floats, Integers
from .expressions import Expression, parts_of, plus, power, times, value_of
from .fitting import FEW, Law, LawData, fitted, is_spike
from .library import Terms
from .limits import Limits
from .sums import best_sums

CLIMBED = 5
"""Number of laws that are improved."""
MOST_TRIALS = 400
"""Largest number of changes that are tried …"""
MOST_ROUNDS = 8
"""… and of those that are made to one law."""
POWERS = np.array([-4.0, -3.0, -2.0, -1.5, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0])
NEAREST = 2
"""Number of other powers on either side that are tried."""
FACTORS = 6
"""Number of inputs that are tried as further factors."""
NEW_TERMS = 3
OTHER_WAVE = {"sin": "cos", "cos": "sin"}


def improved(
    problem: LawData,
    laws: Iterable[Law],
    square: float,
    limits: Limits,
    order: Integers,
    terms: Terms,
) -> list[Law]:
    """Return the laws that small changes lead to from the best of these, which come first."""
    tried, found = set[Expression](), []
    names = order[problem.plain[order]][:FACTORS]
    for law in list(laws)[:CLIMBED]:
        best = law
        for _ in range(MOST_ROUNDS):
            changed = best
            for expression in _neighbours(problem, best, names, terms):
                if len(tried) == MOST_TRIALS or expression in tried:
                    continue
                if limits.permit(expression):
                    tried.add(expression)
                    other = fitted(problem, expression, square, FEW)
                    if other is None or other.score >= changed.score:
                        continue
                    if not is_spike(problem, other, square):
                        changed = other
            if changed is best:
                break
            best = changed
        if best is not law:
            found.append(best)
    return found


def _neighbours(problem: LawData, law: Law, names: Integers, terms: Terms) -> Iterator[Expression]:
    """Yield expressions that differ from a law's by one change."""
    yield from _changed(law.expression, problem.columns, names)
    rest = problem.y - value_of(law.expression, problem.columns)
    for _, places in best_sums(terms.values, terms.prices, rest, problem.weights, 1, NEW_TERMS):
        value = terms.values[places[0]]
        weights = problem.weights * value
        number = float(weights @ rest / (weights @ value))
        yield plus(law.expression, times(("k", number), terms.make(places[0])))
    yield plus(law.expression, ("k", 0.0))


def _changed(expression: Expression, columns: Floats, names: Integers) -> Iterator[Expression]:
    """Yield the expression with one change at any of its nodes."""
    kind = expression[0]
    yield from _changed_here(expression, columns, names)
    for place, part in enumerate(parts_of(expression), start=1):
        for new in _changed(part, columns, names):
            if kind in ("+", "*"):
                parts = (*expression[1:place], new, *expression[place + 1 :])
                yield plus(*parts) if kind == "+" else times(*parts)
            else:
                yield power(new, expression[2]) if kind == "^" else (kind, new)


def _changed_here(expression: Expression, columns: Floats, names: Integers) -> Iterator[Expression]:
    match expression:
        case ("n", number) if number:
            yield ("k", number)
        case ("x", _):
            yield from (power(expression, p) for p in _allowed(expression, columns, (0.5, 2.0)))
        case ("^", base, exponent):
            place = int(np.searchsorted(POWERS, exponent))
            near = POWERS[max(place - NEAREST, 0) : place + NEAREST + 1]
            near = near[near != exponent]
            yield from (power(base, p) for p in _allowed(base, columns, near))
            if (value_of(base, columns) > 0.0).all():
                yield ("exp", times(("k", float(exponent)), ("log", base)))
        case ("sin" | "cos" as name, inner):
            yield (OTHER_WAVE[name], inner)
        case ("*" | "+" as kind, *parts):
            join = times if kind == "*" else plus
            for k, part in enumerate(parts):
                if len(parts) > 2 or part[0] not in ("n", "k"):
                    yield join(*parts[:k], *parts[k + 1 :])
            if kind == "*":
                for k in names:
                    x = ("x", int(k))
                    for p in _allowed(x, columns, (1.0, -1.0)):
                        yield times(expression, power(x, p))


def _allowed(base: Expression, columns: Floats, exponents: Iterable[float]) -> Iterator[float]:
    """Yield the exponents for which powers of the base are defined on all rows."""
    least = float(np.min(value_of(base, columns)))
    for exponent in exponents:
        if least > 0.0 or (exponent > 0.0 and (exponent % 1.0 == 0.0 or least == 0.0)):
            yield float(exponent)
