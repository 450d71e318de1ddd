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
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..fetching import checksum, write_whole
from .config import seeds_of

Json = dict[str, Any]
SEAL = re.compile(rb', "seal": "([0-9a-f]{32})"\}\n$')
BLOCK = re.compile(r"seeds_(\d+-\d+)\.jsonl")
ASIDE = ".damaged"
"""What is added to the name of a damaged file."""
JOURNAL = ".part"
"""What is added to the name of a block's file, for the journal of its runs."""


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


def read_records(path: str | Path) -> Iterator[Json]:
    """The runs of a file; a damaged file, or one that lacks seeds of its block, is named."""
    seeds = []
    with Path(path).open("rb") as file:
        for number, line in enumerate(file, 1):
            record = unsealed(line, f"{path}, line {number},")
            seeds.append(record.get("seed"))
            yield record
    block = BLOCK.fullmatch(Path(path).name)
    if block and seeds != list(seeds_of(block[1])):
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
    """The files of a study that are not as they were written."""
    for path in sorted(results.glob("runs/*/*/*/seeds_*.jsonl")):
        if not _is_whole_block(path):
            yield path
    for part in ("splits", "noise"):
        for path in sorted(results.glob(f"{part}/*/*/seeds_*.json")):
            if not is_whole(path.read_bytes()):
                yield path
    for name, of in (("source.json", "source.tsv.gz"), ("facts.json", "data.parquet")):
        for path in sorted(results.glob(f"datasets/*/{name}")):
            content, data = path.read_bytes(), path.with_name(of)
            if not is_whole(content):
                yield path
                if name == "source.json" and data.exists():
                    yield data  # or nobody would ask for the other one
            elif data.exists() and checksum(data) != json.loads(content)["sha256"]:
                yield data


def _is_whole_block(path: Path) -> bool:
    block = BLOCK.fullmatch(path.name)
    with path.open("rb") as file:
        whole = [is_whole(line) for line in file]
    return all(whole) and (block is None or len(whole) == len(seeds_of(block[1])))


def set_damaged_aside(results: Path) -> list[Path]:
    """Rename the damaged files of a study, so that they are made again. Their names."""
    found = list(damaged_files(results))
    for path in found:
        path.replace(aside(path))
    return found


def aside(path: Path) -> Path:
    """Where a damaged file is put: its whole records are still used."""
    return path.with_name(path.name + ASIDE)
