"""Find columns that name or count the rows: they tell nothing about new rows."""

import re
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .preprocessing import FEW_LEVELS, is_nominal
from .validation import numbers_or_nan

LEAST_ROWS = 6
"""Rows below which nothing can be said."""
UNNAMED = re.compile(r"(?i:(Unnamed: [\d.]+|row[\W_]*names?|level_0)?)")
"""Names that pandas, R and others give to a table's index."""
IDENTIFIER = re.compile(
    r"(?i:(.*[\W_])?(ids?|uid|uuid|guid|nr)|id[\W_].*"
    r"|((row|record|sample|serial|case|patient|subject|obs|observation|lfd)[\W_]*)?"
    r"(no|num|number|index|idx)|rows?|rowid|lfdnr|obs|observation|record|case|#)[.:]?|.*[a-z](ID|Id|Nr)"
)
TIME = re.compile(
    r"(?i:(.*[\W_\d])?(t|time|timestamp|date|datetime|year|quarter|month|week|day|hour|minute"
    r"|second|step|period|epoch|decade|zeit|datum|jahr|monat|woche|tag|stunde)s?([\W_\d].*)?)"
    r"|.*[a-z](Time|Date|Year|Quarter|Month|Week|Day|Hour)s?"
)


class RowLabelWarning(UserWarning):
    """Warning that columns which name or count the rows are left out."""


class RowLabel(NamedTuple):
    """Why a column seems to name rows, and how sure that is: 0 is the surest."""

    rank: int
    reason: str
    has_numbers: bool = False
    """Whether some of its text are numbers, so that it may be a column of numbers with a fault."""


def find_row_labels(table: pd.DataFrame, nominal: Collection[str] = ()) -> dict[str, RowLabel]:
    """Return the columns that name or count rows; `nominal` are numbers that stand for levels."""
    found = {}
    for name in table.columns if len(table) >= LEAST_ROWS else ():
        values = table[name]
        label = _label(str(name), values, name in nominal or is_nominal(values))
        if label is not None:
            found[name] = label
    return found


def row_labels_to_drop(table: pd.DataFrame, kept: Collection[str] = ()) -> dict[str, RowLabel]:
    """Return row labels that can be left out, other than `kept`: some column that varies stays."""
    found = {name: why for name, why in find_row_labels(table).items() if name not in kept}
    rest = (name for name in table.columns if name not in found)
    if found and not any(_count_levels(table[name]) > 1 for name in rest):
        least_sure = max(label.rank for label in found.values())
        found = {name: label for name, label in found.items() if label.rank < least_sure}
    return found


def describe_row_labels(found: dict[str, RowLabel], remedy: str) -> str:
    """Say which columns are left out and how to keep them; "" if there are none."""
    if not found:
        return ""
    names = ", ".join(f"{name!r} ({label.reason})" for name, label in found.items())
    return f"Left out columns that name rows: {names}. {remedy}"


def is_time(name: str) -> bool:
    """Return whether a name is one of time."""
    return TIME.fullmatch(name.strip()) is not None


def _label(name: str, values: Any, is_text: bool) -> RowLabel | None:
    name, rows = name.strip(), len(values)
    unnamed = UNNAMED.fullmatch(name) is not None
    identifies = unnamed or (IDENTIFIER.fullmatch(name) is not None and not is_time(name))
    if is_text:
        return _text_label(values, unnamed, identifies)
    numbers = numbers_or_nan(values)
    if not np.array_equal(numbers, np.rint(numbers)):
        return None
    if identifies and values.is_unique:
        return RowLabel(0 if unnamed else 2, f"a different whole number in each of {rows} rows")
    if numbers[0] in (0.0, 1.0) and (np.diff(numbers) == 1.0).all() and not is_time(name):
        return RowLabel(3, f"counts the rows from {numbers[0]:.0f} to {numbers[-1]:.0f}")
    return None


def _text_label(values: Any, unnamed: bool, identifies: bool) -> RowLabel | None:
    levels, rows = _count_levels(values), len(values)
    if levels <= max(rows // 2, FEW_LEVELS):
        return None
    reason = f"{levels} different values in {rows} rows"
    texts = values.astype(str).str.replace(",", ".")
    numbers = 0 if identifies else int(np.isfinite(numbers_or_nan(texts)).sum())
    if numbers and not pd.api.types.is_numeric_dtype(values):
        reason += f", {numbers} of them numbers that are written as text"
    return RowLabel(0 if unnamed else 1, reason, numbers > 0)


def _count_levels(values: Any) -> int:
    """Return the number of different values; 0 if they are lists or the like."""
    try:
        return int(values.nunique(dropna=False))
    except TypeError:
        return 0
