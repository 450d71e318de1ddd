"""Rank our methods among the algorithms with published results, of SRBench and others."""

import numpy as np
import pandas as pd

from ...core.arrays import Floats
from ...core.files import package_folder
from ..statistics.effect_sizes import resamples
from ..statistics.fewest_pairs import fewest_pairs
from ..statistics.paired_tests import p_values
from ..statistics.summaries import by_dataset, common_datasets

READS = ("data/srbench/*.csv",)
SRBENCH_COLUMNS = {"test_r2": "r2_test", "size": "model_size", "seconds": "seconds"}
"""SRBench's names of our columns."""
LEVEL = 0.05
"""Level at which the first method must be able to differ to be tested."""
TRIALS = 10
"""Splits behind each published median."""
OURS = "this study"
"""Source of our figures."""
SAME_NAME = "{} (ours)"
"""Name of our method if a published algorithm has the same."""


def published_medians(metric: str) -> pd.DataFrame:
    """Return datasets × algorithms: medians over SRBench's trials."""
    files = sorted(package_folder("data/srbench").glob("black_box_medians*.csv"))
    table = pd.concat(map(pd.read_csv, files))
    return table.pivot_table(index="dataset", columns="algorithm", values=SRBENCH_COLUMNS[metric])


def published_algorithms() -> pd.DataFrame:
    """Return kind of model (`kind`) and origin of the figures (`source`) by algorithm."""
    return pd.read_csv(package_folder("data/srbench") / "algorithms.csv").set_index("method")


def beside_published(
    runs: pd.DataFrame, methods: list[str], datasets: list[str], kinds: dict[str, str]
) -> pd.DataFrame:
    """Return one row per method, ours and published, the best mean rank first.

    Methods are ranked on each dataset by median test R², 1 the best, ours one at a time; ranks and
    R² are averaged over the datasets that all methods have. Without such a dataset the table is
    empty. `better`, `worse` and `p` compare the experiment's first method with that of the row.
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
    shown = list(scores.columns)
    ours = {names[name]: kinds[name] for name in methods}
    ranks = ranks_one_at_a_time(scores, [name for name in shown if name in ours])
    low, high = rank_intervals(ranks)
    # NaN if the first method has too few datasets to be in the table
    lead = scores.reindex(columns=[names[methods[0]]]).to_numpy() - scores.to_numpy()
    better, worse = (lead > 0.0).sum(axis=0), (lead < 0.0).sum(axis=0)
    tested = better + worse >= fewest_pairs(LEVEL)
    runs = runs[runs["dataset"].isin(scores.index)]
    counts = runs.groupby(["method", "dataset"]).size().groupby("method").min().rename(index=names)
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
            "better": better,
            "worse": worse,
            "p": np.where(tested, p_values(lead.T, LEVEL), np.nan),
            "datasets": len(scores),
            "seeds": [int(counts.get(name, TRIALS)) for name in shown],
        },
        index=pd.Index(shown, name="method"),
    )
    return table.sort_values("mean_rank", kind="stable").reset_index()


def ranks_one_at_a_time(scores: pd.DataFrame, ours: list[str]) -> pd.DataFrame:
    """Return the ranks of datasets × methods, each of ours among the published alone.

    A published algorithm has the mean of its ranks beside each of ours.
    """
    published = scores.drop(columns=ours)
    groups = [published.join(scores[name]) for name in ours] or [published]
    ranks = pd.concat([group.rank(axis=1, ascending=False) for group in groups])
    return ranks.groupby(level=0).mean().loc[scores.index, scores.columns]


def rank_intervals(ranks: pd.DataFrame) -> Floats:
    """Return 2 × methods: 95 % bootstrap intervals of mean ranks over the datasets."""
    if ranks.empty:
        return np.empty((2, 0))
    means = ranks.to_numpy()[resamples(len(ranks))].mean(axis=1)
    return np.asarray(np.quantile(means, [0.025, 0.975], axis=0))
