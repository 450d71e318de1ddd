"""Find reasons to be careful with a fit to a table."""

from collections.abc import Collection, Iterator
from typing import Any, Self

import numpy as np

from ..core.arrays import Floats
from .preprocessing import is_nominal
from .row_labels import find_row_labels, is_time
from .validation import as_frame, column_names, numbers_or_nan

FEW_ROWS, FEW_VALUES = 40, 10
NEARLY_EQUAL = 0.999
"""Correlation with the target that makes an input suspicious."""
SIMILAR, ROWS_TO_COMPARE = 0.5, 20
"""Correlation of errors of neighbouring rows that shows an order, and rows that it needs."""
EXACT = 1e-3
"""Range of the errors beside that of the target below which their order means nothing."""
LAST_ROWS = (
    "random test rows lie between training rows, so tests look better than predictions of the "
    "future are. To test on the last rows, set 'holdout' of vjmgp fit or fit_report to last."
)


class Caution(str):
    """A reason to be careful, as text with a short word for its kind."""

    kind: str

    def __new__(cls, kind: str, text: str) -> Self:
        """Return the text with its kind."""
        caution = super().__new__(cls, text)
        caution.kind = kind
        return caution

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return self.kind, str(self)


def table_cautions(
    table: Any,
    target: Floats,
    residuals: Floats,
    nominal: Collection[str] = (),
    dates: Collection[str] = (),
) -> Iterator[Caution]:
    """Yield reasons to doubt a fit: few rows, few levels, leak, ID, time order.

    `residuals` are those of the fitted model in the order of the rows, `nominal` columns of numbers
    that stand for levels, `dates` columns of elapsed time.
    """
    table = as_frame(table)
    table = table.set_axis(column_names(table), axis=1)
    rows, values = len(target), len(np.unique(target))
    if rows < FEW_ROWS:
        yield Caution("few rows", f"Errors and intervals from {rows} rows can be far off.")
    if 1 < values <= min(FEW_VALUES, rows // 2):
        yield Caution(
            "few levels",
            f"The target has only {values} different values: a formula predicts numbers between "
            "them, too. If they are classes, a classifier serves better.",
        )
    labels = find_row_labels(table.drop(columns=list(dates)), nominal)
    levels = {*nominal, *(name for name in table.columns if is_nominal(table[name]))}
    numbers = {name: numbers_or_nan(table[name]) for name in table.columns if name not in levels}
    for name, column in numbers.items():
        correlation = abs(_correlation(column, target))
        if correlation >= NEARLY_EQUAL:
            yield Caution(
                "leak",
                f"The input {name!r} nearly is the target (correlation {correlation:.4f}): if it "
                "is not known when predictions are needed, leave it out.",
            )
    for name, label in labels.items():
        yield Caution(
            "ID",
            f"The input {name!r} seems to name the rows ({label.reason}): unless it means "
            "something, leave it out. What it has taught says nothing about new rows.",
        )
    ordered = [
        name
        for name in numbers
        if name not in labels and is_in_time_order(name, numbers[name], dates)
    ]
    if ordered:
        yield Caution("time order", f"The rows are in the order of {ordered[0]!r}: {LAST_ROWS}")
    elif (similar := _similarity(target, residuals)) >= SIMILAR:
        yield Caution(
            "time order",
            f"Neighbouring rows have similar errors (correlation {similar:.2f}), as rows in the "
            f"order of time or of groups have: {LAST_ROWS}",
        )


def _correlation(a: Floats, b: Floats) -> float:
    """Return the correlation of the rows where both are known; 0 if it is not defined."""
    known = np.isfinite(a) & np.isfinite(b)
    a, b = a[known], b[known]
    if len(a) < 3 or np.ptp(a) == 0.0 or np.ptp(b) == 0.0:
        return 0.0
    return float(np.corrcoef(a / np.abs(a).max(), b / np.abs(b).max())[0, 1])


def is_in_time_order(name: str, values: Floats, dates: Collection[str] = ()) -> bool:
    """Return whether a column never falls (or rises), and has a name of time, or steps of 1."""
    steps = np.diff(values)
    is_ordered = bool((steps >= 0.0).all() or (steps <= 0.0).all()) and values[0] != values[-1]
    return is_ordered and (name in dates or is_time(name) or bool((steps == 1.0).all()))


def _similarity(target: Floats, residuals: Floats) -> float:
    """Return the correlation of neighbouring errors; 0 if rows are sorted by the target, or few."""
    steps = np.diff(target)
    is_sorted = (steps >= 0.0).all() or (steps <= 0.0).all()
    is_exact = np.ptp(residuals) <= EXACT * np.ptp(target)
    if len(target) < ROWS_TO_COMPARE or is_sorted or is_exact:
        return 0.0
    return _correlation(residuals[1:], residuals[:-1])
