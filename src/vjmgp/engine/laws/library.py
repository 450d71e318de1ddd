"""The terms that laws are built from: monomials, and functions of monomials and differences."""

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ...core.arrays import Flags, Floats, Integers
from .expressions import (
    FUNCTION_PRICES,
    NUMBER_IN_SUM,
    ONE,
    SUM,
    Expression,
    plus,
    power,
    price_of,
    prices_of_monomials,
    product_of_powers,
    times,
)

SINGLE = (1.0, 2.0, 3.0, 4.0, -1.0, -2.0, -3.0, 0.5, -0.5, 1.5, -1.5)
PAIRED = (1.0, 2.0, 3.0, -1.0, -2.0, -3.0, 0.5, -0.5)
TRIPLED = (1.0, 2.0, -1.0, -2.0)
RECIPROCAL = (1.0, -1.0)
Shapes = Iterable[tuple[int, tuple[float, ...], int]]
SHAPES: Shapes = ((1, SINGLE, 60), (2, PAIRED, 10), (3, TRIPLED, 6), (4, RECIPROCAL, 5))
"""Number of factors of a monomial, their powers, and of how many inputs they are taken."""
ARGUMENTS: Shapes = ((1, (1.0, 2.0, -1.0), 8), (2, RECIPROCAL, 7))
LONG_ARGUMENTS: Shapes = ((3, RECIPROCAL, 6), (4, RECIPROCAL, 5))
LARGEST_DEGREE = 5.0
DIFFERENCES = 6
"""Of how many inputs differences are taken."""
SHARES = (0.1, 0.3, 1.0, 3.0, 10.0)
"""Constants of 1 + k·u, in medians of 1/|u| …"""
RATES = (-3.0, -1.0, -0.3, 0.3, 1.0, 3.0)
"""… those inside an exponential …"""
EDGES = (-0.4, -0.8, -0.97)
"""… and those of 1 + k·u in units of the largest 1/|u|."""
TURNS = (0.5, 2.0, np.pi, 2.0 * np.pi)
MOST_PROPOSED = 4.0
"""Highest price of a function when terms are selected; the law's own price decides."""
NEGATIVE, TYPED, FITTED = 0.6, 2.0, 2.5
"""Prices of a minus sign, of another number and of a constant to be fitted within a function."""


class Terms(NamedTuple):
    """Terms to choose from."""

    values: Floats
    """Terms × rows."""
    prices: Floats
    make: Callable[[int], Expression]

    def some(self, kept: Integers) -> "Terms":
        """Return some of the terms."""
        return Terms(
            self.values[kept], self.prices[kept], lambda place: self.make(int(kept[place]))
        )


def joined(*parts: Terms) -> Terms:
    """Return all terms as one collection."""
    ends = np.cumsum([len(part.values) for part in parts])

    def make(place: int) -> Expression:
        part = int(np.searchsorted(ends, place, side="right"))
        return parts[part].make(int(place - (ends[part - 1] if part else 0)))

    values = np.vstack([part.values for part in parts])
    return Terms(values, np.concatenate([part.prices for part in parts]), make)


# -- monomials -----------------------------------------------------------------------------------


def exponents_of(shapes: Shapes, order: Integers, positive: Flags, plain: Flags) -> Floats:
    """Return monomials × inputs, of the first inputs of `order`.

    Inputs that are not plain numbers, such as levels, only occur alone; negative and broken powers
    are for positive inputs.
    """
    found = []
    for size, powers, most in shapes:
        usable = [k for k in order[:most] if plain[k] or size == 1]
        for inputs in itertools.combinations(sorted(usable), size):
            choices = [
                [p for p in powers if positive[k] or (p > 0.0 and p % 1.0 == 0.0)]
                if plain[k]
                else [1.0]
                for k in inputs
            ]
            for each in itertools.product(*choices):
                if sum(map(abs, each)) <= LARGEST_DEGREE + (size > 2):
                    row = np.zeros(len(plain))
                    row[list(inputs)] = each
                    found.append(row)
    return np.array(found).reshape(-1, len(plain))


def values_of(exponents: Floats, columns: Floats) -> Floats:
    """Return monomials × rows."""
    logs = np.log(np.maximum(np.abs(columns), 1e-300))
    values = np.exp(exponents @ logs)
    negative = columns < 0.0
    if negative.any():
        odd = (exponents % 2.0 == 1.0).astype(np.float64)
        values *= 1.0 - 2.0 * ((odd @ negative.astype(np.float64)) % 2.0)
    return values


def monomials(exponents: Floats, columns: Floats) -> Terms:
    """Return monomials as terms."""
    values, prices = values_of(exponents, columns), prices_of_monomials(exponents)
    return Terms(values, prices, lambda place: product_of_powers(exponents[place]))


def written(expressions: Sequence[Expression], values: Sequence[Floats], columns: Floats) -> Terms:
    """Return expressions whose values are known as terms."""
    prices = np.array([price_of(each, len(columns)) for each in expressions])
    return Terms(
        np.array(values).reshape(-1, columns.shape[1]), prices, lambda place: expressions[place]
    )


def differences(columns: Floats, order: Integers, plain: Flags, signs: Iterable[float]) -> Terms:
    """Return sums and differences of two inputs."""
    used = [int(k) for k in order if plain[k]][:DIFFERENCES]
    found, values = [], []
    for i, j in itertools.combinations(sorted(used), 2):
        for sign in signs:
            other = ("x", j) if sign > 0.0 else times(("n", -1.0), ("x", j))
            found.append(plus(("x", i), other))
            values.append(columns[i] + sign * columns[j])
    return written(found, values, columns)


def raised(terms: Terms, exponent: float) -> Terms:
    """Return powers of terms."""
    return Terms(
        terms.values**exponent,
        terms.prices + 1.0,
        lambda place: power(terms.make(place), exponent),
    )


def times_inputs(terms: Terms, factors: Floats, columns: Floats) -> Terms:
    """Return products of terms and monomials, given by their exponents; inputs do not recur."""
    values = values_of(factors, columns)
    count = len(factors)
    prices = np.array([price_of(product_of_powers(row), len(columns)) for row in factors])
    return Terms(
        (values[:, None] * terms.values[None]).reshape(-1, columns.shape[1]),
        (prices[:, None] + terms.prices[None] + 0.3).ravel() if count else np.empty(0),
        lambda place: times(
            product_of_powers(factors[place // len(terms.values)]),
            terms.make(place % len(terms.values)),
        ),
    )


# -- functions -----------------------------------------------------------------------------------

ARGUMENT: Expression = ("u",)
_EXP: Expression = ("exp", ARGUMENT)
FORMS: dict[str, tuple[Callable[[Floats], Floats], Expression]] = {
    "1+": (lambda u: 1.0 + u, plus(ONE, ARGUMENT)),
    "exp": (np.exp, _EXP),
    "exp-1": (np.expm1, plus(_EXP, ("n", -1.0))),
    "exp+1": (lambda u: 1.0 + np.exp(u), plus(_EXP, ONE)),
    "cosh": (lambda u: 2.0 * np.cosh(u), plus(_EXP, ("exp", times(("n", -1.0), ARGUMENT)))),
    "log": (np.log, ("log", ARGUMENT)),
    "log1+": (np.log1p, ("log", plus(ONE, ARGUMENT))),
    "tanh": (np.tanh, ("tanh", ARGUMENT)),
    "sin": (np.sin, ("sin", ARGUMENT)),
    "cos": (np.cos, ("cos", ARGUMENT)),
    "1+cos": (lambda u: 1.0 + np.cos(u), plus(ONE, ("cos", ARGUMENT))),
    "1-cos": (lambda u: 1.0 - np.cos(u), plus(ONE, times(("n", -1.0), ("cos", ARGUMENT)))),
}
"""Functions of an argument: values, and how they are written."""
NEEDS = {
    "exp-1": "exp",
    "exp+1": "exp",
    "cosh": "exp",
    "log1+": "log",
    "1+cos": "cos",
    "1-cos": "cos",
}
"""The function that a form is made of, where its name does not say."""
OF_LONG = ("1+", "exp-1", "exp+1", "cosh", "tanh", "sin", "cos", "1+cos", "1-cos")
"""Forms of arguments of three and more inputs, without constants to be fitted."""


def form_price(form: str) -> float:
    """Return the price of a form beyond its argument's, at which it is proposed."""
    if form == "1+":
        return SUM + NUMBER_IN_SUM
    price = min(FUNCTION_PRICES[NEEDS.get(form, form)], MOST_PROPOSED)
    return price + {"exp": 0.0, "cosh": 4.0}.get(form, SUM if form in NEEDS else 0.0)


def with_argument(form: Expression, argument: Expression) -> Expression:
    """Return a form, with its argument filled in."""
    if form == ARGUMENT:
        return argument
    if form[0] in ("n", "x", "k"):
        return form
    parts = [with_argument(part, argument) for part in form[1:]]
    return times(*parts) if form[0] == "*" else (form[0], *parts)


class _Block(NamedTuple):
    """One form of all arguments, with a constant for each or for all."""

    form: str
    constants: Floats
    fitted: bool
    price: float


def functions(arguments: Terms, forms: Iterable[str], constants: bool) -> Terms:
    """Return functions of arguments: natural ones, and if asked those with constants inside."""
    u = arguments.values
    every = np.ones(len(u))
    blocks = [_Block(form, every, False, 0.0) for form in forms]
    blocks += [
        _Block(form, -every, False, NEGATIVE) for form in ("1+", "exp-1", "exp") if form in forms
    ]
    blocks += [
        _Block(form, turn * every, False, TYPED)
        for form in ("sin", "cos")
        if form in forms
        for turn in (TURNS if constants else TURNS[-1:])
    ]
    if constants and len(u):
        usual, largest = 1.0 / np.median(np.abs(u), axis=1), 1.0 / np.abs(u).max(axis=1)
        grids: dict[str, list[Floats]] = {
            "1+": [share * usual for share in SHARES] + [edge * largest for edge in EDGES],
            "exp": [rate * usual for rate in RATES],
            "exp-1": [rate * usual for rate in RATES],
            "log1+": [share * usual for share in SHARES],
            "exp+1": [rate * usual for rate in RATES],
            "tanh": [share * usual for share in SHARES[:4]],
        }
        # The criterion counts a fitted constant as half a logarithm of the rows.
        blocks += [
            _Block(form, grid, True, FITTED)
            for form, each in grids.items()
            if form in forms
            for grid in each
        ]
    if not blocks:
        return Terms(np.empty((0, u.shape[1])), np.empty(0), arguments.make)
    with np.errstate(all="ignore"):
        values = [FORMS[block.form][0](block.constants[:, None] * u) for block in blocks]
    prices = [arguments.prices + form_price(block.form) + block.price for block in blocks]

    def make(place: int) -> Expression:
        block, argument = blocks[place // len(u)], place % len(u)
        constant = ("k" if block.fitted else "n", float(block.constants[argument]))
        inside = arguments.make(argument)
        scaled = inside if constant == ONE else times(constant, inside)
        return with_argument(FORMS[block.form][1], scaled)

    return Terms(np.vstack(values), np.concatenate(prices), make)
