"""The fits of `vjmgp fit`: one that rows it did not see judge, and one to all rows."""

from __future__ import annotations

import argparse
import sys
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..cli.methods import regularizer_of
from ..engine.trees.primitives import FUNCTION_NAMES
from ..inspection.errors import error_measures
from ..inspection.shorter import SIZES, front_models_with_intervals
from ..models.extrapolation import extrapolation_ignored
from ..models.symbolic import SymbolicModel
from ..regressor import VJMRegressor
from ..tables.dataset import Dataset

TEST = {"r2": "test_r2", "rmse": "test_rmse", "mae": "test_mae"}
"""Errors on held-out rows, as the table of models names them."""


@dataclass(frozen=True)
class Rows:
    """The data of a fit, and which of its rows train and test."""

    data: Dataset
    weights: Any
    train: Any
    test: Any

    @property
    def inputs(self) -> pd.DataFrame:
        """All rows' inputs."""
        return self.data.inputs

    def weights_of(self, rows: Any) -> Any:
        """The weights of some rows; None where all count the same."""
        return None if self.weights is None else self.weights[rows]

    def part(self, rows: Any) -> Rows:
        """Some of the rows, which neither train nor test."""
        data = replace(self.data, inputs=self.inputs.iloc[rows], target=self.data.target[rows])
        return Rows(data, self.weights_of(rows), rows[:0], rows[:0])

    @property
    def can_test(self) -> bool:
        """Whether the test rows can tell anything."""
        counted = self.test if self.weights is None else self.test[self.weights[self.test] > 0]
        return len(counted) > 1 and np.ptp(self.data.target[counted]) > 0

    def errors(self, model: SymbolicModel, rows: Any) -> dict[str, float]:
        """R², RMSE and MAE of a model on some rows."""
        with extrapolation_ignored():
            predicted = model.predict(self.inputs.iloc[rows])
        return error_measures(self.data.target[rows], predicted, self.weights_of(rows))


def evenly(rows: Any, most: int) -> Any:
    """So many of the rows at most, evenly from first to last."""
    return rows[np.linspace(0, len(rows) - 1, min(len(rows), most)).astype(int)]


def split_rows(data: Dataset, weights: Any, holdout: float, seed: int) -> Rows:
    """Hold a share of the rows back."""
    order = np.random.default_rng(seed).permutation(len(data))
    test, train = np.split(order, [round(holdout * len(data))])
    return Rows(data, weights, np.sort(train), np.sort(test))


@dataclass(frozen=True)
class Fits:
    """The fit that was tested, and the one whose models are kept; they may be the same."""

    rows: Rows
    tested: VJMRegressor
    final: VJMRegressor
    stopped_by: str

    @property
    def is_refitted(self) -> bool:
        """Whether the models that are kept have seen all rows."""
        return self.final is not self.tested


def make_fits(options: argparse.Namespace, rows: Rows) -> Fits:
    """Fit to the training rows and, where rows were held back, to all of them."""
    again = options.final_fit and len(rows.test) > 0
    seconds = options.seconds and options.seconds / (1 + again)
    if again and not options.quiet:
        print(f"A fit to {len(rows.train)} rows, to be tested on the others:", file=sys.stderr)
    tested = _fit(options, rows, rows.train, seconds)
    if not again or tested.stopped_by_ == "interrupt":
        return Fits(rows, tested, tested, tested.stopped_by_)
    if not options.quiet:
        print(f"The final fit, to all {len(rows.data)} rows:", file=sys.stderr)
    final = _fit(options, rows, np.arange(len(rows.data)), seconds)
    if final.stopped_by_ == "interrupt":
        return Fits(rows, tested, tested, "interrupt of the final fit")
    return Fits(rows, tested, final, final.stopped_by_)


def _fit(
    options: argparse.Namespace, rows: Rows, chosen: Any, seconds: float | None
) -> VJMRegressor:
    functions = [part for word in options.functions for part in word.split(",") if part]
    model = VJMRegressor(
        regularizer_of(options.method),
        population_size=options.population,
        generations=options.generations,
        max_time=seconds,
        restarts=options.restarts,
        n_jobs=-1,
        random_state=options.seed,
        categorical_features=list(rows.data.nominal) or "auto",
        missing="error" if options.missing == "drop" else options.missing,
        functions=functions or FUNCTION_NAMES,
        max_trees=options.max_trees,
        clip_predictions=options.clip,
        progress=not options.quiet,
    )
    with warnings.catch_warnings():  # told later, in the words of the command
        warnings.filterwarnings("ignore", "Interrupted after generation")
        target = pd.Series(rows.data.target[chosen], name=options.target)
        return model.fit(rows.inputs.iloc[chosen], target, rows.weights_of(chosen))


# -- the models to choose from -------------------------------------------------------------------


@dataclass(frozen=True)
class Versions:
    """The table of models of a fit, and for each row its model.

    `tested` has its like of the fit that was tested, None where there is none.
    """

    table: pd.DataFrame
    models: list[SymbolicModel]
    tested: list[SymbolicModel | None]

    @property
    def chosen(self) -> int:
        """The row of the chosen model."""
        return int(self.table["chosen"].to_numpy().argmax())

    @property
    def short(self) -> pd.DataFrame:
        """The rows of the shorter versions and of the chosen model, by size."""
        wanted = self.table["max_size"].notna() | self.table["chosen"]
        return self.table[wanted].sort_values("size", kind="stable")


def versions_of(fits: Fits, max_size: int | None) -> Versions:
    """The front, the student and shorter versions; the chosen one has at most so many nodes."""
    final, sizes = fits.final, sorted({*SIZES, max_size or SIZES[0]})
    models = front_models_with_intervals(final.fitted_)
    student = len(models) - 1 if final.student_ is not None else None
    chosen = next(row for row, m in enumerate(models) if m.features == final.model_.features)
    most = _add_shorter(models, final, sizes)
    tested = _likes(fits, models, most, chosen, sizes)
    if max_size is not None:
        chosen = _best_within(max_size, most, models)
    lines = [
        {
            "row": row,
            "chosen": row == chosen,
            "size": model.size,
            "max_size": most[row],
            "rmse": model.standardizer.target_scale * np.sqrt(model.scores["o1"]),
            **_test_errors(fits.rows, tested[row]),
            **model.scores,
            "student": row == student,
            "formula": str(model),
        }
        for row, model in enumerate(models)
    ]
    return Versions(pd.DataFrame(lines), models, tested)


def _add_shorter(models: list[SymbolicModel], final: VJMRegressor, sizes: Any) -> list[float]:
    """Add the shorter versions that are not there; for each model its most nodes, NaN for none."""
    most: list[float] = [np.nan] * len(models)
    for size, model in zip(_max_sizes(final, sizes), final.shorter_models(sizes), strict=True):
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
        raise ValueError(f"--max-size is {max_size}, but the smallest model has {least} nodes.")
    return max(small, key=most.__getitem__)


def _max_sizes(regressor: VJMRegressor, sizes: Any) -> list[int]:
    """The number of nodes at most of each of the shorter versions."""
    return [int(size) for size in regressor.shorter_versions(sizes)["max_size"]]


def _test_errors(rows: Rows, model: SymbolicModel | None) -> dict[str, float]:
    """Errors on the test rows, NaN where there is nothing to test."""
    if model is None or not rows.can_test:
        return dict.fromkeys(TEST.values(), np.nan)
    found = rows.errors(model, rows.test)
    return {column: found[name] for name, column in TEST.items()}


def _likes(
    fits: Fits, models: list[SymbolicModel], most: list[float], chosen: int, sizes: Any
) -> list[SymbolicModel | None]:
    """For each model its like of the tested fit: the chosen one, or the best of as many nodes."""
    if not fits.is_refitted:
        return list(models)
    found = _max_sizes(fits.tested, sizes)
    shorter = fits.tested.shorter_models(sizes)
    likes: list[SymbolicModel | None] = []
    for size in most:
        within = [model for own, model in zip(found, shorter, strict=True) if own <= size]
        likes.append(within[-1] if within else None)
    likes[chosen] = fits.tested.model_
    return likes
