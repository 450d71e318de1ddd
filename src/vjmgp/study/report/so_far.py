"""Report on an unfinished study: on the runs that are there, and what is missing."""

from __future__ import annotations

import logging
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.files import DamagedFileError
from ..figures.draw_figures import draw_figures
from ..paths import CONFIG, FAILURES, PAGES, REPORT, SCOREBOARD_TEX
from ..result_tables import present, read_table
from ..runs.collect import collect_runs, join_runs
from ..runs.records import read_block
from ..scoreboard.score import score_claims
from ..srbench.compare_srbench import compare_srbench
from ..statistics.compare_methods import compare_methods
from .write import write_report

if TYPE_CHECKING:
    from ..paths import ExperimentFiles, StudyFiles
    from ..plan.study import Experiment
    from ..published.index import ReusedRuns

log = logging.getLogger(__name__)


def report_so_far(
    study: dict[str, Any],
    scoreboard: dict[str, Any],
    runs: dict[str, list[str]],
    reused: dict[str, list[ReusedRuns]],
    published: str | None,
    files: StudyFiles,
    illustrations: str,
    folder: str,
) -> None:
    """Do every step after the runs with the finished ones, in a separate folder.

    `runs` has the files of runs of each experiment, `reused` its published runs. Nothing is run and
    no file of the study itself is changed, so the study may be running meanwhile.
    """
    if Path(folder).exists():
        shutil.rmtree(folder)
    found = []
    for entry in study["experiments"]:
        usable, has_good_run = _usable(runs[entry.name])
        if has_good_run or reused[entry.name]:
            place = files.experiments[entry.name]
            written = place.runs, place.curves, place.models
            collect_runs(entry, usable, reused[entry.name], published, *written)
            _compare(entry, place, study)
            found.append(place.runs)
    if not found:
        raise ValueError("This study has no finished run yet.")
    if Path(illustrations).is_dir():
        shutil.copytree(illustrations, files.illustrations)
    join_runs(found, files.runs, f"{folder}/{FAILURES}")
    score_claims(files.runs, scoreboard, files.scoreboard, f"{folder}/{SCOREBOARD_TEX}")
    write_report(study, files, *(f"{folder}/{name}" for name in (REPORT, PAGES, CONFIG)))


def _compare(entry: Experiment, files: ExperimentFiles, study: dict[str, Any]) -> None:
    """Do the other steps of an experiment with the methods and datasets that have runs."""
    table, config = read_table(files.runs), study["config"]
    methods = present(entry.methods, table["method"])
    entry = replace(entry, methods=methods, datasets=present(entry.datasets, table["dataset"]))
    level = config["significance"]
    compare_methods(files.runs, entry, level, files.latex, **files.statistics)
    draw_figures(
        entry, study["symbolic"], config["curve_datasets"], level, files.runs, files.curves,
        files.figures, **files.statistics,
    )  # fmt: skip
    if entry.follows_srbench:
        places = files.srbench, files.srbench_figure
        compare_srbench(files.runs, entry, study["kinds"], *places)


def _usable(paths: list[str]) -> tuple[list[str], bool]:
    """Return the files that are there and undamaged, and whether they hold a good run."""
    kept, has_good_run = [], False
    for path in paths:
        if Path(path).exists():
            try:
                states = {record["status"] for record in read_block(path)}
                has_good_run |= "ok" in states
                kept.append(path)
            except DamagedFileError as error:
                log.info("left out: %s", error)
    return kept, has_good_run
