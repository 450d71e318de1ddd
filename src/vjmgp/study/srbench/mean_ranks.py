"""Rank our methods among the algorithms with published results, of SRBench and others."""

import numpy as np
import pandas as pd

from ...core.arrays import Floats
from ...core.files import package_folder
from ..statistics.effect_sizes import resamples
from ..statistics.summaries import by_dataset, common_datasets

READS = ("data/srbench/algorithms.csv", "data/srbench/black_box_medians.csv")
SRBENCH_COLUMNS = {"test_r2": "r2_test", "size": "model_size", "seconds": "seconds"}
"""SRBench's names of our columns."""
TRIALS = 10
"""Splits behind each published median."""
OURS = "this study"
"""Source of our figures."""
SAME_NAME = "{} (ours)"
"""Name of our method if a published algorithm has the same."""


def published_medians(metric: str) -> pd.DataFrame:
    """Return datasets × algorithms: medians over SRBench's trials."""
    table = pd.read_csv(package_folder("data/srbench") / "black_box_medians.csv")
    return table.pivot_table(index="dataset", columns="algorithm", values=SRBENCH_COLUMNS[metric])


def published_algorithms() -> pd.DataFrame:
    """Return kind of model (`kind`) and origin of the figures (`source`) by algorithm."""
    return pd.read_csv(package_folder("data/srbench") / "algorithms.csv").set_index("method")


def beside_published(
    runs: pd.DataFrame, methods: list[str], datasets: list[str], kinds: dict[str, str]
) -> pd.DataFrame:
    """Return one row per method, ours and published, the best mean rank first.

    Methods are ranked on each dataset by median test R², 1 the best; ranks and R² are averaged over
    the datasets that all methods have. Without such a dataset the table is empty.
    """
    about = published_algorithms()
    names = {name: SAME_NAME.format(name) if name in about.index else name for name in methods}
    values = {
        metric: by_dataset(runs, methods, datasets, metric)
        .rename(columns=names)
        .join(published_medians(metric), how="inner")
        for metric in SRBENCH_COLUMNS
    }
    scores = common_datasets(values["test_r2"])
    ranks = scores.rank(axis=1, ascending=False)
    low, high = rank_intervals(ranks)
    shown = list(scores.columns)
    runs = runs[runs["dataset"].isin(scores.index)]
    counts = runs.groupby(["method", "dataset"]).size().groupby("method").min().rename(index=names)
    ours = {names[name]: kinds[name] for name in methods}
    table = pd.DataFrame(
        {
            "kind": [ours.get(name) or about.loc[name, "kind"] for name in shown],
            "source": [OURS if name in ours else about.loc[name, "source"] for name in shown],
            "mean_rank": ranks.mean().to_numpy(),
            "rank_low": low,
            "rank_high": high,
            "mean_r2": scores.mean().to_numpy(),
            "median_r2": scores.median().to_numpy(),
            "median_size": values["size"].loc[scores.index, shown].median().to_numpy(),
            "median_seconds": values["seconds"].loc[scores.index, shown].median().to_numpy(),
            "datasets": len(scores),
            "seeds": [int(counts.get(name, TRIALS)) for name in shown],
        },
        index=pd.Index(shown, name="method"),
    )
    return table.sort_values("mean_rank", kind="stable").reset_index()


def rank_intervals(ranks: pd.DataFrame) -> Floats:
    """Return 2 × methods: 95 % bootstrap intervals of mean ranks over the datasets."""
    if ranks.empty:
        return np.empty((2, 0))
    means = ranks.to_numpy()[resamples(len(ranks))].mean(axis=1)
    return np.asarray(np.quantile(means, [0.025, 0.975], axis=0))
