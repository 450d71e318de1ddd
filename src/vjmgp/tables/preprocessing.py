"""Convert a table to the numbers that the engine works on, and back.

A numeric column is one input of the engine. A nominal column with few levels has an indicator for
each level; one with many is encoded by a smoothed target mean of the training rows. Columns that
are constant there are dropped, and all inputs are standardised. The fitted state is plain data: it
can be written to JSON and read back without running anything.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.preprocessing import TargetEncoder

from ..core.arrays import Floats
from ..core.suggestions import alternatives, did_you_mean
from .validation import as_table, check_size, column_of, numbers_of, refuse_rows

FEW_LEVELS = 5
"""Largest number of levels with an indicator each; a target mean of few levels misleads."""
MOST_LEVELS = 100
"""Largest number of indicators of one column."""
MISSING = "(missing)"
"""The level of missing values."""


@dataclass(frozen=True)
class Column:
    """One input as seen in training; a nominal column may have several, a constant one none."""

    name: str
    """Name of the table's column."""
    mean: float = 0.0
    scale: float = 1.0
    codes: dict[Any, float] | None = None
    """Encoded value of each category; None for a numeric column."""
    unseen: float = 0.0
    """Encoded value of a category that training did not see."""
    used: bool = True
    """False for a column that is constant on the training rows."""
    label: str | None = None
    """Meaning of an indicator: "colour = red", "x is missing"."""
    fill: float | None = None
    """Replacement of a missing number; None if missing numbers are an error."""
    limits: tuple[float, float] | None = None
    """Smallest and largest number in training, if known."""

    @property
    def title(self) -> str:
        """The unique name of this input."""
        return self.name if self.label is None else self.label

    @property
    def is_target_mean(self) -> bool:
        """Whether it has the target means of a nominal column."""
        return self.codes is not None and self.label is None

    @property
    def tells_missing(self) -> bool:
        """Whether it indicates missing numbers."""
        return self.codes is None and self.label is not None

    def read(self, values: Any) -> Any:
        """Return the categories of the table's column, or its numbers with NaN for missing ones."""
        if self.codes is not None:
            return _as_categories(values)
        remedy = "convert it, or give it to categorical_features"
        return numbers_of(values, f"Column {self.name!r}", remedy)

    def numbers(self, read: Any) -> Floats:
        """Return the input from what `read` has returned."""
        if self.codes is not None:
            encoded = pd.Series(read).map(self.codes).to_numpy(dtype=np.float64, na_value=np.nan)
            return np.where(np.isnan(encoded), self.unseen, encoded)
        if self.tells_missing:
            return np.asarray(np.isnan(read), dtype=np.float64)
        return np.asarray(read if self.fill is None else np.where(np.isnan(read), self.fill, read))


@dataclass(frozen=True)
class Standardizer:
    """All columns, and the target's scale."""

    columns: tuple[Column, ...]
    target_mean: float
    target_scale: float
    target_range: tuple[float, float] = field(default=(-np.inf, np.inf))
    clips: bool = True
    """Whether predictions stay within `limits`."""
    reach: float = 0.0
    """How far these limits are beyond the range of the training target, in widths of that range."""

    @property
    def limits(self) -> tuple[float, float]:
        """The limits of predictions."""
        low, high = self.target_range
        beyond = self.reach * (high - low) if self.reach else 0.0
        return low - beyond, high + beyond

    @property
    def inputs(self) -> list[Column]:
        """The inputs of the engine, in its order."""
        return [column for column in self.columns if column.used]

    @property
    def names(self) -> list[str]:
        """The table's columns, in their order."""
        return list(dict.fromkeys(column.name for column in self.columns))

    def encode(self, table: Any) -> Floats:
        """Return rows × inputs, encoded but in original units; find DataFrame columns by name."""
        table = self._arranged(table)
        places = {name: k for k, name in enumerate(self.names)}
        read: dict[str, Any] = {}
        used = []
        for column in self.inputs:
            if column.name not in read:
                read[column.name] = column.read(column_of(table, places[column.name]))
            used.append(column.numbers(read[column.name]))
            check_finite(used[-1], column.name)
        return np.column_stack(used) if used else np.empty((len(table), 0))

    def _arranged(self, table: Any) -> Any:
        names = self.names
        table = as_table(table, names)
        if hasattr(table, "iloc"):
            if set(names) <= set(table.columns):
                return table[names]
            if any(isinstance(name, str) for name in table.columns):
                missing = next(name for name in names if name not in set(table.columns))
                hint = did_you_mean(missing, set(table.columns) - set(names)) or "."
                raise ValueError(f"The column {missing!r} of the training data is missing{hint}")
        if table.shape[1] != len(names):
            raise ValueError(f"Expected {len(names)} columns, got {table.shape[1]}.")
        return table

    def standardize(self, table: Any) -> Floats:
        """Return rows × inputs, standardised."""
        return self.scale(self.encode(table))

    def scale(self, encoded: Floats) -> Floats:
        """Standardise encoded inputs."""
        means = np.array([column.mean for column in self.inputs])
        scales = np.array([column.scale for column in self.inputs])
        with np.errstate(over="ignore"):
            return np.asarray((encoded - means) / scales)

    def standardize_target(self, y: Floats) -> Floats:
        """Return the target with mean 0 and variance 1."""
        return (y - self.target_mean) / self.target_scale

    def restore_target(self, y: Floats) -> Floats:
        """Return a standardised target in original units."""
        return y * self.target_scale + self.target_mean

    def clip_target(self, y: Floats) -> Floats:
        """Clip to the limits; without clipping, make values finite."""
        if self.clips:
            return np.clip(y, *self.limits)
        return np.where(np.isfinite(y), y, self.target_mean)


def _as_categories(values: Any) -> NDArray[np.object_]:
    """Return categories as plain objects: text stays text, missing values are one category."""
    series = pd.Series(values)
    pairs = zip(series.astype(object), series.isna(), strict=True)
    known = [MISSING if missing else value for value, missing in pairs]
    plain = [v.item() if isinstance(v, np.generic) else v for v in known]
    # Intervals, dates and the like become text, which JSON can hold.
    return np.array([v if isinstance(v, str | int | float) else str(v) for v in plain], object)


def is_nominal(values: Any) -> bool:
    """Return whether a column is nominal: text, categories or mixed objects."""
    dtype = values.dtype
    if pd.api.types.is_object_dtype(dtype):
        return not _is_numeric_object(values)
    return isinstance(dtype, pd.CategoricalDtype) or pd.api.types.is_string_dtype(dtype)


def _is_numeric_object(values: Any) -> bool:
    known = [value for value in values if value is not None and value is not pd.NA]
    try:
        np.asarray(known, dtype=np.float64)
    except OverflowError:
        return True  # a number all the same
    except (TypeError, ValueError):
        return False
    return not any(isinstance(value, str) for value in known)


def nominal_columns(table: Any, names: list[str], wanted: Any = "auto") -> list[int]:
    """Return positions of the nominal columns: found by type, or named by the user."""
    if wanted is None:
        return []
    automatic = [
        k for k in range(len(names)) if hasattr(table, "iloc") and is_nominal(table.iloc[:, k])
    ]
    named = named_columns(names, wanted)
    return sorted({*automatic, *map(names.index, named)}) if named != "auto" else automatic


def named_columns(names: list[str], wanted: Any) -> Any:
    """Return the columns that a user names by name, position or mask; "auto" and None as such."""
    if wanted is None or (isinstance(wanted, str) and wanted == "auto"):
        return wanted
    wanted = [wanted] if isinstance(wanted, str | Integral) else list(wanted)
    if any(isinstance(item, bool | np.bool_) for item in wanted):
        if len(wanted) != len(names):
            raise ValueError(
                f"categorical_features is a mask of {len(wanted)} values, but the data have "
                f"{len(names)} columns."
            )
        wanted = np.flatnonzero(wanted)
    return [names[_position(item, names)] for item in wanted]


def _position(item: Any, names: list[str]) -> int:
    if isinstance(item, str):
        if item in names:
            return names.index(item)
        hint = alternatives(item, names, "the columns are")
        raise ValueError(f"categorical_features names {item!r}, which is not a column{hint}")
    if 0 <= int(item) < len(names):
        return int(item)
    problem = f"has the column number {item}, but the data have {len(names)} columns"
    raise ValueError(f"categorical_features {problem}.")


def check_finite(values: Floats, name: str) -> None:
    """Raise if a numeric column has NaN or infinite values."""
    fill = "fill them first, or fit with missing='median' or 'indicator'"
    refuse_rows(np.isnan(values), f"Input X contains NaN in column {name!r}", fill)
    problem = f"Input X contains infinity in column {name!r}"
    refuse_rows(np.isinf(values), problem, "replace or drop these rows first")


def fit_standardizer(
    table: Any,
    y: Floats,
    names: list[str],
    nominal: list[int],
    encoding: str = "target",
    missing: str = "error",
    weights: Floats | None = None,
) -> Standardizer:
    """Fit encoding and scales to the training rows (`table`: DataFrame or matrix)."""
    columns: list[Column] = []
    for k, name in enumerate(names):
        values, plain = column_of(table, k), Column(name)
        if k in nominal:
            categories = _as_categories(values)
            nominal_inputs = _nominal_inputs(name, categories, y, encoding, weights)
            parts = [(part, part.numbers(categories)) for part in nominal_inputs]
        else:
            parts = list(_numeric_inputs(plain, plain.read(values), missing, weights))
        columns += [_scaled(part, numbers, weights) for part, numbers in parts]
    mean, scale = _mean_and_deviation(y, weights)
    low, high = float(np.min(y)), float(np.max(y))
    scale = scale if low < high and scale > 0.0 else 1.0
    return Standardizer(tuple(_with_distinct_labels(columns)), mean, scale, (low, high))


def _scaled(column: Column, values: Floats, weights: Floats | None) -> Column:
    varies = len(values) > 0 and bool(values.min() < values.max())
    mean, scale = _mean_and_deviation(values, weights)
    used = bool(varies and scale > 0.0 and np.isfinite(scale))
    return replace(column, mean=mean, scale=scale if used else 1.0, used=used)


def _numeric_inputs(
    column: Column, values: Floats, missing: str, weights: Floats | None
) -> Iterator[tuple[Column, Floats]]:
    """Yield the numbers, with missing ones filled, and an indicator of missing ones."""
    absent = np.isnan(values)
    if missing == "error":
        check_finite(values, column.name)
    if absent.all():
        raise ValueError(
            f"Column {column.name!r} has no number in any of {len(values)} rows: leave it out."
        )
    known = values[~absent]
    check_finite(known, column.name)
    check_size(known, f"Column {column.name!r}")
    column = replace(column, limits=(float(known.min()), float(known.max())))
    if missing != "error":
        column = replace(column, fill=_median(known, None if weights is None else weights[~absent]))
    yield column, column.numbers(values)
    if missing == "indicator" and absent.any():
        yield Column(column.name, label=f"{column.name} is missing"), absent.astype(float)


def _nominal_inputs(
    name: str, categories: NDArray[np.object_], y: Floats, encoding: str, weights: Floats | None
) -> list[Column]:
    """Return an indicator per level, or one input with the target means of all levels."""
    levels = sorted(dict.fromkeys(categories), key=str)
    if encoding == "target" or (encoding == "auto" and len(levels) > FEW_LEVELS):
        codes, unseen = _target_codes(categories, y, weights)
        return [Column(name, codes=codes, unseen=unseen)]
    if len(levels) > MOST_LEVELS:
        raise ValueError(
            f"Column {name!r} has {len(levels)} levels, too many for indicators: use "
            "encoding='target' or 'auto'."
        )
    shown = levels[1:] if len(levels) == 2 else levels  # one of two indicators is redundant
    codes_of = {level: {other: float(other == level) for other in levels} for level in shown}
    return [
        Column(name, codes=codes, label=f"{name} = {level_text(level)}")
        for level, codes in codes_of.items()
    ]


def level_text(level: Any) -> str:
    """Return a level as people write it: 1, not 1.0."""
    is_whole = isinstance(level, float) and level.is_integer()
    return str(int(level) if is_whole else level)


def _with_distinct_labels(columns: list[Column]) -> list[Column]:
    taken = {column.name for column in columns}
    result = []
    for column in columns:
        label, count = column.label, 1
        while label is not None and label in taken:
            count += 1
            label = f"{column.label} [{count}]"
        if label is not None:
            taken.add(label)
        result.append(replace(column, label=label))
    return result


def _median(values: Floats, weights: Floats | None) -> float:
    if weights is None:
        return float(np.median(values))
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(weights[order])
    middle = [np.searchsorted(ends, 0.5 * ends[-1], side=side) for side in ("left", "right")]
    return float(np.mean(values[order[middle]]))


def _mean_and_deviation(values: Floats, weights: Floats | None = None) -> tuple[float, float]:
    """Return mean and population deviation, also of values whose squares overflow."""
    largest = float(np.max(np.abs(values)))
    if not 1e-100 < largest < 1e100 and largest > 0.0:
        mean, deviation = _mean_and_deviation(values / largest, weights)
        return mean * largest, deviation * largest
    if weights is None:
        return float(np.mean(values)), float(np.std(values))
    mean = float(np.average(values, weights=weights))
    return mean, float(np.sqrt(np.average((values - mean) ** 2, weights=weights)))


def _target_codes(
    categories: NDArray[np.object_], y: Floats, weights: Floats | None = None
) -> tuple[dict[Any, float], float]:
    """Return Micci-Barreca's means, shrunken to the overall mean for categories of few rows."""
    levels = {level: k for k, level in enumerate(dict.fromkeys(categories))}
    numbers = np.array([levels[value] for value in categories], dtype=np.int64)
    if weights is not None:
        codes, mean = _weighted_codes(numbers, y, weights)
        return dict(zip(levels, codes.tolist(), strict=True)), mean
    encoder = TargetEncoder(target_type="continuous", smooth="auto")
    encoder.fit(numbers[:, None], y)
    found = dict(zip(encoder.categories_[0].tolist(), encoder.encodings_[0].tolist(), strict=True))
    return {level: found[k] for level, k in levels.items()}, float(encoder.target_mean_)


def inputs_left_out(
    scales: Standardizer, table: Any, x: Floats, y: Floats, weights: Floats | None
) -> Floats | None:
    """Return the training inputs `x` with target means that leave out a row and its copies.

    `y` is standardised. None if no input is a target mean.
    """
    found, places = x.copy(), {name: k for k, name in enumerate(scales.names)}
    means = [k for k, column in enumerate(scales.inputs) if column.is_target_mean]
    for k in means:
        column = scales.inputs[k]
        levels = pd.factorize(_as_categories(column_of(table, places[column.name])))[0]
        _, copies = find_copies(np.column_stack([x, levels]), y)
        codes = scales.restore_target(_codes_left_out(levels, copies, y, weights))
        found[:, k] = (codes - column.mean) / column.scale
    return found if means else None


def find_copies(inputs: Floats, y: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first of each group of equal rows, and the number of each row's group.

    Rows that may be equal by chance, because the target has few values, are groups of their own.
    """
    rows = np.column_stack([inputs, y])
    _, first, groups = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    if not inputs.shape[1] or 2 * len(np.unique(y)) < len(first):
        first = groups = np.arange(len(y))
    return first, groups.ravel()


def _codes_left_out(
    levels: NDArray[np.int64], copies: NDArray[np.int64], y: Floats, weights: Floats | None
) -> Floats:
    """Return for each row the code of its level that all rows but its copies give."""
    each = np.ones(len(y)) if weights is None else weights
    powers = np.array([each, each * y, each * y**2])
    of_level, own = (
        np.array([np.bincount(groups, power)[groups] for power in powers])
        for groups in (levels, copies)
    )
    is_known = np.bincount(levels)[levels] > np.bincount(copies)[copies]
    others, mass = powers.sum(axis=1, keepdims=True) - own, (of_level - own)[0]
    mean, square = np.divide((of_level - own)[1:], mass, out=np.zeros((2, len(y))), where=is_known)
    total, total_square = others[1:] / others[0]
    between = np.maximum(total_square - total**2, 0.0) * mass
    both = between + np.maximum(square - mean**2, 0.0)
    share = np.divide(between, both, out=np.zeros(len(y)), where=is_known & (both > 0.0))
    return np.asarray(share * mean + (1.0 - share) * total)


def _weighted_codes(numbers: NDArray[np.int64], y: Floats, weights: Floats) -> tuple[Floats, float]:
    """Return the same for weighted rows, which scikit-learn's encoder does not support."""
    mean, deviation = _mean_and_deviation(y, weights)
    mass = np.bincount(numbers, weights)
    means = np.bincount(numbers, weights * y) / mass
    within = np.bincount(numbers, weights * (y - means[numbers]) ** 2) / mass
    between = deviation**2 * mass
    varies = between + within > 0.0
    share = np.divide(between, between + within, out=np.zeros(len(mass)), where=varies)
    return share * means + (1.0 - share) * mean, mean
