"""One run of another learner: tuned by 5-fold cross-validation on the training rows."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, KFold

from ..protocol import r2
from .config import load_class
from .data import Problem
from .sizes import model_size

FOLDS = 5


def run_baseline(definition: dict[str, Any], problem: Problem) -> dict[str, Any]:
    """Tune, fit, score and describe: what a run record holds beyond its names."""
    standardizer = problem.standardizer
    x = standardizer.standardize(problem.train_table)
    y = standardizer.standardize_target(problem.labels)
    estimator = load_class(definition["estimator"])(**definition.get("settings", {}))
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=problem.seed)
    started, busy = time.perf_counter(), time.process_time()
    model, chosen, failed = tune(estimator, definition.get("grid", {}), x, y, problem.seed)
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - busy

    def predict(table: Any) -> Any:
        values = np.asarray(model.predict(standardizer.standardize(table)), dtype=np.float64)
        return standardizer.clip_target(standardizer.restore_target(values.ravel()))

    return {
        "train_r2": r2(problem.labels, predict(problem.train_table)),
        "test_r2": r2(problem.target[problem.test], predict(problem.test_table)),
        "size": model_size(model),
        "trees": None,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "parameters": chosen,
        "failed_candidates": failed,
    }


def tune(
    estimator: Any, grid: dict[str, list[Any]], x: Any, y: Any, seed: int
) -> tuple[Any, dict[str, Any], int]:
    """The best model on all rows, its parameters, and how many others could not be fitted."""
    if not grid:
        return estimator.fit(x, y), {}, 0
    folds = KFold(min(FOLDS, len(y)), shuffle=True, random_state=seed)
    search = GridSearchCV(estimator, grid, cv=folds, error_score=np.nan)
    search.fit(x, y)
    failed = int(np.isnan(search.cv_results_["mean_test_score"]).sum())
    return search.best_estimator_, dict(search.best_params_), failed
