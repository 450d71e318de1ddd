"""Measure the coverage of prediction intervals on the paper's datasets.

    python -m benchmarks.intervals                           # two seeds
    python -m benchmarks.intervals --datasets all --seeds 30
    python -m benchmarks.intervals --datasets hard --seeds 10

Each run trains VJMRegressor() on 100 rows and counts the other rows within its intervals. Datasets
that are not shipped come from PMLB, or from the cache folder in VJMGP_PMLB_CACHE. "hard" are ten
tables with few rows, identifiers that are kept, outliers, copies of rows and text of many levels;
new rows have new identifiers and no copies.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # a process per core, one thread each

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import machine
from benchmarks.problems import loaded, named_datasets, run_jobs
from vjmgp import VJMRegressor, compile_kernels, paper_split
from vjmgp.models.extrapolation import extrapolation_ignored

INTERVALS = (0.5, 0.8, 0.9, 0.95)


def one_run(job: tuple[str, int, str]) -> list[dict[str, Any]]:
    """Return coverage and width, in deviations of the target, of the intervals of one split."""
    dataset, seed, predict_with = job
    data = loaded(dataset)
    train, test = paper_split(dataset, len(data), seed)
    model = VJMRegressor(
        random_state=seed, categorical_features=data.nominal, predict_with=predict_with
    )
    model.fit(data.inputs.iloc[train], data.target[train])
    names = {"dataset": dataset, "seed": seed, "rows": len(train)}
    return _coverage(model, data.inputs.iloc[test], data.target[test], names)


def _coverage(model: Any, table: Any, y: np.ndarray, names: dict[str, Any]) -> list[dict[str, Any]]:
    deviation, rows = model.model_.standardizer.target_scale, []
    for interval in INTERVALS:
        with extrapolation_ignored():
            ends = model.predict(table, interval=interval)[1]
        inside = np.mean((y >= ends[:, 0]) & (y <= ends[:, 1]))
        width = np.mean(ends[:, 1] - ends[:, 0]) / deviation
        rows.append(names | {"interval": interval, "inside": inside, "width": width})
    return rows


def _noisy(rng: Any, rows: int, inputs: int = 4) -> tuple[pd.DataFrame, np.ndarray]:
    x = rng.normal(size=(rows, inputs))
    table = pd.DataFrame(x, columns=[f"x{k}" for k in range(inputs)])
    return table, x[:, 0] + x[:, 1 % inputs] * x[:, 2 % inputs] + rng.normal(size=rows)


def _identified(rng: Any, rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    table, y = _noisy(rng, rows)
    return table.assign(id=[f"P{k}" for k in rng.integers(10**9, size=rows)]), y


def _only_identified(rng: Any, rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    table, y = _identified(rng, rows)
    return table[["id"]], y


def _whole_numbers(rng: Any, rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    table, y = _identified(rng, rows)
    return table[["x0", "id"]], np.rint(y)


def _ratio(rng: Any, rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    a, b = rng.uniform(1, 3, (2, rows))
    return pd.DataFrame({"a": a, "b": b}), 3 * a / b + 0.5 * rng.normal(size=rows)


def _far_targets(rng: Any, rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    table, _ = _ratio(rng, rows)
    return table, (table["a"] * table["b"]).to_numpy() + 0.3 * rng.standard_t(1.5, size=rows)


def _far_inputs(rng: Any, rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    a, b = rng.normal(size=(2, rows))
    table = pd.DataFrame({"a": np.exp(2 * a), "b": b})
    return table, 2 * a + b + 0.5 * rng.normal(size=rows)


def _towns(rng: Any, rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    effects, town = np.random.default_rng(0).normal(size=40), rng.integers(40, size=rows)
    a = rng.normal(size=rows)
    table = pd.DataFrame({"a": a, "town": [f"town {k}" for k in town]})
    return table, a + effects[town] + 0.5 * rng.normal(size=rows)


HARD: dict[str, tuple[Callable[..., Any], int, int]] = {
    "15 rows": (_ratio, 15, 1),
    "25 rows": (_noisy, 25, 1),
    "identifiers": (_identified, 60, 1),
    "only identifiers": (_only_identified, 40, 1),
    "whole numbers": (_whole_numbers, 50, 1),
    "outliers in the target": (_far_targets, 50, 1),
    "outliers in an input": (_far_inputs, 50, 1),
    "each row twice": (_ratio, 20, 2),
    "each row three times": (_noisy, 30, 3),
    "40 towns": (_towns, 80, 1),
}
"""Makers of tables, with the number of training rows and how often each is in the table."""


def hard_run(job: tuple[str, int, str]) -> list[dict[str, Any]]:
    """Do the same on a table of `HARD`."""
    name, seed, predict_with = job
    (make, rows, copies), rng = HARD[name], np.random.default_rng(seed)
    (table, y), (new, target) = make(rng, rows), make(rng, 1000)
    model = VJMRegressor(random_state=seed, row_labels="keep", predict_with=predict_with)
    model.fit(pd.concat([table] * copies, ignore_index=True), np.tile(y, copies))
    return _coverage(model, new, target, {"dataset": name, "seed": seed, "rows": rows})


def summary(runs: pd.DataFrame) -> pd.DataFrame:
    """Return mean, deviation and range of coverage over datasets, and the median width."""
    means = runs.groupby(["interval", "dataset"])[["inside", "width"]].mean()
    by_dataset = means.groupby("interval")
    inside = 100 * by_dataset["inside"].agg(["mean", "std", "min", "max"])
    return inside.round(1).assign(width=by_dataset["width"].median().round(2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--datasets", nargs="+", default=["embedded"], help="names, embedded, …")
    parser.add_argument("--seeds", type=int, default=2, help="number of seeds")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--predict-with", choices=("model", "front"), default="model")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("build/benchmarks/intervals.csv"))
    arguments = parser.parse_args()
    compile_kernels()
    hard = arguments.datasets == ["hard"]
    datasets = list(HARD) if hard else named_datasets(arguments.datasets)
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
    jobs = [(name, seed, arguments.predict_with) for seed in seeds for name in datasets]
    run = hard_run if hard else one_run
    runs = run_jobs(run, jobs, arguments.jobs, arguments.output, every=len(datasets))
    print(machine.description())
    print(f"{len(datasets)} datasets, seeds {seeds[0]} to {seeds[-1]}")
    print(summary(runs).to_string())
    if hard:
        means = runs.pivot_table("inside", "dataset", "interval", sort=False)
        print((100 * means).round(1).to_string())


if __name__ == "__main__":
    main()
