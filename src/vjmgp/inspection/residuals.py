"""Measure the errors of predictions."""

from typing import Any

import pandas as pd
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error

from ..core.arrays import Floats
from ..tables.validation import as_target
from .fitted import Fitted


def error_measures(y: Any, predicted: Floats, sample_weight: Any = None) -> dict[str, float]:
    """Return R², and root mean squared and mean absolute error in the target's units."""
    return {
        "r2": float(r2_score(y, predicted, sample_weight=sample_weight)),
        "rmse": float(root_mean_squared_error(y, predicted, sample_weight=sample_weight)),
        "mae": float(mean_absolute_error(y, predicted, sample_weight=sample_weight)),
    }


def errors(fitted: Fitted, X: Any, y: Any, sample_weight: Any = None) -> dict[str, float]:
    """Return R², RMSE and MAE of the predictions."""
    found = residuals(fitted, X, y)
    return error_measures(found["observed"], found["predicted"].to_numpy(), sample_weight)


def residuals(fitted: Fitted, X: Any, y: Any) -> pd.DataFrame:
    """Return observed and predicted values and their difference, row by row."""
    observed = as_target(y, len(X))
    predicted = fitted.predict(X)
    return pd.DataFrame(
        {"observed": observed, "predicted": predicted, "residual": observed - predicted},
        index=getattr(X, "index", None),
    )
