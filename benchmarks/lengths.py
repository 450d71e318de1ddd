"""Compare the length of the default formula with that of the plain student.

    python -m benchmarks.lengths                            # the shipped datasets, two seeds
    python -m benchmarks.lengths --datasets all --seeds 10

Before: the student of `final_rule="distil"`, as evolved, with four digits. Now: the formula of
`VJMRegressor()`, as `print` shows it. Also: R² of both on the test rows, the distance between shown
and predicting formula (root mean square on all rows, in deviations of the target), and the CPU time
to write one formula.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # a process per core, one thread each

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import machine
from benchmarks.problems import loaded, named_datasets
from vjmgp import VJMRegressor, compile_kernels, paper_split, r2
from vjmgp.formulas.nodes import values_at
from vjmgp.models.extrapolation import extrapolation_ignored
from vjmgp.models.symbolic import SymbolicModel

MOST_ROWS = 5000


def one_run(job: tuple[str, int]) -> dict[str, Any]:
    """Measure both formulas of one split."""
    dataset, seed = job
    data = loaded(dataset)
    train, test = paper_split(dataset, len(data), seed)
    test = test[:MOST_ROWS]
    x, y, new = data.inputs.iloc[train], data.target[train], data.inputs.iloc[test]
    regressor = VJMRegressor(random_state=seed, categorical_features=data.nominal).fit(x, y)
    model = replace(regressor.model_)  # a copy that has not been shown yet
    started = time.process_time()
    text = str(model)
    row: dict[str, Any] = {
        "dataset": dataset,
        "seed": seed,
        "now": len(text),
        "nodes now": model.evolved_size,
        "ms": 1e3 * (time.process_time() - started),
        "off": _distance(model, data.inputs.iloc[:MOST_ROWS]),
    }
    with extrapolation_ignored():
        row["R² now"] = r2(data.target[test], regressor.predict(new))
        regressor.choose(rule="distil")
        row["R² before"] = r2(data.target[test], regressor.predict(new))
    row["before"] = len(regressor.model_.text(4, exact=True))
    row["nodes before"] = regressor.model_.evolved_size
    return row


def _distance(model: SymbolicModel, table: Any) -> float:
    """Return the root mean squared difference of the shown formula in target deviations."""
    standardizer, shown = model.standardizer, model.shown
    inputs = list(standardizer.encode(table).T)
    values = np.broadcast_to(values_at(shown.rounded, inputs, shown.algebra), len(table))
    gap = standardizer.clip_target(np.array(values)) - standardizer.clip_target(
        model.evaluate(table)
    )
    return float(np.sqrt(np.nanmean(gap**2))) / standardizer.target_scale


def main() -> None:
    """Print medians by dataset and over all runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", nargs="+", default=["embedded"], help="names, embedded, all")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    names = named_datasets(options.datasets)
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    compile_kernels()
    with ProcessPoolExecutor(options.jobs) as pool:
        runs = pd.DataFrame(pool.map(one_run, [(name, seed) for name in names for seed in seeds]))
    print(machine.description())
    by_dataset = runs.drop(columns="seed").groupby("dataset").median()
    print(by_dataset.round(4).to_string())
    before, now = runs["before"].median(), runs["now"].median()
    print(f"\n{len(runs)} fits: median {before:.0f} letters before, {now:.0f} now")
    print(f"now / before: {now / before:.2f}")
    print(f"nodes: {runs['nodes before'].median():.0f} and {runs['nodes now'].median():.0f}")
    both = by_dataset["R² before"].mean(), by_dataset["R² now"].mean()
    print(f"mean of median R²: {both[0]:.3f} and {both[1]:.3f}")
    for name in ("off", "ms"):
        some = runs[name].quantile([0.5, 0.95, 1.0]).round(5).tolist()
        print(f"{name}: median {some[0]}, 95 % below {some[1]}, largest {some[2]}")


if __name__ == "__main__":
    main()
