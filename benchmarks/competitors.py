"""The competitors: what tuning costs, beside plain `GridSearchCV`, and medians beside the paper's.

    python -m benchmarks.competitors speed     # CPU seconds of one run of each, ours and plain
    python -m benchmarks.competitors hours     # core-hours of the paper's study
    python -m benchmarks.competitors paper     # median test R², ours and the paper's

All in one thread, in CPU seconds, which other programs on the machine hardly change. A run of
Operon takes minutes: its seconds are those of one fit per setting, times the folds. Datasets that
are not shipped come from PMLB, or from the cache folder in VJMGP_PMLB_CACHE.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # a process per core, one thread each

import argparse
import itertools
import json
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from sklearn.model_selection import GridSearchCV, KFold
from threadpoolctl import threadpool_limits

from benchmarks import machine
from vjmgp import load_dataset, paper_split
from vjmgp.competitors.tuning import FOLDS, grid_points
from vjmgp.paper_study import paper_medians, pmlb_number
from vjmgp.study.baselines import TunedEstimator
from vjmgp.study.learners import run
from vjmgp.study.problems import Problem

ROOT = Path(__file__).parent.parent
METHODS = yaml.safe_load((ROOT / "config/methods.yaml").read_text())
COMPETITORS = [name for name, definition in METHODS.items() if "estimator" in definition]
IN_THE_PAPER = ["ElasticNet", "SVR", "MLP", "XGB", "ExtraTrees", "RandomForest", "AdaBoost"]
"""Those whose medians the paper tells."""
DATASETS = [
    *("1027_ESL", "547_no2", "690_visualizing_galaxy", "210_cloud", "197_cpu_act"),
    *("215_2dplanes", "503_wind", "529_pollen", "564_fried", "1193_BNG_lowbwt"),
]
"""Few and many inputs, ordinal and nominal ones, little and much noise, measured and made up."""
WIDTHS = ["1027_ESL", "547_no2", "197_cpu_act"]
"""With 4, 7 and 21 inputs: what time depends on when all have 100 rows."""
Job = tuple[str, str, int]
"""Method, dataset, seed."""
SLOW = "Operon"
PAPERS_RUNS = 58 * 30


def problem_of(dataset: str, seed: int) -> Problem:
    """A run of the paper's protocol."""
    data = load_dataset(dataset)
    train, test = paper_split(dataset, len(data), seed)
    labels = data.target[train]
    return Problem(dataset, seed, data.inputs, data.target, list(data.nominal), train, test, labels)


def one_run(job: Job) -> dict[str, Any]:
    """One method on one split of one dataset."""
    method, dataset, seed = job
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        record = run(TunedEstimator(METHODS[method]), problem_of(dataset, seed))
    keep = ("train_r2", "test_r2", "size", "seconds", "cpu_seconds", "parameters")
    names = {"method": method, "dataset": dataset, "seed": seed}
    return names | {key: record[key] for key in keep}


def seconds_of(job: Job) -> dict[str, Any]:
    """CPU seconds of a run; of Operon, from one fit per setting on the rows of one fold."""
    method, dataset, seed = job
    if method != SLOW:
        return one_run(job)
    problem = problem_of(dataset, seed)
    x = problem.standardizer.standardize(problem.train_table)
    y = problem.standardizer.standardize_target(problem.labels)
    train, _ = next(KFold(FOLDS, shuffle=True, random_state=seed).split(x))
    learner = TunedEstimator(METHODS[method])
    points = grid_points(learner.grid)
    started = time.process_time()
    for point in points:
        learner.unfitted(seed).set_params(**point).fit(x[train], y[train])
    mean = (time.process_time() - started) / len(points)
    seconds = mean * (len(points) * FOLDS + 1)
    return {"method": method, "dataset": dataset, "seed": seed, "cpu_seconds": seconds}


def plain_search(method: str, dataset: str, seed: int) -> tuple[float, dict[str, Any]]:
    """CPU seconds of scikit-learn's search over the same grid and folds, and its choice."""
    problem = problem_of(dataset, seed)
    x = problem.standardizer.standardize(problem.train_table)
    y = problem.standardizer.standardize_target(problem.labels)
    learner = TunedEstimator(METHODS[method])
    points = [{key: [value] for key, value in p.items()} for p in grid_points(learner.grid)]
    folds = KFold(FOLDS, shuffle=True, random_state=seed)
    started = time.process_time()
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        search = GridSearchCV(learner.unfitted(seed), points, cv=folds, error_score=np.nan).fit(
            x, y
        )
    return time.process_time() - started, search.best_params_


# -- what is printed -------------------------------------------------------------------------------


def measure_speed(methods: list[str], dataset: str, seed: int) -> None:
    print(f"CPU seconds of one run on {dataset}, seed {seed}", flush=True)
    print(f"{'method':18}{'plain':>9}{'ours':>9}{'ratio':>7}  same choice", flush=True)
    for method in methods:
        if method == SLOW or "grid" not in METHODS[method]:
            ours = seconds_of((method, dataset, seed))["cpu_seconds"]
            print(f"{method:18}{ours:9.2f}{ours:9.2f}{1:7.2f}  the same work", flush=True)
            continue
        record = one_run((method, dataset, seed))
        plain, choice = plain_search(method, dataset, seed)
        ours = record["cpu_seconds"]
        same = "yes" if choice == record["parameters"] else f"no: {choice}"
        print(f"{method:18}{plain:9.2f}{ours:9.2f}{ours / plain:7.2f}  {same}", flush=True)


def collected(
    function: Callable[[Job], dict[str, Any]], work: list[Job], jobs: int, output: Path
) -> pd.DataFrame:
    """The results of jobs, each written to the file at once; those in it are not done again."""
    done: list[dict[str, Any]] = []
    if output.exists():
        done = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    have = {(row["method"], row["dataset"], row["seed"]) for row in done}
    with ProcessPoolExecutor(jobs) as pool, output.open("a", encoding="utf-8") as file:
        left = [pool.submit(function, job) for job in work if job not in have]
        for future in as_completed(left):
            done.append(future.result())
            print(json.dumps(done[-1]), file=file, flush=True)
    table = pd.DataFrame(done)
    wanted = pd.MultiIndex.from_tuples(work)
    return table[pd.MultiIndex.from_frame(table[["method", "dataset", "seed"]]).isin(wanted)]


def tell_hours(runs: pd.DataFrame) -> None:
    table = runs.pivot_table(index="method", columns="dataset", values="cpu_seconds")[WIDTHS]
    table["mean"] = table.mean(axis=1)
    table["core-hours"] = table["mean"] * PAPERS_RUNS / 3600
    print("CPU seconds of a run, and core-hours of 58 datasets × 30 seeds")
    print(table.sort_values("core-hours").round(1).to_string())
    print(f"all: {table['core-hours'].sum():.0f} core-hours")


def tell_comparison(runs: pd.DataFrame) -> None:
    ours = runs.pivot_table(index="dataset", columns="method", values="test_r2", aggfunc="median")
    ours = ours.reindex(index=DATASETS, columns=IN_THE_PAPER)
    paper = paper_medians().loc[[pmlb_number(name) for name in ours.index], IN_THE_PAPER]
    paper.index = ours.index
    print("median test R²: ours (the paper's)")
    text = ours.round(3).astype(str) + " (" + paper.round(3).astype(str) + ")"
    print(text.to_string())
    difference = pd.DataFrame(
        {
            "mean absolute difference": (ours - paper).abs().mean(),
            "mean difference": (ours - paper).mean(),
            "median absolute difference": (ours - paper).abs().median(),
            "CPU seconds per run": runs.groupby("method")["cpu_seconds"].mean(),
        }
    )
    print(difference.loc[IN_THE_PAPER].round(3).to_string())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["speed", "hours", "paper"])
    parser.add_argument("--methods", nargs="+", default=COMPETITORS)
    parser.add_argument("--dataset", default="547_no2", help="of speed")
    parser.add_argument("--seed", type=int, default=0, help="of speed")
    parser.add_argument("--seeds", type=int, default=3, help="of paper: how many, from 0")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--output", type=Path, default=None)
    arguments = parser.parse_args()
    output = arguments.output or Path(f"build/benchmarks/competitors_{arguments.what}.jsonl")
    output.parent.mkdir(parents=True, exist_ok=True)
    print(machine.description(), flush=True)
    if arguments.what == "speed":
        measure_speed(arguments.methods, arguments.dataset, arguments.seed)
    elif arguments.what == "hours":
        work = list(itertools.product(arguments.methods, WIDTHS, [0]))
        tell_hours(collected(seconds_of, work, arguments.jobs, output))
    else:
        work = list(itertools.product(IN_THE_PAPER, DATASETS, range(arguments.seeds)))
        tell_comparison(collected(one_run, work, arguments.jobs, output))


if __name__ == "__main__":
    main()
