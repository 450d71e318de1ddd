"""Read a dataset: a file of PMLB's, or one of one's own; and say what is wrong with it."""

from __future__ import annotations

import difflib
import functools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from numpy.typing import NDArray

from .files import package_folder
from .inputs import refuse_strange
from .tabular import is_nominal, nominal_columns

TARGET = "target"
READS = ("data/nominal_columns.yaml",)
LEAST_ROWS = 10
"""Five folds on half of the rows need at least one row each."""
_PANDAS = tuple(int(part) for part in pd.__version__.split(".")[:2])
EXACT: dict[str, Any] = {} if _PANDAS >= (3, 1) else {"float_precision": "round_trip"}
"""Each number in a file becomes the nearest float, which pandas does by itself from 3.1 on."""
SEPARATORS = {".csv": ",", ".tsv": "\t", ".parquet": None}
"""The kinds of files, and what stands between the columns of text."""


@dataclass(frozen=True)
class Dataset:
    """A regression problem."""

    name: str
    inputs: pd.DataFrame
    target: NDArray[np.float64]
    nominal: tuple[str, ...] = ()
    """Columns whose levels have no order."""

    def __len__(self) -> int:
        return len(self.target)


@functools.cache
def known_nominal_columns() -> dict[str, list[str]]:
    """Columns of PMLB's datasets that hold unordered levels.

    PMLB's metadata call every integer column with few values categorical; these were picked by
    hand.
    """
    text = (package_folder("data") / "nominal_columns.yaml").read_text(encoding="utf-8")
    result: dict[str, list[str]] = yaml.safe_load(text)
    return result


def read_pmlb(name: str, path: Path) -> Dataset:
    """A dataset from its PMLB file; rows with missing values are left out, as pmlb does."""
    table = pd.read_csv(path, sep="\t", **EXACT).dropna()
    return _from_table(name, table, TARGET, tuple(known_nominal_columns().get(name, ())))


def load_file(path: str | os.PathLike[str], target: str, nominal: tuple[str, ...] = ()) -> Dataset:
    """A dataset of one's own: CSV, TSV or Parquet (text formats may be compressed)."""
    path = Path(path)
    table = read_table(path)
    return _from_table(path.name.split(".")[0], table, target, nominal, path)


def read_table(path: Path, *, as_written: bool = False) -> pd.DataFrame:
    """A table from a file; `as_written` leaves text formats as text, to the letter."""
    kinds = [suffix.lower() for suffix in path.suffixes if suffix.lower() in SEPARATORS]
    if not kinds:
        raise ValueError(f"{path}: unknown kind of file; use one of {', '.join(SEPARATORS)}.")
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file.")
    try:
        separator = SEPARATORS[kinds[-1]]
        return _read_text(path, separator, as_written) if separator else pd.read_parquet(path)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: cannot be read ({error}); save it as UTF-8.") from None
    except (ValueError, OSError, EOFError) as error:
        raise ValueError(f"{path}: cannot be read ({str(error).splitlines()[0]}).") from None


def _read_text(path: Path, separator: str, as_written: bool) -> pd.DataFrame:
    """A table of text; pandas would rename the second of two columns of the same name."""
    text: dict[str, Any] = {"sep": separator, "dtype": str, "keep_default_na": False}
    names = pd.read_csv(path, header=None, nrows=1, **text).iloc[0].tolist()
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"the column name {twice!r} appears more than once")
    options = text if as_written else {"sep": separator, **EXACT}
    table: pd.DataFrame = pd.read_csv(path, **options)
    if not isinstance(table.index, pd.RangeIndex):  # pandas takes the first cells for row names
        raise ValueError(f"its rows have more cells than its header, which has {len(names)}")
    if table.shape[1] == 1 and ";" in str(table.columns[0]):
        raise ValueError("its columns are separated by semicolons; use commas, or tabs in a .tsv")
    return table.set_axis(names, axis=1) if as_written else table


def _from_table(
    name: str,
    table: pd.DataFrame,
    target: str,
    nominal: tuple[str, ...],
    source: Path | None = None,
) -> Dataset:
    where = str(source or name)
    if target not in table.columns:
        close = difflib.get_close_matches(target, [str(name) for name in table.columns], n=1)
        hint = f"did you mean {close[0]!r}? T" if close else "t"
        raise ValueError(
            f"{where}: no column {target!r}; {hint}he columns are "
            f"{', '.join(map(repr, table.columns))}."
        )
    if target in nominal:
        raise ValueError(f"{where}: the target {target!r} cannot be nominal.")
    missing = [column for column in nominal if column not in table.columns]
    if missing:
        raise ValueError(f"{where}: no column {missing[0]!r} to take as nominal.")
    try:
        values = table[target].to_numpy(dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: the target {target!r} is not numeric ({error}).") from None
    if not np.isfinite(values).all():
        bad = int((~np.isfinite(values)).sum())
        raise ValueError(
            f"{where}: the target {target!r} is missing or infinite in {bad} of {len(values)} rows."
        )
    return Dataset(name, table.drop(columns=target), values, tuple(nominal))


def check_inputs(dataset: Dataset, where: str, *, may_be_missing: bool = False) -> list[str]:
    """The nominal columns; a clear error for what no method could use.

    Missing numbers are an error unless they may be there.
    """
    table = dataset.inputs
    if len(dataset) < LEAST_ROWS:
        raise ValueError(f"{where}: {len(dataset)} rows are too few; at least {LEAST_ROWS} needed.")
    if table.shape[1] == 0:
        raise ValueError(f"{where}: there is no column beside the target.")
    if dataset.target.min() == dataset.target.max():
        raise ValueError(f"{where}: the target has the same value in all rows.")
    if all(_levels(table[column], column, where) < 2 for column in table.columns):
        raise ValueError(f"{where}: every column beside the target has the same value in all rows.")
    try:
        for column in table.columns:
            refuse_strange(table[column], f"Column {column!r}")
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    for column in table.columns:
        if column not in dataset.nominal:
            values = table[column].dropna() if may_be_missing else table[column]
            _check_column(values, str(column), where)
    names = [str(column) for column in table.columns]
    return [names[k] for k in nominal_columns(table, names, list(dataset.nominal))]


def _levels(values: Any, column: str, where: str) -> int:
    try:
        return int(values.nunique())
    except TypeError:
        raise ValueError(
            f"{where}: column {column!r} holds lists or other objects: leave it out."
        ) from None


def _check_column(values: Any, column: str, where: str) -> None:
    """A column that is not named as nominal: numbers, or text with few levels."""
    if column.startswith("Unnamed: "):
        raise ValueError(
            f"{where}: column number {int(column[9:]) + 1} has no name; if it is an index, leave "
            "it out."
        )
    if values.isna().any():
        raise ValueError(
            f"{where}: column {column!r} has no value in {int(values.isna().sum())} of "
            f"{len(values)} rows: fill them or leave the column out."
        )
    if is_nominal(values):
        _refuse_text_among_numbers(values, column, where)
        levels = int(values.nunique())
        if levels > len(values) // 2:
            raise ValueError(
                f"{where}: column {column!r} is text with {levels} different values in "
                f"{len(values)} rows: turn it into numbers, leave it out, or list it under "
                "'nominal'."
            )
    elif not np.isfinite(np.asarray(values, dtype=np.float64)).all():
        raise ValueError(f"{where}: column {column!r} has infinite values.")


def _refuse_text_among_numbers(values: Any, column: str, where: str) -> None:
    numbers = pd.to_numeric(values, errors="coerce")
    text = numbers.isna().to_numpy()
    if text.all():
        return
    row = int(np.flatnonzero(text)[0])
    raise ValueError(
        f"{where}: column {column!r} has text among its numbers in {int(text.sum())} of "
        f"{len(values)} rows, first {values.iloc[row]!r} in row {row + 1}: correct it, or list the "
        "column under 'nominal'."
    )
