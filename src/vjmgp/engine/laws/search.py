"""Search for laws: products of powers and factors, sums of terms, functions of sums, and shapes.

Every way of searching proposes expressions; least squares in the labels' own units fits their
constants, and one criterion compares them all: the length of the law's description, with a
logarithm of the number of rows for each constant, and n·log of the squared error.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ...core.arrays import Flags, Floats, Integers
from .expressions import Expression, plus, power, product_of_powers, size_of, times, value_of
from .fitting import FEW, Law, LawData, fitted, is_spike, simplified, variance_of
from .improvement import improved
from .library import (
    ARGUMENTS,
    FORMS,
    LONG_ARGUMENTS,
    NEEDS,
    OF_LONG,
    RECIPROCAL,
    SHAPES,
    Shapes,
    Terms,
    differences,
    exponents_of,
    functions,
    joined,
    monomials,
    raised,
    times_inputs,
    values_of,
)
from .limits import Limits
from .modulated import modulated, quotients
from .products import best_products
from .shapes import shapes
from .sums import EXACT, best_sums, coefficients

SCREENED = 200
"""Number of rows on which terms are compared …"""
JUDGED = 1000
"""… and on which laws are."""
MOST_INPUTS = 12
MOST_TERMS = 5
MOST_LINKED = 4
REFITTED = 40
"""Number of laws whose constants are fitted to the end."""
FINISHED, SHORTER = 8, 4
"""Number of laws whose constants are simplified: of the best, and of ever shorter ones."""
ROWS_PER_TERM = 4
MANY = 500
"""Number of inputs from which each is judged alone."""
SEPARABLE = 12
"""Number of inputs that may be divided out."""
SHAPED = 2
"""Number of inputs whose shapes are tried."""
SIMPLE: Shapes = ((1, (1.0, 2.0, -1.0), 30), (2, RECIPROCAL, 6))
"""Number of factors, powers and number of inputs of terms that are added to laws."""
RICH = 220
"""Number of functions, natural and others, that are multiplied by inputs."""


class Link(NamedTuple):
    """A function of a sum: y = sum^power."""

    power: float
    inverse: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]
    """Derivative of the inverse."""


LINKS = (
    Link(-1.0, lambda y: 1.0 / y, lambda y: y**-2.0),
    Link(0.5, lambda y: y**2, lambda y: 2.0 * np.abs(y)),
    Link(-0.5, lambda y: y**-2.0, lambda y: 2.0 * np.abs(y) ** -3.0),
    Link(2.0, np.sqrt, lambda y: 0.5 / np.sqrt(y)),
    Link(-2.0, lambda y: 1.0 / np.sqrt(y), lambda y: 0.5 * y**-1.5),
)


def search(problem: LawData, limits: Limits, keep: int = 6) -> list[Law]:
    """Return the best laws within the limits, the best first."""
    with np.errstate(all="ignore"):
        judged = problem.on(_every(len(problem.y), JUDGED))
        square = variance_of(judged)
        if not square > 0.0:
            return []
        laws = {}
        screened = problem.on(_every(len(problem.y), SCREENED))
        for expression in proposals(judged, limits):
            law = fitted(screened, expression, variance_of(screened), FEW)
            if law is not None:
                laws[law.expression] = law
        ranked = sorted(laws.values(), key=lambda law: law.score)
        again = (fitted(judged, law.expression, square) for law in ranked[:REFITTED])
        kept = [law for law in again if law is not None and not is_spike(judged, law, square)]
        ranked = sorted(kept, key=lambda law: law.score)
        changed = improved(judged, ranked, square, limits, *_simple_terms(judged))
        ranked = sorted([*ranked, *changed], key=lambda law: law.score)
        ahead = [*ranked[:FINISHED], *_ever_shorter(ranked, SHORTER)]
        done = [simplified(judged, law, square) for law in {id(law): law for law in ahead}.values()]
    done = [law for law in done if limits.permit(law.expression)]
    return _ever_shorter(sorted(done, key=lambda law: law.score), keep)


def _simple_terms(problem: LawData) -> tuple[Integers, Terms]:
    """Return inputs, the most informative first, and the terms that are added to laws."""
    order = informative_first(problem)
    positive = problem.columns.min(axis=1) > 0.0
    exponents = exponents_of(SIMPLE, order, positive, problem.plain)
    return order, monomials(exponents, problem.columns)


def _ever_shorter(ranked: Iterable[Law], most: int) -> list[Law]:
    """Return the best law, the best shorter one, and so on."""
    found: list[Law] = []
    for law in ranked:
        if len(found) < most and (
            not found or size_of(law.expression) < size_of(found[-1].expression)
        ):
            found.append(law)
    return found


def _every(count: int, most: int) -> slice:
    return slice(None, None, -(-count // most))


def proposals(problem: LawData, limits: Limits) -> list[Expression]:
    """Return expressions worth a fit: of the whole, and of what separable factors leave."""
    exponents = separable(problem)
    screened = problem.on(_every(len(problem.y), SCREENED))
    found: list[Expression] = []
    if exponents is not None:
        columns, y, weights, plain = screened
        factor = values_of(exponents[None], columns)[0]
        rest = LawData(columns, y / factor, weights * factor**2, plain & (exponents == 0.0))
        outer = product_of_powers(exponents)
        found += [times(outer, each) for each in _proposals(rest, limits)]
    found += _proposals(screened, limits, whole=exponents is None)
    return [each for each in dict.fromkeys(found) if limits.permit(each)]


def _proposals(problem: LawData, limits: Limits, *, whole: bool = True) -> Iterator[Expression]:
    """Yield expressions; if not the whole, only sums of monomials and products."""
    columns, y, weights, plain = problem
    forms = [form for form in FORMS if NEEDS.get(form, form) in limits.functions or form == "1+"]
    positive = (columns.min(axis=1) > 0.0) & limits.divisions
    order = informative_first(problem)
    order = np.concatenate([order[plain[order]], order[~plain[order]]])
    exponents = exponents_of(SHAPES, order, positive, plain)
    products = monomials(exponents, columns)
    degrees = np.where((exponents >= 0.0) & (exponents % 1.0 == 0.0), exponents, np.inf).sum(axis=1)
    lines = products.some(np.flatnonzero(degrees == 1.0))
    apart = raised(differences(columns, order, plain, (-1.0,)), 2.0)
    curves = joined(products.some(np.flatnonzero(degrees <= 2.0)), apart)
    short, long = _arguments(problem, order, positive)
    factors = joined(
        functions(short, [form for form in forms if form != "exp"], True),
        functions(long, [form for form in forms if form in OF_LONG], False),
        differences(columns, order, plain, (1.0, -1.0)),
    )
    terms = joined(products, apart)
    yield from _sums(lines, problem, MOST_INPUTS, 4)
    yield from _sums(curves, problem, MOST_TERMS + 1, 6)
    yield from _sums(terms, problem, MOST_TERMS, 8)
    for product in best_products(problem, factors, joined(short, long)):
        value = value_of(product, columns)
        if np.isfinite(value).all():
            scale = float((weights * value) @ y / ((weights * value) @ value))
            scaled = times(("k", scale), *product[2:]) if product[0] == "*" else ("k", scale)
            yield scaled
            yield plus(scaled, ("k", 0.0))
    if not whole:
        return
    rich = _richer(problem, products, short, order, positive, forms)
    yield from _sums(rich, problem, MOST_TERMS, 8)
    for link in LINKS:
        for library in (curves, terms, rich) if link.power in (-1.0, 0.5) else (curves, terms):
            yield from _linked(library, problem, link)
    for place in order[plain[order]][:SHAPED]:
        yield from shapes(problem, int(place))
    yield from modulated(problem, order, limits.functions)
    if limits.divisions and limits.products:
        yield from quotients(problem, order)


def _arguments(problem: LawData, order: Integers, positive: Flags) -> tuple[Terms, Terms]:
    """Return short arguments of functions, and longer ones."""
    columns, _, _, plain = problem
    exponents = exponents_of(ARGUMENTS, order, positive, plain)
    pairs = exponents[np.count_nonzero(exponents, axis=1) == 2]
    apart = differences(columns, order[:5], plain, (1.0, -1.0))
    used = order[plain[order]][:5]
    factors = np.zeros((0, len(columns)))
    for k in used:
        for exponent in (1.0, -1.0) if positive[k] else (1.0,):
            row = np.zeros((1, len(columns)))
            row[0, k] = exponent
            factors = np.vstack([factors, row])
    short = joined(monomials(exponents, columns), apart)
    scaled = times_inputs(apart, factors, columns)
    long = joined(
        monomials(2.0 * pairs, columns),
        monomials(exponents_of(LONG_ARGUMENTS, order, positive, plain), columns),
        scaled,
        raised(apart, 2.0),
        raised(scaled, 2.0),
    )
    return short, long


def _sums(terms: Terms, problem: LawData, most: int, keep: int) -> Iterator[Expression]:
    _, y, weights, _ = problem
    most = min(most, max(1, len(y) // ROWS_PER_TERM))
    for _, places in best_sums(terms.values, terms.prices, y, weights, most, keep):
        yield sum_of(terms, places, y, weights)


def sum_of(
    terms: Terms, places: tuple[int, ...], y: Floats, weights: Floats, intercept: bool = True
) -> Expression:
    """Return the sum of terms with coefficients of least squares."""
    design = terms.values[list(places)]
    if intercept:
        design = np.vstack([design, np.ones(len(y))])
    numbers = coefficients(design, y, weights)
    parts = [
        times(("k", float(number)), terms.make(place))
        for number, place in zip(numbers, places, strict=False)
    ]
    return plus(*parts, ("k", float(numbers[-1]))) if intercept else plus(*parts)


def _linked(terms: Terms, problem: LawData, link: Link) -> Iterator[Expression]:
    """Yield functions of sums, with rows weighted by the effect of an error on y."""
    _, y, weights, _ = problem
    z = link.inverse(y)
    if not (np.isfinite(z).all() and np.allclose(z**link.power, y)):
        return
    counts = weights / np.maximum(link.slope(y) ** 2, 1e-300)
    counts = np.minimum(counts, 100.0 * np.median(counts))
    most = min(MOST_LINKED, max(1, len(y) // ROWS_PER_TERM))
    for _, places in best_sums(terms.values, terms.prices, z, counts, most, 4):
        for intercept in (True, False):
            yield power(sum_of(terms, places, z, counts, intercept), link.power)


def _cheapest(terms: Terms, count: int) -> Terms:
    defined = np.flatnonzero(np.isfinite(terms.values).all(axis=1))
    return terms.some(defined[np.argsort(terms.prices[defined], kind="stable")[:count]])


def _richer(
    problem: LawData,
    products: Terms,
    short: Terms,
    order: Integers,
    positive: Flags,
    forms: list[str],
) -> Terms:
    """Return monomials, functions, and functions times small monomials."""
    columns, _, _, plain = problem
    natural, every = functions(short, forms, False), functions(short, forms, True)
    few = joined(_cheapest(natural, RICH), _cheapest(every, RICH))
    names = order[plain[order]][:4]
    rows = []
    for i in names:
        for exponent in (1.0, -1.0) if positive[i] else (1.0,):
            rows.append(np.zeros(len(columns)))
            rows[-1][i] = exponent
    for i, j in itertools.combinations(sorted(names), 2):
        for exponent in (1.0, 0.5) if positive[i] and positive[j] else (1.0,):
            rows.append(np.zeros(len(columns)))
            rows[-1][[i, j]] = exponent
    factors = np.array(rows).reshape(-1, len(columns))
    return joined(
        products,
        _cheapest(every, 5 * RICH),
        times_inputs(few, factors, columns),
        *(raised(few, exponent) for exponent in (-1.0, 0.5, 2.0)),
    )


# -- inputs --------------------------------------------------------------------------------------


def informative_first(problem: LawData) -> Integers:
    """Sort inputs by what a cubic of each explains, alone or beside cubics of all others.

    Each is compared with the noise that is left in its way.
    """
    columns, y, weights, _ = problem
    roots = np.sqrt(weights)
    largest = np.abs(columns).max(axis=1, keepdims=True)
    unit = columns / np.where(largest > 0.0, largest, 1.0)
    spread = unit.std(axis=1, keepdims=True)
    z = (unit - unit.mean(axis=1, keepdims=True)) / np.where(spread > 0.0, spread, 1.0)
    base = (roots / np.linalg.norm(roots))[:, None]
    target = roots * y
    target = target - base @ (base.T @ target)
    powers = roots * np.concatenate([z, z**2, z**3])
    powers = powers - (powers @ base) @ base.T
    square = float(target @ target)
    if len(columns) > MANY:
        return _alone_first(powers, powers @ target, square)
    gram, moments = powers @ powers.T, powers @ target
    gram = gram + (1e-9 * np.trace(gram) / len(gram) + 1e-300) * np.eye(len(gram))
    blocks = np.arange(len(gram)).reshape(3, -1).T
    alone = [moments[b] @ np.linalg.solve(gram[np.ix_(b, b)], moments[b]) for b in blocks]
    evidence = np.array([gain / max(square - gain, EXACT * square) for gain in alone])
    if len(columns) > 1 and 2 * len(gram) < len(y):
        inverse = np.linalg.inv(gram)
        numbers = inverse @ moments
        left = max(square - float(moments @ numbers), EXACT * square)
        for k, b in enumerate(blocks):
            gain = numbers[b] @ np.linalg.solve(inverse[np.ix_(b, b)], numbers[b])
            evidence[k] = max(evidence[k], gain / left)
    return np.argsort(-evidence, kind="stable")


def _alone_first(powers: Floats, moments: Floats, square: float) -> Integers:
    """Sort many inputs by what a cubic of each explains alone."""
    z = powers.reshape(3, -1, powers.shape[1]).swapaxes(0, 1)
    gram, moments = z @ z.swapaxes(1, 2), moments.reshape(3, -1).T[:, :, None]
    ridge = 1e-9 * np.einsum("kii->", gram) / len(powers) + 1e-300
    gain = (moments * np.linalg.solve(gram + ridge * np.eye(3), moments)).sum(axis=(1, 2))
    return np.argsort(-gain / np.maximum(square - gain, EXACT * square), kind="stable")


def separable(problem: LawData) -> Floats | None:
    """Return powers of inputs that can be divided out; None if there are none.

    The slope of log |y| by the input's logarithm is a simple number, whatever the other inputs.
    """
    columns, y, weights, plain = problem
    order = informative_first(problem)
    used = np.sort(order[plain[order] & (columns[order].min(axis=1) > 0.0)][:SEPARABLE])
    if len(used) < 2 or not ((y > 0.0).all() or (y < 0.0).all()):
        return None
    count = len(y)
    logs = np.log(columns[used])
    logs = logs - logs.mean(axis=1, keepdims=True)
    every = range(len(used))
    for degrees in ((2, 3), (2,), ()):
        places = [
            each for d in degrees for each in itertools.combinations_with_replacement(every, d)
        ]
        places += [] if 3 in degrees else [(i,) * d for i in every for d in (2, 3)]
        if count >= 3 * (1 + len(used) + len(places)) + 20 * (3 in degrees):
            break
    places = list(dict.fromkeys(places))
    bends = [np.prod(logs[list(each)], axis=0) for each in places]
    counts = weights * y * y
    roots = np.sqrt(np.minimum(counts, 50.0 * np.median(counts)))
    roots /= np.sqrt(np.mean(roots**2))
    design = np.vstack([np.ones(count), logs, *bends]) * roots
    if count < 2 * len(design):
        return None
    target = np.log(np.abs(y)) * roots
    found, _, rank, _ = np.linalg.lstsq(design.T, target, rcond=None)
    if rank < len(design):
        return None
    rest = target - found @ design
    variance = float(rest @ rest) / (count - len(design))
    spreads = np.sqrt(np.diag(np.linalg.inv(design @ design.T)) * variance)
    bent = np.abs(found) > 4.0 * spreads + 1e-6
    powers = np.zeros(len(columns))
    for place, k in enumerate(used):
        slope, spread = found[1 + place], spreads[1 + place]
        near = np.round(2.0 * slope) / 2.0
        sure = near != 0.0 and abs(near - slope) <= 3.0 * spread + 1e-6 and spread <= 0.12
        first = 1 + len(used)
        if sure and not any(bent[first + b] for b, pair in enumerate(places) if place in pair):
            powers[k] = near
    return powers if powers.any() and (plain & (powers == 0.0)).any() else None
