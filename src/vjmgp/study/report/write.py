"""Write the pages."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from ...engine.identity import ENGINE_VERSION
from ...fetching import write_whole
from ..collect import read_table
from ..data import read_json
from .datasets import Datasets
from .environment import machine, versions
from .experiments import experiment_page, has_runs
from .formats import FILTERS
from .overview import highlight, progress, scoreboard_page

Context = dict[str, Any]
ENTRY = "report.html"
ASSETS = ("style.css", "report.js")


def write_report(results: str, folder: str, study: Context) -> None:
    """Turn the tables and figures in `folder` into `report.html` and pages in `report/`.

    `results` is the study's own folder, which has the facts about datasets.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("vjmgp.study.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= FILTERS
    home = Path(folder)
    for name in ASSETS:
        source = Path(__file__).parent / "templates" / name
        write_whole(home / "report" / name, [source.read_bytes()])
    for path, template, context in pages(Path(results), home, study):
        inside = path != ENTRY
        places = {"pages": "" if inside else "report/", "files": "../" if inside else ""}
        text = environment.get_template(template).render(context | places)
        write_whole(home / ("report" if inside else "") / path, [text.encode()])
    write_whole(home / "config.yaml", [as_yaml(study["config"]).encode()])


def pages(results: Path, folder: Path, study: Context) -> Iterator[tuple[str, str, Context]]:
    """Every page: its file, its template and what it shows."""
    table = read_table(folder / "tables" / "runs.csv")
    runs = table[table["status"] == "ok"]
    experiments = [
        experiment_page(folder, entry, study)
        for entry in study["experiments"]
        if has_runs(folder, entry["name"])
    ]
    datasets = Datasets(results, folder, study, runs)
    board = scoreboard_page(folder)
    illustrations = _illustrations(folder)
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
        shared | {"files_of_study": _files(folder), "here": "run.html"},
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


def _illustrations(folder: Path) -> list[Context]:
    path = folder / "figures" / "illustrations" / "figures.json"
    found: list[Context] = read_json(path) if path.exists() else []
    return found


def _files(folder: Path) -> list[str]:
    tables = folder / "tables"
    found = sorted(tables.glob("*.csv")) + sorted(tables.glob("*/*.csv"))
    return [path.relative_to(folder).as_posix() for path in found]


def as_yaml(config: Context) -> str:
    """The config with all defaults, as a config file would have it."""
    return str(yaml.safe_dump(config, sort_keys=False, allow_unicode=True))
