"""Describe a symbolic model for records and reports."""

from typing import Any

from ...formulas.input_names import legend
from ...models.symbolic import SymbolicModel


def features_of(model: SymbolicModel) -> list[list[Any]]:
    """Return coefficient and formula of each constructed feature, the intercept first."""
    intercept, coefficients = model.original_units()
    features = zip(coefficients, model.feature_texts(digits=4), strict=True)
    return [[intercept, "1"], *([float(coefficient), text] for coefficient, text in features)]


def legend_of(model: SymbolicModel) -> list[list[str]]:
    """Return the names in the formula that differ from column names, with their meanings."""
    return legend(model.standardizer, model.inputs_used, model.variables)
