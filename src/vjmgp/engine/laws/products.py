"""Search for products: powers of inputs and of a few factors, by regression of log |y|."""

from typing import NamedTuple

import numpy as np

from ...core.arrays import Floats, Integers
from .expressions import (
    Expression,
    constants_of,
    power,
    times,
    value_of,
    with_constants,
)
from .fitting import LawData
from .least_squares import with_slopes
from .library import Terms
from .sums import best_sums

FACTORS = 2
"""Largest number of factors that are not powers of inputs."""
KEEP = 24
REFINEMENTS = 3
"""Number of Gauss–Newton steps for constants within factors."""
LARGEST_WEIGHT = 50.0
SIZES = (1.0, 2.0, 1 / 2, 3.0, 3 / 2, 4.0, 2 / 3, 1 / 3, 5 / 2, 4 / 3, 5.0)
POWERS = np.array([0.0, *(sign * size for size in SIZES for sign in (1.0, -1.0))])
OUTER_PRICE = 0.7
"""Price of a power of a factor …"""
INNER_PRICE = 2.0
"""… and of an exponential of an argument."""


def best_products(problem: LawData, factors: Terms, arguments: Terms) -> list[Expression]:
    """Return products of powers, of factors and of exponentials of arguments."""
    columns, y, weights, plain = problem
    rows = y != 0.0
    if rows.sum() < 0.8 * len(y):
        return []
    used = np.flatnonzero(plain & (np.abs(columns).min(axis=1) > 0.0))
    counts = weights * y * y
    counts = np.minimum(counts, LARGEST_WEIGHT * np.median(counts[rows]))
    z = np.log(np.abs(np.where(rows, y, 1.0)))
    base = np.vstack([np.ones(len(y)), np.log(np.abs(columns[used]))])
    count = len(factors.values)
    values = np.vstack([np.log(np.abs(factors.values)), arguments.values])
    prices = np.concatenate([factors.prices + OUTER_PRICE, arguments.prices + INNER_PRICE])
    defined = np.flatnonzero(np.isfinite(values).all(axis=1))
    if 3 * len(base) > len(y):
        return []
    ranked = best_sums(values[defined], prices[defined], z, counts, FACTORS, KEEP, base)
    logs = Logarithms(columns, used, base, z, np.sqrt(counts / counts.mean()))
    found: list[Expression] = []
    for places in [(), *(chosen for _, chosen in ranked)]:
        chosen = [int(defined[place]) for place in places]
        parts = [factors.make(place) for place in chosen if place < count]
        inner = [arguments.make(place - count) for place in chosen if place >= count]
        found += _laws(logs, parts, inner)
    return list(dict.fromkeys(found))


class Logarithms(NamedTuple):
    """The regression of log |y|."""

    columns: Floats
    used: Integers
    """Inputs whose powers are factors."""
    base: Floats
    """Regressors × rows: a constant, and the logarithms of these inputs."""
    z: Floats
    roots: Floats
    """Square roots of the weights."""


def _laws(logs: Logarithms, parts: list[Expression], inner: list[Expression]) -> list[Expression]:
    """Return the products of the given factors, with their powers snapped."""
    columns, used, base, z, roots = logs
    lines = [value_of(each, columns) for each in inner]
    parts = [_refined(logs, lines, parts, k) for k in range(len(parts))]
    values = [np.log(np.abs(value_of(part, columns))) for part in parts]
    design = np.vstack([base, *values, *lines]) * roots
    if not np.isfinite(design).all():
        return []
    must = range(len(base), len(base) + len(parts))
    found = []
    for loose in (False, True):
        powers = _snapped(design, z * roots, 1 + len(used) + len(parts), must, loose)
        if powers is None:
            continue
        numbers, fixed = powers
        product: list[Expression] = [("k", 1.0)]
        for place, number, known in zip(used, numbers[1:], fixed[1:], strict=False):
            if number:
                x = ("x", int(place))
                free: Expression = ("exp", times(("k", float(number)), ("log", x)))
                product.append(power(x, float(number)) if known else free)
        for part, number in zip(parts, numbers[len(base) :], strict=False):
            product.append(power(part, float(number)))
        for each, number in zip(inner, numbers[len(base) + len(parts) :], strict=True):
            product.append(("exp", times(("k", float(number)), each)))
        found.append(times(*product))
    return found


def _refined(
    logs: Logarithms, lines: list[Floats], parts: list[Expression], which: int
) -> Expression:
    """Return a factor with its constants improved by Gauss–Newton steps in log |y|."""
    columns, _, base, z, roots = logs
    part = parts[which]
    if not constants_of(part):
        return part
    others = [np.log(np.abs(value_of(p, columns))) for k, p in enumerate(parts) if k != which]
    rest = np.vstack([base, *others, *lines])
    best, least = part, np.inf
    for _ in range(REFINEMENTS + 1):
        value, slopes = with_slopes(part, columns)
        log = np.log(np.abs(value))
        design = np.vstack([rest, log]) * roots
        if not np.isfinite(design).all():
            break
        answer = np.linalg.lstsq(design.T, z * roots, rcond=None)[0]
        left = z * roots - answer @ design
        error = float(left @ left)
        if not error < least:
            break
        best, least = part, error
        tangents = np.array([answer[-1] * slope / value for slope in slopes]) * roots
        full = np.vstack([design, tangents])
        if not np.isfinite(full).all():
            break
        step = np.linalg.lstsq(full.T, z * roots, rcond=None)[0][len(design) :]
        now = np.array(constants_of(part))
        step = np.clip(step, -0.7 * np.abs(now), 0.7 * np.abs(now))
        part = with_constants(part, iter(now + step))
    return best


def _snapped(
    design: Floats, z: Floats, powers: int, must: range, loose: bool
) -> tuple[Floats, list[bool]] | None:
    """Return coefficients with powers snapped to simple numbers, the surest first.

    The first row of the design is the constant, rows up to `powers` have powers as coefficients;
    those of `must` have to be other than 0, or there is no result. If a power is near no simple
    number, the remaining ones stay as they are.
    """
    count, rows = design.shape
    gram, moments = design @ design.T, design @ z
    full = np.linalg.lstsq(design.T, z, rcond=None)[0]
    left = z - full @ design
    variance = max(float(left @ left) / max(rows - count, 1), 1e-20 * float(z @ z) / rows)
    values, free, todo = np.zeros(count), list(range(count)), list(range(1, powers))
    fixed = [False] * count
    while True:
        known = [k for k in range(count) if fixed[k]]
        part = gram[np.ix_(free, free)]
        ridge = 1e-12 * np.trace(part) / len(free) * np.eye(len(free))
        try:
            inverse = np.linalg.inv(part + ridge)
        except np.linalg.LinAlgError:
            return None
        answer = inverse @ (moments[free] - gram[np.ix_(free, known)] @ values[known])
        spreads = np.sqrt(np.maximum(np.diag(inverse), 0.0) * variance) + 1e-7
        best: tuple[float, int, float] | None = None
        for k in todo:
            place = free.index(k)
            reach = (6.0 * spreads[place] + 0.02) if loose else 3.5 * spreads[place]
            near = np.flatnonzero(np.abs(POWERS - answer[place]) <= reach)
            if len(near) and (best is None or spreads[place] < best[0]):
                best = float(spreads[place]), k, float(POWERS[near[0]])
        if best is None:
            if any(k in must for k in todo):
                return None
            values[free] = answer
            return values, fixed
        _, k, number = best
        if k in must and number == 0.0:
            return None
        values[k], fixed[k] = number, True
        free.remove(k)
        todo.remove(k)
