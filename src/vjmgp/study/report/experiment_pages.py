"""Contents of the pages of an experiment: its results, and SRBench's beside them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ...core.files import read_json
from ..names import IN_THE_PAPER, METRICS, ONE_FORMULA
from ..result_tables import present, read_table
from ..scoreboard.claims import OutcomeCounts, count_claims
from ..srbench.mean_ranks import OURS
from ..statistics.fewest_pairs import fewest_pairs
from ..statistics.paired_tests import BETTER, SIMILAR, WORSE
from ..statistics.win_tie_loss import win_tie_loss_matrix

if TYPE_CHECKING:
    from ..paths import ExperimentFiles
    from ..plan.study import Experiment

Context = dict[str, Any]
KINDS = (BETTER, SIMILAR, WORSE, "too_few_pairs")
"""Possible outcomes of a comparison on a dataset."""


def has_runs(files: ExperimentFiles) -> bool:
    """Return whether an experiment has any result yet."""
    return Path(files.statistics["summary"]).exists()


def experiment_page(files: ExperimentFiles, entry: Experiment, study: Context) -> Context:
    """Return the contents of the page of one experiment."""
    tables = {name: read_table(path) for name, path in files.statistics.items()}
    summary = tables["summary"][tables["summary"]["runs"] > 0]
    methods = present(entry.methods, summary["method"])
    csv = [files.runs, files.curves, *files.statistics.values()]
    counts = {metric: tables[f"win_tie_loss_{metric}"] for metric in METRICS}
    medians = tables["medians"].set_index("dataset")
    paper = papers_counts(entry.name, entry.papers_kind, entry.timed)
    pairs = count_pairs(counts, methods, paper)
    ours = counts["test_r2"]
    of_first = ours[(ours["method"] == methods[0]) & ours["versus"].isin(methods)]
    level = study["config"]["significance"]
    return asdict(entry) | {
        "methods": methods,
        "waiting": [name for name in entry.methods if name not in methods],
        "reference": methods[0],
        "summary": summary.to_dict("records"),
        "common": int(summary["common_datasets"].iloc[0]),
        "metrics": METRICS,
        "pairs": pairs,
        "has_papers_medians": any(name.endswith(IN_THE_PAPER) for name in medians.columns),
        "has_papers_counts": any(row[metric]["paper"] for row in pairs for metric in METRICS),
        "unpaired": any(row["unpaired"] for row in pairs),
        "sums": _kinds(of_first[[*KINDS]].sum()),
        "matrices": [
            {"title": words, "table": win_tie_loss_matrix(counts[metric], methods)}
            for metric, words in METRICS.items()
        ],
        "pairwise": tables["pairwise"].to_dict("records"),
        "medians": _rows_with_best(medians, methods),
        "figures": read_json(Path(files.figures) / "figures.json"),
        "too_few": study["config"]["seeds"] < fewest_pairs(level),
        "significance": level,
        "files": sorted(Path(p).name for p in (*csv, *[files.srbench] * entry.follows_srbench)),
        "srbench": srbench_page(files, entry),
        "latex": sorted(path.name for path in Path(files.latex).glob("*.tex")),
    }


def papers_counts(
    experiment: str, protocol: str | None, timed: Mapping[str, str] | None = None
) -> dict[tuple[str, str, str], OutcomeCounts]:
    """Return the paper's counts by metric and ordered pair, preferring those of this part."""
    found: dict[tuple[str, str, str], OutcomeCounts] = {}
    claims = [claim for claim in count_claims(timed) if claim.protocol == protocol]
    for claim in sorted(claims, key=lambda claim: claim.part != experiment):
        c = claim.counts
        found.setdefault((claim.metric, claim.method, claim.versus), c)
        turned = OutcomeCounts(c.worse, c.similar, c.better, c.datasets)
        found.setdefault((claim.metric, claim.versus, claim.method), turned)
    return found


def pairs_to_show(methods: list[str]) -> list[tuple[str, str]]:
    """Return all pairs of up to four methods, otherwise those with the first method."""
    pairs = list(itertools.combinations(methods, 2))
    return pairs if len(methods) <= 4 else pairs[: len(methods) - 1]


def count_pairs(
    counts: dict[str, pd.DataFrame],
    methods: list[str],
    paper: dict[tuple[str, str, str], OutcomeCounts],
) -> list[Context]:
    """Return our counts and the paper's for each pair of methods and metric."""
    rows = []
    for method, versus in pairs_to_show(methods):
        row: Context = {"method": method, "versus": versus}
        for metric, table in counts.items():
            pair = table[(table["method"] == method) & (table["versus"] == versus)].iloc[0]
            theirs = paper.get((metric, method, versus))
            row[metric] = {"ours": _kinds(pair), "paper": theirs and _papers_kinds(theirs)}
            row["unpaired"] = int(pair["unpaired_runs"])
        rows.append(row)
    return rows


def _kinds(counts: Any) -> dict[str, int]:
    """Return the numbers of datasets by outcome."""
    return {key: int(counts[key]) for key in KINDS}


def _papers_kinds(counts: OutcomeCounts) -> dict[str, int]:
    similar = counts.datasets - counts.better - counts.worse
    return {BETTER: counts.better, SIMILAR: similar, WORSE: counts.worse, "too_few_pairs": 0}


def _rows_with_best(medians: pd.DataFrame, methods: list[str]) -> list[Context]:
    """Return the medians of each dataset, beside the paper's, with the best marked."""
    rows = []
    for line in medians.reset_index().to_dict("records"):
        values = [float(line[method]) for method in methods]
        best = np.nanmax(values) if np.isfinite(values).any() else np.nan
        cells = [
            {"value": value, "best": value == best, "paper": line.get(f"{name}{IN_THE_PAPER}")}
            for name, value in zip(methods, values, strict=True)
        ]
        rows.append({"dataset": line["dataset"], "cells": cells})
    return rows


def srbench_page(files: ExperimentFiles, entry: Experiment) -> Context | None:
    """Return the methods by rank and the best of them; None for other protocols."""
    if not entry.follows_srbench:
        return None
    table = read_table(files.srbench)
    published, ours = (table[(table["source"] == OURS) == is_ours] for is_ours in (False, True))
    formulas = published[published["kind"] == ONE_FORMULA]
    return {
        "rows": table.to_dict("records"),
        "best": next(iter(ours.to_dict("records")), None),
        "best_formula": next(iter(formulas.to_dict("records")), None),
        "better": published[published["mean_rank"] < ours["mean_rank"].min()]["method"].tolist(),
        "published": len(published),
        "first": entry.methods[0],
        "seeds": sorted(set(ours["seeds"])),
        "datasets": int(table["datasets"].max()) if len(table) else 0,
        "asked": len(entry.datasets),
        "figures": read_json(Path(files.srbench_figure) / "figures.json"),
        "folder": Path(files.srbench_figure).name,
        "ours": OURS,
    }
