"""What the page of an experiment shows."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ...files import read_json
from ..names import METRICS, PAPER_COLUMN
from ..statistics.counts import matrix_of
from ..statistics.paired import BETTER, SIMILAR, WORSE, too_few
from ..tables import read_table
from .srbench import srbench_page

if TYPE_CHECKING:
    from ..model import Experiment
    from ..paths import ExperimentFiles

Context = dict[str, Any]


def has_runs(files: ExperimentFiles) -> bool:
    """Whether an experiment has any result yet."""
    return Path(files.statistics["summary"]).exists()


def experiment_page(files: ExperimentFiles, entry: Experiment, study: Context) -> Context:
    """Everything about one experiment."""
    tables = {name: read_table(path) for name, path in files.statistics.items()}
    summary = tables["summary"]
    methods = [name for name in entry.methods if name in set(_ran(summary)["method"])]
    counts = {metric: tables[f"win_tie_loss_{metric}"].fillna("") for metric in METRICS}
    medians = tables["medians"].set_index("dataset")
    level = study["config"]["significance"]
    return asdict(entry) | {
        "methods": methods,
        "waiting": [name for name in entry.methods if name not in methods],
        "reference": methods[0],
        "summary": _ran(summary).to_dict("records"),
        "common": int(summary["common_datasets"].iloc[0]),
        "versus": _versus_first(counts, methods),
        "sums": _sums(counts["test_r2"], methods),
        "matrices": [
            {"title": words, "table": matrix_of(counts[metric], methods)}
            for metric, words in METRICS.items()
        ],
        "pairwise": tables["pairwise"].to_dict("records"),
        "medians": _rows_with_best(medians, methods),
        "figures": read_json(Path(files.figures) / "figures.json"),
        "too_few": too_few(study["config"]["seeds"], level),
        "significance": level,
        "files": sorted(Path(p).name for p in _tables(files, entry)),
        "srbench": srbench_page(files, entry),
        "latex": sorted(path.name for path in Path(files.latex).glob("*.tex")),
    }


def _tables(files: ExperimentFiles, entry: Experiment) -> list[str]:
    beside = [files.srbench] if entry.follows_srbench else []
    return [files.runs, files.curves, *files.statistics.values(), *beside]


def _ran(summary: pd.DataFrame) -> pd.DataFrame:
    return summary[summary["runs"] > 0]


def _versus_first(counts: dict[str, pd.DataFrame], methods: list[str]) -> list[Context]:
    """The first method against each other one."""
    rows = []
    for other in methods[1:]:
        row: Context = {"method": other}
        for metric, table in counts.items():
            pair = table[(table["method"] == methods[0]) & (table["versus"] == other)].iloc[0]
            row[metric] = {key: int(pair[key]) for key in (BETTER, SIMILAR, WORSE)}
            row |= {"unpaired": int(pair["unpaired_runs"]), "too_few": int(pair["too_few_pairs"])}
        rows.append(row)
    return rows


def _sums(counts: pd.DataFrame, methods: list[str]) -> dict[str, int]:
    """Comparisons of the first method with all others, over all datasets."""
    rows = counts[(counts["method"] == methods[0]) & counts["versus"].isin(methods)]
    return {key: int(rows[key].sum()) for key in (BETTER, SIMILAR, WORSE)}


def _rows_with_best(medians: pd.DataFrame, methods: list[str]) -> Context:
    rows = []
    for line in medians.reset_index().to_dict("records"):
        values = [float(line[method]) for method in methods]
        best = np.nanmax(values) if np.isfinite(values).any() else np.nan
        rows.append(
            {
                "dataset": line["dataset"],
                "cells": [{"value": v, "best": v == best} for v in values],
                "paper": float(line.get(PAPER_COLUMN, np.nan)),
            }
        )
    return {"rows": rows, "has_paper": any(np.isfinite(row["paper"]) for row in rows)}
