"""Runs and tables that are not of this config and this code, whatever Snakemake knows of them.

Snakemake keeps what it knows in `.snakemake` of the directory it was started in. Where that is
gone, or results are used from elsewhere, it only compares times. But each record names the settings
and the code that it was made by, and these are compared here before every run.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..engine.identity import ENGINE_VERSION
from ..fetching import checksum
from . import checks
from .config import Method, Study, code_id
from .seals import is_whole, read_sealed

CODE_OF_RUNS = ("study/data.py", "study/runs.py", "study/learners.py")
CODE_OF_GP = ("study/gp.py",)  # what the engine's version stands for is not among them
CODE_OF_BASELINES = (
    *("tabular.py", "formula.py", "engine/scores.py", "study/baselines.py"),
    *(f"competitors/{name}.py" for name in ("tuning", "shortcuts", "sizes", "texts")),
)


def code_of(method: Method) -> dict[str, str]:
    """Hashes of the code that the runs of a method depend on."""
    return _code(method.is_gp) | {"own_code": checks.own_code(method)}


@functools.cache
def _code(is_gp: bool) -> dict[str, str]:
    part = CODE_OF_GP if is_gp else CODE_OF_BASELINES
    return {"engine": ENGINE_VERSION if is_gp else "", "code": code_id(*CODE_OF_RUNS, *part)}


def outdated_runs(study: Study) -> Iterator[Path]:
    """The files of a study's runs that were made by other settings or code."""
    makes = {name: _makes(method) for name, method in study.methods_by_slug.items()}
    for path in map(Path, study.all_run_files()):
        if path.exists() and _was_made_by(path) != makes[path.parent.name]:
            yield path


def _was_made_by(path: Path) -> Any:
    """Settings and code of the first run; None where nobody can tell."""
    with path.open("rb") as file:
        line = file.readline()
    if not is_whole(line):
        return None
    record = json.loads(line)
    return [record.get("definition"), record.get("code")]


def _makes(method: Method) -> Any:
    return [json.loads(json.dumps(method.definition)), code_of(method)]


def files_of_changed_tables(study: Study) -> Iterator[Path]:
    """What was made from users' own files that have changed since, by whatever time they have."""
    results = study.results
    for name in study.own_data.keys() & set(study.datasets):
        facts, table = results / "datasets" / name / "facts.json", Path(study.own_data[name].file)
        if facts.exists() and read_sealed(facts)["source_sha256"] != checksum(table):
            yield facts
            yield from results.glob(f"runs/*/{name}/*/seeds_*.jsonl")


def is_unexplained(last_run: dict[str, str]) -> bool:
    """Whether Snakemake's notes of the run before are not here: so nobody knows what tables are of.

    They hold which files and settings each table was made from.
    """
    here = str(Path.cwd())
    return bool(last_run) and (
        last_run.get("started_in") != here or not Path(".snakemake/metadata").is_dir()
    )
