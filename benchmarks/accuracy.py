"""Print the README's table of accuracy in Markdown.

    python -m benchmarks.accuracy                          # published runs
    python -m benchmarks.accuracy --below 2000             # on small datasets
    python -m benchmarks.accuracy results/tables/runs.csv  # runs of a study

A method that was not run on all datasets of the reference is named below the table. If a method has
fewer seeds than the reference, its counts are only in a second column, in which all methods have
those seeds.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from vjmgp import load_results
from vjmgp.study.names import PAPER
from vjmgp.study.result_tables import read_table
from vjmgp.study.statistics.paired_tests import OUTCOMES, compare_rows, scores_by_seed
from vjmgp.study.statistics.summaries import by_dataset, paper_medians
from vjmgp.tables.paper_datasets import paper_datasets

METHODS = [
    *("VJM distilled", "VJM distilled ×4", "VJM", "P-VRM", "PP", "Standard GP"),
    *("GaussianProcess", "KernelRidge", "SVR", "ElasticNet", "LinearRegression"),
    *("ExtraTrees", "RandomForest", "XGB"),
]
CLEAR = 0.5
"""Smallest R² of the noise estimate for little label noise: τ = 1 in the paper."""
LEVEL = 0.01


def read_runs(place: Path | None) -> pd.DataFrame:
    """Return the successful runs by the paper's protocol, from a table or the published ones."""
    table = read_table(place) if place else load_results()
    return table[(table["protocol"] == PAPER) & (table["status"] == "ok")]


def accuracy_table(runs: pd.DataFrame, methods: list[str]) -> pd.DataFrame:
    """Return a row for each method with runs on all datasets of the reference."""
    reference = methods[0]
    datasets = list(runs["dataset"][runs["method"] == reference].unique())
    medians = by_dataset(runs, methods, datasets).dropna(axis=1)
    methods = list(medians)
    runs = runs[runs["method"].isin(methods) & runs["dataset"].isin(datasets)]
    groups, sizes = runs.groupby("method"), by_dataset(runs, methods, datasets, "size")
    noise = runs.groupby("dataset")["noise_r2"].median()
    clear = (noise >= CLEAR).reindex(datasets)
    seeds = runs.groupby(["method", "dataset"]).size().groupby("method").min()
    fewest, most = seeds.min(), seeds[reference]
    few = {name: "" for name in methods if seeds[name] < most}
    counts = {"": _outcomes(runs, methods, datasets) | few}
    if few:
        counts[f", {fewest} seeds"] = _outcomes(runs[runs["seed"] < fewest], methods, datasets)
    return pd.DataFrame(
        {
            "mean of medians": medians.mean().map("{:.3f}".format),
            f"{clear.sum()} with little label noise": medians[clear].mean().map("{:.3f}".format),
            f"{(~clear).sum()} with much": medians[~clear].mean().map("{:.3f}".format),
            **{f"{reference} better / similar / worse{n}": found for n, found in counts.items()},
            "median size": sizes.median().map("{:.0f}".format),
            "CPU seconds": groups["cpu_seconds"].mean().map(two_digits),
            "seeds": seeds,
        }
    ).loc[methods]


def _outcomes(runs: pd.DataFrame, methods: list[str], datasets: list[str]) -> dict[str, str]:
    """Count the outcomes of the reference against each method."""
    scores = scores_by_seed(runs, methods, datasets, "test_r2")
    texts = {methods[0]: ""}
    for name in methods[1:]:
        found = compare_rows(scores[methods[0]], scores[name], LEVEL)["outcome"].value_counts()
        texts[name] = " / ".join(str(found.get(kind, 0)) for kind in OUTCOMES)
    return texts


def two_digits(value: float) -> str:
    """Return two significant digits, or all before the point: 0.0097, 2.8, 170."""
    return f"{value:.0f}" if value >= 100 else f"{value:.2g}"


def markdown(table: pd.DataFrame) -> str:
    """Return a table as Markdown."""
    lines = [table.columns.tolist(), ["---"] * table.shape[1], *table.astype(str).to_numpy()]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def missing(runs: pd.DataFrame, table: pd.DataFrame, methods: list[str]) -> list[str]:
    """Return the methods that are not in the table, with their numbers of datasets."""
    found = runs.groupby("method")["dataset"].nunique().reindex(methods, fill_value=0)
    return [f"{name}: {count} datasets" for name, count in found.items() if name not in table.index]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("runs", nargs="?", type=Path, help="a study's table of runs")
    parser.add_argument("--below", type=int, help="only datasets with fewer rows than this")
    parser.add_argument("--methods", nargs="+", default=METHODS, help="the first is the reference")
    options = parser.parse_args()
    runs = read_runs(options.runs)
    if options.below:
        rows = {name: about.rows for name, about in paper_datasets().items()}
        runs = runs[runs["dataset"].map(rows) < options.below]
    table = accuracy_table(runs, options.methods)
    print(markdown(table.reset_index(names="")))
    datasets = list(runs["dataset"][runs["method"] == options.methods[0]].unique())
    known = paper_medians()["VJM"].reindex(datasets).dropna()
    print(f"\nThe paper's VJM: {known.mean():.3f} on {len(known)} datasets.")
    absent = "; ".join(missing(runs, table, options.methods)) or "nothing"
    print(f"Not on all {len(datasets)} datasets, so not in the table: {absent}.")


if __name__ == "__main__":
    main()
