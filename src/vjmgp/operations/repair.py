"""Files that are damaged, failed or not asked for: found, and taken away."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from ..core.files import (
    append_record,
    damaged_in,
    journal_of,
    read_sealed,
    require_checksum,
    whole_records,
)
from ..study.paths import seeds_of
from ..study.plan.study import Study
from ..study.runs.records import read_block

MANIFESTS = "made/**/*-????????.json"


def damaged_files(results: Path) -> Iterator[Path]:
    """The files of a results folder that are not as they were written, or not where they belong."""
    checks: dict[str, Callable[[Path], Any]] = {
        "runs/*/*/*-????????/seeds_*.jsonl": read_block,
        "splits/*/*/seeds_*.json": _check_note,
        "noise/*/*/seeds_*.json": _check_note,
        "datasets/*/source.json": _check_note,
        "datasets/*/*/facts.json": _check_note,
        "datasets/*/source.tsv.gz": lambda path: _check_table(path, "source.json"),
        "datasets/*/*/data.parquet": lambda path: _check_table(path, "facts.json"),
    }
    for pattern, check in checks.items():
        for path in sorted(results.glob(pattern)):
            try:
                check(path)
            except (OSError, ValueError, LookupError, TypeError):
                yield path
    for manifest in sorted(results.glob(MANIFESTS)):
        yield from damaged_in(manifest)


def _check_note(path: Path) -> None:
    """What a file of JSON tells must be of the dataset and the seeds that its path tells."""
    about = read_sealed(path)
    folder = path.parent.name
    if about["dataset"] not in (folder, folder[:-9], path.parents[1].name):
        raise ValueError(path)
    if "runs" in about and [run["seed"] for run in about["runs"]] != list(seeds_of(path.name)):
        raise ValueError(path)


def _check_table(path: Path, note: str) -> None:
    """A table must be the one whose checksum is in the note beside it."""
    require_checksum(path, read_sealed(path.with_name(note))["sha256"])


def repair(results: Path) -> list[Path]:
    """Take damaged files away, so that the next run makes them again. Their names.

    The whole runs of a damaged file stay in its journal. Of tables, figures and pages the manifest
    goes, and the step that wrote it runs again.
    """
    manifests = [path for path in results.glob(MANIFESTS) if damaged_in(path)]
    damaged = list(damaged_files(results))
    for path in damaged:
        if path.suffix == ".jsonl" and not journal_of(path).exists():
            path.replace(journal_of(path))
        elif path.relative_to(results).parts[0] in ("runs", "splits", "noise", "datasets"):
            path.unlink(missing_ok=True)
    for path in manifests:
        path.unlink()
    _set_times_right(results)
    return damaged


def _set_times_right(results: Path) -> None:
    """Files written while a clock was ahead get the present's time, or Snakemake would stop."""
    now = time.time()
    for place, _, names in os.walk(results):
        for path in (Path(place, name) for name in names):
            if path.lstat().st_mtime > now:
                os.utime(path, (now, now), follow_symlinks=False)


def retry_failed(study: Study) -> int:
    """Take failed runs out of their files, so that the next run tries them again. Their number."""
    count = 0
    for path in map(Path, study.run_files()):
        records = list(whole_records(path)) if path.exists() else []
        good = [record for record in records if record["status"] == "ok"]
        if len(good) < len(records):
            count += len(records) - len(good)
            journal_of(path).unlink(missing_ok=True)
            for record in good:
                append_record(journal_of(path), record)
            path.unlink()
    for manifest in list(study.results.glob(MANIFESTS)) if count else ():  # tables show them
        manifest.unlink()
    return count


def unasked(studies: Iterable[Study]) -> list[Path]:
    """The folders of runs, splits, noise estimates and tables that no study asks for.

    All studies share one results folder.
    """
    wanted: set[Path] = set()
    for study in studies:
        results = study.results
        wanted |= {place for path in map(Path, study.everything()) for place in path.parents}
    parts = "runs/*/*/*", "splits/*/*", "noise/*/*", "datasets/*/prepared-*", "datasets/*"
    found = [path for part in parts for path in sorted(results.glob(part)) if path.is_dir()]
    unwanted = [path for path in found if path not in wanted]
    return [path for path in unwanted if not set(path.parents) & set(unwanted)]


def prune(folders: Iterable[Path]) -> int:
    """Delete folders; the bytes that this frees."""
    size = 0
    for folder in folders:
        size += sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        shutil.rmtree(folder)
    return size
