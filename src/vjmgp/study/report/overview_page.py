"""Contents about the whole study: scoreboard, progress and main figure."""

from typing import Any

import pandas as pd

from ..result_tables import read_table
from ..scoreboard.claims import TWINS
from ..scoreboard.score import tally
from ..scoreboard.verdicts import NO_CLAIM, NOT_RUN

Context = dict[str, Any]
OVERVIEW = "overview"
"""Name of the main figure of an experiment."""


def scoreboard_page(path: str) -> Context:
    """Return the claims that the study has runs for, with the counts of verdicts, by part.

    The rest, which the table has, is only counted.
    """
    table = read_table(path)
    for column in ("paper", "ours", "note"):
        table[column] = table[column].astype(object).fillna("")
    not_run = table["verdict"] == NOT_RUN
    claims = int((table["verdict"] != NO_CLAIM).sum())
    table = table[~not_run & ((table["verdict"] != NO_CLAIM) | (table["ours"] != ""))]
    counts = tally(table).drop(columns=NOT_RUN).to_dict("index")
    parts = [
        {
            "name": part,
            "title": part.capitalize().replace("_training", ", training R²").replace("_", " "),
            "counts": counts[part],
            "intervals": bool(rows["low"].notna().any()),
            "claims": rows.to_dict("records"),
        }
        for part, rows in ((str(name), rows) for name, rows in table.groupby("part", sort=False))
    ]
    return {"parts": parts, "twins": TWINS, "claims": claims, "left_out": int(not_run.sum())}


def highlight(experiments: list[Context]) -> Context | None:
    """Return the experiment with most methods that has a main figure, and the figure."""
    for entry in sorted(experiments, key=lambda entry: -len(entry["methods"])):
        for figure in entry["figures"]:
            if figure["name"] == OVERVIEW:
                return {"experiment": entry, "figure": figure}
    return None


def progress(table: pd.DataFrame, study: Context) -> Context:
    """Count the runs of the study that are done, failed and missing.

    A run that several experiments share counts in each of them, and once in total.
    """
    seeds = int(study["config"]["seeds"])
    done = table[table["seed"] < seeds].groupby(["protocol", "dataset", "method"])
    ok = done["status"].agg(lambda status: int((status == "ok").sum())).to_dict()
    tried = done.size().to_dict()
    experiments: list[Context] = []
    cells: dict[tuple[str, str, str], int] = {}
    for entry in study["experiments"]:
        keys = [(entry.protocol, d, m) for m in entry.methods for d in entry.datasets]
        cells |= {key: seeds - tried.get(key, 0) for key in keys}
        good, all_tried = (sum(found.get(key, 0) for key in keys) for found in (ok, tried))
        expected = seeds * len(keys)
        counts = {"ok": good, "failed": all_tried - good, "missing": expected - all_tried}
        names = {"name": entry.name, "title": entry.title, "expected": expected}
        experiments.append(names | counts)
    missing = [
        {"protocol": protocol, "dataset": dataset, "method": method, "runs": runs}
        for (protocol, dataset, method), runs in cells.items()
        if runs > 0
    ]
    return {
        "experiments": experiments,
        "expected": seeds * len(cells),
        "missing_runs": sum(cell["runs"] for cell in missing),
        "missing": missing,
        "complete": not missing,
    }
