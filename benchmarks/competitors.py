"""Measure the cost of tuning the competitors beside plain `GridSearchCV`.

    python -m benchmarks.competitors                      # all sixteen, about ten minutes
    python -m benchmarks.competitors --methods XGB LGBM

Times are CPU seconds of one run in one thread, which hardly depend on the load of the machine. A
run of Operon takes minutes; its time is extrapolated from one fit per setting.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import time
import warnings
from typing import Any

import numpy as np
import yaml
from sklearn.model_selection import GridSearchCV, KFold
from threadpoolctl import threadpool_limits

from benchmarks import ROOT, machine
from vjmgp import load_dataset, paper_split
from vjmgp.competitors.tuning import FOLDS, grid_points
from vjmgp.study.runs.baselines import TunedEstimator
from vjmgp.study.runs.block import run
from vjmgp.study.runs.problems import Problem

METHODS = yaml.safe_load((ROOT / "config/methods.yaml").read_text())
COMPETITORS = [name for name, definition in METHODS.items() if "estimator" in definition]
SLOW = "Operon"


def problem_of(dataset: str, seed: int) -> Problem:
    """Return the problem of a run by the paper's protocol."""
    data = load_dataset(dataset)
    train, test = paper_split(dataset, len(data), seed)
    labels = data.target[train]
    return Problem(dataset, seed, data.inputs, data.target, list(data.nominal), train, test, labels)


def standardised(problem: Problem) -> tuple[Any, Any]:
    """Return standardised training rows and labels."""
    scales = problem.standardizer
    x = scales.standardize(problem.train_table)
    return x, scales.standardize_target(problem.labels)


def seconds_of_slow(problem: Problem) -> float:
    """Estimate the CPU seconds of a run of Operon from one fit per setting on one fold."""
    x, y = standardised(problem)
    train, _ = next(KFold(FOLDS, shuffle=True, random_state=problem.seed).split(x))
    learner = TunedEstimator(METHODS[SLOW])
    points = grid_points(learner.grid)
    started = time.process_time()
    for point in points:
        learner.unfitted(problem.seed).set_params(**point).fit(x[train], y[train])
    return (time.process_time() - started) / len(points) * (len(points) * FOLDS + 1)


def plain_search(method: str, problem: Problem) -> tuple[float, dict[str, Any]]:
    """Return CPU seconds and choice of scikit-learn's search over the same grid and folds."""
    x, y = standardised(problem)
    learner = TunedEstimator(METHODS[method])
    points = [{key: [value] for key, value in p.items()} for p in grid_points(learner.grid)]
    folds = KFold(FOLDS, shuffle=True, random_state=problem.seed)
    unfitted = learner.unfitted(problem.seed)
    started = time.process_time()
    with threadpool_limits(1):
        search = GridSearchCV(unfitted, points, cv=folds, error_score=np.nan).fit(x, y)
    return time.process_time() - started, search.best_params_


def measured(method: str, problem: Problem) -> tuple[float, float, str]:
    """Return CPU seconds of the plain search and of ours, and whether the choices agree."""
    if method == SLOW:
        seconds = seconds_of_slow(problem)
        return seconds, seconds, "the same work"
    record = run(TunedEstimator(METHODS[method]), problem)
    ours = float(record["cpu_seconds"])
    if "grid" not in METHODS[method]:
        return ours, ours, "the same work"
    plain, choice = plain_search(method, problem)
    return plain, ours, "yes" if choice == record["parameters"] else f"no: {choice}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--methods", nargs="+", default=COMPETITORS)
    parser.add_argument("--dataset", default="547_no2")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(machine.description(), flush=True)
    print(f"CPU seconds of one run on {options.dataset}, seed {options.seed}", flush=True)
    print(f"{'method':18}{'plain':>9}{'ours':>9}{'ratio':>7}  same choice", flush=True)
    problem = problem_of(options.dataset, options.seed)
    for method in options.methods:
        plain, ours, same = measured(method, problem)
        print(f"{method:18}{plain:9.2f}{ours:9.2f}{ours / plain:7.2f}  {same}", flush=True)


if __name__ == "__main__":
    main()
