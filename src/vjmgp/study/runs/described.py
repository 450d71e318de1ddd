"""A model of ours in the words of records and reports."""

from __future__ import annotations

from typing import Any

from ...formulas.input_names import legend
from ...models.symbolic import SymbolicModel, inputs_of


def features_of(model: SymbolicModel) -> list[list[Any]]:
    """Coefficient and formula of each constructed feature, the intercept first."""
    intercept, coefficients = model.original_units()
    rows: list[list[Any]] = [[intercept, "1"]]
    rows += [
        [float(coefficient), text]
        for coefficient, text in zip(coefficients, model.feature_texts(digits=4), strict=True)
    ]
    return rows


def legend_of(model: SymbolicModel) -> list[list[str]]:
    """Names in the formula that are not the columns' own, with what they stand for."""
    return legend(model.standardizer, inputs_of(model.features))
