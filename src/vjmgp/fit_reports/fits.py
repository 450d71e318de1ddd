"""Fit a model to some rows and test it on the rest, then fit one to all rows."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from ..engine.trees.primitives import FUNCTION_NAMES
from ..inspection.residuals import error_measures
from ..inspection.shorter import SIZES, models_by_size
from ..models.extrapolation import extrapolation_ignored
from ..models.intervals import with_errors
from ..models.symbolic import SymbolicModel
from ..regressor import VJMRegressor
from ..tables.dataset import Dataset
from .fit_settings import FitSettings, SettingError
from .time_order import last_rows
from .training_table import TrainingTable

if TYPE_CHECKING:
    from .cross_validation import Validation


FOLDS = 5
REPEATS = ((60, 2), (2000, 1))
"""Rows up to which cross-validation is repeated so often, with the default settings …"""
USUAL_EVALUATIONS = 20_000
"""… which evaluate so many models; more of them count as more rows."""
TEST_ERRORS = ("test_r2", "test_rmse", "test_mae")
MOST_OF_FRONT = 20
"""Number of models of the front that can be chosen, evenly spaced."""


@dataclass(frozen=True)
class Rows:
    """The data of a fit, and the numbers of its training and test rows."""

    data: Dataset
    weights: Any
    train: Any
    test: Any

    @property
    def inputs(self) -> pd.DataFrame:
        """The inputs of all rows."""
        return self.data.inputs

    def weights_of(self, rows: Any) -> Any:
        """Return the weights of some rows, or None."""
        return None if self.weights is None else self.weights[rows]

    def part(self, rows: Any) -> Self:
        """Return some of the rows, without a division into training and test rows."""
        data = replace(self.data, inputs=self.inputs.iloc[rows], target=self.data.target[rows])
        return replace(
            self, data=data, weights=self.weights_of(rows), train=rows[:0], test=rows[:0]
        )

    @property
    def can_test(self) -> bool:
        """Whether there are enough test rows for errors."""
        counted = self.test if self.weights is None else self.test[self.weights[self.test] > 0]
        return len(counted) > 1 and np.ptp(self.data.target[counted]) > 0

    def errors(self, model: SymbolicModel, rows: Any) -> dict[str, float]:
        """Return R², RMSE and MAE of a model on some rows."""
        with extrapolation_ignored():
            predicted = model.predict(self.inputs.iloc[rows])
        return error_measures(self.data.target[rows], predicted, self.weights_of(rows))


def evenly(rows: Any, most: int) -> Any:
    """Return at most `most` of the rows, evenly spaced."""
    return rows[np.linspace(0, len(rows) - 1, min(len(rows), most)).astype(int)]


def planned_repeats(settings: FitSettings, rows: int) -> int:
    """Return how often cross-validation divides the rows into folds; 0 if one split tests a fit."""
    if settings.holdout is not None or not settings.final_fit:
        return 0
    if settings.repeats is not None:
        return settings.repeats
    evaluations = settings.population * settings.generations * settings.restarts
    work = rows * max(1.0, evaluations / USUAL_EVALUATIONS)
    repeats = next((repeats for most, repeats in REPEATS if work <= most), 0)
    if settings.folds or settings.seconds:
        return max(1, repeats) if settings.folds else min(1, repeats)
    return repeats


def split_rows(table: TrainingTable, settings: FitSettings) -> Rows:
    """Hold a share of the rows out; none for cross-validation."""
    data = table.data
    count = round(settings.held_out * len(data))
    if planned_repeats(settings, len(data)):
        count = 0
    if settings.holds_out_last:
        test = last_rows(data.inputs, table.dates, count)
    else:
        test = np.sort(np.random.default_rng(settings.seed).permutation(len(data))[:count])
    return Rows(data, table.weights, np.setdiff1d(np.arange(len(data)), test), test)


@dataclass(frozen=True)
class Fits:
    """The fit that was tested, and the one whose models are kept, which may be the same."""

    rows: Rows
    tested: VJMRegressor
    final: VJMRegressor
    stopped_by: str

    @property
    def is_refitted(self) -> bool:
        """Whether the models that are kept have seen all rows."""
        return self.final is not self.tested


def make_fits(
    settings: FitSettings, rows: Rows, progress: bool, announce: Callable[[str], None]
) -> Fits:
    """Fit to the training rows and, if rows were held out, to all rows."""
    again = settings.final_fit and len(rows.test) > 0
    repeats = planned_repeats(settings, len(rows.data))
    fits = 1 + again + repeats * (settings.folds or FOLDS)
    seconds = settings.seconds and settings.seconds / fits
    if again:
        announce(f"A fit to {len(rows.train)} rows, to be tested on the rest:")
    tested = fit_to(settings, rows, rows.train, seconds, progress)
    if not again or tested.stopped_by_ == "interrupt":
        return Fits(rows, tested, tested, tested.stopped_by_)
    announce(f"The final fit, to all {len(rows.data)} rows:")
    final = fit_to(settings, rows, np.arange(len(rows.data)), seconds, progress)
    if final.stopped_by_ == "interrupt":
        return Fits(rows, tested, tested, "interrupt of the final fit")
    return Fits(rows, tested, final, final.stopped_by_)


def fit_to(
    settings: FitSettings, rows: Rows, chosen: Any, seconds: float | None, progress: bool
) -> VJMRegressor:
    """Fit to some of the rows."""
    model = VJMRegressor(
        settings.find_regularizer(),
        population_size=settings.population,
        generations=settings.generations,
        max_time=seconds,
        restarts=settings.restarts,
        n_jobs=-1,
        random_state=settings.seed,
        categorical_features=list(rows.data.nominal) or "auto",
        missing="error" if settings.missing == "drop" else settings.missing,
        row_labels="keep",  # the table is without them, unless they are wanted
        functions=list(settings.functions) or FUNCTION_NAMES,
        max_trees=settings.max_trees,
        clip_predictions="auto" if settings.clip else False,
        progress=progress,
    )
    with warnings.catch_warnings():  # the report says so
        warnings.filterwarnings("ignore", "Interrupted after generation")
        target = pd.Series(rows.data.target[chosen], name=settings.target)
        return model.fit(rows.inputs.iloc[chosen], target, rows.weights_of(chosen))


@dataclass(frozen=True)
class Versions:
    """The table of models of a fit, and the model of each row.

    `tested` has the counterpart of each model in the tested fit, or None.
    """

    table: pd.DataFrame
    models: list[SymbolicModel]
    tested: list[SymbolicModel | None]

    @property
    def chosen(self) -> int:
        """The row of the chosen model."""
        return int(self.table["chosen"].to_numpy().argmax())

    @property
    def model(self) -> SymbolicModel:
        """The chosen model."""
        return self.models[self.chosen]

    @property
    def tested_model(self) -> SymbolicModel | None:
        """The counterpart of the chosen model in the tested fit, or None."""
        return self.tested[self.chosen]

    @property
    def short(self) -> pd.DataFrame:
        """The rows of the shorter versions and of models that were tested, by size."""
        table = self.table
        wanted = table["max_size"].notna() | table["chosen"]
        if "procedure" in table:
            wanted |= table["procedure"].notna()
        return table[wanted].sort_values("size", kind="stable")


def versions_of(
    fits: Fits, max_size: int | None, validation: "Validation | None" = None
) -> Versions:
    """Return the front, the student and shorter versions; `max_size` limits the chosen model.

    A cross-validation adds a linear model, and chooses a shorter version if it is as good.
    """
    final, sizes = fits.final, sorted({*SIZES, max_size or SIZES[0]})
    models, student, chosen = _front_of(final)
    most = _add_shorter(models, final, sizes)
    tested = _tested_counterparts(fits, models, most, chosen, sizes)
    if max_size is not None:
        chosen = _best_within(max_size, most, models)
    errors = [_test_errors(fits.rows, model) for model in tested]
    procedures: list[str | None] = [None] * len(models)
    if validation is not None:
        models, most, tested = [*models, validation.linear], [*most, np.nan], [*tested, None]
        procedures = validation.procedures_of(most, chosen)
        errors = [validation.errors(name) for name in procedures]
        chosen = validation.shortest_as_good(models, procedures, chosen, max_size)
    lines = [
        {
            "row": row,
            "chosen": row == chosen,
            "size": model.size,
            "max_size": most[row],
            "rmse": model.standardizer.target_scale * np.sqrt(model.scores["o1"]),
            **errors[row],
            **model.scores,
            "student": row == student,
            "procedure": procedures[row],
            "formula": str(model),
        }
        for row, model in enumerate(models)
    ]
    return Versions(pd.DataFrame(lines), models, tested)


def _front_of(final: VJMRegressor) -> tuple[list[SymbolicModel], int | None, int]:
    """Return models of the front, then the student; its number, and that of the chosen model."""
    every = final.fitted_.front_models()
    chosen = next(row for row, m in enumerate(every) if m.features == final.model_.features)
    kept = sorted({*evenly(np.arange(len(every)), MOST_OF_FRONT).tolist(), chosen})
    models = [with_errors(every[row], final.fitted_.rows) for row in kept]
    return models, None if final.student_ is None else len(models) - 1, kept.index(chosen)


def _add_shorter(models: list[SymbolicModel], final: VJMRegressor, sizes: Any) -> list[float]:
    """Add missing shorter versions; return the size limit of each model, NaN if it has none."""
    most: list[float] = [np.nan] * len(models)
    for size, model in models_by_size(final.fitted_, sizes).items():
        same = [row for row, other in enumerate(models) if other.features == model.features]
        if same:
            most[same[-1]] = size
        else:
            models.append(model)
            most.append(size)
    return most


def _best_within(max_size: int, most: list[float], models: list[SymbolicModel]) -> int:
    small = [row for row, size in enumerate(most) if size <= max_size]
    if not small:
        least = min(model.size for model in models)
        raise SettingError("max_size", f"is {max_size}, but the smallest model has size {least}.")
    return max(small, key=most.__getitem__)


def _test_errors(rows: Rows, model: SymbolicModel | None) -> dict[str, float]:
    """Return errors on the test rows, NaN if there is nothing to test."""
    if model is None or not rows.can_test:
        return dict.fromkeys(TEST_ERRORS, np.nan)
    return {f"test_{name}": value for name, value in rows.errors(model, rows.test).items()}


def _tested_counterparts(
    fits: Fits, models: list[SymbolicModel], most: list[float], chosen: int, sizes: Any
) -> list[SymbolicModel | None]:
    """Return for each model the chosen one of the tested fit, or its best one of that size."""
    if not fits.is_refitted:
        return list(models)
    shorter = list(models_by_size(fits.tested.fitted_, sizes).items())[::-1]
    counterparts = [next((m for limit, m in shorter if limit <= size), None) for size in most]
    counterparts[chosen] = fits.tested.model_
    return counterparts
