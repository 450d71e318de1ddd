"""Made-up regression problems of any size for timing."""

from __future__ import annotations

import numpy as np

from vjmgp import load_dataset, paper_split
from vjmgp.tables.preprocessing import fit_standardizer


def no2() -> tuple[np.ndarray, np.ndarray]:
    """The standard case: 100 standardised training rows and 7 inputs of 547_no2."""
    data = load_dataset("547_no2")
    train, _ = paper_split(data.name, len(data), 0)
    table, y = data.inputs.iloc[train], data.target[train]
    standardizer = fit_standardizer(table, y, list(table.columns), [])
    return standardizer.standardize(table), standardizer.standardize_target(y)


def synthetic(rows: int, inputs: int) -> tuple[np.ndarray, np.ndarray]:
    """A smooth function of a few inputs with noise, standardised."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, inputs))
    second, third = x[:, 1 % inputs], x[:, 2 % inputs]
    y = np.sin(x[:, 0]) * second + third**2 + 0.3 * rng.normal(size=rows)
    return (x - x.mean(axis=0)) / x.std(axis=0), (y - y.mean()) / y.std()
