"""Medians and means by dataset and over all datasets, and the paper's medians."""

import functools
from typing import Literal

import numpy as np
import pandas as pd

from ...core.files import package_folder
from ...tables.paper_datasets import paper_datasets, pmlb_number
from ..names import IN_THE_PAPER, REFERENCE

MOST = 0.8
"""A method is averaged if it has at least this share of the most complete method's datasets."""
READS = ("data/paper/detailed_median_test_r2.csv",)


def by_dataset(
    runs: pd.DataFrame,
    methods: list[str],
    datasets: list[str],
    metric: str = "test_r2",
    how: Literal["median", "mean"] = "median",
) -> pd.DataFrame:
    """Return datasets × methods with the median or mean over the runs."""
    table = runs.pivot_table(index="dataset", columns="method", values=metric, aggfunc=how)
    table = table.reindex(index=datasets, columns=methods).astype(np.float64)
    table.columns.name = None
    return table


def common_datasets(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the methods that have most datasets, on the datasets that all of them have.

    A method that was run on a few datasets only is dropped, rather than all other datasets.
    """
    covered = scores.notna().sum()
    has_most = (covered > 0) & (covered >= MOST * covered.max())
    common: pd.DataFrame = scores.loc[:, has_most].dropna()
    return common


@functools.cache
def paper_medians() -> pd.DataFrame:
    """Return the paper's median test R² by dataset and by our names of the methods."""
    table = pd.read_csv(package_folder("data/paper") / "detailed_median_test_r2.csv")
    names = {pmlb_number(name): name for name in paper_datasets()}
    table = table.set_index("pmlb_id").rename(index=names, columns={"VJM-GP": REFERENCE})
    return table.rename_axis(None)


def with_paper(medians: pd.DataFrame) -> pd.DataFrame:
    """Return the medians, with the paper's beside those of each method that it has."""
    paper = paper_medians().reindex(medians.index).dropna(axis=1, how="all")
    both = medians.join(paper.add_suffix(IN_THE_PAPER))
    names = (column for name in medians for column in (name, f"{name}{IN_THE_PAPER}"))
    return both[[name for name in names if name in both]]


def summarise_methods(runs: pd.DataFrame, methods: list[str], datasets: list[str]) -> pd.DataFrame:
    """Return one row per method: accuracy, rank, size and CPU time of one core.

    Means and ranks of test R² are over the datasets that all methods have, so that no method is
    judged on easier ones; `common_datasets` is their number. A method with too few datasets has
    neither, and a method without a rival has no rank. Columns named `median_…` are medians over a
    method's datasets of medians over its runs.
    """
    medians = by_dataset(runs, methods, datasets)
    common = common_datasets(medians)
    means = by_dataset(runs, methods, datasets, how="mean").loc[common.index, common.columns]
    ranks, groups = common.rank(axis=1, ascending=False), runs.groupby("method")
    table = pd.DataFrame(
        {
            "mean_of_median_test_r2": common.mean(),
            "mean_test_r2": means.mean(),
            "mean_rank": ranks.mean() if common.shape[1] > 1 else np.nan,
            **{
                f"median_{column}": by_dataset(runs, methods, datasets, column).median()
                for column in ("train_r2", "size", "trees", "cpu_seconds")
            },
            "mean_cpu_seconds": groups["cpu_seconds"].mean(),
            "runs": groups.size(),
            "datasets": medians.notna().sum(),
        }
    )
    table = table.reindex(methods)
    for count in ("runs", "datasets"):
        table[count] = table[count].fillna(0).astype(int)
    table["common_datasets"] = len(common)
    return table.reset_index(names="method")
