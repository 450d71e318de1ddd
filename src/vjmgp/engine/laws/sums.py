"""Search for sums: the few terms whose least-squares sum is nearest to the labels.

All pairs of the best terms are tried, then a beam of the best sums grows term by term. For each
sum the beam keeps what its terms leave of every other term and of the labels, so one more term
costs one product of the library with the newest term.
"""

from typing import NamedTuple

import numpy as np

from ...core.arrays import Floats

EXACT = 1e-18
"""Share of the variance below which an error is rounding."""
BEAM = 14
PAIRS = 400
"""Number of terms of which all pairs are tried."""
DEPENDENT = 1e-7
"""A term with a smaller share left by the terms of a sum is redundant."""
HOPELESS = 20.0
"""Loss of score beyond the best sum at which the beam stops growing."""
Places = tuple[int, ...]


class Sum(NamedTuple):
    """A sum of terms, with what it leaves of the library and of the labels."""

    places: Places
    rows: Floats
    """Terms of the sum × library: shares of the library in orthonormal terms of the sum."""
    left: Floats
    rest: Floats
    error: float
    price: float


def score(error: Floats | float, square: float, count: int) -> Floats:
    """Return count·log(error/square), with a floor at rounding errors."""
    return count * np.log(np.maximum(error, EXACT * square) / square)


def best_sums(
    values: Floats,
    prices: Floats,
    y: Floats,
    weights: Floats,
    most: int,
    keep: int,
    base: Floats | None = None,
) -> list[tuple[float, Places]]:
    """Return the best sums of at most `most` terms: scores, and places of their terms.

    `values` are terms × rows. What `base`, rows of regressors that are always part of the sum,
    explains is removed from terms and labels first; by default a constant.
    """
    roots = np.sqrt(weights / weights.mean())
    base = np.linalg.qr((roots * (np.ones((1, len(y))) if base is None else base)).T)[0]
    values = values * roots
    raw = np.einsum("ij,ij->i", values, values)
    values = values - (values @ base) @ base.T
    target = y * roots
    target = target - base @ (base.T @ target)
    squares = np.einsum("ij,ij->i", values, values)
    with np.errstate(invalid="ignore"):
        good = np.flatnonzero((squares > 1e-14 * raw) & np.isfinite(squares) & np.isfinite(prices))
    square, count = float(target @ target), len(y)
    if not len(good) or not square > 0.0:
        return []
    values = values[good] / np.sqrt(squares[good])[:, None]
    price = 2.0 * prices[good] + np.log(count)
    moments = values @ target
    first = score(square - moments**2, square, count) + price
    order = np.argsort(first, kind="stable")[:BEAM]
    found: dict[Places, float] = {(int(k),): float(first[k]) for k in order}
    ones = np.ones(len(values))
    empty = Sum((), np.empty((0, len(values))), ones, moments, square, 0.0)
    beam = [(empty, int(k)) for k in order]
    pairs = _pairs(values, moments, price, square, count) if most > 1 else {}
    for size in range(2, most + 1):
        newest = sorted({place for _, place in beam})
        grams = dict(zip(newest, values[newest] @ values.T, strict=True))
        sums = [_longer(parent, place, grams[place], price) for parent, place in beam]
        longer = dict(pairs) if size == 2 else {}
        parents: dict[Places, tuple[Sum, int]] = {}
        for each in sums:
            with np.errstate(all="ignore"):
                falls = np.where(each.left > DEPENDENT, each.rest**2 / each.left, 0.0)
            scores = score(each.error - falls, square, count) + (price + each.price)
            scores[list(each.places)] = np.inf
            few = min(BEAM, len(scores) - 1)
            for k in np.argpartition(scores, few)[:few]:
                places = tuple(sorted((*each.places, int(k))))
                if scores[k] < longer.get(places, np.inf) or places not in parents:
                    longer[places], parents[places] = float(scores[k]), (each, int(k))
        ranked = sorted(longer, key=lambda c: (longer[c], c))[:BEAM]
        found |= {places: longer[places] for places in ranked}
        if not ranked or (size > 2 and longer[ranked[0]] > min(found.values()) + HOPELESS):
            break
        if size == most:
            break
        beam = []
        alone: dict[int, Sum] = {}
        for places in ranked:
            if places in parents:
                beam.append(parents[places])
            else:
                first_of_pair, second = places
                if first_of_pair not in alone:
                    row = values @ values[first_of_pair]
                    alone[first_of_pair] = _longer(empty, first_of_pair, row, price)
                beam.append((alone[first_of_pair], second))
    ranked = sorted(found, key=lambda c: (found[c], c))[:keep]
    return [(found[c], tuple(int(good[k]) for k in c)) for c in ranked]


def coefficients(design: Floats, y: Floats, weights: Floats) -> Floats:
    """Return coefficients of least squares, of regressors × rows."""
    scale, roots = np.sqrt(np.mean(design**2, axis=1)), np.sqrt(weights)
    scaled = roots[:, None] * (design / scale[:, None]).T
    numbers: Floats = np.linalg.lstsq(scaled, roots * y, rcond=None)[0] / scale
    return numbers


def _longer(parent: Sum, place: int, gram: Floats, price: Floats) -> Sum:
    """Add a term, whose products with the library are `gram`, to a sum."""
    row = gram - parent.rows[:, place] @ parent.rows if len(parent.rows) else gram
    pivot = np.sqrt(parent.left[place])
    row = row / pivot
    share = parent.rest[place] / pivot
    return Sum(
        (*parent.places, place),
        np.vstack([parent.rows, row]),
        parent.left - row * row,
        parent.rest - share * row,
        max(parent.error - share * share, 0.0),
        parent.price + float(price[place]),
    )


def _pairs(
    values: Floats, moments: Floats, price: Floats, square: float, count: int
) -> dict[Places, float]:
    """Return the best sums of two of the most promising terms."""
    top = np.sort(np.argsort(score(square - moments**2, square, count) + price)[:PAIRS])
    gram = values[top] @ values[top].T
    i, j = np.triu_indices(len(top), 1)
    if not len(i):
        return {}
    c, a, b = gram[i, j], moments[top][i], moments[top][j]
    left = 1.0 - c * c
    with np.errstate(all="ignore"):
        fall = np.where(left > DEPENDENT, (a * a + b * b - 2.0 * c * a * b) / left, 0.0)
    total = score(square - fall, square, count) + price[top][i] + price[top][j]
    few = min(2 * BEAM, len(total) - 1)
    best = np.argpartition(total, few)[: few + 1]
    return {(int(top[i[k]]), int(top[j[k]])): float(total[k]) for k in best}
