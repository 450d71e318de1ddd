"""Datasets for regression, from PMLB's files and from the user's."""

import functools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import yaml

from ..core.arrays import Floats
from ..core.files import package_folder
from .checks import raise_any, target_problems
from .reader import EXACT, TableFormat, read_file

TARGET = "target"
"""The target's column in PMLB's files."""
READS = ("data/nominal_columns.yaml",)


@dataclass(frozen=True)
class Dataset:
    """A regression problem.

    Parameters
    ----------
    name : str
        The name in splits and tables.
    inputs : DataFrame
        A row for each observation.
    target : array of float
        The values to predict.
    nominal : tuple of str
        Columns whose levels have no order.

    """

    name: str
    inputs: pd.DataFrame
    target: Floats
    nominal: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.target)


@functools.cache
def known_nominal_columns() -> dict[str, list[str]]:
    """Return the columns of PMLB's datasets whose levels have no order.

    They were chosen by hand: PMLB's metadata call every integer column with few values categorical.
    """
    text = (package_folder("data") / "nominal_columns.yaml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(text))


def read_pmlb(name: str, path: Path) -> Dataset:
    """Read a dataset from its PMLB file without rows that have missing values, as pmlb does."""
    table = pd.read_csv(path, sep="\t", **EXACT).dropna()
    return _split(name, table, TARGET, tuple(known_nominal_columns().get(name, ())), name)


def load_file(
    path: str | os.PathLike[str],
    target: str,
    nominal: tuple[str, ...] = (),
    *,
    separator: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    na_values: Sequence[str] = (),
    missing: str = "error",
) -> Dataset:
    r"""Read a dataset from a CSV, TSV, Excel or Parquet file; text may be compressed.

    Parameters
    ----------
    path : path
        The file, which also names the dataset.
    target : str
        The column to predict.
    nominal : tuple of str
        Columns of numbers whose levels have no order; text columns are always nominal.
    separator, decimal, thousands, encoding : str, optional
        How a text file is written; detected by default.
    sheet : str, optional
        The sheet of an Excel file; the first by default.
    na_values : sequence of str
        Texts that mean a missing cell, beside those that pandas knows, such as "k.A.".
    missing : {'error', 'drop', 'median', 'indicator'}
        What to do about missing cells: 'drop' leaves such rows out, 'median' and 'indicator' only
        those without a target, 'error' none.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from vjmgp import load_file
    >>> with TemporaryDirectory() as folder:
    ...     written = Path(folder, "plant.csv").write_text("heat;yield\n20;1,5\n30;2,5\n")
    ...     data = load_file(Path(folder, "plant.csv"), target="yield")
    >>> data.name, list(data.inputs), data.target
    ('plant', ['heat'], array([1.5, 2.5]))

    """
    path, nominal = Path(path), tuple(nominal)
    wanted = TableFormat(separator, decimal, thousands, encoding, sheet, na_values)
    table = read_file(path, wanted, texts=nominal).table
    if missing != "error" and target in table.columns:
        table = table.dropna(subset=None if missing == "drop" else [target], ignore_index=True)
    return _split(path.name.split(".")[0], table, target, nominal, str(path))


def _split(
    name: str, table: pd.DataFrame, target: str, nominal: tuple[str, ...], where: str
) -> Dataset:
    raise_any(list(target_problems(table, target, nominal)), where)
    values = table[target].to_numpy(dtype="float64")
    return Dataset(name, table.drop(columns=target), values, nominal)
