"""Convert columns of dates to elapsed days."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Floats
from .errors import InputError
from .validation import TIMES

CLOCK = r"(?:[ T](?P<clock>\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?))?"
YEAR, MONTH, DAY = r"(?P<year>\d{4})", r"(?P<month>\d{1,2})", r"(?P<day>\d{1,2})"
ORDERS = {
    "year first": re.compile(rf"{YEAR}[-/.]{MONTH}[-/.]{DAY}{CLOCK}"),
    "day first": re.compile(rf"{DAY}[-/.]{MONTH}[-/.]{YEAR}{CLOCK}"),
    "month first": re.compile(rf"{MONTH}[-/]{DAY}[-/]{YEAR}{CLOCK}"),
    "digits": re.compile(r"(?P<year>(?:19|20)\d\d)(?P<month>\d\d)(?P<day>\d\d)(?P<clock>)"),
}
"""How dates are written; those of digits alone, such as 20261231, may be numbers."""


@dataclass(frozen=True)
class ElapsedDays:
    """A column of dates that is read as days since its origin."""

    column: str
    origin: str
    order: str
    """One of `ORDERS`; irrelevant for columns with a date type."""

    def days(self, values: Any) -> Floats:
        """Return the days, NaN for missing dates; raise if a cell is not a date."""
        times = as_times(values, self.order)
        strange = times.isna().to_numpy() & pd.Series(values).notna().to_numpy()
        if strange.any():
            row = int(np.flatnonzero(strange)[0])
            cell = pd.Series(values).iloc[row]
            text = f"column {self.column!r} has {cell!r} in row {row + 1}, which is not a date"
            raise InputError("dates", text, column=self.column)
        elapsed = (times - pd.Timestamp(self.origin)) / np.timedelta64(1, "D")
        return np.asarray(elapsed, dtype=np.float64)

    def __str__(self) -> str:
        return f"{self.column!r} as days since {self.origin}"


def as_times(values: Any, order: str) -> Any:
    """Return times without a time zone, NaT for cells that are not dates."""
    series, form = pd.Series(values), None
    if order == "digits":
        series = series.map(lambda cell: cell if pd.isna(cell) else str(cell).removesuffix(".0"))
    if any(isinstance(value, str) for value in series):
        series, form = series.map(lambda cell: _year_first(cell, ORDERS[order])), "ISO8601"
    times = pd.to_datetime(series, format=form, errors="coerce", utc=True)
    return times.dt.tz_localize(None)


def _year_first(cell: Any, pattern: re.Pattern[str]) -> str | None:
    found = pattern.fullmatch(str(cell).strip())
    if found is None:
        return None
    clock = f" {found['clock']:0>5}" if found["clock"] else ""
    return f"{found['year']}-{found['month']:0>2}-{found['day']:0>2}{clock}"


def find_date_order(values: Any) -> str | None:
    """Return the order in which a column writes dates, None if it holds none.

    Raise if `03/04/2026` may be in March or April.
    """
    known = pd.Series(values).dropna()
    if known.empty:
        return None
    if pd.api.types.is_numeric_dtype(known.dtype):
        may_be = known.dtype.kind in "iuf" and known.between(19000101, 20991231).all()
        return "digits" if may_be and as_times(known.unique(), "digits").notna().all() else None
    if pd.api.types.is_datetime64_any_dtype(known.dtype) or all(
        isinstance(value, TIMES) and hasattr(value, "year") for value in known
    ):
        return "year first"
    if not all(isinstance(value, str) for value in known):
        return None
    cells = [str(value).strip() for value in known.unique()]
    fits = [order for order in ORDERS if as_times(cells, order).notna().all()]
    if len(fits) > 1:
        text = f"{cells[0]!r} may have the day or the month first: write 2026-12-31"
        raise InputError("dates", text)
    return fits[0] if fits else None


def days_since_first(values: Any, column: str, order: str) -> ElapsedDays:
    """Count a column's days from its first date."""
    return ElapsedDays(column, str(as_times(values, order).min().date()), order)
