"""Compare the distilled formula, the front and the blend with the paper's choice.

    python -m benchmarks.distillation --datasets all --seeds 30
    python -m benchmarks.distillation --datasets all --seeds 10 --rivals all
    python -m benchmarks.distillation --only-time

All methods of a run choose from the same archive, so they are paired. Datasets that are not shipped
come from PMLB, or from the cache folder in VJMGP_PMLB_CACHE.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # a process per core, one thread each

import argparse
import itertools
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from scipy.stats import wilcoxon

from benchmarks import ROOT, machine
from benchmarks.problems import loaded, named_datasets, no2, run_jobs, synthetic
from vjmgp import VJMRegressor, compile_kernels, paper_split, r2
from vjmgp.models.extrapolation import extrapolation_ignored
from vjmgp.models.kriging import initial_kernel
from vjmgp.study.statistics.summaries import by_dataset
from vjmgp.tables.preprocessing import fit_standardizer, nominal_columns

REFERENCE = "VJM"
CHOICES: dict[str, dict[str, Any]] = {
    REFERENCE: {"rule": "paper"},
    "VJM distilled": {"rule": "distil"},
    "VJM front": {"rule": "distil", "predict_with": "front"},
    "VJM blend": {"rule": "distil", "predict_with": "blend"},
}
RIVALS = ("Gaussian process", "SVR", "KernelRidge", "Extra Trees (500)", "CatBoost")
METHODS = ROOT / "config/methods.yaml"


def one_run(job: tuple[str, int, tuple[str, ...], bool]) -> list[dict[str, Any]]:
    """Fit all methods, or all rivals, on one split."""
    dataset, seed, rivals, only_formulas = job
    data = loaded(dataset)
    train, test = paper_split(dataset, len(data), seed)
    x, y, new = data.inputs.iloc[train], data.target[train], data.inputs.iloc[test]
    rows = []

    def note(method: str, predictions: Any, seconds: float, size: float = np.nan) -> None:
        score = r2(data.target[test], predictions)
        names = {"dataset": dataset, "seed": seed, "method": method}
        rows.append(names | {"test_r2": score, "size": size, "seconds": seconds})

    if rivals:
        names = [str(name) for name in x.columns]
        standardizer = fit_standardizer(x, y, names, nominal_columns(x, names, data.nominal))
        table = standardizer.standardize(x), standardizer.standardize_target(y)
        for name in rivals:
            started = time.perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fitted = rival(name, x.shape[1], seed).fit(*table)
            seconds = time.perf_counter() - started
            values = np.ravel(fitted.predict(standardizer.standardize(new)))
            note(name, standardizer.clip_target(standardizer.restore_target(values)), seconds)
        return rows
    for restarts in (1, 4):
        model = VJMRegressor.paper(
            restarts=restarts, random_state=seed, categorical_features=data.nominal
        )
        model.fit(x, y)
        fit_seconds = model.timings_["preparation"] + model.timings_["evolution"]
        times = "" if restarts == 1 else f" ×{restarts}"
        for name, choice in CHOICES.items():
            if only_formulas and "predict_with" in choice:
                continue
            started = time.perf_counter()
            model.choose(**choice)
            seconds = fit_seconds + time.perf_counter() - started
            with extrapolation_ignored():
                predicted = model.predict(new)
            note(name + times, predicted, seconds, model.predictor_.evolved_size)
    return rows


def rival(name: str, n_inputs: int, seed: int) -> Any:
    """Return an unfitted learner for standardised data."""
    from sklearn.ensemble import ExtraTreesRegressor
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVR

    if name == "Gaussian process":
        return GaussianProcessRegressor(initial_kernel(n_inputs), random_state=seed)
    if name == "Extra Trees (500)":
        return ExtraTreesRegressor(500, random_state=seed)
    if name == "CatBoost":
        from catboost import CatBoostRegressor

        return CatBoostRegressor(
            verbose=False, random_seed=seed, thread_count=1, allow_writing_files=False
        )
    grid = yaml.safe_load(METHODS.read_text(encoding="utf-8"))[name]["grid"]
    return GridSearchCV({"SVR": SVR, "KernelRidge": KernelRidge}[name](), grid, cv=5)


def summary(runs: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Compare each method with the reference, paired by dataset."""
    medians = by_dataset(runs, *(list(runs[name].unique()) for name in ("method", "dataset")))
    rows = {}
    for name in medians:
        other = medians[name]
        difference = other - medians[reference]
        own = runs[runs["method"] == name]
        same = name == reference
        rows[name] = {
            "mean of medians": round(other.mean(), 4),
            f"minus {reference}": "" if same else f"{difference.mean():+.4f}",
            "± standard error": "" if same else f"{difference.sem():.4f}",
            "better/worse": "" if same else f"{(difference > 0).sum()}/{(difference < 0).sum()}",
            "Wilcoxon p": "" if same else f"{wilcoxon(difference).pvalue:.1e}",
            "median nodes": own["size"].median(),
            "mean seconds": round(own["seconds"].mean(), 3),
        }
    return pd.DataFrame(rows).T


def times() -> list[str]:
    """Time distilling beside the run, and four restarts on one and on two cores."""
    lines = []
    cases = {"547_no2, 100 rows": no2()} | {f"{n} rows": synthetic(n, 10) for n in (1000, 10000)}
    for name, (x, y) in cases.items():
        generations = 100 if len(y) < 5000 else 30
        model = VJMRegressor(random_state=0, generations=generations).fit(x, y)
        seconds = []
        for _ in range(5):
            started = time.perf_counter()
            model.choose()
            seconds.append(time.perf_counter() - started)
        run = model.timings_["preparation"] + model.timings_["evolution"]
        lines.append(f"distilling, {name}: {np.median(seconds):.3f} s (the run {run:.2f} s)")
    x, y = no2()
    ratios = []
    for seed in range(7):
        spent = []
        for n_jobs in (1, 2):
            started = time.perf_counter()
            VJMRegressor(random_state=seed, restarts=4, n_jobs=n_jobs).fit(x, y)
            spent.append(time.perf_counter() - started)
        ratios.append(spent[1] / spent[0])
    lines.append(f"4 restarts, n_jobs=2 / n_jobs=1: {np.median(ratios):.2f} (median of 7 pairs)")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--datasets", nargs="+", default=["embedded"], help="names, embedded, all")
    parser.add_argument("--seeds", type=int, default=5, help="number of seeds")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--rivals", nargs="+", default=[], help=f"{', '.join(RIVALS)}, or all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--formulas", action="store_true", help="without front and blend")
    parser.add_argument("--only-time", action="store_true", help="time distilling only")
    parser.add_argument("--output", type=Path, default=Path("build/benchmarks/distillation.csv"))
    parser.add_argument("--with-runs", type=Path, nargs="*", default=[], help="earlier outputs")
    arguments = parser.parse_args()
    compile_kernels()
    if arguments.only_time:
        print(machine.description(), *times(), sep="\n")
        return
    datasets = named_datasets(arguments.datasets)
    rivals = RIVALS if arguments.rivals == ["all"] else tuple(arguments.rivals)
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
    jobs = [
        (name, seed, rivals, arguments.formulas)
        for seed, name in itertools.product(seeds, datasets)
    ]
    started = time.perf_counter()
    rows = run_jobs(one_run, jobs, arguments.jobs, arguments.output, every=len(datasets))
    runs = pd.concat([rows, *map(pd.read_csv, arguments.with_runs)])
    print(machine.description())
    print(f"{len(jobs)} splits in {time.perf_counter() - started:.0f} s")
    for reference in dict.fromkeys([REFERENCE, "VJM distilled"]):
        if reference in set(runs["method"]):
            print(summary(runs, reference).to_string())


if __name__ == "__main__":
    main()
