"""Contents of the page that compares an experiment with SRBench's published results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from ...core.files import read_json
from ..names import ONE_FORMULA
from ..result_tables import read_table
from ..srbench.mean_ranks import OURS

if TYPE_CHECKING:
    from ..paths import ExperimentFiles
    from ..plan.study import Experiment

Context = dict[str, Any]


def srbench_page(files: ExperimentFiles, entry: Experiment) -> Context | None:
    """Return the methods by rank and the best of them; None for other protocols."""
    if not entry.follows_srbench:
        return None
    table = read_table(files.srbench)
    published, ours = (table[(table["source"] == OURS) == is_ours] for is_ours in (False, True))
    return {
        "rows": table.to_dict("records"),
        "best": _first(ours),
        "best_formula": _first(published[published["kind"] == ONE_FORMULA]),
        "better": published[published["mean_rank"] < ours["mean_rank"].min()]["method"].tolist(),
        "published": len(published),
        "seeds": sorted(set(ours["seeds"])),
        "datasets": int(table["datasets"].max()) if len(table) else 0,
        "asked": len(entry.datasets),
        "figures": read_json(Path(files.srbench_figure) / "figures.json"),
        "folder": Path(files.srbench_figure).name,
        "ours": OURS,
    }


def _first(table: pd.DataFrame) -> Context | None:
    """Return the row with the best rank."""
    rows: list[Any] = table.to_dict("records")
    return rows[0] if rows else None
