"""Shapes of one input that no sum or product of terms gives: waves, saturation, peaks, growth.

Each has one or two constants inside for which a grid gives starting values; the rest is linear.
"""

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...core.arrays import Floats
from .expressions import Expression, plus, power, times
from .fitting import LawData

CYCLES = np.concatenate([np.arange(0.25, 4.0, 0.25), np.arange(4.0, 16.5, 0.5)])
"""Periods of a wave within the range of an input; at most one for four rows."""
DECAYS = (0.0, 1.0, 3.0, 8.0)
"""Exponents of a decay over the range of an input."""
RISES = (4.0, 10.0, 25.0)
"""Exponents of a logistic curve over the range of an input."""
PLACES = (0.15, 0.35, 0.5, 0.65, 0.85)
"""Where in the range of an input its middle is."""
WIDTHS = (0.05, 0.12, 0.3)
OFFSETS = (0.03, 0.06, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 10.0)
"""Distance of a pole from the input, in units of its range."""
EXPONENTS = (-2.5, -0.75, -0.25, 0.25, 0.75, 1.25, 2.5)
FALLS = (0.5, 1.5, 4.0, 10.0)
"""Exponents of decays over the range of an input."""
STRETCHES, SHARES = (0.5, 1.5, 2.0, 3.0), (0.15, 0.4, 1.0)
"""Powers inside an exponential, and scales in units of the largest value of an input."""
BEST = 2
"""Number of starting values for each shape."""


class Shape(NamedTuple):
    """A shape at one point of its grid."""

    basis: Floats
    """Regressors × rows; a constant is always added."""
    make: "Maker"


class Maker(NamedTuple):
    """How a shape is written, by its coefficients."""

    kind: str
    argument: Expression
    constants: tuple[float, ...]


def shapes(problem: LawData, place: int) -> Iterator[Expression]:
    """Yield the shapes of an input that are nearest to the labels."""
    u = problem.columns[place]
    low, high = u.min(), u.max()
    if not high > low:
        return
    x: Expression = ("x", place)
    groups = [
        list(_waves(u, x, high - low)),
        list(_damped(u, x, high - low)),
        list(_logistics(u, x)),
        list(_peaks(u, x, low, high)),
        list(_decays(u, x, high - low)),
    ]
    if low > 0.0:
        groups.append(list(_logistics(np.log(u), ("log", x))))
        groups.append(list(_powers(u, x)))
        groups.append(list(_stretched(u, x, high)))
    for group in groups:
        yield from _nearest(group, problem.y, problem.weights)
    if (problem.y > 0.0).all():
        counts = problem.weights * problem.y**2
        for group in (list(_poles(u, x, low, high)), list(_gompertz(u, x, high - low))):
            yield from _nearest(group, np.log(problem.y), counts)


def _nearest(group: list[Shape], y: Floats, weights: Floats) -> Iterator[Expression]:
    """Yield the shapes of the smallest squared error."""
    roots = np.sqrt(weights / weights.mean())
    found = []
    for shape in group:
        design = np.vstack([*shape.basis, np.ones(len(y))]) * roots
        if not np.isfinite(design).all():
            continue
        lengths = np.sqrt(np.einsum("ij,ij->i", design, design))
        lengths[~(lengths > 0.0)] = 1.0
        answer = np.linalg.lstsq((design / lengths[:, None]).T, roots * y, rcond=1e-10)[0]
        rest = roots * y - answer @ (design / lengths[:, None])
        found.append((float(rest @ rest), answer / lengths, shape.make))
    found.sort(key=lambda each: each[0])
    for _, answer, maker in found[:BEST]:
        yield _written(maker, answer)


def _waves(u: Floats, x: Expression, width: np.float64) -> Iterator[Shape]:
    for cycles in CYCLES[len(u) >= 4.0 * CYCLES]:
        rate = 2.0 * np.pi * cycles / width
        basis = np.vstack([np.sin(rate * u), np.cos(rate * u)])
        yield Shape(basis, Maker("wave", x, (rate,)))


def _damped(u: Floats, x: Expression, width: np.float64) -> Iterator[Shape]:
    for cycles in CYCLES[(len(u) >= 4.0 * CYCLES) & (CYCLES % 0.5 == 0.0)]:
        for decay in DECAYS[1:]:
            rate, fall = 2.0 * np.pi * cycles / width, decay / width
            basis = np.exp(-fall * u) * np.vstack([np.sin(rate * u), np.cos(rate * u)])
            yield Shape(basis, Maker("damped", x, (fall, rate)))


def _logistics(u: Floats, argument: Expression) -> Iterator[Shape]:
    low, high = u.min(), u.max()
    for rise in RISES:
        for share in PLACES:
            rate = rise / (high - low)
            middle = low + share * (high - low)
            basis = 1.0 / (1.0 + np.exp(-rate * (u - middle)))
            yield Shape(basis[None], Maker("logistic", argument, (-rate, rate * middle)))


def _peaks(u: Floats, x: Expression, low: np.float64, high: np.float64) -> Iterator[Shape]:
    for share in PLACES:
        for width in WIDTHS:
            middle, scale = low + share * (high - low), 1.0 / (width * (high - low)) ** 2
            basis = np.exp(-scale * (u - middle) ** 2)
            yield Shape(basis[None], Maker("peak", x, (-middle, -scale)))


def _powers(u: Floats, x: Expression) -> Iterator[Shape]:
    for exponent in EXPONENTS:
        yield Shape((u**exponent)[None], Maker("power", x, (exponent,)))


def _decays(u: Floats, x: Expression, width: np.float64) -> Iterator[Shape]:
    """Yield two exponentials."""
    for rates in itertools.combinations(np.array(FALLS) / width, 2):
        basis = np.exp(-np.array(rates)[:, None] * (u - u.min()))
        shift = tuple(float(rate * u.min()) for rate in rates)
        yield Shape(basis, Maker("decays", x, (*rates, *shift)))


def _stretched(u: Floats, x: Expression, high: np.float64) -> Iterator[Shape]:
    """Yield e^(−(u/s)^p)."""
    for exponent, share in itertools.product(STRETCHES, SHARES):
        basis = np.exp(-((u / (share * high)) ** exponent))
        scale = float((share * high) ** -exponent)
        yield Shape(basis[None], Maker("stretched", x, (exponent, scale)))


def _gompertz(u: Floats, x: Expression, width: np.float64) -> Iterator[Shape]:
    """Yield the logarithms of e^(−b·e^(−c·u))."""
    for rate in np.array(FALLS) / width:
        yield Shape(np.exp(-rate * u)[None], Maker("gompertz", x, (rate,)))


def _poles(u: Floats, x: Expression, low: np.float64, high: np.float64) -> Iterator[Shape]:
    """Yield the logarithms of e^(b/(u + c))."""
    for offset in OFFSETS:
        c = offset * (high - low) - low
        yield Shape((1.0 / (u + c))[None], Maker("pole", x, (c,)))


def _written(maker: Maker, answer: Floats) -> Expression:
    """Return a shape with its coefficients; the last one is the constant."""
    kind, u, constants = maker
    first, last = ("k", float(answer[0])), ("k", float(answer[-1]))
    if kind in ("wave", "damped"):
        size = float(np.hypot(answer[0], answer[1]))
        phase = float(np.arctan2(answer[1], answer[0]))
        wave: Expression = ("sin", plus(times(("k", constants[-1]), u), ("k", phase)))
        if abs(answer[1]) > abs(answer[0]):
            phase -= np.pi / 2.0
            wave = ("cos", plus(times(("k", constants[-1]), u), ("k", phase)))
        fall = [("exp", times(("k", -constants[0]), u))] if kind == "damped" else []
        return plus(times(("k", size), *fall, wave), last)
    if kind == "logistic":
        inner = plus(times(("k", constants[0]), u), ("k", constants[1]))
        return plus(times(first, power(plus(("n", 1.0), ("exp", inner)), -1.0)), last)
    if kind == "peak":
        inner = times(("k", constants[1]), power(plus(u, ("k", constants[0])), 2.0))
        return plus(times(first, ("exp", inner)), last)
    if kind == "decays":
        falls = [
            times(("k", float(size * np.exp(shift))), ("exp", times(("k", -float(rate)), u)))
            for size, rate, shift in zip(answer, constants[:2], constants[2:], strict=False)
        ]
        return plus(*falls, last)
    if kind == "stretched":
        free: Expression = ("exp", times(("k", constants[0]), ("log", u)))
        return plus(times(first, ("exp", times(("k", -constants[1]), free))), last)
    if kind == "gompertz":
        inner = times(first, ("exp", times(("k", -float(constants[0])), u)))
        return times(("k", float(np.exp(answer[-1]))), ("exp", inner))
    if kind == "power":
        return plus(times(first, ("exp", times(("k", constants[0]), ("log", u)))), last)
    pole = times(first, power(plus(u, ("k", constants[0])), -1.0))
    return times(("k", float(np.exp(answer[-1]))), ("exp", pole))
