"""Measure the coverage of prediction intervals on the paper's datasets.

    python -m benchmarks.intervals                           # two seeds
    python -m benchmarks.intervals --datasets all --seeds 30

Each run trains VJMRegressor() on 100 rows and counts the other rows within its intervals. Datasets
that are not shipped come from PMLB, or from the cache folder in VJMGP_PMLB_CACHE.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # a process per core, one thread each

import argparse
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
    with extrapolation_ignored():
        values = model.predict(data.inputs.iloc[test])
    y, deviation, rows = data.target[test], float(np.std(data.target[train])), []
    for interval in INTERVALS:
        ends = model.predictor_.intervals(values, interval)
        inside = np.mean((y >= ends[:, 0]) & (y <= ends[:, 1]))
        width = np.mean(ends[:, 1] - ends[:, 0]) / deviation
        names = {"dataset": dataset, "seed": seed, "rows": len(train), "interval": interval}
        rows.append(names | {"inside": inside, "width": width})
    return rows


def summary(runs: pd.DataFrame) -> pd.DataFrame:
    """Return mean, deviation and range of coverage over datasets, and the median width."""
    means = runs.groupby(["interval", "dataset"])[["inside", "width"]].mean()
    by_dataset = means.groupby("interval")
    inside = 100 * by_dataset["inside"].agg(["mean", "std", "min", "max"])
    return inside.round(1).assign(width=by_dataset["width"].median().round(2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--datasets", nargs="+", default=["embedded"], help="names, embedded, all")
    parser.add_argument("--seeds", type=int, default=2, help="number of seeds")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--predict-with", choices=("model", "front"), default="model")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("build/benchmarks/intervals.csv"))
    arguments = parser.parse_args()
    compile_kernels()
    datasets = named_datasets(arguments.datasets)
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
    jobs = [(name, seed, arguments.predict_with) for seed in seeds for name in datasets]
    runs = run_jobs(one_run, jobs, arguments.jobs, arguments.output, every=len(datasets))
    print(machine.description())
    print(f"{len(datasets)} datasets, seeds {seeds[0]} to {seeds[-1]}")
    print(summary(runs).to_string())


if __name__ == "__main__":
    main()
