"""Write the pages."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import yaml

from ...engine.identity import ENGINE_VERSION
from ...files import read_json, write_whole
from ..tables import read_table
from .datasets import Datasets
from .environment import machine, versions
from .experiments import experiment_page, has_runs
from .formats import FILTERS
from .overview import highlight, progress, scoreboard_page

if TYPE_CHECKING:
    from ..paths import StudyFiles

READS = ("study/report/templates/*",)
Context = dict[str, Any]
ENTRY = "report.html"
ASSETS = ("style.css", "report.js")


def write_report(study: Context, files: StudyFiles, page: str, pages: str, config: str) -> None:
    """Turn tables and figures into a page to start from and a folder of pages beside it."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("vjmgp.study.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= FILTERS
    for name in ASSETS:
        source = Path(__file__).parent / "templates" / name
        write_whole(Path(pages) / name, [source.read_bytes()])
    for path, template, context in all_pages(files, study):
        inside = path != ENTRY
        places = {"pages": "" if inside else "report/", "files": "../" if inside else ""}
        text = environment.get_template(template).render(context | places)
        write_whole(Path(pages) / path if inside else Path(page), [text.encode()])
    write_whole(Path(config), [as_yaml(study["config"]).encode()])


def all_pages(files: StudyFiles, study: Context) -> Iterator[tuple[str, str, Context]]:
    """Every page: its file, its template and what it shows."""
    table = read_table(files.runs)
    runs = table[table["status"] == "ok"]
    shown = [entry for entry in study["experiments"] if has_runs(files.experiments[entry.name])]
    experiments = [experiment_page(files.experiments[e.name], e, study) for e in shown]
    datasets = Datasets(files, study, runs)
    board = scoreboard_page(files.scoreboard)
    figures = Path(files.illustrations) / "figures.json"
    illustrations = read_json(figures) if figures.exists() else []
    shared = _about(table, runs, study) | {
        "experiments": experiments,
        "illustrations": illustrations,
        "models": datasets.models,
        "board": board,
    }
    yield ENTRY, "index.html.jinja", shared | {"highlight": highlight(experiments), "here": ENTRY}
    yield "scoreboard.html", "scoreboard.html.jinja", shared | {"here": "scoreboard.html"}
    for entry in experiments:
        here = f"experiment-{entry['name']}.html"
        yield here, "experiment.html.jinja", shared | {"e": entry, "here": here}
    about = [datasets.page(name) for name in study["datasets"]]
    yield (
        "datasets.html",
        "datasets.html.jinja",
        shared | {"datasets": about, "here": "datasets.html"},
    )
    for place, entry in enumerate(about):
        here = f"dataset-{entry['name']}.html"
        before = about[place - 1]["name"] if place else None
        after = about[place + 1]["name"] if place + 1 < len(about) else None
        yield (
            here,
            "dataset.html.jinja",
            shared | {"d": entry, "before": before, "after": after, "here": here},
        )
    yield "models.html", "models.html.jinja", shared | {"here": "models.html"}
    if illustrations:
        yield (
            "illustrations.html",
            "illustrations.html.jinja",
            shared | {"here": "illustrations.html"},
        )
    yield (
        "run.html",
        "run.html.jinja",
        shared | {"files_of_study": _files(files, experiments), "here": "run.html"},
    )


def _about(table: pd.DataFrame, runs: pd.DataFrame, study: Context) -> Context:
    """What every page knows of the study."""
    failures = table[table["status"] == "failed"]
    return {
        "title": study["config"]["title"],
        "n_runs": len(runs),
        "n_methods": runs["method"].nunique(),
        "n_datasets": runs["dataset"].nunique(),
        "dataset_names": study["datasets"],
        "seeds": study["config"]["seeds"],
        "significance": study["config"]["significance"],
        "hours": float(runs["cpu_seconds"].sum()) / 3600,
        "warnings": int(runs["warnings"].sum()),
        "failures": failures[["method", "dataset", "seed", "error"]].to_dict("records"),
        "skipped": study["skipped"],
        "progress": progress(table, study),
        "config": as_yaml(study["config"]),
        "engine": ENGINE_VERSION,
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": machine(),
        "versions": versions(),
    }


def _files(files: StudyFiles, experiments: list[Context]) -> list[str]:
    """The tables that pages link to, from the folder that holds the report."""
    whole = [Path(files.runs), Path(files.runs).with_name("failures.csv"), Path(files.scoreboard)]
    return [
        *(f"tables/{path.name}" for path in whole),
        *(f"tables/{entry['name']}/{name}" for entry in experiments for name in entry["files"]),
    ]


def as_yaml(config: Context) -> str:
    """The config with all defaults, as a config file would have it."""
    return str(yaml.safe_dump(config, sort_keys=False, allow_unicode=True))
