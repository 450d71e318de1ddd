"""Formulas of competitors' models, in column names and units of the table."""

from typing import Any

import numpy as np

from ..formulas.input_names import formula_inputs
from ..formulas.numbers import number
from ..tables.preprocessing import Standardizer


def model_text(model: Any, standardizer: Standardizer, digits: int | None = None) -> str | None:
    """Return the formula of a model of standardised rows in SymPy's syntax.

    It is None if the model is not linear and has no method `model_text(inputs, digits)`.
    """
    inputs = formula_inputs(standardizer)
    if hasattr(model, "model_text"):
        texts = [
            f"({name} - ({number(mean, digits)}))/{number(scale, digits)}"
            for name, mean, scale in inputs
        ]
        mean, scale = standardizer.target_mean, standardizer.target_scale
        text = model.model_text(texts, digits)
        return f"{number(mean, digits)} + {number(scale, digits)}*({text})"
    coefficients = np.ravel(getattr(model, "coef_", ()))
    if len(coefficients) != len(inputs) or not inputs:
        return None
    scales = np.array([scale for _, _, scale in inputs])
    weights = coefficients * standardizer.target_scale / scales
    start = standardizer.restore_target(np.ravel(model.intercept_)[:1])[0]
    start -= weights @ np.array([mean for _, mean, _ in inputs])
    text = number(start, digits)
    for weight, (name, _, _) in zip(weights, inputs, strict=True):
        if weight != 0:
            text += f" {'-' if weight < 0 else '+'} {number(abs(weight), digits)}*{name}"
    return text
