"""Read a dataset: a file of PMLB's, or one of one's own; and say what is wrong with it."""

from __future__ import annotations

import difflib
import functools
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from numpy.typing import NDArray

from ..core.files import package_folder
from ..core.optional import need
from .preprocessing import is_nominal, nominal_columns
from .validation import refuse_strange

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
    """A regression problem.

    Parameters
    ----------
    name : str
        What splits and tables call it.
    inputs : DataFrame
        A row for each observation.
    target : array of float
        What to predict.
    nominal : tuple of str
        Columns whose levels have no order.

    """

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
    r"""A dataset of one's own: CSV, TSV or Parquet (text formats may be compressed).

    Parameters
    ----------
    path : path
        The file; the dataset has its name.
    target : str
        The column to predict.
    nominal : tuple of str
        Columns of numbers that are levels without an order; text columns are so by themselves.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from vjmgp import load_file
    >>> with TemporaryDirectory() as folder:
    ...     written = Path(folder, "plant.csv").write_text("heat,yield\n20,1.5\n30,2.5\n")
    ...     data = load_file(Path(folder, "plant.csv"), target="yield")
    >>> data.name, list(data.inputs), data.target
    ('plant', ['heat'], array([1.5, 2.5]))

    """
    path = Path(path)
    table = read_table(path)
    return _from_table(path.name.split(".")[0], table, target, nominal, path)


def read_table(path: Path) -> pd.DataFrame:
    """A table from a file."""
    kinds = [suffix.lower() for suffix in path.suffixes if suffix.lower() in SEPARATORS]
    if not kinds:
        raise ValueError(f"{path}: unknown kind of file; use one of {', '.join(SEPARATORS)}.")
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file.")
    try:
        separator = SEPARATORS[kinds[-1]]
        if separator:
            return _read_text(path, separator)
        need("pyarrow")
        return pd.read_parquet(path)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: cannot be read ({error}); save it as UTF-8.") from None
    except (ValueError, OSError, EOFError) as error:
        raise ValueError(f"{path}: cannot be read ({str(error).splitlines()[0]}).") from None


def _read_text(path: Path, separator: str) -> pd.DataFrame:
    """A table of text; pandas would rename the second of two columns of the same name."""
    text: dict[str, Any] = {"sep": separator, "dtype": str, "keep_default_na": False}
    names = pd.read_csv(path, header=None, nrows=1, **text).iloc[0].tolist()
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"the column name {twice!r} appears more than once")
    table: pd.DataFrame = pd.read_csv(path, sep=separator, **EXACT)
    if not isinstance(table.index, pd.RangeIndex):  # pandas takes the first cells for row names
        raise ValueError(f"its rows have more cells than its header, which has {len(names)}")
    if table.shape[1] == 1 and ";" in str(table.columns[0]):
        raise ValueError("its columns are separated by semicolons; use commas, or tabs in a .tsv")
    return table


def _from_table(
    name: str,
    table: pd.DataFrame,
    target: str,
    nominal: tuple[str, ...],
    source: Path | None = None,
) -> Dataset:
    complaints = list(target_complaints(table, target, nominal))
    if complaints:
        raise ValueError(together(str(source or name), complaints))
    values = table[target].to_numpy(dtype=np.float64)
    return Dataset(name, table.drop(columns=target), values, tuple(nominal))


def together(where: str, complaints: list[str]) -> str:
    """One message of all that is wrong with a table."""
    if len(complaints) == 1:
        return f"{where}: {complaints[0]}"
    return "\n- ".join([f"{where}: {len(complaints)} things are wrong:", *complaints])


def target_complaints(table: pd.DataFrame, target: str, nominal: tuple[str, ...]) -> Iterator[str]:
    """What is wrong with the target, and with names of nominal columns."""
    if target not in table.columns:
        close = difflib.get_close_matches(target, [str(name) for name in table.columns], n=1)
        hint = f"did you mean {close[0]!r}? T" if close else "t"
        yield (f"no column {target!r}; {hint}he columns are {', '.join(map(repr, table.columns))}.")
    else:
        yield from _values_of_target(table[target], target)
    if target in nominal:
        yield f"the target {target!r} cannot be nominal."
    for column in nominal:
        if column not in table.columns:
            yield f"no column {column!r} to take as nominal."


def _values_of_target(column: Any, target: str) -> Iterator[str]:
    try:
        values = column.to_numpy(dtype=np.float64)
    except (TypeError, ValueError) as error:
        yield f"the target {target!r} is not numeric ({error})."
        return
    bad = int((~np.isfinite(values)).sum())
    if bad:
        yield f"the target {target!r} is missing or infinite in {bad} of {len(values)} rows."


def check_inputs(dataset: Dataset, where: str) -> list[str]:
    """The nominal columns; a clear error for what no method could use."""
    complaints = list(input_complaints(dataset))
    if complaints:
        raise ValueError(together(where, complaints))
    return nominal_inputs(dataset)


def nominal_inputs(dataset: Dataset) -> list[str]:
    """The columns that are nominal: those named so, and text."""
    names = [str(column) for column in dataset.inputs.columns]
    return [names[k] for k in nominal_columns(dataset.inputs, names, list(dataset.nominal))]


def input_complaints(dataset: Dataset, *, may_be_missing: bool = False) -> Iterator[str]:
    """What no method could use; missing numbers are nothing of the kind if they may be there."""
    table = dataset.inputs
    if len(dataset) < LEAST_ROWS:
        yield f"{len(dataset)} rows are too few; at least {LEAST_ROWS} needed."
        return
    if table.shape[1] == 0:
        yield "there is no column beside the target."
        return
    if dataset.target.min() == dataset.target.max():
        yield "the target has the same value in all rows."
    constant = []
    for column in table.columns:
        found = list(_column_complaints(dataset, column, may_be_missing))
        yield from found
        constant.append(not found and table[column].nunique() < 2)
    if all(constant):
        yield "every column beside the target has the same value in all rows."


def _column_complaints(dataset: Dataset, column: Any, may_be_missing: bool) -> Iterator[str]:
    values = dataset.inputs[column]
    try:
        values.nunique()
        refuse_strange(values, f"column {column!r}")
    except TypeError:
        yield f"column {column!r} holds lists or other objects: leave it out."
        return
    except ValueError as error:
        yield str(error)
        return
    if column not in dataset.nominal:
        yield from _values_of_input(values.dropna() if may_be_missing else values, str(column))


def _values_of_input(values: Any, column: str) -> Iterator[str]:
    """What is wrong with a column that is not named as nominal: numbers, or text of few levels."""
    if column.startswith("Unnamed: "):
        yield f"column number {int(column[9:]) + 1} has no name; if it is an index, leave it out."
        return
    missing = int(values.isna().sum())
    if missing:
        yield (
            f"column {column!r} has no value in {missing} of {len(values)} rows: fill them or "
            "leave the column out."
        )
    values = values.dropna()
    if is_nominal(values):
        yield from _texts(values, column)
    elif not np.isfinite(np.asarray(values, dtype=np.float64)).all():
        yield f"column {column!r} has infinite values."


def _texts(values: Any, column: str) -> Iterator[str]:
    text = pd.to_numeric(values, errors="coerce").isna().to_numpy()
    levels = int(values.nunique())
    if not text.all():
        first = int(np.flatnonzero(text)[0])
        yield (
            f"column {column!r} has text among its numbers in {int(text.sum())} of {len(values)} "
            f"rows, first {values.iloc[first]!r} in row {values.index[first] + 1}: correct it, or "
            "list the column under 'nominal'."
        )
    elif levels > len(values) // 2:
        yield (
            f"column {column!r} is text with {levels} different values in {len(values)} rows: turn "
            "it into numbers, leave it out, or list it under 'nominal'."
        )
