"""Time the steps from the run tables of the paper's study to the report.

    python -m benchmarks.report                  # 58 datasets, 30 seeds, 44 methods, made up
    python -m benchmarks.report --keep folder    # keep the report

The tables are made up: scores near the paper's medians with some noise, rising curves, models of a
few terms. Statistics, scoreboard, figures and pages are timed in one process on one core.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from benchmarks import ROOT, machine
from vjmgp import ENGINE_VERSION
from vjmgp.competitors.packages import missing_extra
from vjmgp.core.files import write_json
from vjmgp.study import paths
from vjmgp.study.config.read_study import read_study
from vjmgp.study.figures.draw_figures import draw_figures
from vjmgp.study.illustrations.draw_illustrations import draw_illustrations
from vjmgp.study.plan.study import Study
from vjmgp.study.report.write import write_report
from vjmgp.study.result_tables import write_csv
from vjmgp.study.runs.collect import COLUMNS, join_runs
from vjmgp.study.scoreboard.score import score_claims
from vjmgp.study.statistics.compare_methods import compare_methods
from vjmgp.study.statistics.summaries import paper_medians
from vjmgp.tables.paper_datasets import pmlb_number

GENERATIONS = 100
CURVE = np.array([0, 1, 2, 4, 7, 12, 18, 25, 33, 42, 55, 70, 90])


def paper_study(results: Path, **changes: Any) -> Study:
    """Return the study of config/paper.yaml, with stand-ins for methods that are not installed."""
    config = yaml.safe_load((ROOT / "config/paper.yaml").read_text()) | {"results": str(results)}
    methods = yaml.safe_load((ROOT / "config/methods.yaml").read_text())
    config["methods"] = {
        name: {"estimator": "sklearn.linear_model.LinearRegression"}
        for name, definition in methods.items()
        if missing_extra(definition.get("estimator", ""))
    }
    return read_study(
        config | changes,
        ROOT / "workflow/schemas/config.schema.yaml",
        ROOT / "config/methods.yaml",
    )


def make_tables(study: Study) -> int:
    """Write the run tables of a study and return the number of runs."""
    results = Path(study.config["results"])
    rng = np.random.default_rng(0)
    skill = {name: rng.normal(-0.03, 0.04) for name in study.methods} | {"VJM": 0.0}
    known = paper_medians()["VJM"]
    for name in study.datasets:
        facts = {"dataset": name, "rows": 500, "inputs": [f"x{k}" for k in range(8)]}
        write_json(study.files.prepared(name)[1], facts | {"nominal": [], "sha256": "0"})
        source = {"dataset": name, "from": "cache", "file": f"{name}.tsv.gz", "sha256": "0" * 64}
        write_json(results / f"datasets/{name}/source.json", source)
    done: dict[tuple[str, str], tuple[pd.DataFrame, pd.DataFrame]] = {}
    for experiment in study.experiments.values():
        folder = results / "tables" / experiment.name
        parts = []
        for method in experiment.methods:
            key = experiment.protocol, method
            if key not in done:
                is_gp = study.methods[method].is_gp
                done[key] = made_up(
                    rng, method, is_gp, experiment.protocol, skill[method], known, study
                )
            parts.append(done[key])
        runs = pd.concat([runs for runs, _ in parts], ignore_index=True)
        curves = pd.concat([curves for _, curves in parts], ignore_index=True)
        keep = set(experiment.datasets)
        write_csv(folder / "runs.csv", runs[runs["dataset"].isin(keep)].reindex(columns=COLUMNS))
        write_csv(folder / "curves.csv", curves[curves["dataset"].isin(keep)])
        write_json(folder / "models.json", made_up_models(runs, experiment.datasets))
    tables = [str(results / f"tables/{name}/runs.csv") for name in study.experiments]
    join_runs(tables, str(results / "tables/runs.csv"), str(results / "tables/failures.csv"))
    return len(pd.read_csv(results / "tables/runs.csv", usecols=["seed"]))


def made_up(
    rng: np.random.Generator,
    method: str,
    is_gp: bool,
    protocol: str,
    skill: float,
    known: Any,
    study: Study,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return made-up runs and curves of one method on all datasets."""
    seeds = study.seeds
    datasets = np.repeat(study.datasets, seeds)
    n = len(datasets)
    level = known.loc[datasets].to_numpy()
    split = np.concatenate(  # seeds share their split, so that runs are paired
        [np.random.default_rng(pmlb_number(name)).normal(0, 0.05, seeds) for name in study.datasets]
    )
    taste = np.repeat(rng.normal(0, 0.03, len(study.datasets)), seeds)
    test = np.minimum(level + skill + split + taste + rng.normal(0, 0.02, n), 0.9999)
    runs = pd.DataFrame(
        {
            "dataset": datasets,
            "method": method,
            "seed": np.tile(np.arange(seeds), len(study.datasets)),
            "protocol": protocol,
            "status": "ok",
            "train_r2": np.minimum(test + 0.1 + 0.02 * rng.normal(size=n), 0.99999),
            "test_r2": test,
            "size": rng.lognormal(3.4 + 20 * abs(skill), 0.5, n).astype(int) + 1,
            "trees": rng.integers(1, 11, n),
            "cpu_seconds": rng.lognormal(-0.6 + 15 * abs(skill), 0.4, n),
            "noise_r2": level if is_gp else np.nan,
            "tau": 1.0 if is_gp else np.nan,
            "generations": float(GENERATIONS) if is_gp else np.nan,
            "engine": ENGINE_VERSION if is_gp else None,
            "warnings": 0,
            "formula": "0.5*x1*x2 + 1.25*sin(x3) + 0.75" if is_gp else None,
        }
    )
    runs["seconds"] = runs["cpu_seconds"]
    if not is_gp:
        return runs, pd.DataFrame()
    rise = 1 - np.exp(-CURVE / 15)
    curves = runs.loc[np.repeat(runs.index, len(CURVE)), ["dataset", "method", "seed"]]
    curves["generation"] = np.tile(CURVE, n)
    for metric in ("train_r2", "test_r2"):
        curves[metric] = np.repeat(runs[metric].to_numpy(), len(CURVE)) * np.tile(rise, n)
    return runs, curves


def made_up_models(runs: pd.DataFrame, datasets: list[str]) -> list[dict[str, Any]]:
    """Return a model for each dataset and symbolic method."""
    typical = runs[runs["formula"].notna() & (runs["seed"] == 0) & runs["dataset"].isin(datasets)]
    features = [[0.75, "1"], [0.5, "x1*x2"], [1.25, "sin(x3)"]]
    columns = ["dataset", "method", "protocol", "seed", "train_r2", "test_r2", "size", "formula"]
    return [
        row | {"features": features, "legend": []} for row in typical[columns].to_dict("records")
    ]


def steps(study: Study) -> dict[str, Callable[[], None]]:
    """Return the steps from run tables to a report, as in the workflow."""
    files, level = study.files.report(), study.significance

    def statistics() -> None:
        for name, entry in study.experiments.items():
            ours = files.experiments[name]
            compare_methods(ours.runs, entry, level, ours.latex, **ours.statistics)

    def scoreboard() -> None:
        board = files.scoreboard, study.files.at(paths.SCOREBOARD_TEX)
        score_claims(files.runs, study.for_scoreboard(), *board)

    def figures() -> None:
        for name, entry in study.experiments.items():
            ours = files.experiments[name]
            draw_figures(
                entry, study.symbolic, study.config["curve_datasets"], level, ours.runs,
                ours.curves, ours.figures, **ours.statistics,
            )  # fmt: skip

    def illustrations() -> None:
        draw_illustrations(files.illustrations)

    def pages() -> None:
        written = map(study.files.at, (paths.REPORT, paths.PAGES, paths.CONFIG))
        write_report(study.for_report(), files, *written)

    calls = (statistics, scoreboard, figures, illustrations, pages)
    return {call.__name__: call for call in calls}


def measure(study: Study) -> None:
    """Run every step in this process and print its times."""
    whole = time.perf_counter(), time.process_time()
    for name, call in steps(study).items():
        started = time.perf_counter(), time.process_time()
        call()
        _print(name, started)
    _print("all", whole)
    print(f"  at most {machine.peak_memory() / 1024:.2f} GiB")


def _print(name: str, started: tuple[float, float]) -> None:
    wall, busy = time.perf_counter() - started[0], time.process_time() - started[1]
    print(f"  {name}: {wall:.1f} s, of which {busy:.1f} s on the processor", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--keep", type=Path, help="folder to keep the study in")
    arguments = parser.parse_args()
    folder = arguments.keep or Path(tempfile.mkdtemp())
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # one core, whatever has threads
    print(machine.description())
    study = paper_study(folder / "results")
    runs = make_tables(study)
    print(
        f"{len(study.datasets)} datasets, {study.seeds} seeds, {len(study.methods)} methods in "
        f"{len(study.experiments)} experiments, {runs} runs:"
    )
    measure(study)
    if not arguments.keep:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
