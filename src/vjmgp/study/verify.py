"""Are the results what they claim to be: checksums, tables against records, runs computed again.

A run that is computed again from its data, settings and seed must give the same record to the last
bit, but for its times. Runs that time has ended cannot. Its split and noise estimate are computed
again, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..engine.identity import ENGINE_VERSION
from ..protocol import Protocol
from .config import Method, Study, seeds_of
from .data import Problem, noise_of, problems
from .learners import Record, make, run
from .runs import noise_estimates, versions
from .seals import damaged_files, read_records, sealed, unsealed

NEVER_THE_SAME = ("seconds", "cpu_seconds")
SHOWN = ("train_r2", "test_r2", "size", "formula")
"""Columns of the table of runs that are compared with the records."""


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    what: str
    ok: bool
    text: str


def verify(study: Study, count: int, seed: int) -> Iterator[Finding]:
    """Look at everything on disk, and compute a random sample of the runs again."""
    results = study.results
    damaged = list(damaged_files(results))
    yield Finding("checksums of all files", not damaged, ", ".join(map(str, damaged)) or "right")
    if damaged:
        return
    records = {path: list(read_records(path)) for path in finished_files(study)}
    yield _compare_table(results / "tables" / "runs.csv", records, results)
    methods = {name: m for name, m in study.methods.items() if not _ends_by_time(m)}
    candidates = [
        record
        for block in records.values()
        for record in block
        if record["status"] == "ok" and record["method"] in methods
    ]
    rng = np.random.default_rng(seed)
    if not candidates and count:
        yield Finding("runs to compute again", False, "there is none that did not end by time")
    for k in sorted(rng.permutation(len(candidates))[:count]):
        record = candidates[k]
        yield _run_again(study, methods[record["method"]], record)


def finished_files(study: Study) -> list[str]:
    """The files with the runs of a study that are there."""
    return [path for path in study.all_run_files() if Path(path).exists()]


def _ends_by_time(method: Method) -> bool:
    return method.is_gp and method.definition["gp"].get("max_time") is not None


def _compare_table(table: Path, records: dict[str, list[Record]], results: Path) -> Finding:
    what = f"{table} against the records"
    if not table.exists():
        return Finding(what, True, "not there yet")
    content = pd.read_csv(table, dtype=str, keep_default_na=False)
    lacking = {"file", "seed", *SHOWN} - set(content.columns)
    if lacking:
        return Finding(what, False, f"it lacks the columns {sorted(lacking)}: delete it, run again")
    rows = content.to_dict("records")
    shown = {(row["file"], row["seed"]): row for row in rows}
    stored = {
        (Path(path).relative_to(results).as_posix(), str(record["seed"])): record
        for path, block in records.items()
        for record in block
    }
    if len(rows) != len(shown) or shown.keys() - stored.keys():
        return Finding(
            what, False, "it has rows that no record stands for: delete it and run again"
        )
    if stored.keys() - shown.keys():
        return Finding(what, False, "it lacks runs: run the study again")
    for key, row in shown.items():
        for column in SHOWN:
            value = stored[key].get(column)
            if not _is_the_same(row[column], value):
                text = (
                    f"{column} of {key[0]}, seed {key[1]}, is {row[column]}, not {value}: delete "
                    "the table and run the study again"
                )
                return Finding(what, False, text)
    return Finding(what, True, f"{len(rows)} rows agree")


def _is_the_same(text: str, value: Any) -> bool:
    if value is None:
        return text == ""
    try:
        return text == value if isinstance(value, str) else float(text) == value
    except ValueError:
        return False


def _run_again(study: Study, method: Method, record: Record) -> Finding:
    what = (
        f"{record['method']} on {record['dataset']} ({record['protocol']}), seed {record['seed']}"
    )
    reason = _cannot_compare(method, record)
    if reason:
        return Finding(what, False, reason)
    try:
        problem, noise = _inputs_of(study, method, record)
    except FileNotFoundError as error:
        return Finding(what, False, f"{error.filename} is missing: run the study again")
    wrong = _wrong_inputs(study.protocols[record["protocol"]], problem, noise)
    if wrong:
        return Finding(what, False, f"{wrong} not what they should be: delete them and run again")
    again = run(make(method.definition, noise), problem)
    different = [key for key, value in again.items() if _text(value) != _text(record.get(key))]
    different = [key for key in different if key not in NEVER_THE_SAME]
    if different:
        key = different[0]
        was, now = (_text(value)[:60] for value in (record.get(key), again[key]))
        return Finding(what, False, f"{', '.join(different)} differ; {key}: {was} then, {now} now")
    return Finding(what, True, f"the same to the bit, test R² {record['test_r2']:.6f}")


def _inputs_of(
    study: Study, method: Method, record: Record
) -> tuple[Problem, dict[int, dict[str, Any]]]:
    """The data of a run, and its noise estimate where it has one."""
    results, seed = study.results, record["seed"]
    data = results / "datasets" / record["dataset"]
    block = next(b for b in study.split_blocks() if seed in seeds_of(b))
    splits, estimates = (
        str(results / part / record["protocol"] / record["dataset"] / f"seeds_{block}.json")
        for part in ("splits", "noise")
    )
    all_of_block = problems(str(data / "data.parquet"), str(data / "facts.json"), [splits])
    problem = next(problem for problem in all_of_block if problem.seed == seed)
    noise = noise_estimates([estimates]) if method.is_gp else {}
    return problem, {key: value for key, value in noise.items() if key == seed}


def _wrong_inputs(
    protocol: Protocol, problem: Problem, noise: dict[int, dict[str, Any]]
) -> str | None:
    """Which of the files that a run is made from does not have what it should have."""
    name, seed = problem.dataset, problem.seed
    train, _ = protocol.split(name, len(problem.table), seed)
    if not np.array_equal(train, problem.train):
        return "its training rows are"
    labels = problem.target[train]
    if protocol.label_noise:
        labels = protocol.training_labels(labels, name, seed)
    if not np.array_equal(labels, problem.labels):
        return "its training labels are"
    if noise and noise != {seed: noise_of(problem)}:
        return "its noise estimates are"
    return None


def _cannot_compare(method: Method, record: Record) -> str | None:
    """Why a run made now would be another one."""
    if record["definition"] != json.loads(json.dumps(method.definition)):
        return "its settings are not those of the config: run the study again"
    if method.is_gp and record["engine"] != ENGINE_VERSION:
        return f"made by engine {record['engine']}, this is {ENGINE_VERSION}: run the study again"
    now = versions(method.definition)
    changed = [
        f"{name} {version} then, {now.get(name)} now"
        for name, version in record["versions"].items()
        if now.get(name) != version
    ]
    return f"made with other versions ({'; '.join(changed)})" if changed else None


def _text(value: Any) -> str:
    """A value as it would be written down: equal texts are equal bits."""
    return json.dumps(unsealed(sealed({"value": value}), "")["value"], sort_keys=True)
