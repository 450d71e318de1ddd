"""Compare adaptive τ with τ = 1 under several readings of the paper.

    python -m benchmarks.tau --cache FOLDER

It fits VJM with and without intrusion detection on the paper's datasets, chooses from the same
fronts by τ, and counts the datasets on which the adaptive choice is better, similar and worse than
τ = 1 (Wilcoxon's test at 0.01 on the paired seeds).
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from vjmgp import VJMRegressor, load_dataset, paper_split, r2
from vjmgp.engine.objectives.noise import THRESHOLD, noise_scores
from vjmgp.study.statistics.paired_tests import OUTCOMES, compare_rows
from vjmgp.tables.paper_datasets import paper_datasets
from vjmgp.tables.pmlb import cache_folder, embedded_datasets, local_file
from vjmgp.tables.preprocessing import fit_standardizer, nominal_columns

LEVEL = 0.01
TAUS = (1.0, 10.0)


def scores_of(name: str, seed: int, cache: Path | None) -> dict[str, Any]:
    """Return test R² by detection and τ, and both noise estimates."""
    data = load_dataset(name, cache)
    train, test = paper_split(name, len(data), seed)
    x, y, rest = data.inputs.iloc[train], data.target[train], data.inputs.iloc[test]
    names = [str(column) for column in data.inputs.columns]
    nominal = nominal_columns(data.inputs, names, list(data.nominal))
    standardizer = fit_standardizer(x, y, names, nominal)
    noise = noise_scores(standardizer.standardize(x), standardizer.standardize_target(y), seed)
    row: dict[str, Any] = {"dataset": name, "seed": seed, **noise}
    for detects in (True, False):
        model = VJMRegressor.paper(
            random_state=seed,
            noise_r2=noise["mean"],
            intrusion_detection=detects,
            categorical_features=list(data.nominal),
        ).fit(x, y)
        for tau in TAUS:
            model.choose(tau=tau)
            row[f"{tau:g} {detects}"] = r2(data.target[test], model.predict(rest))
    return row


def by_switch(runs: pd.DataFrame, tau: pd.Series, detects: pd.Series) -> pd.Series:
    """Return the test R² of each run with a given τ and detection."""
    found = pd.Series(np.nan, runs.index)
    for t in TAUS:
        for d in (True, False):
            found = found.mask((tau == t) & (detects == d), runs[f"{t:g} {d}"])
    return found


def counts(runs: pd.DataFrame, one: pd.Series, other: pd.Series) -> str:
    """Count the datasets on which the first is better, similar and worse."""
    first, second = (
        runs.assign(score=scores).pivot_table("score", "dataset", "seed").to_numpy()
        for scores in (one, other)
    )
    found = compare_rows(first, second, LEVEL)["outcome"].value_counts()
    return "/".join(str(found.get(kind, 0)) for kind in OUTCOMES)


def main() -> None:
    """Run and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", help="PMLB's cache folder; by default VJMGP_PMLB_CACHE's")
    parser.add_argument("--seeds", type=int, nargs=2, default=(100, 120), metavar=("FIRST", "END"))
    parser.add_argument("--runs", type=Path, help="a CSV to write the runs to, or to read")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    if options.runs and options.runs.exists():
        runs = pd.read_csv(options.runs)
    else:
        cache = cache_folder(options.cache)
        names = [name for name in paper_datasets() if local_file(name, cache)]
        names = names or embedded_datasets()
        seeds = range(*options.seeds)
        runs = pd.DataFrame([scores_of(name, seed, cache) for name in names for seed in seeds])
        if options.runs:
            runs.to_csv(options.runs, index=False)
    clean, pooled = runs["mean"] >= THRESHOLD, runs["pooled"] >= THRESHOLD
    always, one = pd.Series(True, runs.index), pd.Series(1.0, runs.index)
    adaptive = clean.map({True: 1.0, False: 10.0})
    by_pool = pooled.map({True: 1.0, False: 10.0})
    readings = {
        "τ alone, detection by the estimate in both": (adaptive, clean, one, clean),
        "τ alone, detection in both": (adaptive, always, one, always),
        "τ alone, detection in neither": (adaptive, ~always, one, ~always),
        "estimate against none: τ = 1 with detection": (adaptive, clean, one, always),
        "estimate against none: τ = 1 without detection": (adaptive, clean, one, ~always),
        "τ alone, detection in both by an R² pooled over folds": (by_pool, pooled, one, pooled),
        "τ = 10 everywhere against τ = 1": (10 * one, clean, one, clean),
    }
    per_dataset = runs.groupby("dataset")["mean"].median()
    print(f"{len(per_dataset)} datasets, {runs['seed'].nunique()} seeds; noisy (τ = 10) in "
          f"{(~clean).mean():.0%} of the runs, on {(per_dataset < THRESHOLD).sum()} datasets in "
          "most of them.\n")  # fmt: skip
    print("| reading | better/similar/worse | mean of medians, adaptive | τ = 1 |")
    print("| --- | --- | --- | --- |")
    for words, (tau, detects, other_tau, other_detects) in readings.items():
        mine, other = by_switch(runs, tau, detects), by_switch(runs, other_tau, other_detects)
        means = [s.groupby(runs["dataset"]).median().mean() for s in (mine, other)]
        print(f"| {words} | {counts(runs, mine, other)} | {means[0]:.4f} | {means[1]:.4f} |")


if __name__ == "__main__":
    main()
