"""A report of an unfinished study: of the runs that are there, and what is missing."""

from __future__ import annotations

import logging
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.files import DamagedFileError
from ..figures.draw_figures import draw_figures
from ..paths import ExperimentFiles
from ..result_tables import present, read_table
from ..runs.collect import collect_runs, join_runs
from ..runs.records import read_block
from ..scoreboard.score import score_claims
from ..srbench.compare_srbench import compare_srbench
from ..statistics.compare_methods import compare_methods
from .write import write_report

if TYPE_CHECKING:
    from ..paths import StudyFiles
    from ..plan.study import Experiment
    from ..published.index import Taken

log = logging.getLogger(__name__)


def report_so_far(
    study: dict[str, Any],
    scoreboard: dict[str, Any],
    runs: dict[str, list[str]],
    taken: dict[str, list[Taken]],
    published: str | None,
    files: StudyFiles,
    illustrations: str,
    folder: str,
) -> None:
    """Do every step after the runs with those that are there, into a folder of its own.

    `runs` has the files of runs of each experiment, `taken` its published runs. Nothing is run and
    no file of the study itself is touched, so it may be going on meanwhile.
    """
    home = Path(folder)
    if home.exists():
        shutil.rmtree(home)
    found = []
    for entry in study["experiments"]:
        usable, good = _usable(runs[entry.name])
        if good or taken[entry.name]:
            place = files.experiments[entry.name]
            collect_runs(
                entry, usable, taken[entry.name], published, place.runs, place.curves, place.models
            )
            found.append(_one_experiment(place, entry, study))
    if not found:
        raise ValueError("There is no finished run of this study yet.")
    join_runs(found, files.runs, str(Path(files.runs).with_name("failures.csv")))
    latex = str(Path(files.scoreboard).with_suffix(".tex"))
    score_claims(files.runs, scoreboard, files.scoreboard, latex)
    if Path(illustrations).is_dir():
        shutil.copytree(illustrations, files.illustrations)
    pages = str(home / "report"), str(home / "config.yaml")
    write_report(study, files, str(home / "report.html"), *pages)


def _usable(paths: list[str]) -> tuple[list[str], bool]:
    """The files that are there and whole; whether a good run is in them."""
    kept, good = [], False
    for path in paths:
        if Path(path).exists():
            try:
                good = any(record["status"] == "ok" for record in read_block(path)) or good
                kept.append(path)
            except DamagedFileError as error:
                log.info("left out: %s", error)
    return kept, good


def _one_experiment(files: ExperimentFiles, entry: Experiment, study: dict[str, Any]) -> str:
    """Tables and figures of an experiment; the path of its table of runs."""
    table, level = read_table(files.runs), study["config"]["significance"]
    methods = present(entry.methods, table["method"])
    entry = replace(entry, methods=methods, datasets=present(entry.datasets, table["dataset"]))
    compare_methods(files.runs, entry, level, files.latex, **files.statistics)
    if entry.follows_srbench:
        compare_srbench(files.runs, entry, study["kinds"], files.srbench, files.srbench_figure)
    draw_figures(
        entry, study["symbolic"], study["config"]["curve_datasets"], level, files.runs,
        files.curves, files.figures, **files.statistics,
    )  # fmt: skip
    return files.runs
