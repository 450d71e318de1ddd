"""Files that show when they are damaged, and what is done about it.

Each line of JSON ends with a checksum of all that comes before, so a file that was cut short,
mixed up on a disk or edited by hand is found without even parsing it. Before a run,
`set_damaged_aside` renames such files, and the workflow makes them again.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from ..fetching import checksum, write_whole
from .config import seeds_of, slug

Json = dict[str, Any]
SEAL = re.compile(rb', "seal": "([0-9a-f]{32})"\}\n$')
BLOCK = re.compile(r"seeds_(\d+-\d+)\.jsonl?$")
ASIDE = ".damaged"
"""What is added to the name of a damaged file."""
JOURNAL = ".journal"
"""What is added to the name of a block's file, for the journal of its runs."""
CHECKSUMS = ".checksums.json"
"""The file with the checksums of the tables in its folder."""


class DamagedFileError(ValueError):
    """A file of the workflow that is not as it was written."""


# -- lines ---------------------------------------------------------------------------------------


def sealed(data: Json) -> bytes:
    """JSON in one line, with a checksum at its end. What is no number becomes null."""
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(_without_nan(data), ensure_ascii=False, allow_nan=False)
    body = text[:-1].encode()
    return body + b', "seal": "' + _checksum(body) + b'"}\n'


def unsealed(line: bytes, where: str) -> Json:
    """What `sealed` was given, if the line is as it was written."""
    if not is_whole(line):
        raise DamagedFileError(
            f"{where} is damaged: run again, and the workflow makes it anew (or delete it)."
        )
    data: Json = json.loads(line)
    del data["seal"]
    return data


def is_whole(line: bytes) -> bool:
    """Whether a line is as it was written."""
    found = SEAL.search(line[-64:])
    return found is not None and _checksum(line[: len(line) - len(found[0])]) == found[1]


def _checksum(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:32].encode()


def _without_nan(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    return [_without_nan(item) for item in value] if isinstance(value, list | tuple) else value


# -- files ---------------------------------------------------------------------------------------


def write_sealed(path: str | Path, data: Json) -> None:
    """Write a file of one sealed line, so that nobody ever sees a part of it."""
    write_whole(Path(path), [sealed(data)])


def read_sealed(path: str | Path) -> Json:
    """Read what `write_sealed` wrote; a damaged file is named."""
    return unsealed(Path(path).read_bytes(), str(path))


def write_records(path: str | Path, records: Iterable[Json]) -> None:
    """One sealed line per run."""
    write_whole(Path(path), map(sealed, records))


def append_record(path: Path, record: Json) -> None:
    """Add a run to a file of runs; what a killed process has left of a line does no harm."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                file.write(b"\n")
        file.write(sealed(record))


def close_journal(path: Path) -> None:
    """Let the journal of a block that is done be a second name of the block's file.

    Snakemake deletes a file before it makes it again. So its runs are still there, and those that
    would come out the same are not computed again.
    """
    journal = path.with_name(path.name + JOURNAL)
    new = path.with_name(journal.name + ".new")
    try:
        new.unlink(missing_ok=True)
        os.link(path, new)
        new.replace(journal)
    except OSError:  # a file system without links: the journal has what was computed for this file
        new.unlink(missing_ok=True)


def read_records(path: str | Path) -> Iterator[Json]:
    """The runs of a file; a damaged file, or one that lacks seeds of its block, is named."""
    seeds = []
    with Path(path).open("rb") as file:
        for number, line in enumerate(file, 1):
            record = unsealed(line, f"{path}, line {number},")
            seeds.append(record.get("seed"))
            yield record
    if not _has_its_seeds(Path(path), seeds):
        raise DamagedFileError(f"{path} is damaged, it has the seeds {seeds}: run again.")


def whole_records(path: Path) -> Iterator[Json]:
    """The runs of a file, of which some may be damaged: those that are not."""
    with path.open("rb") as file:
        for line in file:
            if is_whole(line):
                yield unsealed(line, str(path))


def require_checksum(path: str | Path, wanted: str) -> None:
    """Stop where a file is not the one whose checksum was written down."""
    if checksum(Path(path)) != wanted:
        raise DamagedFileError(
            f"{path} is damaged, its checksum is not the one that was written down: run again, and "
            "the workflow makes it anew (or delete it)."
        )


# -- a whole study -------------------------------------------------------------------------------


def damaged_files(results: Path) -> Iterator[Path]:
    """The files of a study that are not as they were written, or not where they belong."""
    for path in sorted(results.glob("runs/*/*/*/seeds_*.jsonl")):
        if not _can(_is_whole_block, path):
            yield path
    for part in ("splits", "noise"):
        for path in sorted(results.glob(f"{part}/*/*/seeds_*.json")):
            if not _can(_is_whole_part, path):
                yield path
    for name, of in (("source.json", "source.tsv.gz"), ("facts.json", "data.parquet")):
        for path in sorted(results.glob(f"datasets/*/{name}")):
            data = path.with_name(of)
            if not _can(_is_whole_about, path):
                yield path
                if name == "source.json" and data.exists():
                    yield data  # or nobody would ask for the other one
            elif data.exists() and not _can(_has_checksum, data, read_sealed(path)["sha256"]):
                yield data
    yield from damaged_tables(results)


def damaged_tables(results: Path) -> Iterator[Path]:
    """The tables that are not as they were written."""
    for path in sorted(results.glob(f"tables/**/{CHECKSUMS}")):
        if not is_whole(path.read_bytes()):
            yield from (table for table in sorted(path.parent.iterdir()) if table.is_file())
            continue
        for name, wanted in read_sealed(path).items():
            table = path.with_name(name)
            if table.exists() and not _can(_has_checksum, table, wanted):
                yield table


def _can(is_right: Callable[..., bool], *arguments: Any) -> bool:
    """Whether a file is right; what cannot be read is not."""
    try:
        return is_right(*arguments)
    except (OSError, ValueError, LookupError, TypeError):
        return False


def _is_whole_block(path: Path) -> bool:
    """Whether it has the runs that its path tells, and nothing else."""
    protocol, dataset, method = path.parts[-4:-1]
    records = list(read_records(path))
    return all(
        (record["protocol"], record["dataset"], slug(record["method"]))
        == (protocol, dataset, method)
        for record in records
    )


def _is_whole_part(path: Path) -> bool:
    """Whether splits or noise estimates are of the dataset and seeds that their path tells."""
    about = read_sealed(path)
    seeds = [run["seed"] for run in about["runs"]]
    return about["dataset"] == path.parent.name and _has_its_seeds(path, seeds)


def _is_whole_about(path: Path) -> bool:
    return bool(read_sealed(path)["dataset"] == path.parent.name)


def _has_checksum(path: Path, wanted: str) -> bool:
    return checksum(path) == wanted


def _has_its_seeds(path: Path, seeds: list[Any]) -> bool:
    """Whether these are the seeds that a file is named for."""
    block = BLOCK.match(path.name)
    return block is None or seeds == list(seeds_of(block[1]))


def set_damaged_aside(results: Path) -> list[Path]:
    """Rename the damaged files of a study, so that they are made again. Their names.

    Tables are deleted: all that is in them is in the records.
    """
    found = list(damaged_files(results))
    for path in found:
        if path.is_relative_to(results / "tables"):
            path.unlink(missing_ok=True)
        else:
            path.replace(aside(path))
    return found


def note_checksum(path: Path) -> None:
    """Remember the checksum of a table, so that damage to it is found."""
    notes = path.with_name(CHECKSUMS)
    known = read_sealed(notes) if notes.exists() and is_whole(notes.read_bytes()) else {}
    write_sealed(notes, known | {path.name: checksum(path)})


def aside(path: Path) -> Path:
    """Where a damaged file is put: its whole records are still used."""
    return path.with_name(path.name + ASIDE)
