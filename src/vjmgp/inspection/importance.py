"""Find the columns that matter: by shuffling them, and by comparing restarts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import r2_score
from sklearn.utils import check_random_state

from ..core.arrays import Floats
from ..engine.parameters import checked, whole
from ..models.symbolic import SymbolicModel, TableModel
from .fitted import Fitted


@dataclass(frozen=True)
class Stability:
    """Agreement of the restarts of a fit, each with the model that it would give alone."""

    inputs: pd.DataFrame
    """Each column of the table, and the share of the restarts whose model uses it."""
    spread: Floats
    """Standard deviation of the restarts' predictions for each row, in the target's units."""
    models: list[SymbolicModel]
    """One for each restart."""


def importance(
    fitted: Fitted,
    X: Any,
    y: Any,
    *,
    repeats: int = 10,
    random_state: Any = 0,
    columns: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return the fall of R² when a column is shuffled: mean and deviation, largest first.

    This is scikit-learn's `permutation_importance` with the same random numbers, computed on
    standardised inputs: all inputs of a nominal column are shuffled together. Columns that
    predictions do not depend on are not shuffled, nor are those that `columns` leaves out.
    """
    repeats = checked("repeats", repeats, {"repeats": whole(1, 1_000_000)})
    x, standardizer = fitted.standardizer.standardize(X), fitted.standardizer
    score = r2_score(y, fitted.predictor.predict_rows(x))
    seed = check_random_state(random_state).randint(np.iinfo(np.int32).max + 1)
    places = {name: c for c, name in enumerate(standardizer.names)}
    falls = np.zeros((len(places), repeats))
    for name in columns_used(fitted.predictor) if columns is None else columns:
        inputs = [k for k, column in enumerate(standardizer.inputs) if column.name == name]
        before, order, state = x[:, inputs], np.arange(len(x)), check_random_state(seed)
        for repeat in range(repeats):
            state.shuffle(order)
            x[:, inputs] = x[order[:, None], inputs]
            falls[places[name], repeat] = score - r2_score(y, fitted.predictor.predict_rows(x))
        x[:, inputs] = before
    return _sorted(
        "importance",
        column=standardizer.names,
        importance=falls.mean(axis=1),
        deviation=falls.std(axis=1),
    )


def columns_used(model: TableModel) -> list[str]:
    """Return the columns of the table that predictions depend on, in their order."""
    inputs = model.standardizer.inputs
    return list(dict.fromkeys(inputs[k].name for k in sorted(model.inputs_used)))


def stability(fitted: Fitted, X: Any = None) -> Stability:
    """Compare the models of the restarts, by default on the training rows."""
    models = fitted.restart_models()
    if not models:
        raise ValueError(
            "stability() compares restarts, and this model has one: fit with restarts=4."
        )
    standardizer = fitted.standardizer
    used = [{standardizer.inputs[k].name for k in model.inputs_used} for model in models]
    shares = [np.mean([name in names for names in used]) for name in standardizer.names]
    x = fitted.rows.x if X is None else standardizer.standardize(X)
    predictions = np.array([model.predict_rows(x) for model in models])
    by_share = _sorted("share", column=standardizer.names, share=shares)
    return Stability(by_share, predictions.std(axis=0, ddof=1), models)


def _sorted(by: str, **columns: Any) -> pd.DataFrame:
    """Return a table sorted by a column, largest first."""
    table = pd.DataFrame(columns).sort_values(by, ascending=False, kind="stable")
    return table.reset_index(drop=True)
