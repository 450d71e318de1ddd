"""Find shorter versions of a model among what its fit has found, and score all of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..engine.parameters import PARAMETERS, checked, sequence_of
from ..models.symbolic import SymbolicModel
from .fitted import Fitted
from .residuals import error_measures

SIZES = (3, 5, 10, 20, 40)
SIZES_RULE = sequence_of(PARAMETERS["max_size"], "a sequence of one or more whole numbers")


def models_by_size(fitted: Fitted, sizes: Sequence[int] = SIZES) -> dict[int, SymbolicModel]:
    """Return models by largest size, each with a smaller leave-one-out error than the last."""
    found: dict[int, SymbolicModel] = {}
    least = np.inf
    for size in sorted(set(checked("sizes", sizes, {"sizes": SIZES_RULE}))):
        model = fitted.short_model(size)
        if model is not None and model.scores["o1"] < least:
            found[size], least = model, model.scores["o1"]
    return found


def shorter_versions(fitted: Fitted, sizes: Sequence[int] = SIZES) -> pd.DataFrame:
    """Return a table of `models_by_size`."""
    scale = fitted.standardizer.target_scale
    rows = [
        {
            "max_size": max_size,
            "size": model.size,
            "o1": model.scores["o1"],
            "rmse": scale * float(np.sqrt(model.scores["o1"])),
            "formula": str(model),
        }
        for max_size, model in models_by_size(fitted, sizes).items()
    ]
    return pd.DataFrame(rows)


def score_front(
    fitted: Fitted, front: pd.DataFrame, X: Any, y: Any, sample_weight: Any = None
) -> pd.DataFrame:
    """Add the shorter versions and R², RMSE and MAE on other rows to a table of the front."""
    x = fitted.standardizer.standardize(X)
    shorter = shorter_versions(fitted).drop(columns="rmse")
    table = pd.concat([front, shorter], ignore_index=True)
    for name in ("student", "chosen"):
        table[name] = table[name].eq(True)
    models = [*fitted.front_models(), *models_by_size(fitted).values()]
    scores = [error_measures(y, model.predict_rows(x), sample_weight) for model in models]
    return pd.concat([pd.DataFrame(scores), table], axis=1)
