"""Find the order of time in a table's rows, to test a model on the latest ones."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..core.arrays import Integers
from ..tables.dates import ElapsedDays
from ..tables.table_cautions import is_in_time_order


def time_column(inputs: pd.DataFrame, dates: Sequence[ElapsedDays]) -> str | None:
    """Return the column of the rows' times: dates, or sorted numbers that look like times."""
    for entry in dates:
        if entry.column in inputs.columns:
            return entry.column
    numbers = inputs.select_dtypes("number").dropna(axis="columns")
    ordered = (
        name for name in numbers if is_in_time_order(str(name), numbers[name].to_numpy(float))
    )
    return next(map(str, ordered), None)


def last_rows(inputs: pd.DataFrame, dates: Sequence[ElapsedDays], count: int) -> Integers:
    """Return the rows with the latest times; without times, the last rows of the table."""
    name = time_column(inputs, dates)
    order = np.arange(len(inputs))
    if name is not None:
        order = np.argsort(inputs[name].fillna(-np.inf).to_numpy(), kind="stable")
    return np.sort(order[len(order) - count :])
