"""Columns of dates as elapsed days."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Floats
from .validation import TIMES

CLOCK = r"(?:[ T](?P<clock>\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?))?"
YEAR, MONTH, DAY = r"(?P<year>\d{4})", r"(?P<month>\d{1,2})", r"(?P<day>\d{1,2})"
ORDERS = {
    "year first": re.compile(rf"{YEAR}[-/.]{MONTH}[-/.]{DAY}{CLOCK}"),
    "day first": re.compile(rf"{DAY}[-/.]{MONTH}[-/.]{YEAR}{CLOCK}"),
    "month first": re.compile(rf"{MONTH}[-/]{DAY}[-/]{YEAR}{CLOCK}"),
}
"""How dates are written."""
ONE_DAY = np.timedelta64(1, "D")


@dataclass(frozen=True)
class Elapsed:
    """A column of dates that is read as days since its origin."""

    column: str
    origin: str
    order: str
    """One of `ORDERS`; plays no part where a file has dates of its own."""

    def days(self, values: Any) -> Floats:
        """The days, NaN where there is no date; an error that names the first other cell."""
        times = as_times(values, self.order)
        strange = times.isna().to_numpy() & pd.Series(values).notna().to_numpy()
        if strange.any():
            row = int(np.flatnonzero(strange)[0])
            cell = pd.Series(values).iloc[row]
            raise ValueError(f"column {self.column!r} has {cell!r} in row {row + 1}, no date")
        elapsed = (times - pd.Timestamp(self.origin)) / ONE_DAY
        return np.asarray(elapsed, dtype=np.float64)

    def told(self) -> str:
        """In words."""
        return f"{self.column!r} as days since {self.origin}"


def as_times(values: Any, order: str) -> Any:
    """Times without zone, NaT where a cell is no date."""
    series = pd.Series(values)
    if any(isinstance(value, str) for value in series):
        series = series.map(lambda cell: _year_first(cell, ORDERS[order]))
        times = pd.to_datetime(series, format="ISO8601", errors="coerce", utc=True)
    else:
        times = pd.to_datetime(series, errors="coerce", utc=True)
    return times.dt.tz_localize(None)


def _year_first(cell: Any, looks: re.Pattern[str]) -> str | None:
    found = looks.fullmatch(str(cell).strip())
    if found is None:
        return None
    clock = f" {found['clock']:0>5}" if found["clock"] else ""
    return f"{found['year']}-{found['month']:0>2}-{found['day']:0>2}{clock}"


def order_of_dates(values: Any) -> str | None:
    """How a column writes its dates; None if it holds none.

    An error where `03/04/2026` may be in March or April.
    """
    known = pd.Series(values).dropna()
    if known.empty or pd.api.types.is_numeric_dtype(known.dtype):
        return None
    if pd.api.types.is_datetime64_any_dtype(known.dtype) or all(
        isinstance(value, TIMES) and hasattr(value, "year") for value in known
    ):
        return "year first"
    if not all(isinstance(value, str) for value in known):
        return None
    cells = [str(value).strip() for value in known.unique()]
    fits = [order for order in ORDERS if as_times(cells, order).notna().all()]
    if len(fits) > 1:
        raise ValueError(f"{cells[0]!r} may have the day or the month first: write 2026-12-31")
    return fits[0] if fits else None


def elapsed_since_the_first(values: Any, column: str, order: str) -> Elapsed:
    """Days since the first date of a column."""
    return Elapsed(column, str(as_times(values, order).min().date()), order)
