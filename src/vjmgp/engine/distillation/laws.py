"""Simple laws as models: trees of a sum of terms, its reciprocal or its root.

The terms come from `monomials.py`. For a reciprocal 1/(a + b) or a root √(a² + b²) the search is
for 1/y or y², with rows weighted by the effect of an error on y; least squares in y then give the
coefficients.
"""

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...core.arrays import Flags, Floats
from ..preparation import Prepared
from ..scorer import score_on, score_trees
from ..search.archive import Archive
from ..trees.primitives import ADD, CONSTANT, FIRST_VARIABLE, FUNCTION_NAMES, INV, MUL, SQRT, SQUARE
from .monomials import Monomial, criterion, find_terms, some_rows, values_of_terms

DEEPEST = 12
STEPS = 8
"""Number of Gauss–Newton steps."""
LARGEST = 100.0
"""Upper limit of a row's relative weight."""
DIGITS = 12
"""Significant digits of coefficients."""
LIBRARY = 1000
"""Approximate number of terms to choose from."""
Tree = tuple[list[int], list[float]]


class Link(NamedTuple):
    """A link function: y = function(sum)."""

    code: int
    function: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]
    """Derivative of the function."""
    inverse: Callable[[Floats], Floats]


LINKS = (
    Link(INV, lambda z: 1.0 / z, lambda z: -1.0 / z**2, lambda y: 1.0 / y),
    Link(SQRT, np.sqrt, lambda z: 0.5 / np.sqrt(z), np.square),
)


class Units(NamedTuple):
    """Units of the inputs: x = scale·(z + offset), with z the standardised input."""

    offset: Floats
    plain: Flags
    """Whether inputs are numbers, not levels or indicators of missing values."""
    target: float
    """The target's offset."""


class Sketch(NamedTuple):
    """A law before it becomes a model."""

    score: float
    """The criterion; smaller is better."""
    trees: list[Tree]
    values: Floats
    """Trees × rows."""
    size: int
    """Number of inputs, operations and powers as written."""


def law_of(prepared: Prepared, units: Units, whole: Prepared | None) -> tuple[Archive, int] | None:
    """Return the simplest law that the labels support, as an archive of one entry, and its size.

    None if there is none, or if the chosen functions do not allow laws, as the default ones do.
    """
    settings = prepared.settings
    if settings.functions != FUNCTION_NAMES or settings.forbidden_inside is not None:
        return None
    columns = prepared.x.T + units.offset[:, None]
    y, weights = prepared.y + units.target, prepared.weights.each
    best = find_law(columns, y, weights, units)
    if best is None or len(best.trees) > settings.max_trees:
        return None
    nodes = sum(len(codes) for codes, _ in best.trees)
    if settings.max_size is not None and nodes > settings.max_size:
        return None
    coefficients = _coefficients(best.values, prepared.y, weights)
    entry = score_trees(_with_functions_of_laws(prepared), best.trees, coefficients, 0)
    if entry is not None and whole is not None:
        entry = score_on(entry, _with_functions_of_laws(whole))
    return None if entry is None else (entry, best.size)


def find_law(columns: Floats, y: Floats, weights: Floats, units: Units) -> Sketch | None:
    """Return the best of a sum, a reciprocal and a root; None if the mean is better."""
    with np.errstate(all="ignore"):
        sketches = [_sum_law(columns, y, weights, units)]
        sketches += [_linked_law(columns, y, weights, units, link) for link in LINKS]
    found = [law for law in sketches if law is not None]
    return min(found, key=lambda law: law.score, default=None)


def _sum_law(columns: Floats, y: Floats, weights: Floats, units: Units) -> Sketch | None:
    score, terms, values = _search(columns, y, weights, units)
    if not terms:
        return None
    trees = [tree_of(term, units.offset) for term in terms]
    return Sketch(score, trees, values, sum(map(_size, terms)))


def _search(
    columns: Floats, y: Floats, weights: Floats, units: Units
) -> tuple[float, list[Monomial], Floats]:
    """Return criterion, terms and their values; no terms if one is undefined on some row."""
    rows = some_rows(len(y))
    score, terms = find_terms(columns[:, rows], y[rows], units.plain, weights[rows])
    values = values_of_terms(terms, columns)
    return score, terms if np.isfinite(values).all() else [], values


def _linked_law(
    columns: Floats, y: Floats, weights: Floats, units: Units, link: Link
) -> Sketch | None:
    """Return the law of a reciprocal or a root, if defined for all labels."""
    z = link.inverse(y)
    if not (np.isfinite(z).all() and np.allclose(link.function(z), y)):
        return None
    counts = weights * np.minimum(link.slope(z) ** 2, LARGEST * np.median(link.slope(z) ** 2))
    _, terms, values = _search(columns, z, counts, units)
    if not terms:
        return None
    fits = [
        fit
        for design in (values, np.vstack([values, np.ones(len(y))]))
        if (fit := _fitted(design, y, z, weights, counts, link)) is not None
    ]
    if not fits:
        return None
    score, coefficients = min(fits, key=lambda fit: fit[0])
    tree = _linked_tree(terms, coefficients, units.offset, link)
    inside = coefficients @ np.vstack([values, np.ones(len(y))])[: len(coefficients)]
    size = sum(map(_size, terms)) + 2 * len(coefficients)
    return Sketch(score, [tree], link.function(inside)[None], size)


def _fitted(
    design: Floats, y: Floats, z: Floats, weights: Floats, counts: Floats, link: Link
) -> tuple[float, Floats] | None:
    """Return least-squares coefficients in y, starting from those in z, and the criterion."""
    scale = np.sqrt(np.mean(design**2, axis=1))
    x, roots = (design / scale[:, None]).T, np.sqrt(weights / weights.mean())
    start = np.sqrt(counts)
    found = np.linalg.lstsq(start[:, None] * x, start * z, rcond=None)[0]
    best, error = found, np.inf
    for _ in range(STEPS):
        rest = roots * (y - link.function(x @ found))
        left = float(rest @ rest)
        if not left < error:
            break
        best, error = found, left
        slopes = (roots * link.slope(x @ found))[:, None] * x
        if not np.isfinite(slopes).all():
            break
        found = found + np.linalg.lstsq(slopes, rest, rcond=None)[0]
    if not np.isfinite(error):
        return None
    used = some_rows(len(y))
    share = len(used) / len(y)
    square = float(np.sum((roots * (y - np.average(y, weights=weights))) ** 2))
    score = criterion(share * error, share * square, len(used), len(best), LIBRARY)
    return score, _tidy(best / scale)


def _with_functions_of_laws(prepared: Prepared) -> Prepared:
    """Return the run with the functions and the depth that laws need."""
    depth = max(prepared.settings.max_depth, DEEPEST)
    settings = replace(prepared.settings, functions=(*FUNCTION_NAMES, "inv"), max_depth=depth)
    return replace(prepared, settings=settings)


def _coefficients(values: Floats, y: Floats, weights: Floats) -> Floats:
    """Solve least squares on terms scaled to the same length."""
    lengths = values.std(axis=1)
    design = np.vstack([np.ones(len(y)), values / lengths[:, None]]).T
    roots = np.sqrt(weights)
    found = np.linalg.lstsq(roots[:, None] * design, roots * y, rcond=None)[0]
    return _tidy(found[1:] / lengths)


def _tidy(numbers: Floats) -> Floats:
    """Round off the last digits, in which linear algebra differs between machines."""
    return np.array([float(f"{number:.{DIGITS}g}") for number in numbers])


def _size(term: Monomial) -> int:
    powers = sum(power != 1.0 for power in term.powers)
    return 2 * len(term.inputs) - 1 + powers


def tree_of(term: Monomial, offset: Floats) -> Tree:
    """Return codes and constants; a single input needs no offset because of the intercept."""
    if term.powers == (1.0,):
        return [FIRST_VARIABLE + term.inputs[0]], [0.0]
    return _product(term, offset)


def _product(term: Monomial, offset: Floats) -> Tree:
    factors = [
        _power(_called(ADD, _input(k), _number(offset[k])), power)
        for k, power in zip(term.inputs, term.powers, strict=True)
    ]
    return _joined(MUL, factors)


def _linked_tree(terms: list[Monomial], coefficients: Floats, offset: Floats, link: Link) -> Tree:
    parts = [
        _called(MUL, _number(coefficient), _product(term, offset))
        for term, coefficient in zip(terms, coefficients, strict=False)
    ]
    parts += [_number(constant) for constant in coefficients[len(terms) :]]
    return _called(link.code, _joined(ADD, parts))


def _joined(code: int, parts: list[Tree]) -> Tree:
    return functools.reduce(lambda tree, part: _called(code, part, tree), reversed(parts))


def _input(place: int) -> Tree:
    return [FIRST_VARIABLE + place], [0.0]


def _number(value: float) -> Tree:
    return [CONSTANT], [float(value)]


def _power(leaf: Tree, power: float) -> Tree:
    """Return leaf^power, for whole and half powers."""
    if power == 1.0:
        return leaf
    if power < 0.0:
        return _called(INV, _power(leaf, -power))
    if power == 0.5:
        return _called(SQRT, leaf)
    if power % 1.0:
        return _called(MUL, _power(leaf, power - 0.5), _called(SQRT, leaf))
    if power % 2.0 == 0.0:
        return _called(SQUARE, _power(leaf, power / 2.0))
    return _called(MUL, _power(leaf, power - 1.0), leaf)


def _called(code: int, *parts: Tree) -> Tree:
    return [code, *(c for part in parts for c in part[0])], [0.0, *(v for p in parts for v in p[1])]
