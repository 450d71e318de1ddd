"""From all models of a run to one short formula: a student that follows its teacher.

The student learns from the teacher's values, not from the labels: at the training rows, at the
run's vicinal points and at points around them. There is no label noise in them, so ten trees and
their weights can be fitted closely. Where rows have weights, a training row counts by its own, a
vicinal point by its anchor's, and the points around them start from rows drawn by weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...core.arrays import Floats, Integers, Words
from ..compilation.kernels import kernel
from ..numerics.rng import below, shuffle, stream, uniform
from ..objectives.ridge import score_weights
from ..objectives.row_weights import draw_row
from ..preparation import Prepared
from ..search.archive import (
    BORN,
    O1,
    RESTART,
    SIZE,
    Archive,
    make_archive,
    reserve,
    trimmed,
    update_archive,
)
from ..search.evolution import Evolution
from ..settings import Settings
from ..trees.pool import SAME, intern_tree
from .candidates import Candidates, collect, values_of
from .large_tables import on_all_rows
from .student import select
from .teacher import teacher_of, teacher_tau

NODE_PRICE = 0.0025
"""What a node must gain, as a share of the teacher's mean square, where labels are pure noise."""
CHEAPER = 0.2
"""The price falls with this power of the number of restarts."""
LEAST_NOISE = 0.05
MOST_ROWS = 1000
"""At most so many training rows, vicinal points and new points each."""
SPREAD = 0.7
FARTHEST = 0.2
"""A student whose squared distance to the teacher is a larger share of the teacher's mean square
is not taken; 0.083 was the largest of 1100 runs."""
DEARER = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Prices of the students that a short one is chosen from, as multiples."""
SIZE_PRICE = 0.0015
"""What a node of the shown formula must gain of the target's variance, left out one by one."""
MOST_DOUBLINGS = 12
"""Of the price, until a student is short enough."""


def distil(
    prepared: Prepared,
    archive: Archive,
    price: float = NODE_PRICE,
    tau: float | None = None,
    whole: Prepared | None = None,
) -> Archive | None:
    """The student as an archive of one entry, or None where it stays far from its teacher.

    `price` is that of a node, `tau` the weight of the gap in the teacher; by default it follows
    the noise estimate. A teacher of several restarts is worth following more closely, so the price
    falls with their number. `whole` are all rows, where `prepared` is a sample of them: they give
    the student's error.
    """
    price = _price_of(archive, price)
    candidates, lesson = _taught(prepared, archive, tau)
    found = _follow(lesson, prepared.settings, price, prepared.settings.max_size)
    if not len(found.chosen) or not found.distance <= FARTHEST * lesson.square:
        return None
    return _as_student(prepared, archive, candidates, found, whole)


def distil_within(
    prepared: Prepared,
    archive: Archive,
    max_size: int,
    price: float = NODE_PRICE,
    tau: float | None = None,
    whole: Prepared | None = None,
) -> tuple[Archive | None, float]:
    """The student of at most so many nodes, and its squared distance as a share of the square.

    Of two students the nearer one: one that has no room for more nodes at the usual price, and one
    whose nodes become dearer until there are few enough of them.
    """
    price, settings = _price_of(archive, price), prepared.settings
    candidates, lesson = _taught(prepared, archive, tau)
    found = _follow(lesson, settings, price, max_size)
    for doubled in range(MOST_DOUBLINGS):
        other = _follow(lesson, settings, price * 2.0**doubled, settings.max_size)
        if candidates.length[other.chosen].sum() <= max_size:
            found = min(other, found, key=lambda student: student.distance)
            break
    if not len(found.chosen):
        return None, np.inf
    student = _as_student(prepared, archive, candidates, found, whole)
    return student, found.distance / lesson.square


def distil_short(
    prepared: Prepared,
    archive: Archive,
    price: float = NODE_PRICE,
    tau: float | None = None,
    whole: Prepared | None = None,
) -> tuple[Archive | None, float]:
    """Of students at several prices the one of the smallest O1 + SIZE_PRICE·nodes, and this sum."""
    price = _price_of(archive, price)
    candidates, lesson = _taught(prepared, archive, tau)
    best: tuple[Archive | None, float] = None, np.inf
    seen = set[bytes]()
    for factor in DEARER:
        found = _follow(lesson, prepared.settings, factor * price, prepared.settings.max_size)
        is_near = len(found.chosen) and found.distance <= FARTHEST * lesson.square
        if is_near and found.chosen.tobytes() not in seen:
            seen.add(found.chosen.tobytes())
            student = _as_student(prepared, archive, candidates, found, whole)
            if student is not None:
                price_of_all = SIZE_PRICE * float(student.facts[0, SIZE])
                best = min(best, (student, float(student.scores[0, O1]) + price_of_all), key=_sum)
    return best


def _sum(found: tuple[Archive | None, float]) -> float:
    return found[1]


def _price_of(archive: Archive, price: float) -> float:
    """The price of a node, lower with more restarts."""
    restarts = int(archive.facts[:, RESTART].max()) + 1
    return price * restarts**-CHEAPER


class Lesson(NamedTuple):
    """What students follow: candidates and teacher at the points."""

    values: Floats
    """Candidates × points, standardised."""
    teacher: Floats
    square: float
    """The teacher's mean square."""
    noise: float
    length: Integers
    """Nodes of each candidate."""
    usable: Integers
    """Their numbers, as some were left out …"""
    scale: Floats
    """… and what they were multiplied by."""


class Found(NamedTuple):
    """The candidates of a student."""

    chosen: Integers
    coefficients: Floats
    distance: float
    """To the teacher: the mean square of their difference."""


def _taught(prepared: Prepared, archive: Archive, tau: float | None) -> tuple[Candidates, Lesson]:
    """The candidates of an archive, and the lesson of its teacher."""
    teacher = teacher_of(archive, teacher_tau(prepared.noise_r2) if tau is None else tau)
    candidates = collect(archive, teacher, len(prepared.columns), prepared.weights.mean(prepared.y))
    return candidates, _lesson(candidates, *teaching_points(prepared), prepared)


def _lesson(
    candidates: Candidates, points: Floats, n: int, weights_of_points: Floats, prepared: Prepared
) -> Lesson:
    """Candidates and teacher at the points, of which the first `n` are training rows."""
    values = values_of(candidates, points, prepared.addresses)
    with np.errstate(invalid="ignore", over="ignore"):
        teacher = _linear_model(values, candidates.coefficient, candidates.intercept)
    # Outside the range of the labels predictions are clipped: nothing is to be learnt there.
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
    return Lesson(values, teacher, square, noise, candidates.length[usable], usable, scale)


def _follow(lesson: Lesson, settings: Settings, price: float, max_size: int | None) -> Found:
    """The candidates that follow the teacher at this price of a node."""
    share = price * min(max(lesson.noise, LEAST_NOISE), 1.0) * lesson.square
    cost = np.asarray(share * lesson.length, dtype=np.float64)
    most = settings.max_trees
    chosen, weights = select(lesson.values, lesson.teacher, cost, most, lesson.length, max_size)
    student = _linear_model(lesson.values[chosen], weights, 0.0)
    distance = float(np.mean((lesson.teacher - student) ** 2))
    return Found(lesson.usable[chosen], weights * lesson.scale[chosen], distance)


@kernel
def _linear_model(values: Floats, coefficients: Floats, intercept: float) -> Floats:
    """Intercept + Σ coefficient · value at each point, in a fixed order."""
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
    """Standardise rows of `width` values by the first, the weighted ones; close gaps, in place.

    Values that are not kept go, and rows that are constant or not finite. Returns how many rows
    are left; `usable` has their numbers and `scale` what they were multiplied by.
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
    """Points × inputs, how many of them are training rows, which come first, and their weights."""
    state = stream(prepared.seed, "distillation")
    rows = _some_of(state, len(prepared.y))
    x, own = prepared.x[rows], prepared.weights.each[rows]
    around = np.empty((MOST_ROWS, x.shape[1]))
    _draw_around(state, x, np.cumsum(own) if prepared.weights.given else np.empty(0), around)
    extra = _some_of(state, prepared.n_extra)
    of_extra = prepared.regularizer.extra_weights(prepared.n_extra)[extra]
    parts = [own, of_extra, np.ones(MOST_ROWS)]
    weights = np.concatenate([part / part.mean() for part in parts if len(part)])
    return np.vstack([x, prepared.extra[extra], around]), len(x), weights


def _some_of(state: Words, n: int) -> Integers:
    """At most MOST_ROWS of n rows."""
    order = np.arange(n)
    if n <= MOST_ROWS:
        return order
    shuffle(state, order)
    return np.sort(order[:MOST_ROWS])


@kernel
def _draw_around(state: Words, x: Floats, ends: Floats, out: Floats) -> None:
    """Points xᵢ + SPREAD·u·(xⱼ − x_k), u uniform in (−1, 1), rows i, j, k at random.

    `ends` are the rows' weights added up, empty where all are 1.
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
    found: Found,
    whole: Prepared | None,
) -> Archive | None:
    """The student as an archive of one entry, with its error on all rows."""
    generation = int(archive.facts[:, BORN].max())
    places = [
        slice(candidates.start[k], candidates.start[k] + candidates.length[k]) for k in found.chosen
    ]
    trees = [(candidates.codes[place], candidates.constants[place]) for place in places]
    student = as_entry(prepared, trees, found.coefficients, generation)
    return student if student is None or whole is None else on_all_rows(student, whole)


def as_entry(
    prepared: Prepared,
    trees: Sequence[tuple[ArrayLike, ArrayLike]],
    coefficients: Floats,
    generation: int,
) -> Archive | None:
    """Trees (codes, constants) scored on all rows as any individual is, with their own weights."""
    run = Evolution(replace(prepared, settings=replace(prepared.settings, population_size=2)))
    individuals, rows = run.individuals, np.zeros(1, np.int64)
    for t, (codes, constants) in enumerate(trees):
        codes = np.asarray(codes, np.int32)
        constants = np.asarray(constants, np.float64)
        individuals.trees[0, t] = intern_tree(run.pool, codes, constants, len(codes))
        individuals.size[0] += len(codes)
    individuals.n_trees[0] = len(trees)
    score_weights(
        run.pool, individuals, run.workspace, run.ridge, run.y, run.alphas, 0, coefficients
    )
    run.regularizer.score(run, rows)
    if not np.isfinite(individuals.o1[0] + individuals.o2[0]):
        return None
    entry = reserve(make_archive(prepared.settings.max_trees, 1, 1), 1, int(individuals.size[0]))
    update_archive(entry, run.pool, individuals, run.y, run.weights, rows, generation)
    return trimmed(entry)
