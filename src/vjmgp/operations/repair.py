"""Find and remove files that are damaged, failed or no longer needed."""

import os
import shutil
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..core import files
from ..study import paths
from ..study.plan.study import Study
from ..study.runs.records import read_block

NOTES = (paths.SPLITS, paths.NOISE, paths.SOURCE_NOTE, paths.FACTS)
"""Files of JSON that name their dataset."""
TABLES = {paths.SOURCE: paths.SOURCE_NOTE, paths.DATA: paths.FACTS}
"""Tables, and the files beside them that have their checksums."""
CHECKED = (paths.RUNS, *NOTES, *TABLES)


def damaged_files(results: Path) -> Iterator[Path]:
    """Yield files of a results folder that are corrupt or not where they belong."""
    for pattern in CHECKED:
        for path in paths.find(results, pattern):
            try:
                _check(pattern, path)
            except (OSError, ValueError, LookupError, TypeError):
                yield path
    for manifest in _manifests(results):
        yield from files.damaged_in(manifest)


def _manifests(results: Path) -> list[Path]:
    patterns = (paths.MANIFEST, paths.EXPERIMENT_MANIFEST)
    return sorted(path for pattern in patterns for path in paths.find(results, pattern))


def _check(pattern: str, path: Path) -> None:
    """Raise if the content of a file is not what its path or the note beside it says."""
    if pattern == paths.RUNS:
        read_block(path)
    elif pattern in TABLES:
        note = path.with_name(TABLES[pattern].rpartition("/")[2])
        files.require_checksum(path, files.read_sealed(note)["sha256"])
    else:
        about, names = files.read_sealed(path), paths.parse(pattern, path) or {}
        found = about["dataset"], [run["seed"] for run in about.get("runs", ())]
        seeds = list(paths.seeds_of(names["block"])) if "block" in names else []
        if found != (names["dataset"], seeds):
            raise ValueError(path)


def repair(results: Path) -> list[Path]:
    """Remove damaged files, so that the next run makes them again, and return their paths.

    The intact runs of a damaged file stay in its journal. For tables, figures and pages the
    manifest is removed, so that the step that wrote them runs again.
    """
    manifests = [path for path in _manifests(results) if files.damaged_in(path)]
    damaged = list(damaged_files(results))
    folders = {pattern.partition("/")[0] for pattern in CHECKED}
    for path in damaged:
        if path.suffix == ".jsonl" and not files.journal_of(path).exists():
            path.replace(files.journal_of(path))
        elif path.relative_to(results).parts[0] in folders:
            path.unlink(missing_ok=True)
    for path in manifests:
        path.unlink()
    _reset_future_times(results)
    return damaged


def _reset_future_times(results: Path) -> None:
    """Set times in the future, written while a clock was ahead, to now; Snakemake rejects them."""
    now = time.time()
    for place, _, names in os.walk(results):
        for path in (Path(place, name) for name in names):
            if path.lstat().st_mtime > now:
                os.utime(path, (now, now), follow_symlinks=False)


def retry_failed(study: Study) -> int:
    """Remove failed runs, so that the next run tries them again, and return their number."""
    count = 0
    for path in map(Path, study.files.runs()):
        records = list(files.whole_records(path)) if path.exists() else []
        good = [record for record in records if record["status"] == "ok"]
        if len(good) < len(records):
            count += len(records) - len(good)
            files.journal_of(path).unlink(missing_ok=True)
            for record in good:
                files.append_record(files.journal_of(path), record)
            path.unlink()
    for manifest in _manifests(study.results) if count else ():  # tables show them
        manifest.unlink()
    return count


def unused_folders(studies: Iterable[Study]) -> list[Path]:
    """Return folders of runs, splits, noise estimates and tables that no study needs.

    All studies share one results folder.
    """
    wanted: set[Path] = set()
    for study in studies:
        results = study.results
        wanted |= {place for path in map(Path, study.files.everything()) for place in path.parents}
    patterns = paths.RUNS, paths.SPLITS, paths.NOISE, paths.DATA, paths.SOURCE
    folders = (path for p in patterns for path in paths.find(results, str(Path(p).parent)))
    unwanted = [path for path in folders if path.is_dir() and path not in wanted]
    return [path for path in unwanted if not set(path.parents) & set(unwanted)]


def prune(folders: Iterable[Path]) -> int:
    """Delete folders and return the bytes that this frees."""
    size = 0
    for folder in folders:
        size += sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        shutil.rmtree(folder)
    return size
