"""Are the results what they claim to be: checksums, tables against records, runs computed again.

A run that is computed again from its data, settings and seed must give the same record to the last
bit, but for its times. Runs that time has ended cannot. Its split and its noise estimate are made
again, too.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..files import read_sealed
from ..study.collect import records_of, table_of_runs
from ..study.model import Study
from ..study.names import WALL_TIMES
from ..study.noise import estimate_noise
from ..study.records import read_block
from ..study.runs import run_block, versions
from ..study.splits import split_rows
from ..study.tables import as_csv
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
            is_same = as_csv(table_of_runs(records_of(records))) == Path(files.runs).read_bytes()
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
    protocol, dataset, seed = (record[key] for key in ("protocol", "dataset", "seed"))
    what = f"{record['method']} on {dataset} ({protocol}), seed {seed}"
    now = versions(record["definition"])
    changed = [
        f"{name} {version} then, {now.get(name)} now"
        for name, version in record["versions"].items()
        if now.get(name) != version
    ]
    if changed:
        return Finding(what, False, f"made with other versions ({'; '.join(changed)})")
    data, facts = study.prepared(dataset)
    seeds = range(seed, seed + 1)
    stored = {"splits": study.splits(protocol, dataset, seeds)[0]}
    if "gp" in record["definition"]:
        stored["noise"] = study.noise(protocol, dataset, seeds)[0]
    with tempfile.TemporaryDirectory() as folder:
        block = f"seeds_{seed}-{seed}.json"
        made = {part: f"{folder}/{part}/{block}" for part in ("splits", "noise")}
        runs = f"{folder}/{protocol}/{dataset}/method-{record['identity']}/{block}l"
        try:
            split_rows(data, facts, study.protocols[protocol], made["splits"])
            if "noise" in stored:
                estimate_noise(data, facts, made["splits"], made["noise"])
            for part, path in stored.items():
                if _timeless(made[part])[0] not in _timeless(path):
                    return Finding(
                        what, False, f"its {part} are not right: delete {path}, run again"
                    )
        except FileNotFoundError as error:
            return Finding(what, False, f"{error.filename} is missing: run the study again")
        noise = [made["noise"]] if "noise" in stored else []
        run_block(
            record["method"], record["definition"], data, facts, [made["splits"]], runs, noise
        )
        (again,) = read_block(runs)
    different = [
        key
        for key, value in record.items()
        if key not in (*WALL_TIMES, "warnings") and again.get(key) != value
    ]
    if different:
        key = different[0]
        was, is_now = (str(value)[:60] for value in (record[key], again.get(key)))
        words = f"{', '.join(different)} differ; {key}: {was} then, {is_now} now"
        return Finding(what, False, words)
    return Finding(what, True, f"the same to the bit, test R² {record['test_r2']:.6f}")
