"""Write the pages of the report."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from ...core.files import read_json, write_whole
from ...engine.version import ENGINE_VERSION
from ...pages.templating import SHARED, make_templates
from ...tables.paper_datasets import paper_datasets
from ..paths import ALL_RUNS, FAILURES, REPORT, SCOREBOARD
from ..result_tables import read_table
from .dataset_pages import DatasetPages
from .experiment_pages import experiment_page, has_runs
from .overview_page import highlight, progress, scoreboard_page
from .run_page import gp_settings, learners, machine, picture_of_workflow, versions

if TYPE_CHECKING:
    from ..paths import StudyFiles

READS = ("pages/templates/*", "study/report/templates/*")
Context = dict[str, Any]
DEFAULT_RESULTS = Path("results")
ASSETS = ("style.css", "report.js")


def write_report(study: Context, files: StudyFiles, page: str, pages: str, config: str) -> None:
    """Write the start page, the folder of pages beside it, and the full config."""
    templates = make_templates(Path(__file__).parent / "templates")
    for name in ASSETS:
        write_whole(Path(pages) / name, [(SHARED / name).read_bytes()])
    shared = shared_context(files, study)
    for here, template, more in all_pages(shared, study):
        inside = here != REPORT
        places = {"pages": "" if inside else "report/", "files": "../" if inside else ""}
        whole = templates.get_template(f"{template}.html.jinja")
        text = whole.render(shared | more | places | {"here": here})
        write_whole(Path(pages) / here if inside else Path(page), [text.encode()])
    write_whole(Path(config), [as_yaml(study["config"]).encode()])


def all_pages(shared: Context, study: Context) -> Iterator[tuple[str, str, Context]]:
    """Yield file, template and own context of every page."""
    experiments, datasets = shared["experiments"], shared["datasets"]
    yield REPORT, "index", {"highlight": highlight(experiments)}
    for name in (*["scoreboard"] * shared["has_claims"], "datasets", "models"):
        yield f"{name}.html", name, {}
    for entry in experiments:
        yield f"experiment-{entry['name']}.html", "experiment", {"e": entry}
        if entry["srbench"]:
            yield f"srbench-{entry['name']}.html", "srbench", {"e": entry, "s": entry["srbench"]}
    around = [None, *study["datasets"], None]
    for place, entry in enumerate(datasets):
        beside = {"before": around[place], "after": around[place + 2]}
        yield f"dataset-{entry['name']}.html", "dataset", {"d": entry, **beside}
    if shared["illustrations"]:
        yield "illustrations.html", "illustrations", {}
    methods, picture = study["methods"], picture_of_workflow()
    about = {"gp_settings": gp_settings(methods), "learners": learners(methods)}
    inside = (f"tables/{entry['name']}/{name}" for entry in experiments for name in entry["files"])
    tables = [ALL_RUNS, FAILURES, SCOREBOARD, *inside]
    yield "run.html", "run", about | {"files_of_study": tables, "picture": picture}


def shared_context(files: StudyFiles, study: Context) -> Context:
    """Return the context that all pages share."""
    table, config = read_table(files.runs), study["config"]
    runs, failures = (table[table["status"] == status] for status in ("ok", "failed"))
    shown = [entry for entry in study["experiments"] if has_runs(files.experiments[entry.name])]
    datasets = DatasetPages(files, study, runs)
    figures = Path(files.illustrations) / "figures.json"
    is_papers = study["runs_papers_methods"]
    has_claims = is_papers and not paper_datasets().keys().isdisjoint(study["datasets"])
    return {
        "experiments": [experiment_page(files.experiments[e.name], e, study) for e in shown],
        "illustrations": read_json(figures) if is_papers and figures.exists() else [],
        "has_claims": has_claims,
        "models": datasets.models,
        "datasets": [datasets.page(name) for name in study["datasets"]],
        "board": scoreboard_page(files.scoreboard) if has_claims else None,
        "title": config["title"],
        "others": other_reports(Path(config["results"])),
        "are_published": config["published"] == "only",
        "n_runs": len(runs),
        "n_methods": runs["method"].nunique(),
        "n_datasets": runs["dataset"].nunique(),
        "dataset_names": study["datasets"],
        "seeds": config["seeds"],
        "significance": config["significance"],
        "hours": float(runs["cpu_seconds"].sum()) / 3600,
        "warnings": int(runs["warnings"].sum()),
        "failures": failures[["method", "dataset", "seed", "error"]].to_dict("records"),
        "skipped": study["skipped"],
        "missing": study["missing"],
        "progress": progress(table, study),
        "config": as_yaml(config),
        "engine": ENGINE_VERSION,
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": machine(),
        "versions": versions(),
    }


def other_reports(results: Path) -> dict[str, str]:
    """Return the folders of the reports that `make demo` writes, as seen from another's folder."""
    if results.parts[:1] != DEFAULT_RESULTS.parts:
        return {}
    places = {"The default study": DEFAULT_RESULTS, "The paper's study": DEFAULT_RESULTS / "full"}
    return {
        words: f"{os.path.relpath(place, results)}/"
        for words, place in places.items()
        if place != results
    }


def as_yaml(config: Context) -> str:
    """Return the config with all defaults as YAML."""
    return str(yaml.safe_dump(config, sort_keys=False, allow_unicode=True))
