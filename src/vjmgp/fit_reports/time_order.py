"""Find tables whose rows are ordered in time, where shuffled test rows say too much good."""

import re
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from ..core.arrays import Integers
from ..tables.dates import ElapsedDays

TIME_NAME = re.compile(
    "(year|date|time|month|week|day|hour|minute|second|quarter|jahr|datum|zeit|monat|woche|tag"
    "|stunde)s?|t",
    re.IGNORECASE,
)
"""A word in the name of a column that holds times."""
LEAST_YEAR, LAST_YEAR = 1500, 2200


def time_column(inputs: pd.DataFrame, dates: Sequence[ElapsedDays]) -> str | None:
    """Return the column of the rows' times: dates, or sorted numbers that look like times."""
    for entry in dates:
        if entry.column in inputs.columns:
            return entry.column
    numbers = inputs.select_dtypes("number").dropna(axis="columns")
    names = map(str, numbers)
    return next((name for name in names if _looks_like_time(name, numbers[name])), None)


def _looks_like_time(name: str, values: pd.Series) -> bool:
    if values.nunique() < 3 or not (
        values.is_monotonic_increasing or values.is_monotonic_decreasing
    ):
        return False
    in_range = values.between(LEAST_YEAR, LAST_YEAR).all()
    are_years = in_range and values.diff().dropna().abs().isin((0, 1)).all()
    words = re.split(r"[\W\d_]+|(?<=[a-z])(?=[A-Z])", name)
    return bool(are_years) or any(TIME_NAME.fullmatch(word) for word in words)


def last_rows(inputs: pd.DataFrame, dates: Sequence[ElapsedDays], count: int) -> Integers:
    """Return the rows with the latest times; without times, the last rows of the table."""
    name = time_column(inputs, dates)
    order = np.arange(len(inputs))
    if name is not None:
        order = np.argsort(inputs[name].fillna(-np.inf).to_numpy(), kind="stable")
    return np.sort(order[len(order) - count :])


def time_cautions(inputs: pd.DataFrame, dates: Sequence[ElapsedDays]) -> Iterator[str]:
    """Yield a caution if rows have times, but were shuffled to test the model."""
    name = time_column(inputs, dates)
    if name is not None:
        yield (
            f"The rows are ordered in time by {name!r}, and shuffled rows have tested the model: "
            "that tells how well it fills gaps, not how well it predicts what comes next. Set the "
            "option 'holdout' to last to test it on the last rows."
        )
