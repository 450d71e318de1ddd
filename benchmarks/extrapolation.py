"""Measure how often ordinary test sets leave the training range, and how far.

    python -m benchmarks.extrapolation --datasets all       # seeds 100 to 103

Each run trains VJMRegressor() by the paper's protocol and looks at the inputs of its formula on the
test rows. Datasets that are not shipped come from PMLB, or from the folder in VJMGP_PMLB_CACHE.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # a process per core, one thread each

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import machine
from benchmarks.problems import loaded, named_datasets, run_jobs
from vjmgp import ExtrapolationWarning, VJMRegressor, compile_kernels, paper_split

WIDTHS = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
"""Distances from the training range, in its widths."""


def one_run(job: tuple[str, int]) -> list[dict[str, Any]]:
    """Return the share of test rows beyond each distance, and whether `predict` warns."""
    dataset, seed = job
    data = loaded(dataset)
    train, test = paper_split(dataset, len(data), seed)
    model = VJMRegressor(random_state=seed, categorical_features=data.nominal)
    formula = model.fit(data.inputs.iloc[train], data.target[train]).model_
    rows = data.inputs.iloc[test]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ExtrapolationWarning)
        model.predict(rows)
    scales, encoded = formula.standardizer, formula.standardizer.encode(rows)
    farthest = np.zeros(len(rows))
    for k in formula.inputs_used:
        if scales.inputs[k].limits is not None:
            low, high = scales.inputs[k].limits
            beyond = np.maximum(low - encoded[:, k], encoded[:, k] - high) / (high - low)
            farthest = np.maximum(farthest, beyond)
    shares = {f"{width:g}": float(np.mean(farthest > width)) for width in WIDTHS}
    warned = any(issubclass(warning.category, ExtrapolationWarning) for warning in caught)
    facts = {"dataset": dataset, "seed": seed, "rows": len(test), "warned": warned}
    return [facts | {"farthest": float(farthest.max())} | shares]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--datasets", nargs="+", default=["embedded"], help="names, embedded, all")
    parser.add_argument("--seeds", type=int, default=4, help="number of seeds")
    parser.add_argument("--first-seed", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("build/benchmarks/extrapolation.csv"))
    arguments = parser.parse_args()
    compile_kernels()
    datasets = named_datasets(arguments.datasets)
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
    jobs = [(name, seed) for seed in seeds for name in datasets]
    runs = run_jobs(one_run, jobs, arguments.jobs, arguments.output, every=1)
    print(machine.description())
    print(f"{len(datasets)} datasets, seeds {seeds[0]} to {seeds[-1]}, {len(runs)} test sets")
    print(f"predict() warns of {runs['warned'].sum()}.")
    for width in WIDTHS:
        beyond = runs[f"{width:g}"]
        print(f"{(beyond > 0).sum()} have a row more than {width:g} widths beyond the range, "
              f"{(beyond > 0.05).sum()} have more than 5 % of their rows there.")  # fmt: skip


if __name__ == "__main__":
    main()
