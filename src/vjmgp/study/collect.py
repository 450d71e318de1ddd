"""From files of run records to tidy tables."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from ..fetching import write_whole
from .data import write_json
from .runs import Record
from .seals import note_checksum, read_records

KEY = ["protocol", "dataset", "method", "seed"]
COLUMNS = [
    *("dataset", "method", "seed", "protocol", "status", "train_r2", "test_r2", "size", "trees"),
    *("seconds", "cpu_seconds", "noise_r2", "tau", "generations", "engine", "warnings"),
    *("failed_candidates", "formula", "parameters", "error", "file"),
]
WALL_TIMES = ["seconds", "cpu_seconds"]
"""The only columns that differ between two runs of the same study."""
ALL_TIMES = [*WALL_TIMES, "median_seconds", "mean_seconds"]
"""And what tables make of them."""


def collect_runs(
    files: list[str],
    engine: str,
    runs: str,
    curves: str,
    models: str,
    results: str | None = None,
) -> None:
    """Write an experiment's table of runs, its evolution curves and its typical models.

    `results` is the folder that the files are in; by default the one that the tables go to.
    """
    records = list(all_records(files, engine, Path(results or Path(runs).parents[2])))
    write_csv(runs, table_of_runs(records))
    write_csv(curves, table_of_curves(records))
    write_json(models, typical_models(records))
    note_checksum(Path(models))


def join_runs(tables: list[str], runs: str, failures: str) -> None:
    """Write the study's table of runs from those of its experiments, which may share runs."""
    parts = [pd.read_csv(path, dtype=str, keep_default_na=False) for path in tables]
    joined = pd.concat(parts, ignore_index=True).drop_duplicates(KEY)
    write_csv(runs, joined)
    failed = joined[joined["status"] == "failed"]
    write_csv(failures, failed[["dataset", "method", "seed", "protocol", "error", "file"]])


def all_records(files: Iterable[str], engine: str, results: Path) -> Iterable[Record]:
    """The records of files of a results folder, none of them of another engine."""
    for path in files:
        for record in read_records(path):
            if record.get("engine", engine) != engine:
                raise ValueError(
                    f"{path} was made by engine {record['engine']}, the others by {engine}: delete "
                    "it and run again."
                )
            yield record | {"file": Path(path).relative_to(results).as_posix()}


def table_of_runs(records: list[Record]) -> pd.DataFrame:
    """One row per run."""
    table = pd.DataFrame(records).reindex(columns=COLUMNS)
    table["warnings"] = [sum((r.get("warnings") or {}).values()) for r in records]
    table["parameters"] = [
        "; ".join(f"{key}={value}" for key, value in (r.get("parameters") or {}).items())
        for r in records
    ]
    for column in ("size", "trees", "generations", "failed_candidates"):
        table[column] = table[column].astype("Int64")
    return table


def table_of_curves(records: list[Record]) -> pd.DataFrame:
    """One row per generation in which the model that would be chosen changed."""
    rows = [
        (record["dataset"], record["method"], record["seed"], *point)
        for record in records
        for point in record.get("curve") or ()
    ]
    columns = ["dataset", "method", "seed", "generation", "train_r2", "test_r2"]
    return pd.DataFrame(rows, columns=columns)


def typical_models(records: list[Record]) -> list[dict[str, Any]]:
    """For each dataset and method with formulas the model of the run with the median test R².

    Ours are lists of features with coefficients, those of others one formula.
    """
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        if record.get("formula"):
            groups.setdefault((record["dataset"], record["method"]), []).append(record)
    models = []
    for (dataset, method), runs in groups.items():
        runs.sort(key=lambda run: (run["test_r2"], run["seed"]))
        run = runs[(len(runs) - 1) // 2]
        keep = ("protocol", "seed", "train_r2", "test_r2", "size", "formula", "legend")
        models.append(
            {"dataset": dataset, "method": method}
            | {key: run[key] for key in keep}
            | {"features": run.get("features", [])}
        )
    return models


def write_csv(path: str | Path, table: pd.DataFrame) -> None:
    """Write a table so that nobody ever sees a part of it."""
    write_whole(Path(path), [table.to_csv(index=False).encode()])
    note_checksum(Path(path))


def read_runs(path: str) -> pd.DataFrame:
    """The runs that did not fail."""
    table = read_table(path)
    ok = table[table["status"] == "ok"]
    if not len(ok):
        raise ValueError(f"All {len(table)} runs failed; the first: {table['error'].iloc[0]}")
    return ok


def read_table(path: str | Path) -> pd.DataFrame:
    """A table as it was written: a method may be called "None", a dataset "NA"."""
    names = dict.fromkeys(("dataset", "method", "versus", "parameters"), str)
    return pd.read_csv(path, dtype=names, keep_default_na=False, na_values=[""])
