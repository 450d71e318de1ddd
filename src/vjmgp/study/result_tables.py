"""Read and write tables of results as CSV."""

import re
from pathlib import Path

import pandas as pd

from ..core.files import write_whole
from .names import NAME_COLUMNS

FORMULA = re.compile("[=+@-]")
"""The beginning of a cell that a spreadsheet would execute as a formula."""


def write_csv(path: str | Path, table: pd.DataFrame) -> None:
    """Write a table."""
    write_whole(Path(path), [as_csv(table)])


def as_csv(table: pd.DataFrame) -> bytes:
    """Return a table as text, with an apostrophe before names that a spreadsheet would execute."""
    names = {column: table[column].map(_guarded) for column in NAME_COLUMNS if column in table}
    return table.assign(**names).rename(columns=_guarded).to_csv(index=False).encode()


def _guarded(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and FORMULA.match(cell) else cell


def _plain(cell: object) -> object:
    return (
        cell[1:] if isinstance(cell, str) and cell[:1] == "'" and FORMULA.match(cell, 1) else cell
    )


def read_table(path: str | Path, *, as_text: bool = False) -> pd.DataFrame:
    """Read a table as it was written: a method may be called "None", a dataset "NA"."""
    names = dict.fromkeys((*NAME_COLUMNS, "parameters", "engine"), str)
    if as_text:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
    else:
        table = pd.read_csv(path, dtype=names, keep_default_na=False, na_values=[""])
    table = table.rename(columns=_plain)
    return table.assign(**{c: table[c].map(_plain) for c in NAME_COLUMNS if c in table})


def read_runs(path: str | Path) -> pd.DataFrame:
    """Read the runs that did not fail."""
    table = read_table(path)
    ok = table[table["status"] == "ok"]
    if not len(ok):
        raise ValueError(f"All {len(table)} runs failed; the first: {table['error'].iloc[0]}")
    return ok


def present(names: list[str], column: "pd.Series[str]") -> list[str]:
    """Return the names that a column has, in their order."""
    known = set(column.unique())
    return [name for name in names if name in known]
