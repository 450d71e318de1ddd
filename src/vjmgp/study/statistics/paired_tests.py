"""Wilcoxon's signed-rank test of two methods: by dataset on paired seeds, and over all datasets."""

import itertools

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import false_discovery_control, wilcoxon

from ...core.arrays import Floats
from .effect_sizes import bootstrap_medians, bootstrap_rank_biserial, rank_biserial
from .fewest_pairs import fewest_pairs

BETTER, SIMILAR, WORSE = "better", "similar", "worse"
OUTCOMES = (BETTER, SIMILAR, WORSE)
OPPOSITE = {BETTER: WORSE, SIMILAR: SIMILAR, WORSE: BETTER}
NO_PAIRS, ALL_TIES, TOO_FEW, MANY_TIES = "no pairs", "all ties", "too few pairs", "too many ties"
"""Reasons why a comparison could not be significant."""
BY_DATASET = [
    *("method", "versus", "dataset", "pairs", "ties", "unpaired", "p", "outcome", "note"),
    *("median_difference", "low", "high", "rank_biserial"),
]
OVER_DATASETS = [
    *("method", "versus", "datasets", "median_difference", "low", "high"),
    *("rank_biserial", "rank_biserial_low", "rank_biserial_high", "p", "p_adjusted", "note"),
]
"""Columns of the two tables of tests."""


def p_values(differences: Floats, level: float) -> Floats:
    """Return SciPy's p-value of each row; NaN marks a missing pair.

    Zeros are left out. A row with too few pairs is not tested and gets 1.
    """
    tested = np.isfinite(differences) & (differences != 0.0)
    p = np.ones(len(differences))
    enough = tested.sum(axis=1) >= fewest_pairs(level)
    # SciPy treats all rows of one call as it must treat the worst of them. Rows without gaps and
    # ties are tested together, and the rest one by one.
    distance = np.sort(np.abs(differences), axis=1)
    plain = tested.all(axis=1) & (np.diff(distance, axis=1) > 0.0).all(axis=1) & enough
    with np.errstate(all="ignore"):
        if plain.any():
            p[plain] = wilcoxon(differences[plain], axis=1).pvalue
        for row in np.flatnonzero(enough & ~plain):
            p[row] = wilcoxon(differences[row, tested[row]]).pvalue
    return p


def outcomes(differences: Floats, p: Floats, level: float) -> NDArray[np.str_]:
    """Return better, similar or worse for each row."""
    direction = rank_biserial(differences)
    clear = (p < level) & (direction != 0.0)
    return np.where(clear, np.where(direction > 0.0, BETTER, WORSE), SIMILAR)


def scores_by_seed(
    runs: pd.DataFrame, methods: list[str], datasets: list[str], metric: str
) -> dict[str, Floats]:
    """Return datasets × seeds for each method, with NaN for missing runs."""
    twice = runs.duplicated(["dataset", "seed", "method"])
    if twice.any():
        row = runs[twice].iloc[0]
        raise ValueError(
            f"{row['method']} has more than one run on {row['dataset']} with seed {row['seed']}."
        )
    table = runs.pivot_table(index="dataset", columns=["method", "seed"], values=metric)
    seeds = sorted(runs["seed"].unique())
    table = table.reindex(index=datasets, columns=pd.MultiIndex.from_product([methods, seeds]))
    return {name: table[name].to_numpy(dtype=np.float64) for name in methods}


def compare_by_dataset(
    runs: pd.DataFrame, methods: list[str], datasets: list[str], metric: str, level: float
) -> pd.DataFrame:
    """Test every pair of methods on every dataset, on runs paired by seed.

    `pairs` counts the seeds that both methods have, `ties` those with equal scores, `unpaired`
    those that only one has. A dataset without a pair has no outcome.
    """
    scores = scores_by_seed(runs, methods, datasets, metric)
    parts = [
        compare_rows(scores[a], scores[b], level).assign(method=a, versus=b, dataset=datasets)
        for a, b in itertools.combinations(methods, 2)
    ]
    if not parts:
        return pd.DataFrame(columns=BY_DATASET)
    return pd.concat(parts, ignore_index=True)[BY_DATASET]


def compare_over_datasets(scores: pd.DataFrame, level: float) -> pd.DataFrame:
    """Test every pair of columns of datasets × methods on the datasets that both have.

    The p-values of all pairs that could be tested are adjusted together after Benjamini and
    Hochberg. Intervals are bootstrapped over the datasets.
    """
    pairs = list(itertools.combinations(scores.columns, 2))
    if not pairs:
        return pd.DataFrame(columns=OVER_DATASETS).astype({"p": float, "p_adjusted": float})
    names = [list(side) for side in zip(*pairs, strict=True)]
    first, second = (scores[side].to_numpy(dtype=np.float64).T for side in names)
    table = compare_rows(first, second, level).rename(columns={"pairs": "datasets"})
    low, high = zip(*map(bootstrap_rank_biserial, first - second), strict=True)
    table = table.assign(
        method=names[0], versus=names[1], rank_biserial_low=low, rank_biserial_high=high
    )
    tested = table["note"] == ""
    table["p"] = table["p"].where(tested)
    table["p_adjusted"] = np.nan
    if tested.any():
        adjusted = false_discovery_control(table.loc[tested, "p"].to_numpy(), method="bh")
        table.loc[tested, "p_adjusted"] = adjusted
    return table[OVER_DATASETS]


def compare_rows(first: Floats, second: Floats, level: float) -> pd.DataFrame:
    """Test two methods row by row: p-value, outcome, note and effect sizes.

    The difference is the first method's score minus the second's; its median has a bootstrap
    interval.
    """
    differences = first - second
    pairs = np.isfinite(differences).sum(axis=1)
    ties = (differences == 0.0).sum(axis=1)
    either = (np.isfinite(first) | np.isfinite(second)).sum(axis=1)
    p = p_values(differences, level)
    fewest = fewest_pairs(level)
    low, high = bootstrap_medians(differences)
    return pd.DataFrame(
        {
            "pairs": pairs,
            "ties": ties,
            "unpaired": either - pairs,
            "p": np.where(pairs > 0, p, np.nan),
            "outcome": np.where(pairs > 0, outcomes(differences, p, level), ""),
            "note": np.select(
                [pairs == 0, ties == pairs, pairs < fewest, pairs - ties < fewest],
                [NO_PAIRS, ALL_TIES, TOO_FEW, MANY_TIES],
                "",
            ),
            "median_difference": pd.DataFrame(differences).median(axis=1),
            "low": low,
            "high": high,
            "rank_biserial": rank_biserial(differences),
        }
    )
