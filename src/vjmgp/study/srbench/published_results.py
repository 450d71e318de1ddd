"""Read the published results of SRBench and others."""

from __future__ import annotations

import pandas as pd

from ...core.files import package_folder

READS = ("data/srbench/algorithms.csv", "data/srbench/black_box_medians.csv")
SRBENCH_COLUMNS = {"test_r2": "r2_test", "size": "model_size", "seconds": "seconds"}
"""SRBench's names of our columns."""
TRIALS = 10
"""Splits behind each published median."""


def published_medians(metric: str) -> pd.DataFrame:
    """Return datasets × algorithms: medians over SRBench's trials."""
    table = pd.read_csv(package_folder("data/srbench") / "black_box_medians.csv")
    return table.pivot_table(index="dataset", columns="algorithm", values=SRBENCH_COLUMNS[metric])


def published_algorithms() -> pd.DataFrame:
    """Return kind of model (`kind`) and origin of the figures (`source`) by algorithm."""
    return pd.read_csv(package_folder("data/srbench") / "algorithms.csv").set_index("method")
