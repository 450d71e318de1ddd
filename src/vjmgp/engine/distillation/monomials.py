"""Simple laws: a few terms such as a·b, a²/b or √a, found by search instead of evolution.

Evolution uses standardised inputs, for which a·b is a sum of four terms and a/b is not a sum at
all. Most laws of physics and engineering are weighted sums of a few products of powers, which are
searched for here in the inputs' units. Terms enter by least squares; a beam keeps the best
selections of each length, and the extended Bayesian information criterion decides the number of
terms.
"""

import itertools
from typing import NamedTuple

import numpy as np

from ...core.arrays import Flags, Floats, Integers

POWERS = (1.0, 2.0, 3.0, 4.0, 0.5, 1.5, -0.5, -1.0, -2.0)
"""Powers of single inputs; all but positive integers need positive inputs."""
WHOLE = (1, 2, 3, 4)
PAIRS = ((1, 1), (2, 1), (1, 2), (2, 2), (0.5, 1), (1, 0.5), (0.5, 0.5), (1, -1), (-1, 1),
         (2, -1), (-1, 2), (1, -2), (-2, 1), (0.5, -1), (-1, 0.5), (1, -0.5), (-0.5, 1), (-1, -1),
         (0.5, -0.5), (-0.5, 0.5), (-2, 2), (2, -2), (3, 1), (1, 3), (3, -1), (-1, 3),
         (-2, -1), (-1, -2))  # fmt: skip
TRIPLES = ((1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2), (1, 1, -1), (1, -1, 1), (-1, 1, 1),
           (1, -1, -1), (-1, 1, -1), (-1, -1, 1), (2, 1, -1), (2, -1, 1), (1, 2, -1),
           (-1, 2, 1), (1, -1, 2), (-1, 1, 2), (1, 1, -2), (1, -2, 1), (-2, 1, 1))  # fmt: skip
LINEAR, POLYNOMIAL = {(1.0,)}, {(1.0,), (2.0,), (1.0, 1.0)}
MOST_SINGLE, MOST_PAIRED, MOST_TRIPLED = 60, 12, 6
"""Numbers of the most informative inputs in terms of one, two and three inputs."""
MOST_TERMS, MOST_INPUTS = 4, 6
"""Maximum number of terms of a law, and of a linear one."""
BEAM = 6
MOST_ROWS = 500
ALMOST_SAME = 1e-9
EXACT = 1e-20
"""Share of unexplained variance below which a law is exact."""


class Monomial(NamedTuple):
    """A product of powers of inputs."""

    inputs: tuple[int, ...]
    powers: tuple[float, ...]


def monomials(columns: Floats, order: Integers, plain: Flags) -> list[Monomial]:
    """Return the terms to choose from; `columns` are inputs × rows, `order` has the best first.

    Inputs that are not plain numbers, such as levels, only occur alone.
    """
    positive = columns.min(axis=1) > 0.0
    found = [
        Monomial((int(k),), (power,))
        for k in order[:MOST_SINGLE]
        for power in (POWERS if plain[k] else POWERS[:1])
        if positive[k] or power in WHOLE
    ]
    order = order[plain[order]]
    for most, shapes in ((MOST_PAIRED, PAIRS), (MOST_TRIPLED, TRIPLES)):
        for inputs in itertools.combinations(sorted(order[:most]), len(shapes[0])):
            for powers in shapes:
                if all(
                    positive[k] or power in WHOLE for k, power in zip(inputs, powers, strict=True)
                ):
                    found.append(Monomial(tuple(map(int, inputs)), tuple(map(float, powers))))
    return found


def values_of_terms(terms: list[Monomial], columns: Floats) -> Floats:
    """Return the values of terms × rows."""
    out = np.empty((len(terms), columns.shape[1]))
    powers: dict[tuple[int, float], Floats] = {}
    for row, term in zip(out, terms, strict=True):
        row[:] = 1.0
        for key in zip(term.inputs, term.powers, strict=True):
            if key not in powers:
                powers[key] = columns[key[0]] ** key[1]
            row *= powers[key]
    return out


def some_rows(count: int) -> Integers:
    """Return the rows used in the search."""
    return np.linspace(0, count - 1, min(count, MOST_ROWS)).astype(np.int64)


def select_terms(values: Floats, y: Floats, most: int) -> tuple[float, list[int]]:
    """Return the best law of at most this many terms, and its criterion.

    Terms are rows of `values`; like the labels they are centred, and have length 1.
    """
    count, n = values.shape
    moments = values @ y
    beam: list[tuple[int, ...]] = [()]
    best: tuple[float, tuple[int, ...]] = (_criterion(values, y, (), count), ())
    for _ in range(most):
        longer: dict[tuple[int, ...], float] = {}
        for chosen in beam:
            basis = np.linalg.qr(values[list(chosen)].T)[0] if chosen else np.empty((n, 0))
            shares = values @ basis
            left = 1.0 - np.einsum("ij,ij->i", shares, shares)
            rest = moments - shares @ (basis.T @ y)
            with np.errstate(divide="ignore", invalid="ignore"):
                falls = np.where(left > ALMOST_SAME, rest * rest / left, 0.0)
            gained = float(np.sum((basis.T @ y) ** 2))
            for k in np.argsort(-falls, kind="stable")[:BEAM]:
                if falls[k] > 0.0:
                    longer[tuple(sorted((*chosen, int(k))))] = gained + float(falls[k])
        beam = sorted(longer, key=lambda chosen: -longer[chosen])[:BEAM]
        best = min([best, *(_pruned(values, y, chosen, count) for chosen in beam[:2])])
    return best[0], list(best[1])


def _pruned(
    values: Floats, y: Floats, chosen: tuple[int, ...], count: int
) -> tuple[float, tuple[int, ...]]:
    """Remove terms that do not improve the criterion; return it and the terms."""
    best = _criterion(values, y, chosen, count), chosen
    while len(best[1]) > 1:
        fewer = [tuple(k for k in best[1] if k != gone) for gone in best[1]]
        other = min((_criterion(values, y, terms, count), terms) for terms in fewer)
        if other >= best:
            break
        best = other
    return best


def _criterion(values: Floats, y: Floats, chosen: tuple[int, ...], count: int) -> float:
    x = values[list(chosen)].T
    rest = y - x @ np.linalg.lstsq(x, y, rcond=None)[0] if chosen else y
    return criterion(float(rest @ rest), float(y @ y), len(y), len(chosen), count)


def criterion(error: float, square: float, n: int, size: int, count: int) -> float:
    """Return the extended Bayesian information criterion for terms chosen from `count`."""
    error = max(error, EXACT * square)
    return float(n * np.log(error) + size * (np.log(n) + 2.0 * np.log(count)))


def find_terms(
    columns: Floats, y: Floats, plain: Flags, weights: Floats
) -> tuple[float, list[Monomial]]:
    """Return the criterion and the terms of the simplest law that the labels support.

    There are no terms if that is the mean. Small libraries of terms are tried first, because a
    greedy search among many terms is misled.
    """
    roots = np.sqrt(weights / weights.mean())
    with np.errstate(all="ignore"):
        terms = monomials(columns, _most_informative_first(columns, y), plain)
        law = _power_law(columns, y, plain)
        values = values_of_terms(terms + law, columns)
        values = roots * (values - np.average(values, axis=1, weights=roots**2)[:, None])
        lengths = np.sqrt(np.einsum("ij,ij->i", values, values))
        usable = np.flatnonzero(np.isfinite(lengths) & (lengths > 0.0))
    terms = [(terms + law)[k] for k in usable]
    values = values[usable] / lengths[usable, None]
    y = roots * (y - np.average(y, weights=roots**2))
    laws: list[tuple[float, list[Monomial]]] = [(np.inf, [])]
    for some, most in (
        ([k for k, term in enumerate(terms) if term.powers in LINEAR], MOST_INPUTS),
        ([k for k, term in enumerate(terms) if term.powers in POLYNOMIAL], MOST_TERMS),
        (list(range(len(terms))), MOST_TERMS),
        ([k for k, term in enumerate(terms) if term in law], 1),
    ):
        if some:
            score, chosen = select_terms(values[some], y, min(most, len(y) // 10))
            laws.append((score, [terms[some[k]] for k in chosen]))
    return min(laws, key=lambda law: law[0])


def _power_law(columns: Floats, y: Floats, plain: Flags) -> list[Monomial]:
    """Return the product of powers that fits the labels' logarithm, if it is defined."""
    positive = np.flatnonzero((columns.min(axis=1) > 0.0) & plain)
    sign = np.sign(np.median(y))
    rows = np.flatnonzero(sign * y > 0.0)
    if not len(positive) or len(rows) < 0.8 * len(y) or len(positive) >= len(rows) // 4:
        return []
    logs = np.log(columns[np.ix_(positive, rows)]).T
    design = np.column_stack([np.ones(len(rows)), logs])
    found, _, rank, _ = np.linalg.lstsq(design, np.log(sign * y[rows]), rcond=None)
    if rank < design.shape[1]:  # the same input in two units: powers are not unique
        return []
    powers = np.round(2.0 * found[1:]) / 2.0
    kept = [(int(k), float(p)) for k, p in zip(positive, powers, strict=True) if p]
    if not kept or max(abs(power) for _, power in kept) > 4.0:
        return []
    return [Monomial(tuple(k for k, _ in kept), tuple(p for _, p in kept))]


def _most_informative_first(columns: Floats, y: Floats) -> Integers:
    """Sort inputs by the variance that a parabola of each explains."""
    errors = []
    for column in columns:
        spread = column.std()
        z = (column - column.mean()) / spread if spread > 0.0 else np.zeros_like(column)
        design = np.column_stack([np.ones_like(z), z, z * z])
        rest = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
        errors.append(float(rest @ rest))
    return np.argsort(np.array(errors), kind="stable")
