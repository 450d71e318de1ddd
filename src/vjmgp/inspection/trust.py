"""How far a fitted regressor can be trusted: errors in units, inputs that matter, responses."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from ..core.arrays import Floats
from ..engine.search.archive import RESTART, part_of
from ..models.intervals import ScoredRows
from ..models.symbolic import SymbolicModel
from ..tables.preprocessing import Column, Standardizer
from ..tables.validation import as_table, as_target
from .shorter import ShorterMixin, error_measures

POINTS = 101
"""Of a response curve."""
CODES_EQUAL = 1e-9


@dataclass(frozen=True)
class Stability:
    """What the restarts of a fit agree on, each with the model that it would give alone."""

    inputs: pd.DataFrame
    """Each column of the table, and the share of the restarts whose model uses it."""
    spread: Floats
    """For each row, the deviation between the restarts' predictions in the target's units."""
    models: list[SymbolicModel]
    """One for each restart."""


class TrustMixin(ShorterMixin):
    """Errors, stability, importance and responses of a fitted regressor."""

    def errors(self, X: Any, y: Any, sample_weight: Any = None) -> dict[str, float]:
        """R² ("r2"), and "rmse" and "mae" in the target's units, of the predictions."""
        found = self.residuals(X, y)
        return error_measures(found["observed"], found["predicted"].to_numpy(), sample_weight)

    def residuals(self, X: Any, y: Any) -> pd.DataFrame:
        """Columns observed, predicted and residual (observed − predicted), one row for each."""
        table = self._check_new_data(X)
        observed = as_target(y, len(table))
        predicted = self.predictor_.predict_rows(self._standardizer.standardize(table))
        return pd.DataFrame(
            {"observed": observed, "predicted": predicted, "residual": observed - predicted},
            index=getattr(table, "index", None),
        )

    def importance(
        self, X: Any, y: Any, *, repeats: int = 10, random_state: int = 0
    ) -> pd.DataFrame:
        """By how much R² falls where a column is shuffled: mean and deviation, largest first."""
        from sklearn.inspection import permutation_importance  # slow to import

        check_is_fitted(self, "model_")
        found = permutation_importance(
            self, as_table(X), y, n_repeats=repeats, random_state=random_state
        )
        columns = {
            "column": self._standardizer.names,
            "importance": found["importances_mean"],
            "deviation": found["importances_std"],
        }
        by_importance = pd.DataFrame(columns).sort_values(
            "importance", ascending=False, kind="stable"
        )
        return by_importance.reset_index(drop=True)

    def stability(self, X: Any = None) -> Stability:
        """Which inputs the restarts agree on, and how far their predictions for X are apart.

        Without X, predictions are those for the training rows.
        """
        check_is_fitted(self, "archive_")
        found = np.unique(self.archive_.facts[:, RESTART])
        if len(found) < 2:
            raise ValueError(
                "stability() compares restarts, and this model has one: fit with restarts=4."
            )
        standardizer = self._standardizer
        models = [self._model_of_restart(int(restart)) for restart in found]
        used = [{standardizer.inputs[k].name for k in model.inputs_used} for model in models]
        inputs = {
            "column": standardizer.names,
            "share": [np.mean([name in names for names in used]) for name in standardizer.names],
        }
        x = self._scored_rows().x
        if X is not None:
            x = standardizer.standardize(self._check_new_data(X))
        predictions = np.array([model.predict_rows(x) for model in models])
        by_share = pd.DataFrame(inputs).sort_values("share", ascending=False, kind="stable")
        return Stability(by_share.reset_index(drop=True), predictions.std(axis=0, ddof=1), models)

    def _model_of_restart(self, restart: int) -> SymbolicModel:
        """What this restart would have given without the others."""
        own = part_of(self.archive_, np.flatnonzero(self.archive_.facts[:, RESTART] == restart))
        own.facts[:, RESTART] = 0
        alone = copy.copy(self)
        alone.archive_, alone._short_formulas = own, {}  # those that are kept are of all restarts
        alone.choose(predict_with="model")
        return alone.model_

    def response(self, column: str | int, X: Any = None) -> pd.DataFrame:
        """Predictions along a column (by name or position), within its training range.

        The other columns stay at their mean or most frequent level of the training rows. With X,
        predictions are the mean over its rows instead, with all other columns as they are there:
        the partial dependence.
        """
        check_is_fitted(self, "model_")
        standardizer = self._standardizer
        name = _name_of(column, standardizer)
        values = _values_of(name, standardizer)
        typical = typical_row(standardizer, self._scored_rows())
        along = standardizer.standardize(pd.DataFrame([typical | {name: v} for v in values]))
        rows = along[:1].copy() if X is None else standardizer.standardize(self._check_new_data(X))
        own = [k for k, part in enumerate(standardizer.inputs) if part.name == name]
        means = []
        for point in along:
            rows[:, own] = point[own]
            means.append(float(self.predictor_.predict_rows(rows).mean()))
        return pd.DataFrame(list(zip(values, means, strict=True)), columns=[name, "prediction"])


def _name_of(column: str | int, standardizer: Standardizer) -> str:
    names = standardizer.names
    if isinstance(column, str) and column in names:
        return column
    if not isinstance(column, str) and 0 <= column < len(names):
        return names[column]
    raise ValueError(f"There is no column {column!r}; the model has {', '.join(map(repr, names))}.")


def _values_of(name: str, standardizer: Standardizer) -> list[Any]:
    """The levels of a nominal column, else points over its training range."""
    first = next(column for column in standardizer.columns if column.name == name)
    if first.codes is not None:
        return sorted(first.codes, key=str)
    low, high = first.limits or (first.mean, first.mean)
    return np.linspace(low, high, POINTS).tolist() if low < high else [low]


def input_of(column: Column, rows: ScoredRows, standardizer: Standardizer) -> Floats:
    """An input of the training rows, in its own units."""
    return rows.x[:, standardizer.inputs.index(column)] * column.scale + column.mean


def typical_row(standardizer: Standardizer, rows: ScoredRows) -> dict[str, Any]:
    """The mean of each numeric column, and the most frequent level of each nominal one."""
    encoded = {column.title: input_of(column, rows, standardizer) for column in standardizer.inputs}
    row: dict[str, Any] = {}
    for name in standardizer.names:
        parts = [column for column in standardizer.columns if column.name == name]
        codes = parts[0].codes
        row[name] = parts[0].mean
        if codes is not None:
            own = [part for part in parts if part.used]
            counts = {level: _count_of(level, own, encoded, rows) for level in codes}
            row[name] = max(counts, key=lambda level: counts[level])
    return row


def _count_of(
    level: Any, parts: list[Column], encoded: dict[str, Floats], rows: ScoredRows
) -> float:
    """The weight of the training rows that have this level of a nominal column."""
    there = np.ones(len(rows.y), dtype=bool)
    for part in parts:
        assert part.codes is not None
        rounding = CODES_EQUAL * max(part.scale, abs(part.mean))
        there &= np.abs(encoded[part.title] - part.codes[level]) <= rounding
    return float(rows.weights.each[there].sum())
