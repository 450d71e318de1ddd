"""One run of genetic programming under a study's protocol."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..protocol import r2
from ..regressor import VJMRegressor
from .data import Problem

Record = dict[str, Any]


def run_gp(settings: dict[str, Any], problem: Problem, noise: dict[str, float]) -> Record:
    """Fit, score and describe: what a run record holds beyond its names."""
    settings = dict(settings)
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
        "model": final.to_dict(),
        "curve": evolution_curve(model, problem),
    }


def features_of(model: Any) -> list[list[Any]]:
    """Coefficient and formula of each constructed feature, the intercept first."""
    intercept, coefficients = model.original_units()
    rows: list[list[Any]] = [[intercept, "1"]]
    rows += [
        [float(coefficient), text]
        for coefficient, text in zip(coefficients, model.feature_texts(digits=4), strict=True)
    ]
    return rows


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
