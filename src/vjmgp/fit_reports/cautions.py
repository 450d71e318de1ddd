"""Find reasons to be careful with a fit."""

from collections.abc import Collection, Iterator

import numpy as np

from ..models.extrapolation import extrapolation_ignored, find_extrapolation
from ..models.symbolic import SymbolicModel
from ..tables.table_cautions import FEW_ROWS, Caution, table_cautions
from .fits import Rows

FEW_TEST_ROWS = 10
CLEAR_R2 = 0.05
"""Difference of R² that is worth a word."""
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


def cautions_of(rows: Rows, tested: SymbolicModel, dates: Collection[str]) -> Iterator[Caution]:
    """Yield reasons to doubt the numbers of a fit; `dates` are columns of elapsed days."""
    data, count = rows.data, len(rows.test)
    with extrapolation_ignored():
        residuals = data.target - tested.predict(rows.inputs)
    yield from table_cautions(rows.inputs, data.target, residuals, data.nominal, dates)
    if 0 < count < FEW_TEST_ROWS and len(data) >= FEW_ROWS:
        text = f"Only {count} rows have tested the model: errors on few rows can be far off."
        yield Caution("few rows", text)
    encoded = tested.standardizer.encode(rows.inputs.iloc[rows.test])
    if found := find_extrapolation(tested.standardizer, encoded, tested.inputs_used):
        yield Caution("extrapolation", f"The test rows leave {found.text(count)}")
