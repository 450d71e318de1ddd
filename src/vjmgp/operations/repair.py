"""Files that are damaged, outdated or failed: found, and taken away so that they are made again."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from ..files import (
    append_record,
    damaged_in,
    journal_of,
    read_sealed,
    require_checksum,
    whole_records,
)
from ..study.blocks import seeds_of
from ..study.model import Study
from ..study.runs import PLACE, read_block


def damaged_files(results: Path) -> Iterator[Path]:
    """The files of a results folder that are not as they were written, or not where they belong."""
    for path in sorted(results.glob("runs/*/*/*/seeds_*.jsonl")):
        if PLACE.fullmatch(str(path)) and not _can(read_block, path):
            yield path
    for part in ("splits", "noise"):
        for path in sorted(results.glob(f"{part}/*/*/seeds_*.json")):
            if not _can(_check_part, path):
                yield path
    for note, table in (("source.json", "source.tsv.gz"), ("*/facts.json", "data.parquet")):
        for path in sorted(results.glob(f"datasets/*/{note}")):
            yield from _damaged_pair(path, path.with_name(table), results)
    for manifest in sorted(results.glob("made/**/*-????????.json")):
        yield from damaged_in(manifest)


def _can(check: Callable[[Path], Any], path: Path) -> bool:
    """Whether a file passes a check; one that cannot be read does not."""
    try:
        check(path)
    except (OSError, ValueError, LookupError, TypeError):
        return False
    return True


def _check_part(path: Path) -> None:
    """Splits or noise estimates must be of the dataset and seeds that their path tells."""
    about = read_sealed(path)
    seeds = list(seeds_of(path.stem.removeprefix("seeds_")))
    if about["dataset"] != path.parent.name[:-9] or [r["seed"] for r in about["runs"]] != seeds:
        raise ValueError(path)


def _damaged_pair(note: Path, table: Path, results: Path) -> Iterator[Path]:
    """A table and the note with its checksum: both where the note is damaged."""
    dataset = note.relative_to(results).parts[1]
    try:
        about = read_sealed(note)
        if about["dataset"] != dataset:
            raise ValueError(note)
    except (OSError, ValueError, LookupError):
        yield from (note, table)
    else:
        if not _can(lambda path: require_checksum(path, about["sha256"]), table):
            yield table


def repair(results: Path) -> list[Path]:
    """Take damaged files away, so that the next run makes them again. Their names.

    The whole runs of a damaged file stay in its journal. Of tables, figures and pages the manifest
    goes, and the step that wrote it runs again.
    """
    damaged = list(damaged_files(results))
    for path in damaged:
        if path.suffix == ".jsonl" and not journal_of(path).exists():
            path.replace(journal_of(path))
        elif path.is_relative_to(results) and path.parts[len(results.parts)] in ROOMS:
            path.unlink(missing_ok=True)
    for manifest in sorted(results.glob("made/**/*-????????.json")):
        if damaged_in(manifest):
            manifest.unlink()
    _set_times_right(results)
    return damaged


ROOMS = ("runs", "splits", "noise", "datasets", "made")
"""Folders whose damaged files are deleted; those of others are written over."""


def _set_times_right(results: Path) -> None:
    """Files written while a clock was ahead get the present's time, or Snakemake would stop."""
    now = time.time()
    for place, _, names in os.walk(results):
        for path in (Path(place, name) for name in names):
            if path.lstat().st_mtime > now:
                os.utime(path, (now, now))


def retry_failed(study: Study) -> int:
    """Take failed runs out of their files, so that the next run tries them again. Their number."""
    count = 0
    for path in map(Path, study.all_run_files()):
        records = list(whole_records(path)) if path.exists() else []
        failed = [record for record in records if record["status"] == "failed"]
        if failed:
            count += len(failed)
            journal_of(path).unlink(missing_ok=True)
            for record in records:
                if record["status"] != "failed":
                    append_record(journal_of(path), record)
            path.unlink()
    if count:  # tables and report show them: without their manifests they are made again
        for manifest in study.results.glob("made/**/*-????????.json"):
            if not manifest.name.startswith("illustrations"):
                manifest.unlink()
    return count


def unasked(studies: Iterable[Study]) -> list[Path]:
    """The folders of runs, splits, noise estimates and tables that no study asks for.

    All studies share one results folder.
    """
    wanted: set[Path] = set()
    for study in studies:
        results = study.results
        for name in study.experiments:
            files = map(Path, (*study.sources(name), *study.run_files(name)))
            wanted |= {place for path in files for place in path.parents}
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
