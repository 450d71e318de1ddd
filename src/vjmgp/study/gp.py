"""One run of genetic programming under a study's protocol."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..engine.functions import FIRST_VARIABLE
from ..model import SymbolicModel
from ..protocol import r2
from ..regressor import VJMRegressor
from .data import Problem

Record = dict[str, Any]


def run_gp(settings: dict[str, Any], problem: Problem, noise: dict[str, float]) -> Record:
    """Fit, score and describe: what a run record holds beyond its names."""
    model = VJMRegressor(
        **settings,
        noise_r2=noise[settings.get("noise_score", "mean")],
        random_state=problem.seed,
        categorical_features=problem.nominal,
    )
    started, busy = time.perf_counter(), time.process_time()
    model.fit(problem.train_table, problem.labels)
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - busy
    final = model.model_
    return {
        "train_r2": r2(problem.labels, model.predict(problem.train_table)),
        "test_r2": r2(problem.target[problem.test], model.predict(problem.test_table)),
        "size": final.size,
        "trees": len(final.features),
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "noise_r2": model.noise_r2_,
        "tau": model.tau_,
        "generations": model.n_iter_,
        "engine": model.engine_id_,
        "formula": final.text(digits=4),
        "features": features_of(final),
        "legend": legend_of(final),
        "model": final.to_dict(),
        "curve": evolution_curve(model, problem),
    }


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
    used = {code - FIRST_VARIABLE for feature in model.features for code in feature.codes}
    legend = []
    inputs = zip(model.variables, model.standardizer.inputs, strict=True)
    for k, (name, column) in enumerate(inputs):
        if k not in used or name == column.name:
            continue
        text = f"the column {column.name!r}"
        if column.codes is not None:
            codes = ", ".join(f"{level} → {code:.4g}" for level, code in column.codes.items())
            text += f", encoded: {codes}, any other → {column.unseen:.4g}"
        legend.append([name, text])
    return legend


def evolution_curve(model: VJMRegressor, problem: Problem) -> list[list[float]]:
    """[generation, training R², test R²] of the model that would be chosen, where it changes."""
    train = problem.labels, model.staged_predict(problem.train_table)
    test = problem.target[problem.test], model.staged_predict(problem.test_table)
    chosen = model.history_["chosen"].tolist() if len(model.history_) else [0]
    curve: list[list[float]] = []
    previous = None
    for generation, (entry, on_train, on_test) in enumerate(
        zip(chosen, train[1], test[1], strict=True)
    ):
        if entry == previous or not np.isfinite(entry):
            continue
        previous = entry
        scores = [round(r2(train[0], on_train), 6), round(r2(test[0], on_test), 6)]
        curve.append([generation, *scores])
    return curve
