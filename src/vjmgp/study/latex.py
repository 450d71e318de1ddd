"""Write tables as LaTeX, with the rules of booktabs."""

import functools
from pathlib import Path
from typing import Any

import pandas as pd

from ..core.files import write_whole

SYMBOLS = str.maketrans({
    "²": "$^2$", "∼": "$\\sim$", "−": "$-$", "≤": "$\\leq$",
    "τ": "$\\tau$", "α": "$\\alpha$", "γ": "$\\gamma$", "σ": "$\\sigma$",
})  # fmt: skip
"""Characters that not every TeX can typeset."""
WIDE = 7
"""The number of columns above which a table is set in small type."""


def write_latex(path: Path, table: pd.DataFrame, caption: str, **options: Any) -> None:
    """Write a table to a file, with the options of `latex_of`."""
    write_whole(path, [latex_of(table, caption, **options).encode()])


def latex_of(
    table: pd.DataFrame,
    caption: str,
    digits: dict[str, int] | None = None,
    best: list[str] | None = None,
) -> str:
    """Return a floating table, which needs the package booktabs only.

    In each row the largest of the columns `best` is bold.
    """
    numbers = {
        column: functools.partial(_number, digits=(digits or {}).get(str(column), 3))
        for column in table.select_dtypes("float").columns
    }
    style: Any = table.reset_index(drop=True).style.hide(axis="index")
    style = style.format(numbers, escape="latex", na_rep="--")
    if best:
        style = style.highlight_max(subset=best, axis=1, props="textbf:--rwrap;")
    style = style.format_index(lambda name: _escaped(_heading(str(name))), axis=1)
    columns = "".join("r" if pd.api.types.is_numeric_dtype(t) else "l" for t in table.dtypes)
    text = style.to_latex(
        hrules=True, position_float="centering", caption=_escaped(caption), column_format=columns
    )
    if len(table.columns) > WIDE:
        small = "\\centering\\scriptsize\\setlength{\\tabcolsep}{3pt}"
        text = text.replace("\\centering", small, 1)
    return str(text).translate(SYMBOLS)


def _number(value: float, digits: int) -> str:
    """Format a number outside math mode, except for the sign, so that it can be bold."""
    return f"{value:.{digits}f}".replace("-", "$-$")


def _heading(column: str) -> str:
    """Return a column's name in words; names of methods are kept."""
    words = column.replace("_r2", " R²")
    return words.replace("_", " ") if column.islower() else words


def _escaped(text: str) -> str:
    return "".join(f"\\{mark}" if mark in "&%$#_{}" else mark for mark in text)
