"""Compare with published runs on the twelve black-box tables of SRBench 2025.

    python -m benchmarks.srbench_2025 --tables FOLDER --seeds 0 1 2

The folder has `folds/NAME_train0.csv.gz`, `folds/NAME_test0.csv.gz` and so on, with `target` as the
last column, and `published_runs.csv` (algorithm, dataset, r2_test, size). The figure of a method is
the mean over the tables of its median test R²; a run of ours is a fold with a seed.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd

OURS = "VJMRegressor()"


def folds(folder: Path) -> list[tuple[str, int]]:
    """Return the names of the tables with the numbers of their folds."""
    names = (path.name.removesuffix(".csv.gz") for path in folder.glob("folds/*_train*.csv.gz"))
    pairs = (name.rsplit("_train", 1) for name in names)
    return sorted((table, int(number)) for table, number in pairs)


def read(folder: Path, table: str, part: str, fold: int) -> tuple[pd.DataFrame, pd.Series[float]]:
    """Return inputs and target of a fold's part, `train` or `test`."""
    rows = pd.read_csv(folder / "folds" / f"{table}_{part}{fold}.csv.gz")
    return rows.drop(columns="target"), rows["target"]


def run(folder: Path, table: str, fold: int, seed: int) -> dict[str, Any]:
    """Fit one fold."""
    from sklearn.metrics import r2_score

    from vjmgp import VJMRegressor

    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = VJMRegressor(random_state=seed).fit(*read(folder, table, "train", fold))
        seconds = time.process_time() - start
        x, y = read(folder, table, "test", fold)
        r2 = r2_score(y, model.predict(x))
    size = model.model_.shown_size
    return {"algorithm": OURS, "dataset": table, "fold": fold, "seed": seed, "r2_test": r2,
            "size": size, "seconds": seconds, "formula": str(model.model_)}  # fmt: skip


def published(folder: Path, tables: list[str]) -> pd.DataFrame:
    """Return the published runs under the tables' whole names; the file has their first words."""
    runs = pd.read_csv(folder / "published_runs.csv", dtype={"dataset": str})
    whole = {part: name for name in tables for part in (name, name.split("_")[0])}
    return runs.assign(dataset=runs["dataset"].map(whole)).dropna(subset="dataset")


def compared(runs: pd.DataFrame) -> pd.DataFrame:
    """Return medians of R² by table and algorithm, their means, and median sizes."""
    table = runs.pivot_table(["r2_test", "size"], "dataset", "algorithm", aggfunc="median")
    medians = table["r2_test"].copy()
    medians.loc["mean"] = medians.mean()
    medians.loc["median size"] = table["size"].median()
    return medians


def main() -> None:
    from benchmarks.accuracy import markdown
    from vjmgp import compile_kernels

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tables", type=Path, required=True, help="folder of the tables")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--only", nargs="+", help="some tables")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    parser.add_argument("--out", type=Path, help="write all runs to a CSV file")
    options = parser.parse_args()
    compile_kernels()
    chosen = [pair for pair in folds(options.tables) if pair[0] in (options.only or [pair[0]])]
    cases = [(options.tables, *pair, seed) for seed in options.seeds for pair in chosen]
    with ProcessPoolExecutor(options.jobs) as pool:
        ours = pd.DataFrame(pool.map(run, *zip(*cases, strict=True)))
    if options.out:
        ours.to_csv(options.out, index=False)
    theirs = published(options.tables, sorted({table for table, _ in chosen}))
    table = compared(pd.concat([ours, theirs]))
    print(markdown(table.round(3).fillna("").reset_index()))
    print(f"\nMean CPU seconds of {len(ours)} fits: {ours['seconds'].mean():.2f}")


if __name__ == "__main__":
    main()
