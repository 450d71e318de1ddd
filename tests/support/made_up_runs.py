"""Made-up tables of runs."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd


def made_up_runs(scores: Mapping[tuple[str, str], Iterable[float]], **columns: Any) -> pd.DataFrame:
    """Return runs with the given R² of each dataset and method, one for each seed."""
    rows = [
        {"dataset": dataset, "method": method, "seed": seed, "test_r2": value, "train_r2": value}
        for (dataset, method), values in scores.items()
        for seed, value in enumerate(values)
    ]
    table = pd.DataFrame(rows)
    constant = {"status": "ok", "protocol": "paper", "size": 10 + table["seed"], "trees": 2}
    return table.assign(**constant | {"cpu_seconds": 0.5} | columns)
