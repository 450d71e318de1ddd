"""What SRBench and others have published: medians by dataset, and what each algorithm is."""

from __future__ import annotations

import pandas as pd

from ...core.files import package_folder

READS = ("data/srbench/algorithms.csv", "data/srbench/black_box_medians.csv")
METRICS = {"test_r2": "r2_test", "size": "model_size", "seconds": "seconds"}
"""Our columns, and SRBench's for the same."""
TRIALS = 10
"""Splits that the published medians are over."""


def published_medians(metric: str) -> pd.DataFrame:
    """Datasets × algorithms: the median over SRBench's trials."""
    table = pd.read_csv(package_folder("data/srbench") / "black_box_medians.csv")
    return table.pivot_table(index="dataset", columns="algorithm", values=METRICS[metric])


def published_algorithms() -> pd.DataFrame:
    """By name: what their models are (`kind`), and whose figures these are (`source`)."""
    return pd.read_csv(package_folder("data/srbench") / "algorithms.csv").set_index("method")
