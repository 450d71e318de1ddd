"""Validate tables, targets and weights as users give them; errors name the column and a remedy."""

import datetime
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import column_or_1d

from ..core.arrays import Flags, Floats

LARGEST = 1e300
"""Limit beyond which differences and squares of training data overflow."""
LEAST_TOTAL, LARGEST_TOTAL = 1e-30, 1e30
"""Range of the sum of weights: far outside it, sums of squares overflow."""
TIMES = (
    datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64, pd.Period,
)  # fmt: skip
CONTAINERS = (dict, list, tuple, set, frozenset, np.ndarray)


class WrongKindError(ValueError, TypeError):
    """A value that is neither a number nor text; scikit-learn expects a TypeError."""


def as_table(X: Any, names: list[str] | None = None) -> Any:
    """Return X as a DataFrame with distinct column names, or as a matrix.

    Tables of pyarrow, polars and others that convert to pandas are accepted. If names are given,
    only those must be distinct.
    """
    X = _with_pandas(X)
    if isinstance(X, pd.Series | pd.Index):
        raise ValueError("X is one column, not a table: give X.to_frame() instead.")
    if hasattr(X, "iloc"):
        _check_names(list(X.columns), names)
        return X
    table = _as_array(X, "X")
    if table.dtype.names:
        raise ValueError("X is a structured array: give pandas.DataFrame(X) instead.")
    if table.ndim == 0:
        raise ValueError(
            f"X is a {type(X).__name__}, not a table: give a DataFrame or rows × columns."
        )
    if table.ndim != 2:
        raise ValueError(
            f"X has {table.ndim} dimension(s) and must have two, rows × columns. Reshape your "
            "data, for example with X.reshape(-1, 1)."
        )
    return table


def _with_pandas(X: Any) -> Any:
    to_pandas = getattr(X, "to_pandas", None)
    return to_pandas() if callable(to_pandas) and not isinstance(X, type) else X


def _as_array(X: Any, what: str) -> NDArray[Any]:
    """Return an array; masked values become missing, and numbers beside text stay numbers."""
    if issparse(X):
        raise ValueError(f"{what} is sparse: give {what}.toarray() instead.")
    if np.ma.isMaskedArray(X):
        return _without_mask(X)
    try:
        array = np.asarray(X)
        if array.dtype.kind in "US" and isinstance(X, list | tuple):
            array = np.array(X, dtype=object)
    except ValueError:
        raise ValueError(f"{what} has rows of different lengths: make them equal.") from None
    return array


def _without_mask(X: Any) -> NDArray[Any]:
    if X.dtype.kind in "fiub":
        return np.asarray(X.astype(np.float64).filled(np.nan))
    values = np.asarray(X.data)
    if np.ma.getmaskarray(X).any():
        values = values.astype(object)
        values[np.ma.getmaskarray(X)] = None
    return values


def _check_names(names: list[Any], wanted: list[str] | None) -> None:
    """Raise unless names are distinct, and all or none of them text."""
    texts = [isinstance(name, str) for name in names]
    if wanted is None and any(texts) and not all(texts):
        other = names[texts.index(False)]
        raise ValueError(
            f"The column name {other!r} is not text, but others are: make all names text, with "
            "X.columns = X.columns.astype(str)."
        )
    if len(set(names)) < len(names):
        twice = [name for name in names if names.count(name) > 1]
        for name in twice if wanted is None else set(twice) & set(wanted):
            raise ValueError(
                f"The column name {name!r} appears more than once: rename one of them."
            )


def has_names(table: Any) -> bool:
    """Return whether a table has columns, whose names are text."""
    names = list(getattr(table, "columns", []))
    return bool(names) and all(isinstance(name, str) for name in names)


def column_names(table: Any) -> list[str]:
    """Return the column names, or x0, x1, … as in scikit-learn if they are not text."""
    if has_names(table):
        return list(table.columns)
    return [f"x{k}" for k in range(table.shape[1])]


def as_frame(table: Any) -> Any:
    """Return the table as a DataFrame, whose columns may differ in type."""
    if hasattr(table, "iloc"):
        return table
    return pd.DataFrame(np.asarray(table)).infer_objects()


def column_of(table: Any, k: int) -> Any:
    """Return column k of a DataFrame or matrix."""
    return table.iloc[:, k] if hasattr(table, "iloc") else table[:, k]


def check_columns(table: Any) -> None:
    """Raise if there are no columns, or if one holds dates, complex numbers or containers."""
    if table.shape[1] == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape=({table.shape[0]}, 0)) while a minimum of 1 is "
            "required: give X a column or more."
        )
    if not hasattr(table, "iloc") and _is_plain(table.dtype):
        return
    for k, name in enumerate(column_names(table)):
        refuse_strange(column_of(table, k), f"Column {name!r}")


def _is_plain(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in "fiub"


def refuse_strange(values: Any, what: str) -> None:
    """Raise if a column holds dates, whose numbers depend on a unit, or values of other types."""
    dtype = values.dtype
    if _is_plain(dtype) or isinstance(dtype, pd.CategoricalDtype):
        return
    kind, of = getattr(dtype, "kind", "O"), getattr(dtype, "type", object)
    stray: Any = None
    if kind == "O" and isinstance(dtype, np.dtype):
        strays = (*TIMES, *CONTAINERS, complex, np.complexfloating)
        stray = next((v for v in values if isinstance(v, strays)), None)
        of = type(stray)
    if kind in "mM" or (isinstance(of, type) and issubclass(of, TIMES)):
        raise ValueError(
            f"{what} holds dates or times: turn it into numbers first, for example days since a "
            "start."
        )
    if kind == "c" or isinstance(stray, complex | np.complexfloating):
        raise ValueError(
            f"Complex data not supported: {what[0].lower()}{what[1:]} holds complex numbers; give "
            "their parts or sizes."
        )
    if isinstance(of, type) and issubclass(of, CONTAINERS):
        raise WrongKindError(
            f"{what} holds a {of.__name__}, but each argument must be a string or a number: leave "
            "it out, or make columns of what is in it."
        )


def numbers_of(values: Any, what: str, remedy: str) -> Floats:
    """Return a column as numbers, NaN for missing ones."""
    if _is_plain(values.dtype):
        return np.asarray(values, dtype=np.float64)
    refuse_strange(values, what)
    series = pd.Series(np.asarray(values, dtype=object))
    try:
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError, OverflowError) as error:
        raise WrongKindError(f"{what} is not numeric ({error}); {remedy}.") from None


def numbers_or_nan(values: Any) -> Floats:
    """Return a column as numbers, NaN for all that is not one."""
    try:
        found = pd.to_numeric(values, errors="coerce")
    except (TypeError, OverflowError):  # lists; numbers that are no floats
        return np.full(len(values), np.nan)
    return np.asarray(found.to_numpy(np.float64, na_value=np.nan))


def refuse_rows(bad: Flags, problem: str, remedy: str) -> None:
    """Raise if any row is bad; the message counts them."""
    if bad.any():
        raise ValueError(f"{problem} ({int(bad.sum())} of {len(bad)} rows): {remedy}.")


def check_size(values: Floats, what: str) -> None:
    """Raise if differences of training data would overflow."""
    problem = f"{what} has values beyond ±{LARGEST:g}"
    refuse_rows(np.abs(values) > LARGEST, problem, "choose a larger unit")


def as_target(y: Any, rows: int) -> Floats:
    """Return the target as one finite number per row."""
    if y is None:
        raise ValueError("VJMRegressor requires y to be passed, but the target y is None.")
    array = _as_array(_with_pandas(y), "y")
    if array.ndim == 0 or array.dtype.names:
        raise ValueError(f"y is a {type(y).__name__}; it must be one number per row of X.")
    if array.ndim > 2 or (array.ndim == 2 and array.shape[1] != 1):
        raise ValueError(f"y has the shape {array.shape}; it must be one number per row of X.")
    values = array.ravel()
    target = numbers_of(values, "The target y", remedy_for_classes(values))
    if array.ndim == 2:
        column_or_1d(target[:, None], warn=True)  # scikit-learn's warning
    if len(target) != rows:
        raise ValueError(f"X has {rows} rows, but y has {len(target)}: give a number per row.")
    refuse_rows(np.isnan(target), "Input y contains NaN", "leave these rows out")
    refuse_rows(np.isinf(target), "Input y contains infinity", "leave these rows out")
    check_size(target, "The target y")
    return target


def remedy_for_classes(values: Any) -> str:
    """Say what to do about a target of text, such as "yes" and "no"."""
    if getattr(values.dtype, "kind", "O") in "biuf":
        return ""
    known = list(dict.fromkeys(value for value in values.tolist() if isinstance(value, str)))
    if len(known) == 2:
        return f"code {known[0]!r} and {known[1]!r} as 0 and 1, or use a classifier"
    return "convert it to numbers, or use a classifier if it holds classes"


def name_of_target(y: Any) -> str:
    """Return the name of y, or "target"."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else "target"


def check_sample_weight(
    sample_weight: Any, n_rows: int, rows_of: str = "X", least: int = 2, name: str = "sample_weight"
) -> Floats | None:
    """Return a weight for each row as floats, or None if none were given.

    A single number is the weight of all rows. At least `least` weights must be positive. Messages
    call the weights `name`, and the table `rows_of`.
    """
    if sample_weight is None:
        return None
    try:
        array = _as_array(_with_pandas(sample_weight), name)
        weights: Floats = numbers_of(array.ravel(), name, "convert it").reshape(array.shape)
    except ValueError:
        raise ValueError(
            f"{name} must be numbers, one for each row of {rows_of}; some are not."
        ) from None
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.ndim != 1:
        raise ValueError(
            f"{name} has {weights.ndim} dimensions; it must have one number for each row."
        )
    if len(weights) != n_rows:
        raise ValueError(f"{name} has {len(weights)} values, but {rows_of} has {n_rows} rows.")
    wrong = {"NaN or infinity": ~np.isfinite(weights), "a negative number": weights < 0.0}
    for what, bad in wrong.items():
        first = next(iter(np.flatnonzero(bad)), None)
        refuse_rows(bad, f"{name} has {what} in row {first}", "weights must be 0 or more")
    if np.count_nonzero(weights) < least:
        raise ValueError(
            f"{name} is zero in {n_rows - np.count_nonzero(weights)} of {n_rows} rows; it "
            f"must be above zero in {least} or more."
        )
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if not LEAST_TOTAL < total < LARGEST_TOTAL:
        raise ValueError(
            f"{name} adds up to {total:g}; divide or multiply all weights by a number that "
            f"brings the sum between {LEAST_TOTAL:g} and {LARGEST_TOTAL:g}."
        )
    return weights
