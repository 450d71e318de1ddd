"""Distil all models of a run into one short formula: a student that follows its teacher.

The student learns from the teacher's values, not from the labels: at the training rows, at the
run's vicinal points and at random points near the rows. These values have no label noise, so ten
trees and their weights can be fitted closely. If rows have weights, a training row counts by its
weight, a vicinal point by that of its anchor, and random points start from rows drawn by weight.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from ...core.arrays import Floats, Integers, Words
from ..compilation.kernels import kernel
from ..numerics.rng import below, shuffle, stream, uniform
from ..objectives.row_weights import draw_row, row_weights
from ..preparation import Prepared
from ..scorer import score_on, score_trees
from ..search.archive import BORN, RESTART, Archive
from ..settings import Settings
from ..trees.pool import SAME
from ..trees.primitives import FIRST_VARIABLE
from .candidates import Candidates, collect, values_of
from .choice import (
    DISTILLED,
    FITTED,
    LINE,
    Candidate,
    choose,
    description,
    effective_rows,
    liberty_of_laws,
    node_price,
    written_length,
)
from .constants import FittedTrees, Target, Tree, errors_of, fit_constants, target_of
from .laws import Units, laws_of
from .revision import polished, simplified
from .student import select
from .teacher import teacher_of, teacher_tau

NODE_PRICE = 0.0025
"""Gain that a node requires if labels are pure noise, as a share of the teacher's mean square."""
CHEAPER = 0.2
"""Power of the number of restarts by which the price falls."""
LEAST_NOISE = 0.05
MOST_ROWS = 1000
"""Largest number of training rows, of vicinal points and of random points."""
SPREAD = 0.7
FARTHEST = 0.2
"""Largest squared distance of a student, as a share of the teacher's mean square; the largest in
1100 runs was 0.083."""
CHEAPEST = 0.25
"""Least multiple of the price for a student that competes to be the short formula …"""
FULL_PRICE = 100.0
"""… if its constants are fitted, this divided by the rows …"""
DEAREST = 4
"""… and the highest power of two of the multiple."""
LEAN = 1.25
"""Multiple of the price at which nodes of a student are left out."""
POINTS = 600
"""Approximate number of points that tell which nodes matter to the teacher."""
MOST_TREES = 20
"""Largest number of trees of a short formula if there are many rows …"""
ROWS_PER_TREE = 25
"""… namely this many for each."""
MOST_DOUBLINGS = 12
"""Largest number of times that the price is doubled to make a student short enough."""


def distil(
    prepared: Prepared,
    archive: Archive,
    price: float = NODE_PRICE,
    tau: float | None = None,
    whole: Prepared | None = None,
) -> Archive | None:
    """Return the student as an archive of one entry, or None if it is far from its teacher.

    `price` is that of a node, `tau` the weight of the gap in the teacher, which by default follows
    the noise estimate. A teacher of several restarts deserves to be followed more closely, so the
    price falls with their number. If `prepared` is a sample of the rows, `whole` has all of them,
    on which the student is scored.
    """
    candidates, lesson, price = _taught(prepared, archive, tau, price)
    terms = _follow(lesson, prepared.settings, price, prepared.settings.max_size)
    if not len(terms.chosen) or not terms.distance <= FARTHEST * lesson.square:
        return None
    return _as_student(prepared, archive, candidates, terms, whole)


def distil_within(
    prepared: Prepared,
    archive: Archive,
    max_size: int,
    price: float = NODE_PRICE,
    tau: float | None = None,
    whole: Prepared | None = None,
) -> tuple[Archive | None, float]:
    """Return the student of at most `max_size` nodes, and its squared distance to the teacher.

    The distance is a share of the teacher's mean square. Two students compete by distance: one
    limited to `max_size` nodes at the given price, and one at the price that makes it small enough.
    """
    settings = prepared.settings
    candidates, lesson, price = _taught(prepared, archive, tau, price)
    terms = _follow(lesson, settings, price, max_size)
    for doubled in range(MOST_DOUBLINGS):
        other = _follow(lesson, settings, price * 2.0**doubled, settings.max_size)
        if candidates.length[other.chosen].sum() <= max_size:
            terms = min(other, terms, key=lambda student: student.distance)
            break
    if not len(terms.chosen):
        return None, np.inf
    student = _as_student(prepared, archive, candidates, terms, whole)
    return student, terms.distance / lesson.square


def short_formula(
    prepared: Prepared,
    archive: Archive,
    units: Units,
    price: float,
    tau: float,
    whole: Prepared | None,
) -> Archive | None:
    """Return the formula to show: a student, with or without fitted constants, a line or a law.

    None if there is no law, and students are far from the teacher.
    """
    candidates = _students(prepared, archive, price, tau, whole)
    liberty = liberty_of_laws(prepared.x.shape[1])
    for law in laws_of(prepared, units, whole):
        candidates.append(Candidate(law.make, law.errors, law.size, law.size, liberty, plain=True))
    return choose(candidates, prepared.weights)


def _students(
    prepared: Prepared, archive: Archive, price: float, tau: float, whole: Prepared | None
) -> list[Candidate]:
    """Return students at several prices, the same with fitted constants, and a linear model.

    The first is the usual student. Where students are only compared with their teacher, nodes are
    left out that hardly matter to it; those whose constants are fitted have to follow the labels.
    """
    rows = effective_rows(prepared.weights)
    prepared = _with_more_trees(prepared, rows)
    whole = None if whole is None else _with_more_trees(whole, rows)
    settings, weights, y = prepared.settings, prepared.weights, prepared.y
    candidates, lesson, price = _taught(prepared, archive, tau, price)
    alphas = settings.ridge_alphas
    goal = target_of(prepared.columns, y, weights, min(alphas), prepared.addresses)
    generation = int(archive.facts[:, BORN].max())

    def candidate(
        trees: Sequence[Tree], coefficients: Floats, errors: Floats, liberty: float
    ) -> Candidate:
        def make() -> Archive | None:
            return _scored(prepared, trees, coefficients, generation, whole)

        around = 3 * len(trees) + 1  # coefficients and sums
        size = sum(description(codes) for codes, _ in trees) + around
        length = sum(written_length(codes) for codes, _ in trees) + around
        return Candidate(make, errors, size, length, liberty)

    def revised(fitted: FittedTrees) -> Archive | None:
        last = simplified(fitted, goal, cost, settings)
        return _scored(prepared, last.trees, last.coefficients, generation, whole)

    seen, students = set[bytes](), []
    followed = _target_of_lesson(lesson, prepared, min(alphas))
    for factor in _price_factors(rows):
        terms = _follow(lesson, settings, factor * price, settings.max_size)
        is_near = len(terms.chosen) and terms.distance <= FARTHEST * lesson.square
        if is_near and terms.chosen.tobytes() not in seen:
            seen.add(terms.chosen.tobytes())
            trees = _trees_of(candidates, terms)
            fitted = fit_constants(trees, goal, steps=0)
            start = fit_constants(trees, followed) if factor >= CHEAPEST else None
            if start is not None:
                start = simplified(start, followed, LEAN * _share(lesson, factor * price), settings)
            if fitted is not None:
                students.append((trees, start, fitted))
    if not students:
        return []
    noise = min(fitted.error for *_, fitted in students)
    found, cost = [], node_price(noise, rows)
    for trees, lean, _ in students:
        fitted = None if lean is None else fit_constants(lean.trees, goal, steps=0)
        if lean is not None and fitted is not None:
            alpha = float(np.median(alphas))
            errors = errors_of(fitted, lean.coefficients, alpha, prepared.rows)
            found.append(candidate(lean.trees, lean.coefficients, errors, DISTILLED))
        better = polished(trees, goal, cost, settings)
        if better is not None:
            model = candidate(better.trees, better.coefficients, better.errors, FITTED)
            found.append(model._replace(make=partial(revised, better)))
    inputs = _inputs_of_line(prepared, noise)
    line = fit_constants(inputs, goal) if inputs else None
    if line is not None:
        model = candidate(line.trees, line.coefficients, line.errors, LINE)
        found.append(model._replace(plain=True))
    return found


def _price_factors(rows: float) -> list[float]:
    """Return the multiples of the price at which students compete; the more rows, the lower."""
    lowest = int(np.floor(np.log2(min(CHEAPEST, FULL_PRICE / rows))))
    return [2.0**k for k in (*range(0, lowest - 1, -2), *range(1, DEAREST + 1))]


def _with_more_trees(prepared: Prepared, rows: float) -> Prepared:
    """Return the run with more trees for students if rows are many, unless the user wants few."""
    settings = prepared.settings
    if settings.max_trees < Settings.max_trees:
        return prepared
    most = max(settings.max_trees, min(MOST_TREES, int(rows / ROWS_PER_TREE)))
    return replace(prepared, settings=replace(settings, max_trees=most))


def _inputs_of_line(prepared: Prepared, noise: float) -> list[Tree]:
    """Return the inputs of the best linear model as trees; a slope costs what noise alone gains."""
    weights, y = prepared.weights, prepared.y
    x = prepared.x - np.average(prepared.x, axis=0, weights=weights.each)
    deviation = np.sqrt(np.average(x**2, axis=0, weights=weights.each))
    inputs = np.flatnonzero(deviation > SAME)
    roots = np.sqrt(weights.each / weights.each.mean())
    values = np.ascontiguousarray((roots[:, None] * x[:, inputs] / deviation[inputs]).T)
    rows = effective_rows(weights)
    price = np.full(len(inputs), node_price(noise, rows) + 2.0 * noise / rows)
    teacher = roots * (y - weights.mean(y))
    chosen, _ = select(values, teacher, price, prepared.settings.max_trees)
    return [(np.array([FIRST_VARIABLE + k], np.int32), np.zeros(1)) for k in inputs[chosen]]


class Lesson(NamedTuple):
    """Values of candidates and teacher at the points that a student learns from."""

    values: Floats
    """Candidates × points, standardised."""
    teacher: Floats
    square: float
    """The teacher's mean square."""
    noise: float
    length: Integers
    """Nodes of each candidate."""
    usable: Integers
    """Numbers of the candidates that are kept."""
    scale: Floats
    """Factors that standardise them."""
    points: Floats
    """Points × inputs …"""
    weights: Floats
    """… and their weights, whose roots are in the values if rows have weights."""


class StudentTerms(NamedTuple):
    """The candidates that a student consists of."""

    chosen: Integers
    coefficients: Floats
    distance: float
    """Mean square of the difference from the teacher."""


def _taught(
    prepared: Prepared, archive: Archive, tau: float | None, price: float
) -> tuple[Candidates, Lesson, float]:
    """Return an archive's candidates, its teacher's lesson, and the price for all restarts."""
    restarts = int(archive.facts[:, RESTART].max()) + 1
    teacher = teacher_of(archive, teacher_tau(prepared.noise_r2) if tau is None else tau)
    candidates = collect(archive, teacher, len(prepared.columns), prepared.weights.mean(prepared.y))
    lesson = _lesson(candidates, *teaching_points(prepared), prepared)
    return candidates, lesson, price * restarts**-CHEAPER


def _lesson(
    candidates: Candidates, points: Floats, n: int, weights_of_points: Floats, prepared: Prepared
) -> Lesson:
    """Evaluate candidates and teacher at the points; the first `n` are training rows."""
    values = values_of(candidates, points, prepared.addresses)
    with np.errstate(invalid="ignore", over="ignore"):
        teacher = _linear_model(values, candidates.coefficient, candidates.intercept)
    # Predictions are clipped to the range of the labels: values outside teach nothing.
    inside = (teacher >= prepared.y.min()) & (teacher <= prepared.y.max())
    inside[:n] = True
    kept = np.flatnonzero(inside)
    usable, scale = np.empty(len(values), np.int64), np.empty(len(values))
    flat, width = values.reshape(-1), values.shape[1]
    count = _standardise(flat, width, kept, weights_of_points[:n], usable, scale)
    usable, scale = usable[:count], scale[:count]
    values = values.reshape(-1)[: count * len(kept)].reshape(count, len(kept))
    teacher = teacher[kept]
    if prepared.weights.given:  # least squares of w·(T − z)² are those of √w·T and √w·z
        roots = np.sqrt(weights_of_points[kept] / weights_of_points[kept].mean())
        values *= roots
        teacher = roots * teacher
    square = float(np.mean(teacher**2))
    noise = 1.0 if np.isnan(prepared.noise_r2) else 1.0 - prepared.noise_r2
    length = candidates.length[usable]
    points, weights = points[kept], weights_of_points[kept]
    return Lesson(values, teacher, square, noise, length, usable, scale, points, weights)


def _share(lesson: Lesson, price: float) -> float:
    """Return the price of a node in units of the squared distance to the teacher."""
    return price * min(max(lesson.noise, LEAST_NOISE), 1.0) * lesson.square


def _follow(lesson: Lesson, settings: Settings, price: float, max_size: int | None) -> StudentTerms:
    """Select the candidates that follow the teacher at this price of a node."""
    cost = np.asarray(_share(lesson, price) * lesson.length, dtype=np.float64)
    most = settings.max_trees
    chosen, weights = select(lesson.values, lesson.teacher, cost, most, lesson.length, max_size)
    student = _linear_model(lesson.values[chosen], weights, 0.0)
    distance = float(np.mean((lesson.teacher - student) ** 2))
    return StudentTerms(lesson.usable[chosen], weights * lesson.scale[chosen], distance)


def _target_of_lesson(lesson: Lesson, prepared: Prepared, alpha: float) -> Target:
    """Return some of the points at which students follow the teacher, as rows to fit."""
    step = max(1, len(lesson.points) // POINTS)
    given = prepared.weights.given
    points, weights = lesson.points[::step], lesson.weights[::step] if given else None
    teacher = lesson.teacher / np.sqrt(lesson.weights / lesson.weights.mean())
    y = (teacher if given else lesson.teacher)[::step]
    return target_of(points.T, y, row_weights(len(y), weights), alpha, prepared.addresses)


@kernel
def _linear_model(values: Floats, coefficients: Floats, intercept: float) -> Floats:
    """Return intercept + Σ coefficient · value at each point, summed in a fixed order."""
    total = np.full(values.shape[1], intercept)
    for c in range(len(coefficients)):
        coefficient = coefficients[c]
        if coefficient != 0.0:
            row = values[c]
            for i in range(len(total)):
                total[i] += coefficient * row[i]
    return total


@kernel
def _standardise(
    flat: Floats, width: int, kept: Integers, weights: Floats, usable: Integers, scale: Floats
) -> int:
    """Standardise rows of `width` values in place, by the weighted values at their beginning.

    Values that are not kept are removed, as are rows that are constant or not finite. Return the
    number of rows left; `usable` receives their numbers and `scale` their factors.
    """
    count, m, n = 0, len(kept), len(weights)
    total_weight = 0.0
    for weight in weights:
        total_weight += weight
    for c in range(len(flat) // width):
        row, target = flat[c * width : (c + 1) * width], flat[count * m : (count + 1) * m]
        largest, mean, sum_of_all = 0.0, 0.0, 0.0
        for i in range(m):
            value = row[kept[i]]
            target[i] = value
            sum_of_all += value
        for i in range(n):
            mean += weights[i] * target[i] / total_weight
            largest = max(largest, abs(target[i]))
        total = 0.0
        for i in range(n):
            total += weights[i] * (target[i] - mean) ** 2
        deviation = np.sqrt(total / total_weight)
        if np.isfinite(sum_of_all + deviation) and deviation > SAME * largest:
            factor = 1.0 / deviation
            for i in range(m):
                target[i] = (target[i] - mean) * factor
            usable[count], scale[count] = c, factor
            count += 1
    return count


def teaching_points(prepared: Prepared) -> tuple[Floats, int, Floats]:
    """Return points × inputs, the number of training rows at their beginning, and weights."""
    state = stream(prepared.seed, "distillation")
    rows = some_of(state, len(prepared.y), MOST_ROWS)
    x, of_rows = prepared.x[rows], prepared.weights.each[rows]
    around = np.empty((MOST_ROWS, x.shape[1]))
    _draw_around(state, x, np.cumsum(of_rows) if prepared.weights.given else np.empty(0), around)
    extra = some_of(state, prepared.n_extra, MOST_ROWS)
    of_extra = prepared.regularizer.extra_weights(prepared.n_extra)[extra]
    parts = [of_rows, of_extra, np.ones(MOST_ROWS)]
    weights = np.concatenate([part / part.mean() for part in parts if len(part)])
    return np.vstack([x, prepared.extra[extra], around]), len(x), weights


def some_of(state: Words, n: int, most: int) -> Integers:
    """Draw at most this many of n rows."""
    order = np.arange(n)
    if n <= most:
        return order
    shuffle(state, order)
    return np.sort(order[:most])


@kernel
def _draw_around(state: Words, x: Floats, ends: Floats, out: Floats) -> None:
    """Draw points xᵢ + SPREAD·u·(xⱼ − x_k), with u uniform in (−1, 1) and random rows i, j, k.

    `ends` are the cumulative weights of the rows, empty if all weights are 1.
    """
    n = len(x)
    for r in range(len(out)):
        if len(ends):
            i, j, k = draw_row(state, ends), draw_row(state, ends), draw_row(state, ends)
        else:
            i, j, k = below(state, n), below(state, n), below(state, n)
        step = SPREAD * (2.0 * uniform(state) - 1.0)
        for c in range(x.shape[1]):
            out[r, c] = x[i, c] + step * (x[j, c] - x[k, c])


def _as_student(
    prepared: Prepared,
    archive: Archive,
    candidates: Candidates,
    terms: StudentTerms,
    whole: Prepared | None,
) -> Archive | None:
    """Return the student as an archive of one entry, scored on all rows."""
    generation = int(archive.facts[:, BORN].max())
    trees = _trees_of(candidates, terms)
    return _scored(prepared, trees, terms.coefficients, generation, whole)


def _trees_of(candidates: Candidates, terms: StudentTerms) -> list[Tree]:
    places = [
        slice(candidates.start[k], candidates.start[k] + candidates.length[k]) for k in terms.chosen
    ]
    return [(candidates.codes[place], candidates.constants[place]) for place in places]


def _scored(
    prepared: Prepared,
    trees: Sequence[Tree],
    coefficients: Floats,
    generation: int,
    whole: Prepared | None,
) -> Archive | None:
    entry = score_trees(prepared, trees, coefficients, generation)
    return entry if entry is None or whole is None else score_on(entry, whole)
