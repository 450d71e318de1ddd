"""A report of an unfinished study: of the runs that are there, and what is missing."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path
from typing import Any

from ..collect import collect_runs, join_runs, read_table
from ..figures.draw import draw_figures
from ..scoreboard.score import score_claims
from ..seals import DamagedFileError, read_records
from ..statistics.compare import compare_methods
from .write import write_report

Context = dict[str, Any]
log = logging.getLogger(__name__)


def report_so_far(results: str, folder: str, engine: str, study: Context) -> None:
    """Do every step after the runs, with those that are there, into a folder of its own.

    Nothing is run and no file of the study itself is touched, so it may be going on meanwhile.
    """
    home = Path(folder)
    if home.exists():
        shutil.rmtree(home)
    found = [
        str(_one_experiment(home, Path(results), engine, entry))
        for entry in study["experiments"]
        if _usable(entry, engine)
    ]
    if not found:
        raise ValueError(f"There is no finished run in {results}/runs yet.")
    tables = home / "tables"
    join_runs(found, str(tables / "runs.csv"), str(tables / "failures.csv"))
    score_claims(
        str(tables / "runs.csv"),
        study["scoreboard"],
        str(tables / "scoreboard.csv"),
        str(tables / "scoreboard.tex"),
    )
    drawn = Path(results) / "figures" / "illustrations"
    if drawn.is_dir():
        shutil.copytree(drawn, home / "figures" / "illustrations")
    write_report(results, folder, study["report"])


def _usable(entry: Context, engine: str) -> bool:
    """Keep the files of an experiment that are there and of this engine; is a good run in them?"""
    kept, good = [], False
    for path in entry["files"]:
        if not Path(path).exists():
            continue
        try:
            records = list(read_records(path))
        except DamagedFileError as error:
            log.info("left out: %s", error)
            continue
        if any(record.get("engine", engine) != engine for record in records):
            log.info("left out, of another engine: %s", path)
            continue
        kept.append(path)
        good = good or any(record["status"] == "ok" for record in records)
    entry["files"] = kept
    return good


def _one_experiment(home: Path, results: Path, engine: str, entry: Context) -> Path:
    """Tables and figures of an experiment; the path of its table of runs."""
    experiment, significance = entry["figures"]["experiment"], entry["figures"]["significance"]
    tables = home / "tables" / str(experiment["name"])
    runs, curves, models = (str(tables / n) for n in ("runs.csv", "curves.csv", "models.json"))
    collect_runs(entry["files"], engine, runs, curves, models, str(results))
    table = read_table(runs)
    there = {column: set(table[column]) for column in ("method", "dataset")}
    methods = [name for name in experiment["methods"] if name in there["method"]]
    datasets = [name for name in experiment["datasets"] if name in there["dataset"]]
    compare_methods(runs, methods, datasets, entry["papers_protocol"], significance, str(tables))
    shown = experiment | {"methods": methods, "datasets": datasets}
    draw_figures(
        **(entry["figures"] | {"experiment": shown}),
        tables=str(tables),
        folder=str(home / "figures" / experiment["name"]),
    )
    return tables / "runs.csv"
