"""Grid search by cross-validation, with the results of `GridSearchCV` in less time.

Grid points share work if possible (see `shortcuts`). A point that fails, in a fold or on all rows,
is recorded, and the best of the rest is taken.
"""

import contextlib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold, ParameterGrid

from ..core.arrays import Floats
from .shortcuts import Fold, Make, Point, Points, Shortcut, Step, one_by_one, shortcut_for

FOLDS = 5
Grid = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]]


@dataclass
class TuningResult:
    """The result of a grid search."""

    model: Any
    """Fitted on all rows with the best parameters."""
    parameters: Point
    points: list[Point]
    scores: Floats
    """R² of each grid point in each fold; NaN if it failed."""
    failures: dict[int, str] = field(default_factory=dict)
    """Reasons of failures, by number of the grid point."""
    unconverged: set[int] = field(default_factory=set)
    """Grid points whose fits warned that they did not converge; they still count."""


class SearchFailedError(ValueError):
    """No grid point could be fitted."""


def grid_points(grid: Grid) -> list[Point]:
    """Return the points of a grid, or of a list of grids, in `ParameterGrid`'s order.

    In a list, a single value stands for a list of one, so a list of settings is a grid, too.
    """
    parts = [grid] if isinstance(grid, Mapping) else grid
    lists = [
        {key: value if isinstance(value, list) else [value] for key, value in part.items()}
        for part in parts
    ]
    return [dict(point) for point in ParameterGrid(lists)]


def tune(estimator: Any, grid: Grid, x: Floats, y: Floats, seed: int) -> TuningResult:
    """Return the best model by the mean R² over 5 folds; of equals, the first of the grid."""
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    points = grid_points(grid)

    def make(point: Point) -> Any:
        return clone(estimator).set_params(**point)

    folds = min(FOLDS, len(y))
    search = TuningResult(None, {}, points, np.full((len(points), folds), np.nan))
    if len(points) == 1:
        search.model, search.parameters = make(points[0]).fit(x, y), points[0]
        return search
    _score(search, estimator, make, x, y, KFold(folds, shuffle=True, random_state=seed))
    means = np.average(search.scores, axis=1)
    # R² of a fold with one row is undefined: such points come last.
    order = [int(k) for k in np.argsort(-means, kind="stable")]
    for k in [k for k in order if k not in search.failures]:
        try:
            model = make(points[k]).fit(x, y)
            _require_finite(model.predict(x))
        except Exception as error:  # noqa: BLE001 (whatever a class may raise)
            search.failures[k] = _reason(error)
        else:
            search.model, search.parameters = model, points[k]
            return search
    reason = next(iter(search.failures.values()))
    raise SearchFailedError(f"none of {len(points)} grid points could be fitted; {reason}")


def _score(
    search: TuningResult, estimator: Any, make: Make, x: Floats, y: Floats, folds: KFold
) -> None:
    shortcut = shortcut_for(estimator)
    splits = list(folds.split(x))
    for group in groups_of(search.points, shortcut.shared if shortcut else ()):
        for fold, (train, test) in enumerate(splits):
            data = x[train], y[train], x[test]
            for k, values in _predictions(shortcut, make, group, data, search):
                try:
                    search.scores[k, fold] = _r2(y[test], _require_finite(values))
                except ValueError as error:
                    search.failures.setdefault(k, _reason(error))


def groups_of(points: list[Point], shared: Sequence[str]) -> list[Points]:
    """Group the points that differ only in the shared parameters."""
    groups: dict[str, Points] = {}
    for k, point in enumerate(points):
        rest = sorted((name, repr(value)) for name, value in point.items() if name not in shared)
        groups.setdefault(repr(rest) if shared else str(k), {})[k] = point
    return list(groups.values())


def _predictions(
    shortcut: Shortcut | None, make: Make, group: Points, data: Fold, search: TuningResult
) -> Iterator[tuple[int, Any]]:
    """Yield the predictions of a group's points, as far as they can be fitted."""
    left = dict(group)
    if shortcut and len(group) > 1:
        # If a shortcut fails, fit point by point.
        with contextlib.suppress(Exception):
            for k, values in _watched(shortcut.predict(make, group, *data), search):
                del left[k]
                yield k, values
    for k, point in left.items():
        try:
            yield from _watched(one_by_one(make, {k: point}, *data), search)
        except Exception as error:  # noqa: BLE001 (whatever a class may raise)
            search.failures.setdefault(k, _reason(error))


def _watched(steps: Iterator[Step], search: TuningResult) -> Iterator[tuple[int, Any]]:
    """Yield each point's predictions; record who has not converged, and pass warnings on."""
    while True:
        caught: list[warnings.WarningMessage] = []
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                step = next(steps, None)
        finally:
            for w in caught:
                warnings.warn_explicit(w.message, w.category, w.filename, w.lineno)
        if step is None:
            return
        numbers, values = step
        if any(issubclass(w.category, ConvergenceWarning) for w in caught):
            search.unconverged.update(numbers)
        for k in numbers:
            yield k, values


def _r2(labels: Floats, values: Floats) -> float:
    """Return scikit-learn's `r2_score` to the bit, without its slow checks."""
    actual, found = labels[:, None], values[:, None]
    errors = ((actual - found) ** 2).sum(axis=0)
    spread = ((actual - np.average(actual, axis=0)) ** 2).sum(axis=0)
    if len(labels) < 2 or spread[0] == 0 or errors[0] == 0:
        return float(r2_score(labels, values))
    return float((1 - errors / spread)[0])


def _require_finite(values: Any) -> Floats:
    numbers: Floats = np.asarray(values, dtype=np.float64).ravel()
    if not np.isfinite(numbers).all():
        raise ValueError("its predictions are not finite")
    return numbers


def _reason(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[0]}"
