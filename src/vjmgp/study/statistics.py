"""Which method is better: paired tests by dataset, counts, medians, ranks."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import wilcoxon

from ..datasets import paper_medians, pmlb_number
from .collect import read_runs, write_csv
from .config import PAPER_COLUMN, paper_datasets

BETTER, SIMILAR, WORSE = "better", "similar", "worse"
OPPOSITE = {BETTER: WORSE, SIMILAR: SIMILAR, WORSE: BETTER}


def compare_methods(
    runs: str,
    methods: list[str],
    datasets: list[str],
    papers_protocol: bool,
    significance: float,
    summary: str,
    medians: str,
    test: str,
    train: str,
) -> None:
    """Write an experiment's statistics."""
    table = read_runs(runs)
    write_csv(summary, summary_of(table, methods))
    found = medians_of(table, methods, datasets)
    write_csv(medians, (with_paper(found) if papers_protocol else found).reset_index())
    for metric, path in (("test_r2", test), ("train_r2", train)):
        write_csv(path, win_tie_loss(table, methods, datasets, metric, significance))


def outcome(a: NDArray[np.float64], b: NDArray[np.float64], level: float) -> str:
    """Whether paired scores `a` are significantly better than `b` (larger is better).

    Wilcoxon's signed-rank test, two-sided. Equal scores, or fewer pairs than could ever reach the
    level, are "similar".
    """
    difference = a - b
    difference = difference[difference != 0.0]
    if too_few(len(difference), level):
        return SIMILAR
    with np.errstate(all="ignore"):
        result = wilcoxon(difference)
    if not result.pvalue < level:
        return SIMILAR
    ranks = pd.Series(np.abs(difference)).rank().to_numpy()
    return BETTER if ranks[difference > 0].sum() > ranks[difference < 0].sum() else WORSE


def too_few(pairs: int, level: float) -> bool:
    """Whether even the clearest outcome of so many pairs misses the level."""
    return 2.0 * 0.5**pairs >= level


def win_tie_loss(
    runs: pd.DataFrame, methods: list[str], datasets: list[str], metric: str, level: float
) -> pd.DataFrame:
    """For each pair of methods: on how many datasets one is better, similar, worse.

    Runs are paired by seed. Pairs that a method has no run for are left out and counted.
    """
    scores = runs.pivot_table(index=["dataset", "seed"], columns="method", values=metric)
    scores = scores.reindex(columns=methods)
    present = set(scores.index.get_level_values("dataset"))
    by_dataset = {name: pd.DataFrame(scores.loc[name]) for name in datasets if name in present}
    outcomes: dict[tuple[str, str], dict[str, str]] = {}
    unpaired: dict[tuple[str, str], int] = {}
    for a, b in itertools.combinations(methods, 2):
        outcomes[a, b], outcomes[b, a], unpaired[a, b] = {}, {}, 0
        for dataset, part in by_dataset.items():
            both = part[[a, b]]
            pairs = both.dropna()
            unpaired[a, b] += int(both.notna().any(axis=1).sum() - len(pairs))
            if len(pairs):
                found = outcome(pairs[a].to_numpy(), pairs[b].to_numpy(), level)
                outcomes[a, b][dataset], outcomes[b, a][dataset] = found, OPPOSITE[found]
        unpaired[b, a] = unpaired[a, b]
    rows = []
    for method, versus in itertools.permutations(methods, 2):
        results = outcomes[method, versus]
        where = {kind: [name for name in results if results[name] == kind] for kind in OPPOSITE}
        rows.append(
            {
                "method": method,
                "versus": versus,
                **{kind: len(where[kind]) for kind in OPPOSITE},
                "unpaired_runs": unpaired[method, versus],
                "better_on": " ".join(where[BETTER]),
                "worse_on": " ".join(where[WORSE]),
            }
        )
    columns = ["method", "versus", BETTER, SIMILAR, WORSE, "unpaired_runs", "better_on", "worse_on"]
    return pd.DataFrame(rows, columns=columns)


def medians_of(
    runs: pd.DataFrame, methods: list[str], datasets: list[str], metric: str = "test_r2"
) -> pd.DataFrame:
    """Median by dataset and method."""
    table = runs.pivot_table(index="dataset", columns="method", values=metric, aggfunc="median")
    table = table.reindex(index=datasets, columns=methods)
    table.columns.name = None
    return table


def with_paper(medians: pd.DataFrame) -> pd.DataFrame:
    """The medians, and the paper's for VJM where it has the dataset."""
    paper, known = paper_medians()["VJM-GP"], paper_datasets()
    values = [
        float(paper.loc[pmlb_number(name)]) if name in known else np.nan for name in medians.index
    ]
    return medians.assign(**{PAPER_COLUMN: values})


def summary_of(runs: pd.DataFrame, methods: list[str]) -> pd.DataFrame:
    """One row per method: accuracy, rank, size and time over all datasets."""
    medians = medians_of(runs, methods, sorted(runs["dataset"].unique()))
    groups = runs.groupby("method")
    table = pd.DataFrame(
        {
            "mean_of_median_test_r2": medians.mean(),
            "mean_rank": medians.rank(axis=1, ascending=False).mean(),
            "median_train_r2": groups["train_r2"].median(),
            "median_size": groups["size"].median(),
            "median_trees": groups["trees"].median(),
            "median_seconds": groups["seconds"].median(),
            "runs": groups.size(),
            "datasets": medians.notna().sum(),
        }
    )
    table = table.reindex(methods)
    for count in ("runs", "datasets"):
        table[count] = table[count].fillna(0).astype(int)
    return table.reset_index(names="method")
