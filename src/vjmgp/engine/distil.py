"""From all models of a run to one short formula: a student that follows its teacher.

The student learns from the teacher's values, not from the labels: at the training rows, at the
run's vicinal points and at points around them. There is no label noise in them, so ten trees and
their weights can be fitted closely. Where rows have weights, a training row counts by its own, a
vicinal point by its anchor's, and the points around them start from rows drawn by weight.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .archive import BORN, RESTART, Archive, make_archive, reserve, trimmed, update_archive
from .arrays import Floats, Integers, Words
from .candidates import Candidates, collect, values_of
from .compiling import kernel
from .evolution import Evolution
from .large import on_all_rows
from .pool import SAME, intern_tree
from .preparation import Prepared
from .ridge import score_weights
from .rng import below, shuffle, stream, uniform
from .student import select
from .teacher import teacher_of, teacher_tau
from .weights import draw_row

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


class Lesson(NamedTuple):
    """What students learn from: candidates and the teacher at the same points."""

    prepared: Prepared
    candidates: Candidates
    usable: Integers
    """The candidates that vary on the training rows, …"""
    scale: Floats
    """… what they were multiplied by, …"""
    values: Floats
    """… and their values, candidates × points."""
    teacher: Floats
    square: float
    """The teacher's mean square."""
    generation: int
    cheaper: float
    """What the price of nodes is multiplied by for the number of restarts, …"""
    noise: float
    """… and for the noise of the labels."""


def lesson_of(prepared: Prepared, archive: Archive, tau: float | None = None) -> Lesson:
    """The lesson of an archive; `tau` is the weight of the gap in the teacher.

    By default it follows the noise estimate. A teacher of several restarts is worth following more
    closely, so the price of nodes falls with their number.
    """
    restarts = int(archive.facts[:, RESTART].max()) + 1
    teacher = teacher_of(archive, teacher_tau(prepared.noise_r2) if tau is None else tau)
    candidates = collect(archive, teacher, len(prepared.columns), prepared.weights.mean(prepared.y))
    points, n, weights = teaching_points(prepared)
    usable, scale, values, target = _at_points(candidates, points, n, weights, prepared)
    noise = 1.0 if np.isnan(prepared.noise_r2) else 1.0 - prepared.noise_r2
    return Lesson(
        prepared,
        candidates,
        usable,
        scale,
        values,
        target,
        float(np.mean(target**2)),
        int(archive.facts[:, BORN].max()),
        restarts**-CHEAPER,
        min(max(noise, LEAST_NOISE), 1.0),
    )


def distil(
    prepared: Prepared,
    archive: Archive,
    price: float = NODE_PRICE,
    tau: float | None = None,
    whole: Prepared | None = None,
) -> Archive | None:
    """The student as an archive of one entry, or None where it stays far from its teacher.

    `price` is that of a node. `whole` are all rows, where `prepared` is a sample of them: they give
    the student's error.
    """
    return student_of(lesson_of(prepared, archive, tau), price, whole)


def student_of(
    lesson: Lesson, price: float = NODE_PRICE, whole: Prepared | None = None
) -> Archive | None:
    """The student of a lesson, where a node must gain so much; None as in `distil`."""
    chosen, coefficients = _follow(lesson, price)
    if not len(chosen):
        return None
    student = _as_entry(lesson.prepared, lesson.candidates, chosen, coefficients, lesson.generation)
    return student if student is None or whole is None else on_all_rows(student, whole)


def _follow(lesson: Lesson, price: float) -> tuple[Integers, Floats]:
    """The chosen candidates and their coefficients; none where they stay too far away."""
    length = lesson.candidates.length[lesson.usable]
    share = price * lesson.cheaper * lesson.noise * lesson.square
    cost = np.asarray(share * length, dtype=np.float64)
    settings = lesson.prepared.settings
    chosen, weights = select(
        lesson.values, lesson.teacher, cost, settings.max_trees, length, settings.max_size
    )
    student = _linear_model(lesson.values[chosen], weights, 0.0)
    distance = float(np.mean((lesson.teacher - student) ** 2))
    if not distance <= FARTHEST * lesson.square:
        return chosen[:0], weights[:0]
    return lesson.usable[chosen], weights * lesson.scale[chosen]


def _at_points(
    candidates: Candidates, points: Floats, n: int, weights_of_points: Floats, prepared: Prepared
) -> tuple[Integers, Floats, Floats, Floats]:
    """Usable candidates, their scales, their values and the teacher's at the points.

    The first `n` of the points are training rows.
    """
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
    return usable, scale, values, teacher


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


def _as_entry(
    prepared: Prepared,
    candidates: Candidates,
    chosen: Integers,
    coefficients: Floats,
    generation: int,
) -> Archive | None:
    """The student scored on all rows as any individual is, with the weights that it has."""
    run = Evolution(replace(prepared, settings=replace(prepared.settings, population_size=2)))
    individuals, rows = run.individuals, np.zeros(1, np.int64)
    for t, candidate in enumerate(chosen):
        first = candidates.start[candidate]
        last = first + candidates.length[candidate]
        individuals.trees[0, t] = intern_tree(
            run.pool, candidates.codes[first:last], candidates.constants[first:last], last - first
        )
    individuals.n_trees[0] = len(chosen)
    individuals.size[0] = candidates.length[chosen].sum()
    score_weights(
        run.pool, individuals, run.workspace, run.ridge, run.y, run.alphas, 0, coefficients
    )
    run.regularizer.score(run, rows)
    if not np.isfinite(individuals.o1[0] + individuals.o2[0]):
        return None
    entry = reserve(make_archive(prepared.settings.max_trees, 1, 1), 1, int(individuals.size[0]))
    update_archive(entry, run.pool, individuals, run.y, run.weights, rows, generation)
    return trimmed(entry)
