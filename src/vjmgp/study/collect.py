"""The steps that turn files of records into tidy tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from ..files import write_json
from .names import NOISE_TIMES
from .records import read_block
from .tables import read_table, write_csv

KEY = ["protocol", "dataset", "method", "seed"]
COLUMNS = [
    *("dataset", "method", "seed", "protocol", "status", "train_r2", "test_r2", "size", "trees"),
    *("seconds", "cpu_seconds", "noise_r2", "tau", "generations", "engine", "warnings"),
    *("failed_candidates", "formula", "parameters", "error", "file"),
]
OF_MODEL = ("protocol", "seed", "train_r2", "test_r2", "size", "formula", "legend")


def collect_runs(records: list[str], runs: str, curves: str, models: str) -> None:
    """Write an experiment's table of runs, its evolution curves and its typical models."""
    found = records_of(records)
    write_csv(runs, table_of_runs(found))
    write_csv(curves, table_of_curves(found))
    write_json(models, typical_models(found))


def records_of(paths: list[str]) -> list[Any]:
    """The records of files, each with the place of its file in the results folder."""
    return [
        record | {"file": "/".join(Path(path).parts[-5:])}
        for path in paths
        for record in read_block(path)
    ]


def join_runs(tables: list[str], runs: str, failures: str) -> None:
    """Write the study's table of runs from those of its experiments, which may share runs."""
    parts = [read_table(path, as_text=True) for path in tables]
    joined = pd.concat(parts, ignore_index=True).drop_duplicates(KEY)
    write_csv(runs, joined)
    failed = joined[joined["status"] == "failed"]
    write_csv(failures, failed[["dataset", "method", "seed", "protocol", "error", "file"]])


def table_of_runs(records: list[dict[str, Any]]) -> pd.DataFrame:
    """One row per run."""
    found = pd.DataFrame(records)
    table = found.reindex(columns=COLUMNS)
    for own, of_noise in NOISE_TIMES.items():
        table[own] += found.reindex(columns=[of_noise])[of_noise].fillna(0.0)
    table["warnings"] = [sum((r.get("warnings") or {}).values()) for r in records]
    chosen = [(r.get("parameters") or {}).items() for r in records]
    table["parameters"] = ["; ".join(f"{key}={value}" for key, value in c) for c in chosen]
    for column in ("size", "trees", "generations", "failed_candidates"):
        table[column] = table[column].astype("Int64")
    return table


def table_of_curves(records: list[dict[str, Any]]) -> pd.DataFrame:
    """One row per generation in which the model that would be chosen changed."""
    rows = [
        (record["dataset"], record["method"], record["seed"], *point)
        for record in records
        for point in record.get("curve") or ()
    ]
    columns = ["dataset", "method", "seed", "generation", "train_r2", "test_r2"]
    return pd.DataFrame(rows, columns=columns)


def typical_models(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each dataset and method with formulas the model of the run with the median test R².

    Ours are lists of features with coefficients, those of others one formula.
    """
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for record in records:
        if record.get("formula"):
            groups.setdefault((record["dataset"], record["method"]), []).append(record)
    models = []
    for (dataset, method), runs in groups.items():
        runs.sort(key=lambda run: (run["test_r2"], run["seed"]))
        run = runs[(len(runs) - 1) // 2]
        model = {"dataset": dataset, "method": method} | {key: run[key] for key in OF_MODEL}
        models.append(model | {"features": run.get("features", [])})
    return models
