"""Accuracy: median test R² by dataset, ours beside the paper's, under its protocol.

    python -m benchmarks.accuracy --datasets all --seeds 5

Datasets that are not shipped come from PMLB, or from the cache folder in VJMGP_PMLB_CACHE.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # a process per core, one thread each

import argparse
import functools
import itertools
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pandas as pd
import yaml

from benchmarks import machine
from vjmgp import (
    REGULARIZERS,
    VJMRegressor,
    compile_kernels,
    embedded_datasets,
    load_dataset,
    paper_split,
    r2,
)
from vjmgp.extrapolation import extrapolation_ignored
from vjmgp.fetching import CACHE_VARIABLE
from vjmgp.files import package_folder
from vjmgp.paper_study import paper_medians, pmlb_number


def cached_datasets() -> list[str]:
    """The shipped datasets, and those of the paper in the cache folder."""
    folder = os.environ.get(CACHE_VARIABLE)
    names = set(embedded_datasets())
    if folder:
        names |= {path.parent.name for path in Path(folder).glob("*/*.tsv.gz")}
    return sorted(name for name in names if pmlb_number(name) in paper_medians().index)


def one_run(job: tuple[str, str, int], settings: dict[str, object]) -> dict[str, object]:
    """One method on one split of one dataset."""
    dataset, method, seed = job
    data = load_dataset(dataset)
    train, test = paper_split(dataset, len(data), seed)
    model = VJMRegressor.paper(
        method, **settings, random_state=seed, categorical_features=data.nominal
    )
    started = time.perf_counter()
    model.fit(data.inputs.iloc[train], data.target[train])
    seconds = time.perf_counter() - started
    with extrapolation_ignored():
        on_test = model.predict(data.inputs.iloc[test])
    return {
        "dataset": dataset,
        "method": REGULARIZERS[method].label,
        "seed": seed,
        "train_r2": r2(data.target[train], model.predict(data.inputs.iloc[train])),
        "test_r2": r2(data.target[test], on_test),
        "size": model.pareto_front_.query("chosen")["size"].item(),
        "noise_r2": model.noise_r2_,
        "tau": model.tau_,
        "seconds": seconds,
    }


def table_of_medians(runs: pd.DataFrame) -> pd.DataFrame:
    """Median test R² by dataset and method, with the paper's VJM."""
    medians = runs.pivot_table(
        index="dataset", columns="method", values="test_r2", aggfunc="median", sort=False
    )
    paper = paper_medians()["VJM-GP"]
    medians["paper's VJM"] = [paper.loc[pmlb_number(name)] for name in medians.index]
    return medians


def summary(medians: pd.DataFrame) -> list[str]:
    lines = [f"mean of medians, {name}: {medians[name].mean():.4f}" for name in medians]
    ours = [name for name in medians if name != "paper's VJM"]
    for other in [name for name in medians if name != "VJM"] if "VJM" in ours else []:
        better = int((medians["VJM"] > medians[other]).sum())
        lines.append(f"VJM has the better median than {other} on {better} of {len(medians)}")
    return lines


def paper_counts() -> dict[tuple[str, str], str]:
    """The paper's better/similar/worse on test data (Wilcoxon, 30 runs, 58 datasets), both ways."""
    table = pd.read_csv(package_folder("paper") / "win_tie_loss.csv")
    measures = table["experiment"].isin(["complexity_measures", "jensen_vs_finite_difference"])
    counts = {}
    for row in table[measures & (table["metric"] == "test_r2")].to_dict("records"):
        similar = 58 - row["better"] - row["worse"]
        for key, first, last in (
            ((row["method"], row["versus"]), row["better"], row["worse"]),
            ((row["versus"], row["method"]), row["worse"], row["better"]),
        ):
            counts[key] = f" ({first}/{similar}/{last})"
    return counts


def better_and_worse(medians: pd.DataFrame) -> pd.DataFrame:
    """On how many datasets the row's method has the better / worse median than the column's.

    The paper's counts stand behind, where it has them.
    """
    paper = paper_counts()
    methods = [name for name in medians if name != "paper's VJM"]
    table = pd.DataFrame("", index=methods, columns=methods)
    for a, b in itertools.permutations(methods, 2):
        better, worse = (medians[a] > medians[b]).sum(), (medians[a] < medians[b]).sum()
        table.loc[a, b] = f"{better}/{worse}{paper.get((a, b), '')}"
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--datasets", nargs="+", default=["embedded"], help="names, embedded, all")
    parser.add_argument("--methods", nargs="+", default=["jensen_gap", "none"], help="or all")
    parser.add_argument("--settings", nargs="+", default=[], help="of VJMRegressor: sigma=0.1 …")
    parser.add_argument("--seeds", type=int, default=5, help="how many, from 0")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--output", type=Path, default=Path("build/benchmarks/accuracy.csv"))
    arguments = parser.parse_args()
    groups = {"embedded": embedded_datasets, "all": cached_datasets}
    datasets = [n for name in arguments.datasets for n in groups.get(name, lambda n=name: [n])()]
    if arguments.methods == ["all"]:
        arguments.methods = list(REGULARIZERS)
    settings = {
        name: yaml.safe_load(value)
        for name, _, value in (text.partition("=") for text in arguments.settings)
    }
    for name in arguments.methods:
        compile_kernels(name)
    jobs = list(itertools.product(datasets, arguments.methods, range(arguments.seeds)))
    started = time.perf_counter()
    with ProcessPoolExecutor(arguments.jobs) as pool:
        runs = pd.DataFrame(
            pool.map(functools.partial(one_run, settings=settings), jobs, chunksize=5)
        )
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    runs.to_csv(arguments.output, index=False)
    medians = table_of_medians(runs)
    print(machine.description())
    print(
        f"{len(jobs)} runs on {arguments.jobs} processes in {time.perf_counter() - started:.0f} s"
    )
    print(medians.round(3).to_string())
    print("\n".join(summary(medians)))
    print("better / worse medians, row against column (the paper's better/similar/worse)")
    print(better_and_worse(medians).to_string())


if __name__ == "__main__":
    main()
