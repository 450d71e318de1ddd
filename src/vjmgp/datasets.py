"""Load a dataset: shipped with the package, from PMLB, or a file of one's own."""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from numpy.typing import NDArray

from .fetching import cache_folder, fetch, package_folder

TARGET = "target"
READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    ".csv": lambda path: pd.read_csv(path),
    ".tsv": lambda path: pd.read_csv(path, sep="\t"),
    ".parquet": pd.read_parquet,
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
    with tempfile.TemporaryDirectory() as folder:
        source = fetch(name, cache_folder(cache), Path(folder))
        return read_pmlb(name, source.path)


def read_pmlb(name: str, path: Path) -> Dataset:
    """A dataset from its PMLB file; rows with missing values are left out, as pmlb does."""
    table = pd.read_csv(path, sep="\t").dropna()
    return _from_table(name, table, TARGET, tuple(known_nominal_columns().get(name, ())))


def load_file(path: str | os.PathLike[str], target: str, nominal: tuple[str, ...] = ()) -> Dataset:
    """A dataset of one's own: CSV, TSV or Parquet (text formats may be compressed)."""
    path = Path(path)
    kinds = [suffix.lower() for suffix in path.suffixes if suffix.lower() in READERS]
    if not kinds:
        raise ValueError(f"{path}: unknown kind of file; use one of {', '.join(READERS)}.")
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file.")
    return _from_table(path.name.split(".")[0], READERS[kinds[-1]](path), target, nominal, path)


def _from_table(
    name: str,
    table: pd.DataFrame,
    target: str,
    nominal: tuple[str, ...],
    source: Path | None = None,
) -> Dataset:
    where = str(source or name)
    if target not in table.columns:
        raise ValueError(
            f"{where}: no column {target!r}; the columns are {', '.join(map(repr, table.columns))}."
        )
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
