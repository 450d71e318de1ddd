"""Find reasons to be careful with a fit."""

from collections.abc import Container, Iterator

import numpy as np

from ..models.extrapolation import inputs_beyond, range_text
from ..models.symbolic import SymbolicModel
from .fits import Rows

FEW_TEST_ROWS, FEW_VALUES = 10, 10
NEARLY_EQUAL = 0.999
"""Correlation with the target that makes an input suspicious."""
CLEAR_R2, MANY_OUTSIDE = 0.05, 0.05
"""Difference of R², and share of test rows outside the training range, that are worth a word."""
NOISE_IN_WORDS = (
    (0.9, "almost all of the target's variation can be predicted from these inputs"),
    (0.7, "most of the target's variation can be predicted from these inputs"),
    (0.5, "a good half of the target's variation can be predicted from these inputs"),
    (0.2, "less than half of the target's variation can be predicted from these inputs: noise, or "
     "inputs that are missing, make up the rest"),
    (-np.inf, "hardly anything of the target can be predicted from these inputs"),
)  # fmt: skip


def noise_in_words(noise_r2: float | None, test_r2: float) -> str:
    """Interpret the noise estimate beside the test R²; return "" if there is no estimate."""
    if noise_r2 is None:
        return ""
    words = next(words for least, words in NOISE_IN_WORDS if noise_r2 >= least)
    if test_r2 > noise_r2 + CLEAR_R2:
        words = "the formula does better, so they do not tell how much could be predicted"
    return (
        f"Extra Trees, which need no formula, predict training rows that they have not seen with "
        f"R² {noise_r2:.2f}: {words}."
    )


def cautions_of(rows: Rows, tested: SymbolicModel, dates: Container[str]) -> Iterator[str]:
    """Yield reasons to doubt the numbers of a fit; `dates` are columns of elapsed days."""
    count = len(rows.test)
    if 0 < count < FEW_TEST_ROWS:
        yield (f"Only {count} rows have tested the model: errors on few rows can be far off.")
    values = len(np.unique(rows.data.target))
    if values <= FEW_VALUES:
        yield (
            f"The target has only {values} different values: a formula predicts numbers between "
            "them, too. If they are classes, a classifier serves better."
        )
    yield from _nearly_equal(rows)
    yield from _row_numbers(rows, dates)
    yield from _extrapolation(rows, tested)


def _nearly_equal(rows: Rows) -> Iterator[str]:
    for name, column in rows.inputs.select_dtypes("number").items():
        known = column.notna().to_numpy()
        values, target = column.to_numpy(dtype=np.float64)[known], rows.data.target[known]
        if known.sum() > 2 and np.ptp(values) > 0 and np.ptp(target) > 0:
            correlation = abs(float(np.corrcoef(values, target)[0, 1]))
            if correlation >= NEARLY_EQUAL:
                yield (
                    f"The input {name!r} nearly is the target (correlation {correlation:.4f}): if "
                    "it is not known when predictions are needed, leave it out with the option "
                    "'ignore'."
                )


def _row_numbers(rows: Rows, dates: Container[str]) -> Iterator[str]:
    for name, column in rows.inputs.select_dtypes("number").items():
        is_number = name not in dates and name not in rows.data.nominal
        if is_number and len(column) > 2 and np.all(np.diff(column.to_numpy(np.float64)) == 1):
            yield (
                f"The input {name!r} only counts the rows: unless their order means something, "
                "leave it out with the option 'ignore'."
            )


def _extrapolation(rows: Rows, tested: SymbolicModel) -> Iterator[str]:
    if len(rows.test):
        encoded = tested.standardizer.encode(rows.inputs.iloc[rows.test])
        beyond = inputs_beyond(tested.standardizer, encoded, tested.inputs_used)
        found = [entry for entry in beyond if entry.rows > MANY_OUTSIDE * len(rows.test)]
        if found:
            yield f"Some test rows leave {range_text(found, len(rows.test))}."
