"""Regression problems: made up for timing, and splits of the paper's datasets."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from vjmgp import Dataset, embedded_datasets, load_dataset, paper_split
from vjmgp.tables.paper_datasets import paper_datasets
from vjmgp.tables.pmlb import CACHE_VARIABLE
from vjmgp.tables.preprocessing import fit_standardizer


def no2() -> tuple[np.ndarray, np.ndarray]:
    """Return the standard case: 100 standardised training rows and 7 inputs of 547_no2."""
    data = load_dataset("547_no2")
    train, _ = paper_split(data.name, len(data), 0)
    table, y = data.inputs.iloc[train], data.target[train]
    standardizer = fit_standardizer(table, y, list(table.columns), [])
    return standardizer.standardize(table), standardizer.standardize_target(y)


def synthetic(rows: int, inputs: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a smooth function of a few inputs with noise, standardised."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, inputs))
    second, third = x[:, 1 % inputs], x[:, 2 % inputs]
    y = np.sin(x[:, 0]) * second + third**2 + 0.3 * rng.normal(size=rows)
    return (x - x.mean(axis=0)) / x.std(axis=0), (y - y.mean()) / y.std()


@functools.cache
def loaded(dataset: str) -> Dataset:
    """Load a dataset once in each process."""
    return load_dataset(dataset)


def named_datasets(names: Iterable[str]) -> list[str]:
    """Expand "embedded" to the shipped datasets, and "all" to those and the cached ones."""
    shipped, folder = set(embedded_datasets()), os.environ.get(CACHE_VARIABLE)
    cached = {path.parent.name for path in Path(folder).glob("*/*.tsv.gz")} if folder else set()
    groups = {"embedded": sorted(shipped), "all": sorted((shipped | cached) & {*paper_datasets()})}
    return [dataset for name in names for dataset in groups.get(name, [name])]


def run_jobs(
    one_run: Callable[[Any], list[dict[str, Any]]],
    jobs: list[Any],
    processes: int,
    output: Path,
    every: int,
) -> pd.DataFrame:
    """Run all jobs in several processes; write the rows found so far after `every` jobs."""
    output.parent.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    with ProcessPoolExecutor(processes) as pool:
        for number, found in enumerate(pool.map(one_run, jobs), 1):
            rows += found
            if number % every == 0:
                pd.DataFrame(rows).to_csv(output, index=False)
    return pd.DataFrame(rows)
