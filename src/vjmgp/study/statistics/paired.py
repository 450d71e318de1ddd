"""Two methods on one dataset: Wilcoxon's signed-rank test on runs paired by seed."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import wilcoxon

from ...core.arrays import Floats
from .effects import bootstrap_medians, rank_biserial

BETTER, SIMILAR, WORSE = "better", "similar", "worse"
OUTCOMES = (BETTER, SIMILAR, WORSE)
OPPOSITE = {BETTER: WORSE, SIMILAR: SIMILAR, WORSE: BETTER}
NO_PAIRS, ALL_TIES, TOO_FEW, MANY_TIES = "no pairs", "all ties", "too few pairs", "too many ties"
"""Why a comparison could not have come out otherwise."""
TEST_COLUMNS = [
    *("method", "versus", "dataset", "pairs", "ties", "unpaired", "p", "outcome", "note"),
    *("median_difference", "low", "high", "rank_biserial"),
]


def too_few(pairs: int, level: float) -> bool:
    """Whether even the clearest outcome of so many pairs misses the level."""
    return 2.0 * 0.5**pairs >= level


def p_values(differences: Floats, level: float) -> Floats:
    """SciPy's p-value for each row; NaN are missing pairs.

    Zeros are left out. A row with too few pairs, or none, is not tested and gets 1.
    """
    tested = np.isfinite(differences) & (differences != 0.0)
    size = tested.sum(axis=1)
    p = np.ones(len(differences))
    left = np.array([not too_few(int(pairs), level) for pairs in size], dtype=bool)
    # Rows without gap or tie go to SciPy together. It would treat all rows as the worst of them,
    # so the others are tested one by one.
    distance = np.sort(np.abs(differences), axis=1)
    plain = tested.all(axis=1) & (np.diff(distance, axis=1) > 0.0).all(axis=1) & left
    with np.errstate(all="ignore"):
        if plain.any():
            p[plain] = wilcoxon(differences[plain], axis=1).pvalue
        for row in np.flatnonzero(left & ~plain):
            p[row] = wilcoxon(differences[row, tested[row]]).pvalue
    return p


def outcomes(differences: Floats, p: Floats, level: float) -> NDArray[np.str_]:
    """Better, similar or worse, row by row."""
    direction = rank_biserial(differences)
    clear = (p < level) & (direction != 0.0)
    return np.where(clear, np.where(direction > 0.0, BETTER, WORSE), SIMILAR)


def scores_by_seed(
    runs: pd.DataFrame, methods: list[str], datasets: list[str], metric: str
) -> dict[str, Floats]:
    """For each method datasets × seeds, NaN where a run is missing: where all pairs come from."""
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


def paired_tests(
    runs: pd.DataFrame, methods: list[str], datasets: list[str], metric: str, level: float
) -> pd.DataFrame:
    """Every pair of methods on every dataset, once: test, outcome and effect size.

    `pairs` counts seeds that both have, `ties` those with equal scores, `unpaired` those that only
    one has. The difference is the first method's score minus the other's, its median with a
    bootstrap interval. A dataset without a pair has no outcome.
    """
    scores = scores_by_seed(runs, methods, datasets, metric)
    parts = [
        tests_of_pair(scores[a], scores[b], level).assign(method=a, versus=b, dataset=datasets)
        for a, b in itertools.combinations(methods, 2)
    ]
    if not parts:
        return pd.DataFrame(columns=TEST_COLUMNS)
    return pd.concat(parts, ignore_index=True)[TEST_COLUMNS]


def tests_of_pair(first: Floats, second: Floats, level: float) -> pd.DataFrame:
    """Two methods, each with datasets × seeds: a row for each dataset."""
    differences = first - second
    pairs = np.isfinite(differences).sum(axis=1)
    ties = (differences == 0.0).sum(axis=1)
    either = (np.isfinite(first) | np.isfinite(second)).sum(axis=1)
    p = p_values(differences, level)
    few, untied_few = (
        np.array([too_few(int(n), level) for n in counts], dtype=bool)
        for counts in (pairs, pairs - ties)
    )
    low, high = bootstrap_medians(differences)
    return pd.DataFrame(
        {
            "pairs": pairs,
            "ties": ties,
            "unpaired": either - pairs,
            "p": np.where(pairs > 0, p, np.nan),
            "outcome": np.where(pairs > 0, outcomes(differences, p, level), ""),
            "note": np.select(
                [pairs == 0, ties == pairs, few, untied_few],
                [NO_PAIRS, ALL_TIES, TOO_FEW, MANY_TIES],
                "",
            ),
            "median_difference": medians_of_rows(differences),
            "low": low,
            "high": high,
            "rank_biserial": rank_biserial(differences),
        }
    )


def medians_of_rows(values: Floats) -> Floats:
    """The median of each row, without the NaN; NaN where there is nothing else."""
    filled = np.isfinite(values).any(axis=1)
    medians = np.full(len(values), np.nan)
    if filled.any():
        medians[filled] = np.nanmedian(values[filled], axis=1)
    return medians
