"""Measure how close formulas come to Friedman's function 1.

    python -m benchmarks.friedman --seeds 0 1 2

y = 10 sin(π x1 x2) + 20 (x3 − 1/2)² + 10 x4 + 5 x5, inputs uniform in 0 to 1, those after the fifth
irrelevant, noise with deviation 1. R² of predictions is on 5,000 test rows without noise; that of
the truth is 1, and the gap is the difference. On noisy test targets it would be 4 % smaller.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import time
import warnings
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

ROWS, INPUTS, NOISE, TEST = (250, 500, 1000), (5, 10, 25), 1.0, 5000


def friedman(x: np.ndarray) -> np.ndarray:
    """Return the function without noise."""
    wave, parabola = np.sin(np.pi * x[:, 0] * x[:, 1]), (x[:, 2] - 0.5) ** 2
    return 10.0 * wave + 20.0 * parabola + 10.0 * x[:, 3] + 5.0 * x[:, 4]


def draw(rows: int, inputs: int, seed: int) -> tuple[pd.DataFrame, np.ndarray, pd.DataFrame]:
    """Return training inputs, noisy targets and test inputs."""
    rng = np.random.default_rng([seed, rows, inputs])
    names = [f"x{number}" for number in range(1, inputs + 1)]
    x = pd.DataFrame(rng.uniform(size=(rows + TEST, inputs)), columns=names)
    y = friedman(x[:rows].to_numpy()) + NOISE * rng.standard_normal(rows)
    return x[:rows], y, x[rows:]


def run(rows: int, inputs: int, seed: int) -> dict[str, Any]:
    """Fit one table."""
    from sklearn.metrics import r2_score

    from vjmgp import VJMRegressor

    x, y, test = draw(rows, inputs, seed)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = VJMRegressor(random_state=seed).fit(x, y)
        seconds = time.process_time() - start
        r2 = r2_score(friedman(test.to_numpy()), model.predict(test))
    about = {"rows": rows, "inputs": inputs, "seed": seed, "gap": 1.0 - r2}
    size, text = model.model_.shown_size, str(model.model_)
    return {**about, "size": size, "seconds": seconds, "formula": text}


def main() -> None:
    from benchmarks.accuracy import markdown
    from vjmgp import compile_kernels

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS)
    parser.add_argument("--inputs", type=int, nargs="+", default=INPUTS)
    options = parser.parse_args()
    compile_kernels()
    runs = []
    for case in product(options.rows, options.inputs, options.seeds):
        runs.append(run(*case))
        print(
            "{rows} × {inputs}, seed {seed}: gap {gap:.4f}  {formula}".format(**runs[-1]),
            flush=True,
        )
    numbers = pd.DataFrame(runs).drop(columns=["formula", "seed"])
    table = numbers.groupby(["rows", "inputs"]).mean().reset_index()
    mean = table.mean().to_frame().T.assign(rows="mean", inputs="")
    print(markdown(pd.concat([table.astype({"rows": int, "inputs": int}), mean]).round(4)))


if __name__ == "__main__":
    main()
