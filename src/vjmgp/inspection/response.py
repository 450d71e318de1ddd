"""Follow predictions along a column."""

from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Floats
from ..core.suggestions import alternatives
from ..engine.preparation import ScoredRows
from ..tables.preprocessing import Column, Standardizer
from .fitted import Fitted

POINTS = 101
"""Points of a response curve."""


def response(fitted: Fitted, column: str | int, X: Any = None) -> pd.DataFrame:
    """Return predictions along a column; `VJMRegressor.response` has the details."""
    standardizer = fitted.standardizer
    name = _name_of(column, standardizer)
    values, inputs, along = values_along(standardizer, name)
    rows = pd.DataFrame([typical_row(standardizer, fitted.rows)]) if X is None else X
    x = standardizer.standardize(rows)
    means = []
    for point in along:
        x[:, inputs] = point
        means.append(float(fitted.predictor.predict_rows(x).mean()))
    return pd.DataFrame(list(zip(values, means, strict=True)), columns=[name, "prediction"])


def values_along(
    standardizer: Standardizer, name: str, points: int = POINTS
) -> tuple[list[Any], list[int], Floats]:
    """Return values of a column, the numbers of its inputs, and these inputs, standardised."""
    values = _values_of(name, standardizer, points)
    column = pd.Series(values)
    parts = [(k, part) for k, part in enumerate(standardizer.inputs) if part.name == name]
    along = [(part.numbers(part.read(column)) - part.mean) / part.scale for _, part in parts]
    return values, [k for k, _ in parts], np.reshape(along, (len(parts), len(values))).T


def _name_of(column: str | int, standardizer: Standardizer) -> str:
    names = standardizer.names
    if isinstance(column, str) and column in names:
        return column
    if not isinstance(column, str) and 0 <= column < len(names):
        return names[column]
    raise ValueError(f"There is no column {column!r}{alternatives(column, names, 'the model has')}")


def _values_of(name: str, standardizer: Standardizer, points: int) -> list[Any]:
    """Return the levels of a nominal column, else points over its training range."""
    first = next(column for column in standardizer.columns if column.name == name)
    if first.codes is not None:
        return sorted(first.codes, key=str)
    low, high = first.limits or (first.mean, first.mean)
    return np.linspace(low, high, points).tolist() if low < high else [low]


def input_of(column: Column, rows: ScoredRows, standardizer: Standardizer) -> Floats:
    """Return an input of the training rows in its units."""
    return rows.x[:, standardizer.inputs.index(column)] * column.scale + column.mean


def typical_row(standardizer: Standardizer, rows: ScoredRows) -> dict[str, Any]:
    """Return the mean of each numeric column and the most frequent level of each nominal one."""
    encoded = {column.title: input_of(column, rows, standardizer) for column in standardizer.inputs}
    row: dict[str, Any] = {}
    for name in standardizer.names:
        parts = [column for column in standardizer.columns if column.name == name]
        codes = parts[0].codes
        row[name] = parts[0].mean
        if codes is not None:
            used = [part for part in parts if part.used]
            counts = {level: _weight_of(level, used, encoded, rows) for level in codes}
            row[name] = max(counts, key=lambda level: counts[level])
    return row


def _weight_of(
    level: Any, parts: list[Column], encoded: dict[str, Floats], rows: ScoredRows
) -> float:
    """Return the weight of the training rows with this level of a nominal column."""
    has_level = np.ones(len(rows.y), dtype=bool)
    for part in parts:
        assert part.codes is not None
        rounding = 1e-9 * max(part.scale, abs(part.mean))
        has_level &= np.abs(encoded[part.title] - part.codes[level]) <= rounding
    return float(rows.weights.each[has_level].sum())
