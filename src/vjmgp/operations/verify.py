"""Are the results what they claim to be: checksums, tables against records, runs computed again.

A run that is computed again from its data, settings and seed must give the same record to the last
bit, but for its times. Runs that time has ended cannot. Its split and its noise estimate are made
again, too.
"""

from __future__ import annotations

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
from ..study.published.index import Taken
from ..study.published.rows import key_of, read_rows, row_of, split_of, splits_of
from ..study.result_tables import as_csv
from ..study.runs.block import run_block, versions
from ..study.runs.collect import Runs, records_of
from ..study.runs.fetch import fetch_dataset
from ..study.runs.noise_estimates import estimate_noise
from ..study.runs.prepare import prepare_dataset
from ..study.runs.records import read_block
from ..study.runs.splits import split_rows
from ..tables.pmlb import cache_folder
from .repair import damaged_files


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    what: str
    ok: bool
    text: str


def verify(study: Study, count: int, seed: int) -> Iterator[Finding]:
    """Look at everything on disk, and compute a random sample of the runs again."""
    damaged = list(damaged_files(study.results))
    text = f"damaged: {', '.join(map(str, damaged))}. To repair it: vjmgp study repair CONFIG"
    yield Finding("checksums of all files", not damaged, text if damaged else "right")
    if damaged:
        return
    for name, files in study.report_files().experiments.items():
        records = study.run_files(name)
        if Path(files.runs).exists() and all(Path(path).exists() for path in records):
            where = study.taken(name), study.published_folder
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
        yield Finding("runs to compute again", False, "time has ended all of them")
    for k in sorted(np.random.default_rng(seed).permutation(len(candidates))[:count]):
        yield _run_again(study, candidates[k])


def finished_files(study: Study) -> list[str]:
    """The files with the runs of a study that are there."""
    return [path for path in study.run_files() if Path(path).exists()]


def _timeless(path: str) -> list[Any]:
    """The entries of a file of splits or noise estimates, without what they took."""
    runs = read_sealed(path)["runs"]
    return [{key: run[key] for key in run if key not in WALL_TIMES} for run in runs]


def _run_again(study: Study, record: Any) -> Finding:
    cell = record["protocol"], record["dataset"], record["method"]
    what = _name_of(record)
    changed = _other_versions(record)
    if changed:
        return Finding(what, False, f"made with other versions ({changed})")
    data, facts = study.prepared(cell[1])
    seeds = range(record["seed"], record["seed"] + 1)
    stored = {"splits": study.splits(*cell[:2], seeds)[0]}
    if study.methods[cell[2]].is_gp:
        stored["noise"] = study.noise(*cell[:2], seeds)[0]
    with tempfile.TemporaryDirectory() as folder:
        try:
            again, made = _computed(study, cell, record["seed"], data, facts, folder)
            for part, path in stored.items():
                if _timeless(made[part])[0] not in _timeless(path):
                    return Finding(
                        what, False, f"its {part} are not right: delete {path}, run again"
                    )
        except FileNotFoundError as error:
            return Finding(what, False, f"{error.filename} is missing: run the study again")
    return _compared(what, record, again)


def _name_of(run: Any) -> str:
    return f"{run['method']} on {run['dataset']} ({run['protocol']}), seed {run['seed']}"


def _other_versions(record: Any) -> str:
    """Libraries whose versions are others now than those that a record was made with."""
    now = versions(record["definition"])
    return "; ".join(
        f"{name} {version} then, {now.get(name)} now"
        for name, version in record["versions"].items()
        if now.get(name) != version
    )


def _computed(
    study: Study, cell: Cell, seed: int, data: str, facts: str, folder: str
) -> tuple[Any, dict[str, str]]:
    """A run's record, with its split and its noise estimate made again; the files of these."""
    protocol, dataset, name = cell
    method = study.methods[name]
    block = f"seeds_{seed}-{seed}.json"
    made = {part: f"{folder}/{part}/{block}" for part in ("splits", "noise")}
    split_rows(data, facts, study.protocols[protocol], made["splits"])
    if method.is_gp:
        estimate_noise(data, facts, made["splits"], made["noise"])
    noise = [made["noise"]] if method.is_gp else []
    runs = f"{folder}/{protocol}/{dataset}/method-{study.run_id(*cell)}/{block}l"
    run_block(name, method.definition, data, facts, [made["splits"]], runs, noise)
    return read_block(runs)[0], made


def _compared(what: str, was: Any, now: Any) -> Finding:
    """Whether two runs are the same but for their times."""
    different = [
        key
        for key, value in was.items()
        if key not in (*WALL_TIMES, "warnings", "versions") and now.get(key) != value
    ]
    if different:
        key = different[0]
        before, after = (str(value)[:60] for value in (was[key], now.get(key)))
        words = f"{', '.join(different)} differ; {key}: {before} then, {after} now"
        return Finding(what, False, words)
    return Finding(what, True, f"the same to the bit, test R² {was['test_r2']:.6f}")


def verify_published(study: Study, count: int, seed: int) -> Iterator[Finding]:
    """Compare the checksums of published files, and compute a random sample of the runs again.

    The study takes all of its runs over. Its datasets are fetched as a study does.
    """
    published = study.published
    assert published
    for name in published.files:
        try:
            published.file(name)
        except DamagedFileError as error:
            yield Finding(name, False, str(error))
            return
    yield Finding(f"checksums of {len(published.files)} files", True, "right")
    can_be = {name for name, method in study.methods.items() if _can_be_run_again(method)}
    cells = {study.run_id(*cell): cell for cell in study.cells() if cell[2] in can_be}
    runs = [(i, k) for i, cell in cells.items() for k in range(study.seeds_taken(*cell))]
    chosen = [runs[k] for k in sorted(np.random.default_rng(seed).permutation(len(runs))[:count])]
    rows = read_rows(published, [Taken(identity, k + 1) for identity, k in chosen])
    wanted, splits = set(chosen), splits_of(published)
    cache = cache_folder(study.config["pmlb_cache"])
    for row in pa.Table.from_pandas(rows).to_pylist() if chosen else ():
        if (row["identity"], row["seed"]) in wanted and row["status"] == "ok":
            shared = splits[key_of(row)] if row["nodes"] is not None else {}
            yield _published_again(study, cells[row["identity"]], row | shared, cache)


def _can_be_run_again(method: Method) -> bool:
    """Whether neither time has ended its runs nor a package is missing."""
    is_timed = "max_time" in method.definition.get("gp", {})
    return not is_timed and not missing_extra(method.definition.get("estimator", ""))


def _published_again(study: Study, cell: Cell, row: Any, cache: Path | None) -> Finding:
    what = _name_of(row)
    with tempfile.TemporaryDirectory() as folder:
        table, note = f"{folder}/source.tsv.gz", f"{folder}/source.json"
        data, facts = f"{folder}/data.parquet", f"{folder}/facts.json"
        try:
            fetch_dataset(cell[1], str(cache) if cache else None, table, note)
            prepare_dataset(cell[1], table, None, data, facts, note)
        except OSError as error:
            return Finding(what, False, str(error))
        record, _ = _computed(study, cell, row["seed"], data, facts, folder)
        again = row_of(record) | (split_of(record) if "model" in record else {})
        if record.get("status") != "ok":
            return Finding(what, False, f"it fails now: {record['error']}")
    finding = _compared(what, {key: row[key] for key in again}, again)
    changed = _other_versions(record | {"versions": json.loads(row["versions"])})
    return replace(finding, text=f"{finding.text} ({changed})") if changed else finding
