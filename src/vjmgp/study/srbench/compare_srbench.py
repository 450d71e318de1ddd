"""Write an experiment's methods beside SRBench's published results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...core.files import write_json
from ..figures.figure_style import save_figure, study_style
from ..result_tables import read_runs, write_csv
from .mean_ranks import beside_published
from .rank_size_plot import rank_against_size

if TYPE_CHECKING:
    from ..plan.study import Experiment

FIGURE = {
    "name": "srbench",
    "title": "Rank and size",
    "caption": (
        "Mean rank of median test R² over the datasets (1 is the best; bars: 95 % bootstrap "
        "intervals over the datasets) against median model size; each of our methods is ranked "
        "among the published ones alone. Higher up is more accurate, further left is smaller."
    ),
}


def compare_srbench(
    runs: str, experiment: Experiment, kinds: dict[str, str], srbench: str, srbench_figure: str
) -> None:
    """Write the table of methods by rank and draw it."""
    table = beside_published(read_runs(runs), experiment.methods, experiment.datasets, kinds)
    write_csv(srbench, table)
    shown = [FIGURE] if len(table) else []
    if shown:
        with study_style():
            save_figure(rank_against_size(table), Path(srbench_figure) / FIGURE["name"])
    write_json(Path(srbench_figure) / "figures.json", shown)
