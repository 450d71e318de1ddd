"""Verify results: check checksums, compare tables with records, and repeat runs.

A run of genetic programming that is repeated from its data, settings and seed must give the same
record to the last bit, except for its times. Other learners use linear algebra that rounds
differently on other processors, so their R² may differ slightly. Runs that were limited by time
cannot be repeated. The split and the noise estimate of a run are made again, too.
"""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ..competitors.packages import missing_extra
from ..core.files import DamagedFileError, read_sealed
from ..study.names import WALL_TIMES
from ..study.plan.study import Cell, Method, Study
from ..study.published.index import ReusedRuns
from ..study.published.rows import check_index, key_of, read_rows, row_of, split_of, splits_of
from ..study.result_tables import as_csv
from ..study.runs.block import run_block, versions
from ..study.runs.collect import Runs, records_of
from ..study.runs.noise_estimates import estimate_noise
from ..study.runs.prepare import fetch_dataset, prepare_dataset, split_rows
from ..study.runs.records import read_block
from ..tables.pmlb import embedded_datasets
from .jobs import REMEDY
from .repair import damaged_files

CLOSE = 0.01
"""Largest difference of R² that rounding on another processor explains."""


@dataclass(frozen=True)
class Finding:
    """The outcome of one check."""

    what: str
    ok: bool | None
    """None if it could not be checked."""
    text: str


def verify(study: Study, count: int, seed: int) -> Iterator[Finding]:
    """Check everything on disk, and repeat a random sample of the runs."""
    damaged = list(damaged_files(study.results))
    text = f"damaged: {', '.join(map(str, damaged))}. {REMEDY}"
    yield Finding("checksums of all files", not damaged, text if damaged else "right")
    if damaged:
        return
    for name, files in study.files.report().experiments.items():
        records = study.files.runs(name)
        if Path(files.runs).exists() and all(Path(path).exists() for path in records):
            where = study.reused(name), study.published_folder
            runs = Runs(study.experiments[name], records_of(records), *where).table_of_runs()
            is_same = as_csv(runs) == Path(files.runs).read_bytes()
            text = "the same" if is_same else "it has other rows: delete it, run again"
            yield Finding(f"{files.runs} against the records", is_same, text)
    candidates = [
        record
        for path in finished_files(study)
        for record in read_block(path)
        if record["status"] == "ok" and "max_time" not in record["definition"].get("gp", {})
    ]
    if not candidates and count:
        yield Finding("runs to repeat", False, "all of them were limited by time")
    for k in sorted(np.random.default_rng(seed).permutation(len(candidates))[:count]):
        yield _repeat(study, candidates[k])


def finished_files(study: Study) -> list[str]:
    """Return the existing files with runs of a study."""
    return [path for path in study.files.runs() if Path(path).exists()]


def _timeless(path: str) -> list[Any]:
    """Return the entries of a file of splits or noise estimates without their times."""
    runs = read_sealed(path)["runs"]
    return [{key: run[key] for key in run if key not in WALL_TIMES} for run in runs]


def _repeat(study: Study, record: Any) -> Finding:
    cell = Cell(record["protocol"], record["dataset"], record["method"])
    what = _name_of(record)
    changed = _other_versions(record)
    if changed:
        return Finding(what, False, f"made with other versions ({changed})")
    data, facts = study.files.prepared(cell.dataset)
    stored = _inputs_of(study, cell, record["seed"])
    with tempfile.TemporaryDirectory() as folder:
        try:
            again, made = _computed(study, cell, record["seed"], data, facts, folder)
            for part, path in stored.items():
                if _timeless(made[part])[0] not in _timeless(path):
                    return Finding(what, False, f"its {part} are wrong: delete {path}, run again")
        except FileNotFoundError as error:
            return Finding(what, False, f"{error.filename} is missing: run the study again")
    return _compared(what, record, again, study.methods[cell.method])


def _name_of(run: Any) -> str:
    return f"{run['method']} on {run['dataset']} ({run['protocol']}), seed {run['seed']}"


def _other_versions(record: Any) -> str:
    """Return the libraries whose versions have changed since a record was made."""
    now = versions(record["definition"])
    return "; ".join(
        f"{name} {version} then, {now.get(name)} now"
        for name, version in record["versions"].items()
        if now.get(name) != version
    )


def _computed(
    study: Study, cell: Cell, seed: int, data: str, facts: str, folder: str
) -> tuple[Any, dict[str, str]]:
    """Repeat a run with its split and its noise estimate; return its record and their files."""
    method, there = study.methods[cell.method], _within(study, folder)
    runs, made = there.files.block(cell, f"{seed}-{seed}"), _inputs_of(there, cell, seed)
    splits, *noise = made.values()
    split_rows(data, facts, study.protocols[cell.protocol], splits)
    for path in noise:
        estimate_noise(data, facts, splits, path)
    run_block(method.name, method.definition, data, facts, [splits], runs, noise)
    return read_block(runs)[0], made


def _inputs_of(study: Study, cell: Cell, seed: int) -> dict[str, str]:
    """Return the files with the split of a run and, of a GP run, its noise estimate."""
    key = (*cell[:2], range(seed, seed + 1))
    noise = {"noise": study.files.noise(*key)[0]} if study.methods[cell.method].is_gp else {}
    return {"splits": study.files.splits(*key)[0]} | noise


def _within(study: Study, folder: str) -> Study:
    """Return the study with its results in another folder, and a job for each run."""
    return replace(study, config=study.config | {"results": folder, "seeds_per_job": 1})


def _compared(what: str, was: Any, now: Any, method: Method) -> Finding:
    different = [
        key
        for key, value in was.items()
        if key not in (*WALL_TIMES, "warnings", "versions") and now.get(key) != value
    ]
    gap = max(abs(was[key] - now.get(key, np.inf)) for key in ("train_r2", "test_r2"))
    if different and not method.is_gp and gap <= CLOSE:
        text = f"R² differs by {gap:.1g}: other processors round differently"
        return Finding(what, True, text)
    if different:
        key = different[0]
        before, after = (str(value)[:60] for value in (was[key], now.get(key)))
        words = f"{', '.join(different)} differ; {key}: {before} then, {after} now"
        return Finding(what, False, words)
    return Finding(what, True, f"the same to the bit, test R² {was['test_r2']:.6f}")


def verify_published(
    study: Study, count: int, seed: int, *, shipped: bool = False
) -> Iterator[Finding]:
    """Compare the checksums of published files, and repeat a random sample of the runs.

    The study must reuse all of its runs. Its datasets are fetched as in a study; the sample can be
    of runs on shipped datasets, which need no network.
    """
    published = study.published
    assert published
    try:
        for name in published.files:
            published.file(name)
        check_index(published, (cell.group for cell in published.cells.values()))
    except DamagedFileError as error:
        yield Finding("published files", False, str(error))
        return
    yield Finding(f"checksums and index of {len(published.files)} files", True, "right")
    can_be = {name for name, method in study.methods.items() if _is_repeatable(method)}
    places = set(embedded_datasets() if shipped else study.datasets)
    repeatable = (c for c in study.cells() if c.method in can_be and c.dataset in places)
    cells = {study.ids.run(*cell): cell for cell in repeatable}
    runs = [(i, k) for i, cell in cells.items() for k in range(study.seeds_reused(cell))]
    chosen = [runs[k] for k in sorted(np.random.default_rng(seed).permutation(len(runs))[:count])]
    if not chosen:
        if count:
            words = "none can be computed again on these datasets without a time limit"
            yield Finding("runs to repeat", False, words)
        return
    rows = read_rows(published, [ReusedRuns(identity, k + 1) for identity, k in chosen])
    wanted, splits = set(chosen), splits_of(published)
    for row in pa.Table.from_pandas(rows).to_pylist():
        if (row["identity"], row["seed"]) in wanted and row["status"] == "ok":
            shared = splits[key_of(row)] if row["nodes"] is not None else {}
            yield _repeat_published(study, cells[row["identity"]], row | shared)


def _is_repeatable(method: Method) -> bool:
    """Return whether its runs have no time limit and its packages are installed."""
    is_timed = "max_time" in method.definition.get("gp", {})
    return not is_timed and not missing_extra(method.definition.get("estimator", ""))


def _repeat_published(study: Study, cell: Cell, row: Any) -> Finding:
    what = _name_of(row)
    with tempfile.TemporaryDirectory() as folder:
        files = _within(study, folder).files
        table, note, data, facts = *files.source(cell.dataset), *files.prepared(cell.dataset)
        try:
            fetch_dataset(cell.dataset, study.config["pmlb_cache"], table, note)
        except OSError as error:
            return Finding(what, None, str(error))
        prepare_dataset(cell.dataset, table, None, data, facts, note)
        record, _ = _computed(study, cell, row["seed"], data, facts, folder)
        again = row_of(record) | (split_of(record) if "model" in record else {})
        if record.get("status") != "ok":
            return Finding(what, False, f"it fails now: {record['error']}")
    known = {key: row[key] for key in again}
    finding = _compared(what, known, again, study.methods[cell.method])
    changed = _other_versions(record | {"versions": json.loads(row["versions"])})
    return replace(finding, text=f"{finding.text} ({changed})") if changed else finding
