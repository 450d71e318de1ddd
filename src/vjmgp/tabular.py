"""From a table to the numbers the engine works on, and back.

Nominal columns go through a smoothed target encoder fitted on the training rows, columns that
are constant there are dropped, everything else is standardised. What was learnt is plain data:
it can be written to JSON and read back without running anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.preprocessing import TargetEncoder

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Column:
    """One input column as seen in training."""

    name: str
    mean: float
    scale: float
    codes: dict[Any, float] | None = None
    """Encoded value of each category; None for a numeric column."""
    unseen: float = 0.0
    """Encoded value of a category that training did not see."""
    used: bool = True
    """False for a column that is constant on the training rows."""

    def numbers(self, values: Any) -> Floats:
        """The column as numbers: encoded if it is nominal."""
        if self.codes is None:
            try:
                return np.asarray(values, dtype=np.float64)
            except (TypeError, ValueError) as error:
                raise ValueError(
                    f"Column {self.name!r} is not numeric ({error}); convert it, or give it to "
                    "categorical_features."
                ) from None
        series = pd.Series(_as_categories(values))
        encoded = series.map(self.codes).to_numpy(dtype=np.float64, na_value=np.nan)
        return np.where(np.isnan(encoded), self.unseen, encoded)


@dataclass(frozen=True)
class Standardizer:
    """All columns, and the target's scale."""

    columns: tuple[Column, ...]
    target_mean: float
    target_scale: float
    target_range: tuple[float, float] = field(default=(-np.inf, np.inf))

    @property
    def inputs(self) -> list[Column]:
        """The columns the engine sees, in its order."""
        return [column for column in self.columns if column.used]

    def encode(self, table: Any) -> Floats:
        """Rows × inputs, encoded but in original units; a DataFrame's columns go by name."""
        table = self._arranged(table)
        used = []
        for k, column in enumerate(self.columns):
            if column.used:
                used.append(column.numbers(column_of(table, k)))
                check_finite(used[-1], column.name)
        return np.column_stack(used) if used else np.empty((len(table), 0))

    def _arranged(self, table: Any) -> Any:
        """The training columns, in their order."""
        names = [column.name for column in self.columns]
        if not hasattr(table, "iloc"):
            table = np.asarray(table)
            if table.ndim != 2:
                raise ValueError(f"Expected rows × columns, got {table.ndim} dimension(s).")
        elif set(names) <= set(table.columns):
            return table[names]
        elif any(isinstance(name, str) for name in table.columns):
            missing = next(name for name in names if name not in set(table.columns))
            raise ValueError(f"The column {missing!r} of the training data is missing.")
        if table.shape[1] != len(names):
            raise ValueError(f"Expected {len(names)} columns, got {table.shape[1]}.")
        return table

    def standardize(self, table: Any) -> Floats:
        """Rows × inputs as the engine sees them."""
        means = np.array([column.mean for column in self.inputs])
        scales = np.array([column.scale for column in self.inputs])
        return np.asarray((self.encode(table) - means) / scales)

    def standardize_target(self, y: Floats) -> Floats:
        """The target with mean 0 and variance 1."""
        return (y - self.target_mean) / self.target_scale

    def restore_target(self, y: Floats) -> Floats:
        """Back to original units."""
        return y * self.target_scale + self.target_mean

    def clip_target(self, y: Floats) -> Floats:
        """Within the range of the training target."""
        return np.clip(y, *self.target_range)


def as_frame(table: Any) -> Any:
    """The table as a DataFrame, whose columns may differ in kind."""
    if hasattr(table, "iloc"):
        return table
    return pd.DataFrame(np.asarray(table)).infer_objects()


def column_of(table: Any, k: int) -> Any:
    """Column k of a DataFrame or matrix."""
    return table.iloc[:, k] if hasattr(table, "iloc") else table[:, k]


def _as_categories(values: Any) -> NDArray[np.object_]:
    """Categories as plain objects: text stays text, missing values are one category."""
    series = pd.Series(values)
    objects = series.astype(object).to_numpy(dtype=object)
    missing = series.isna().to_numpy()
    if missing.any():
        objects = objects.copy()
        objects[missing] = "(missing)"
    plain = [v.item() if isinstance(v, np.generic) else v for v in objects]
    # Intervals, dates and the like become text, which JSON can hold.
    return np.array([v if isinstance(v, str | int | float) else str(v) for v in plain], object)


def is_nominal(values: Any) -> bool:
    """Whether a table's column holds categories: text, categories or mixed objects."""
    dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype) or pd.api.types.is_string_dtype(dtype):
        return not (pd.api.types.is_object_dtype(dtype) and _is_numeric_object(values))
    return pd.api.types.is_object_dtype(dtype) and not _is_numeric_object(values)


def _is_numeric_object(values: Any) -> bool:
    try:
        np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return not any(isinstance(value, str) for value in values)


def nominal_columns(table: Any, names: list[str], wanted: Any = "auto") -> list[int]:
    """Positions of the nominal columns: found by type, or those the user names."""
    if wanted is None:
        return []
    automatic = [
        k for k in range(len(names)) if hasattr(table, "iloc") and is_nominal(table.iloc[:, k])
    ]
    if isinstance(wanted, str):
        if wanted == "auto":
            return automatic
        wanted = [wanted]
    wanted = [wanted] if isinstance(wanted, Integral) else list(wanted)
    if any(isinstance(item, bool | np.bool_) for item in wanted):
        if len(wanted) != len(names):
            raise ValueError(
                f"categorical_features is a mask of {len(wanted)} values, but the data have "
                f"{len(names)} columns."
            )
        wanted = np.flatnonzero(wanted)
    positions = []
    for item in wanted:
        if isinstance(item, str):
            if item not in names:
                raise ValueError(
                    f"categorical_features names the column {item!r}, but the data have only "
                    f"{', '.join(map(repr, names))}."
                )
            positions.append(names.index(item))
        elif 0 <= int(item) < len(names):
            positions.append(int(item))
        else:
            raise ValueError(
                f"categorical_features has the column number {item}, but the data have "
                f"{len(names)} columns."
            )
    return sorted(set(positions) | set(automatic))


def refuse_dates(table: Any) -> None:
    """Raise a clear error for columns of dates: what number one is depends on its unit."""
    for name, kind in zip(getattr(table, "columns", []), getattr(table, "dtypes", []), strict=True):
        if getattr(kind, "kind", None) in ("m", "M"):
            raise ValueError(
                f"Column {name!r} holds dates or times: turn it into numbers first, for example "
                "days since a start."
            )


def check_finite(values: Floats, name: str) -> None:
    """Raise a clear error where a numeric column has NaN or infinite values."""
    for bad, word, remedy in (
        (np.isnan(values), "NaN", "fill them first, for example with sklearn.impute.SimpleImputer"),
        (np.isinf(values), "infinity", "replace or drop these rows first"),
    ):
        if bad.any():
            raise ValueError(
                f"Input X contains {word} in column {name!r} ({int(bad.sum())} of {len(values)} "
                f"rows): {remedy}."
            )


def fit_standardizer(table: Any, y: Floats, names: list[str], nominal: list[int]) -> Standardizer:
    """Learn encoding and scales from the training rows (`table`: DataFrame or matrix)."""
    columns = []
    for k, name in enumerate(names):
        codes, unseen = None, 0.0
        if k in nominal:
            codes, unseen = _target_codes(_as_categories(column_of(table, k)), y)
        column = Column(name, 0.0, 1.0, codes, unseen)
        values = column.numbers(column_of(table, k))
        check_finite(values, name)
        varies = len(values) > 0 and bool(values.min() < values.max())
        mean, scale = _mean_and_deviation(values)
        used = bool(varies and scale > 0.0 and np.isfinite(scale))
        columns.append(Column(name, mean, scale if used else 1.0, codes, unseen, used))
    mean, scale = _mean_and_deviation(y)
    varies = bool(np.min(y) < np.max(y)) and scale > 0.0
    return Standardizer(
        tuple(columns),
        mean,
        scale if varies else 1.0,
        (float(np.min(y)), float(np.max(y))),
    )


def _mean_and_deviation(values: Floats) -> tuple[float, float]:
    """Mean and population deviation, also of values whose squares leave the range of floats."""
    largest = float(np.max(np.abs(values)))
    if not 1e-100 < largest < 1e100 and largest > 0.0:
        mean, deviation = _mean_and_deviation(values / largest)
        return mean * largest, deviation * largest
    return float(np.mean(values)), float(np.std(values))


def _target_codes(categories: NDArray[np.object_], y: Floats) -> tuple[dict[Any, float], float]:
    """Micci-Barreca's shrunken means: few rows pull a category towards the overall mean."""
    levels = {level: k for k, level in enumerate(dict.fromkeys(categories))}
    numbers = np.array([levels[value] for value in categories], dtype=np.int64)
    encoder = TargetEncoder(target_type="continuous", smooth="auto")
    encoder.fit(numbers[:, None], y)
    found = dict(zip(encoder.categories_[0].tolist(), encoder.encodings_[0].tolist(), strict=True))
    return {level: found[k] for level, k in levels.items()}, float(encoder.target_mean_)
