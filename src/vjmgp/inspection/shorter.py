"""Shorter versions of a fitted model, and how models do on other rows."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error
from sklearn.utils.validation import check_is_fitted

from ..core.arrays import Floats
from ..engine.parameters import PARAMETERS, checked, sequence_of
from ..model_selection import FrontMixin
from ..models.symbolic import SymbolicModel

SIZES = (3, 5, 10, 20, 40)
SIZES_RULE = sequence_of(PARAMETERS["max_size"], "a sequence of one or more whole numbers")


def error_measures(y: Any, predicted: Floats, sample_weight: Any = None) -> dict[str, float]:
    """R², and root mean squared and mean absolute error in the target's units."""
    return {
        "r2": float(r2_score(y, predicted, sample_weight=sample_weight)),
        "rmse": float(root_mean_squared_error(y, predicted, sample_weight=sample_weight)),
        "mae": float(mean_absolute_error(y, predicted, sample_weight=sample_weight)),
    }


class ShorterMixin(FrontMixin):
    """The best models of few nodes, from what a fit has found."""

    target_name_: str
    _short_models: dict[int, SymbolicModel]
    """Those that were made already, by the number of nodes that was asked for."""

    if TYPE_CHECKING:

        def _check_new_data(self, X: Any) -> Any:
            """A table with the training columns."""

    def _short_model(self, max_size: int) -> SymbolicModel:
        """What `choose(max_size=…)` would choose."""
        if max_size not in self._short_models:
            other = copy.copy(self).choose(max_size=max_size, predict_with="model")
            self._short_models[max_size] = other.model_
        return self._short_models[max_size]

    def _shorter(self, sizes: Sequence[int]) -> dict[int, SymbolicModel]:
        """Models by rising size, each of a smaller leave-one-out error than those before."""
        check_is_fitted(self, "archive_")
        sizes = checked("sizes", sizes, {"sizes": SIZES_RULE})
        smallest = int(self._sizes().min())
        found: dict[int, SymbolicModel] = {}
        for size in sorted(set(sizes)):
            if size >= smallest:
                model = self._short_model(size)
                errors = [other.scores["o1"] for other in found.values()]
                if model.scores["o1"] < min(errors, default=np.inf):
                    found[size] = model
        return found

    def shorter_models(self, sizes: Sequence[int] = SIZES) -> list[SymbolicModel]:
        """The models of `shorter_versions`, in its order."""
        return list(self._shorter(sizes).values())

    def shorter_versions(self, sizes: Sequence[int] = SIZES) -> pd.DataFrame:
        """The best models of at most so many nodes, one row for each that is better than before.

        `max_size` is what `choose` takes to use it, `o1` the leave-one-out error in units of the
        target's variance and `rmse` its root in the target's units. What is found is kept, so
        that another call takes no time.
        """
        scale = self._standardizer.target_scale
        return pd.DataFrame(
            [
                {
                    "max_size": max_size,
                    "size": model.size,
                    "o1": model.scores["o1"],
                    "rmse": scale * float(np.sqrt(model.scores["o1"])),
                    "formula": str(model),
                }
                for max_size, model in self._shorter(sizes).items()
            ]
        )

    def score_front(self, X: Any, y: Any, sample_weight: Any = None) -> pd.DataFrame:
        """The rows of `pareto_front_`, then the shorter versions, with R², RMSE and MAE here.

        `max_size` is missing in rows of the front: `choose` takes their number. Give rows that
        were not used for training; errors on training rows flatter long formulas.
        """
        x = self._standardizer.standardize(self._check_new_data(X))
        shorter = self.shorter_versions()
        table = pd.concat([self.pareto_front_, shorter.drop(columns="rmse")], ignore_index=True)
        for name in ("student", "chosen"):
            table[name] = table[name].eq(True)
        models = [*self.front_models(), *self.shorter_models()]
        scores = [error_measures(y, model.predict_rows(x), sample_weight) for model in models]
        return pd.concat([pd.DataFrame(scores), table], axis=1)
