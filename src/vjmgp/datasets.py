"""Load a dataset: shipped with the package, from PMLB, or a file of one's own."""

from __future__ import annotations

import difflib
import functools
import os
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from numpy.typing import NDArray

from .fetching import cache_folder, fetch, package_folder

TARGET = "target"
_PANDAS = tuple(int(part) for part in pd.__version__.split(".")[:2])
EXACT: dict[str, Any] = {} if _PANDAS >= (3, 1) else {"float_precision": "round_trip"}
"""Each number in a file becomes the nearest float, which pandas does by itself from 3.1 on."""
READERS: dict[str, Callable[[Path, bool], pd.DataFrame]] = {
    ".csv": lambda path, as_written: _read_text(path, ",", as_written),
    ".tsv": lambda path, as_written: _read_text(path, "\t", as_written),
    ".parquet": lambda path, _: pd.read_parquet(path),
}


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


@functools.cache
def paper_medians() -> pd.DataFrame:
    """The paper's median test R² by PMLB number and method."""
    return pd.read_csv(package_folder("paper") / "detailed_median_test_r2.csv").set_index("pmlb_id")


def pmlb_number(name: str) -> int:
    """The number in front of a PMLB dataset's name."""
    return int(name.removeprefix("_deprecated_").split("_")[0])


def load_dataset(name: str, cache: str | os.PathLike[str] | None = None) -> Dataset:
    """A dataset by its PMLB name: embedded, else from the cache folder, else downloaded.

    `cache` is the folder that PMLB's package keeps its files in; by default the one in the
    environment variable VJMGP_PMLB_CACHE.
    """
    if not (isinstance(name, str) and re.fullmatch(r"[\w.+-]*\w", name)) or ".." in name:
        raise ValueError(
            f"{name!r} is no name of a PMLB dataset: give one such as '547_no2', or read a file of "
            "your own with load_file."
        )
    with tempfile.TemporaryDirectory() as folder:
        source = fetch(name, cache_folder(cache), Path(folder))
        return read_pmlb(name, source.path)


def read_pmlb(name: str, path: Path) -> Dataset:
    """A dataset from its PMLB file; rows with missing values are left out, as pmlb does."""
    table = pd.read_csv(path, sep="\t", **EXACT).dropna()
    return _from_table(name, table, TARGET, tuple(known_nominal_columns().get(name, ())))


def load_file(path: str | os.PathLike[str], target: str, nominal: tuple[str, ...] = ()) -> Dataset:
    """A dataset of one's own: CSV, TSV or Parquet (text formats may be compressed)."""
    path = Path(path)
    table = read_table(path)
    return _from_table(path.name.split(".")[0], table, target, nominal, path)


def read_table(path: Path, as_written: bool = False) -> pd.DataFrame:
    """A table from a file; `as_written` leaves text formats as text, to the letter."""
    kinds = [suffix.lower() for suffix in path.suffixes if suffix.lower() in READERS]
    if not kinds:
        raise ValueError(f"{path}: unknown kind of file; use one of {', '.join(READERS)}.")
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file.")
    try:
        return READERS[kinds[-1]](path, as_written)
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
    if as_written:
        as_text: pd.DataFrame = pd.read_csv(path, **text)
        return as_text.set_axis(names, axis=1)
    table: pd.DataFrame = pd.read_csv(path, sep=separator, **EXACT)
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
        raise ValueError(f"{where}: the target {target!r} is missing or infinite in {bad} rows.")
    return Dataset(name, table.drop(columns=target), values, tuple(nominal))
