"""A small estimator and a table with numbers and levels, for tests of fitted models."""

from __future__ import annotations

import numpy as np
import pandas as pd

from vjmgp import VJMRegressor


def small(**changes):
    return VJMRegressor(**{"population_size": 60, "generations": 20, "random_state": 0} | changes)


def table(rows=100, seed=0):
    rng = np.random.default_rng(seed)
    x = pd.DataFrame(
        {
            "load": rng.uniform(0, 10, rows),
            "site": rng.choice(["A", "B", "C"], rows, p=[0.2, 0.6, 0.2]),
            "town": rng.choice([f"town {k}" for k in range(8)], rows),
            "idle": rng.normal(size=rows),
            "same": np.full(rows, 7.0),
        },
        index=np.arange(rows) + 1000,
    )
    y = x["load"] ** 2 + 30 * (x["site"] == "A") + rng.normal(0, 3, rows)
    return x, pd.Series(y, name="energy")
