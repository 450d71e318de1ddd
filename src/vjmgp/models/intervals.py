"""Prediction intervals from leave-one-out errors.

Each training row has an error of a model that did not see it, which ridge regression gives without
another fit. A new row's error is as likely to have any rank among them, so that the k-th smallest
of K sizes is not exceeded with probability k / (K + 1): split conformal prediction with the errors
of the jackknife.

The features were searched for on the same rows, though, which these errors do not know. Every node
of a formula is a choice that the labels have made; `searched` makes errors larger by that.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..core.arrays import Floats
from ..engine.distillation.teacher import Teacher
from ..engine.objectives.row_weights import RowWeights
from ..engine.parameters import SHARE, checked
from ..engine.search.archive import ALPHA, FACTOR, N_TREES, SIZE, Archive

if TYPE_CHECKING:
    from ..tables.preprocessing import Standardizer
    from .ensemble import FrontModel
    from .symbolic import SymbolicModel


MOST_KEPT = 200
"""Of more errors so many quantiles are kept."""
DIGITS = 6
CHOICES = 8
"""What choosing a formula counts, in nodes."""
ROUNDING = 1e-9
ALMOST_1 = 1.0 - 1e-9
"""The leverage of a row that decides its own prediction."""


class ScoredRows(NamedTuple):
    """The rows that give the errors, standardised."""

    x: Floats
    y: Floats
    weights: RowWeights


def leave_one_out(model: SymbolicModel, rows: ScoredRows) -> Floats:
    """Each row's error without it, on the standardised target.

    The ridge is that of the model's features, whatever has given its weights.
    """
    names = ("weight", "centre", "factor")
    linear = np.array([[getattr(f, name) for f in model.features] for name in names])
    return _errors_without(model.construct(rows.x), linear, model.scores["alpha"], rows)


def _errors_without(features: Floats, linear: Floats, alpha: float, rows: ScoredRows) -> Floats:
    """The same from rows × features and their weights, centres and factors.

    `engine/objectives/ridge.py` has the formula.
    """
    weight, centre, factor = linear
    z = (features - centre) * factor
    gram = z.T @ (rows.weights.each[:, None] * z) + alpha * np.eye(len(weight))
    leverage = np.sum(z @ np.linalg.pinv(gram, hermitian=True) * z, axis=1)
    leverage += 1.0 / rows.weights.total
    if rows.weights.given:
        leverage *= rows.weights.copy
    return np.asarray((rows.y - z @ weight) / (1.0 - np.minimum(leverage, ALMOST_1)))


def with_errors(model: SymbolicModel, rows: ScoredRows) -> SymbolicModel:
    """The model with the quantiles that its intervals need."""
    errors = leave_one_out(model, rows)
    return replace(model, error_quantiles=_quantiles(errors, model.size, rows, model.standardizer))


def front_with_errors(
    front: FrontModel, archive: Archive, teacher: Teacher, rows: ScoredRows
) -> FrontModel:
    """The same for a weighted mean of models: its errors are the weighted means of theirs."""
    values, members = front.construct(rows.x), front.members
    errors = np.zeros(len(rows.y))
    for m, (entry, share) in enumerate(zip(teacher.entries, teacher.weights, strict=True)):
        linear = archive.linear[entry, :, : archive.facts[entry, N_TREES]]
        linear = linear[:, linear[FACTOR] > 0.0]
        own = values[:, members.tree[members.first[m] : members.first[m + 1]]]
        errors += share * _errors_without(own, linear, archive.scores[entry, ALPHA], rows)
    size = float(teacher.weights @ archive.facts[teacher.entries, SIZE])
    return replace(front, error_quantiles=_quantiles(errors, size, rows, front.standardizer))


def _quantiles(
    errors: Floats, size: float, rows: ScoredRows, standardizer: Standardizer
) -> tuple[float, ...]:
    factor = standardizer.target_scale * searched(equal_rows(rows.weights.each), size)
    return kept_quantiles(errors, rows.weights.each, factor)


def searched(rows: float, size: float) -> float:
    """By how much errors are too small because features were searched for on the same rows.

    A node counts as a degree of freedom, and so do `CHOICES` more where there is a formula: a short
    one was chosen among many. Squares grow by n / (n − size): by the first terms of its series,
    which stay finite where a formula has more nodes than there are rows.
    """
    share = (size + CHOICES) / rows if size else 0.0
    return math.sqrt(1.0 + share + share**2)


def equal_rows(weights: Floats) -> float:
    """How many rows of the same weight would tell as much as these."""
    return float(weights.sum() ** 2 / np.sum(weights**2))


def kept_quantiles(errors: Floats, weights: Floats, factor: float) -> tuple[float, ...]:
    """The sizes of errors times a factor, rising: all of them, or quantiles of many.

    K of them divide what a new row's error may be into K + 1 parts of the same probability.
    """
    sizes = np.abs(errors)
    order = np.argsort(sizes, kind="stable")
    share = np.cumsum(weights[order])
    rows = equal_rows(weights)
    count = max(1, min(MOST_KEPT, int(rows + ROUNDING)))
    wanted = np.arange(1, count + 1) / (count + 1) * (rows + 1.0) / rows
    places = np.searchsorted(share / share[-1], wanted - ROUNDING)
    found = factor * sizes[order[np.minimum(places, len(order) - 1)]]
    return tuple(float(f"{value:.{DIGITS}g}") for value in found)


def half_width(quantiles: tuple[float, ...], interval: float) -> float:
    """How far the interval reaches to either side; infinite where rows are too few to tell."""
    rank = math.ceil((len(quantiles) + 1) * interval - ROUNDING)
    return quantiles[rank - 1] if rank <= len(quantiles) else math.inf


def intervals_around(
    values: Floats, quantiles: tuple[float, ...], interval: float, standardizer: Standardizer
) -> Floats:
    """Rows × 2, lower and upper ends; within the training target's range where the model clips."""
    interval = checked("interval", interval, {"interval": SHARE})
    if not quantiles:
        raise ValueError(
            "The model holds no leave-one-out errors, so it has no intervals: fit it with this "
            "version, or choose() it."
        )
    width = half_width(quantiles, interval)
    ends = np.column_stack([values - width, values + width])
    return np.clip(ends, *standardizer.target_range) if standardizer.clips else ends
