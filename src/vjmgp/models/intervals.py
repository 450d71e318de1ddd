"""Prediction intervals from leave-one-out errors.

Ridge regression gives the error of each training row under a model fitted without it, at no extra
cost. The error of a new row is equally likely to have any rank among them, so the k-th smallest of
K sizes is not exceeded with probability k / (K + 1): conformal prediction with the errors of the
jackknife.

These errors do not account for the search, which used the same rows: every node of a formula is a
choice made by the labels. `searched` enlarges them accordingly. Target means of nominal columns
used the same labels, too, so each error is that with a mean of the other rows. Copies of a row are
left out together, and since they have misled the search, too, `searched_copies` counts its nodes.
"""

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..core.arrays import Flags, Floats
from ..engine.distillation.teacher import Teacher
from ..engine.objectives.row_weights import row_weights
from ..engine.parameters import SHARE, checked
from ..engine.preparation import ScoredRows
from ..engine.scorer import leave_one_out_errors
from ..engine.search.archive import ALPHA, FACTOR, N_TREES, SIZE, Archive
from ..tables.preprocessing import Standardizer, find_copies

if TYPE_CHECKING:
    from .ensemble import FrontModel
    from .symbolic import SymbolicModel, TableModel


MOST_KEPT = 200
"""Largest number of quantiles; those of fewer errors are the errors themselves."""
CHOICES = 8
"""Nodes that the choice of a formula counts as."""
ROUNDING = 1e-9
MOST_MERGED = 2000
"""Rows up to which copies matter: beyond, hardly anything depends on a single row."""


def leave_one_out(model: "SymbolicModel", rows: ScoredRows) -> Floats:
    """Return the leave-one-out error of each row, on the standardised target."""
    names = ("weight", "centre", "factor")
    linear = np.array([[getattr(f, name) for f in model.features] for name in names])
    return leave_one_out_errors(model.construct(rows.x), linear, model.scores["alpha"], rows)


def with_errors(model: "SymbolicModel", rows: ScoredRows) -> "SymbolicModel":
    """Return the model with the error quantiles that its intervals need."""
    distinct = merge_copies(rows)
    errors = leave_one_out(model, distinct) + effect_of_own_labels(model, distinct)
    if len(distinct.y) < len(rows.y):
        errors = searched_copies(errors, model.evolved_size, distinct)
    quantiles = _quantiles(errors, model.evolved_size, distinct, model.standardizer)
    return replace(model, error_quantiles=quantiles)


def merge_copies(rows: ScoredRows) -> ScoredRows:
    """Return each row once, with the weight of all its copies, which are left out together."""
    if len(rows.y) > MOST_MERGED:
        return rows
    first, copies = find_copies(rows.x, rows.y)
    if len(first) == len(rows.y):
        return rows
    each = rows.weights.each
    merged = row_weights(len(first), np.bincount(copies, each).astype(np.float64))
    copy = np.bincount(copies, np.minimum(each, 1.0)).astype(np.float64)
    weights = merged._replace(given=True, copy=copy)
    left_out = None if rows.left_out is None else rows.left_out[first]
    return ScoredRows(rows.x[first], rows.y[first], weights, left_out)


def effect_of_own_labels(model: "TableModel", rows: ScoredRows) -> Floats:
    """Return how much each prediction falls if target means leave out the row's own label."""
    if rows.left_out is None:
        return np.zeros(len(rows.y))
    fall = model.predict_rows(rows.x) - model.predict_rows(rows.left_out)
    return fall / model.standardizer.target_scale


def front_with_errors(
    front: "FrontModel", archive: Archive, teacher: Teacher, rows: ScoredRows
) -> "FrontModel":
    """Do the same for a weighted mean of models, whose errors are the weighted means of theirs."""
    copied, rows = rows, merge_copies(rows)
    values, members = front.construct(rows.x), front.members
    errors = np.zeros(len(rows.y))
    for m, (entry, share) in enumerate(zip(teacher.entries, teacher.weights, strict=True)):
        linear = archive.linear[entry, :, : archive.facts[entry, N_TREES]]
        linear = linear[:, linear[FACTOR] > 0.0]
        of_model = values[:, members.tree[members.first[m] : members.first[m + 1]]]
        alpha = archive.scores[entry, ALPHA]
        errors += share * leave_one_out_errors(of_model, linear, alpha, rows)
    errors += effect_of_own_labels(front, rows)
    size = float(teacher.weights @ archive.facts[teacher.entries, SIZE])
    if len(rows.y) < len(copied.y):
        errors = searched_copies(errors, size, rows)
    return replace(front, error_quantiles=_quantiles(errors, size, rows, front.standardizer))


def _quantiles(
    errors: Floats, size: float, rows: ScoredRows, standardizer: Standardizer
) -> tuple[float, ...]:
    factor = standardizer.target_scale * searched(equal_rows(rows.weights.each), size)
    return kept_quantiles(errors, rows.weights.each, factor)


def searched(rows: float, size: float) -> float:
    """Return the factor by which errors are too small because of the search on the same rows.

    Each node counts as a degree of freedom, and the choice of a formula as `CHOICES` more. Squares
    grow by n / (n − size), taken as the first terms of its series, which stay finite if a formula
    has more nodes than there are rows.
    """
    share = (size + CHOICES) / rows if size else 0.0
    return math.sqrt(1.0 + share + share**2)


def searched_copies(errors: Floats, size: float, rows: ScoredRows) -> Floats:
    """Return errors on distinct rows of which the search saw copies, before `searched` is applied.

    It could fit them as it fits training rows, so squares grow by n / (n − size), up to the range
    of the target.
    """
    count = equal_rows(rows.weights.each)
    left, widest = 1.0 - (size + CHOICES) / count, float(np.ptp(rows.y))
    sizes = np.abs(errors) / math.sqrt(left) if left > 0.0 else np.full(len(errors), widest)
    return np.minimum(sizes, widest) / searched(count, size)


def equal_rows(weights: Floats) -> float:
    """Return the effective number of rows: (Σw)² / Σw²."""
    return float(weights.sum() ** 2 / np.sum(weights**2))


def kept_quantiles(errors: Floats, weights: Floats, factor: float) -> tuple[float, ...]:
    """Return the sizes of errors times a factor in ascending order, or quantiles of many.

    K of them divide the error of a new row into K + 1 ranges of equal probability.
    """
    sizes = np.abs(errors)
    order = np.argsort(sizes, kind="stable")
    share = np.cumsum(weights[order])
    rows = equal_rows(weights)
    count = max(1, min(MOST_KEPT, int(rows + ROUNDING)))
    wanted = np.arange(1, count + 1) / (count + 1) * (rows + 1.0) / rows
    places = np.searchsorted(share / share[-1], wanted - ROUNDING)
    found = factor * sizes[order[np.minimum(places, len(order) - 1)]]
    return tuple(float(f"{value:.6g}") for value in found)


def half_width(quantiles: tuple[float, ...], interval: float) -> float:
    """Return the half-width of an interval; infinity if there are too few rows for its rank."""
    rank = math.ceil((len(quantiles) + 1) * interval - ROUNDING)
    return quantiles[rank - 1] if rank <= len(quantiles) else math.inf


def intervals_around(
    values: Floats,
    quantiles: tuple[float, ...],
    interval: float,
    standardizer: Standardizer,
    held: Flags,
) -> Floats:
    """Return rows × 2, lower and upper ends, around values before clipping.

    Ends are clipped as predictions are, except for predictions that are `held` at a limit: these
    intervals reach beyond both values, the clipped one and the other.
    """
    interval = checked("interval", interval, {"interval": SHARE})
    if not quantiles:
        raise ValueError(
            "The model has no leave-one-out errors, and so no intervals: fit it again with this "
            "version."
        )
    width = half_width(quantiles, interval)
    clipped = standardizer.clip_target(values)
    if not standardizer.clips:
        return np.column_stack([clipped - width, clipped + width])
    ends: Floats = np.sort(np.column_stack([values, clipped]), axis=1) + np.array([-width, width])
    ends[~held] = np.clip(ends[~held], *standardizer.limits)
    return ends
