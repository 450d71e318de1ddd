"""Files that appear whole or not at all, and show when they are damaged.

Each line of JSON ends with a checksum of what stands before it, so a file that was cut short, mixed
up on a disk or edited by hand is found without parsing it. Tables, figures and pages have a
manifest beside them: one such line with the checksum of every file.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any

Json = dict[str, Any]
SEAL = re.compile(rb', "seal": "([0-9a-f]{32})"\}\n$')


class DamagedFileError(ValueError):
    """A file that is not as it was written."""

    def __init__(self, where: str, why: str = "") -> None:
        super().__init__(f"{where} is damaged{why and f' ({why})'}.")


def package_folder(name: str) -> Path:
    """A folder of data files within the package."""
    return Path(str(resources.files("vjmgp"))) / name


def checksum(path: str | Path) -> str:
    """SHA-256 of a file."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def require_checksum(path: str | Path, wanted: str) -> None:
    """Stop at a file that is not the one whose checksum was noted."""
    if checksum(path) != wanted:
        raise DamagedFileError(str(path))


def write_whole(
    place: Path, chunks: Iterable[bytes], fault_of: Callable[[Path], str | None] | None = None
) -> Path:
    """Write a file so that nobody ever sees a part of it, nor one in which a fault is found."""
    place.parent.mkdir(parents=True, exist_ok=True)
    # Not by tempfile, whose files nobody else may read whatever the user's umask says.
    part = place.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with part.open("xb") as file:
            for chunk in chunks:
                file.write(chunk)
        fault = fault_of(part) if fault_of else None
        if fault is not None:
            raise OSError(f"the file is damaged: {fault}")
        return part.replace(place)
    finally:
        part.unlink(missing_ok=True)


def write_json(path: str | Path, data: Any) -> None:
    """Write plain JSON."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    write_whole(Path(path), [text.encode(), b"\n"])


def read_json(path: str | Path) -> Any:
    """Read plain JSON; an error names the file."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise DamagedFileError(str(path), str(error)) from None


# -- sealed lines --------------------------------------------------------------------------------


def sealed(data: Json) -> bytes:
    """JSON in one line with a checksum at its end. NaN and infinity become null."""
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(_without_nan(data), ensure_ascii=False, allow_nan=False)
    body = text[:-1].encode()
    return body + b', "seal": "' + _seal(body) + b'"}\n'


def unsealed(line: bytes, where: str) -> Json:
    """What `sealed` was given, if the line is as it was written."""
    if not is_whole(line):
        raise DamagedFileError(where)
    data: Json = json.loads(line)
    del data["seal"]
    return data


def is_whole(line: bytes) -> bool:
    """Whether a line is as it was written."""
    found = SEAL.search(line[-64:])
    return found is not None and _seal(line[: len(line) - len(found[0])]) == found[1]


def _seal(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:32].encode()


def _without_nan(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    return [_without_nan(item) for item in value] if isinstance(value, list | tuple) else value


def write_sealed(path: str | Path, *lines: Json) -> None:
    """Write a file of sealed lines."""
    write_whole(Path(path), map(sealed, lines))


def read_sealed(path: str | Path) -> Json:
    """What is in a file of one sealed line; an error names a damaged file."""
    return unsealed(Path(path).read_bytes(), str(path))


def read_records(path: str | Path) -> list[Json]:
    """What is in a file of sealed lines; an error names the damaged line."""
    with Path(path).open("rb") as file:
        return [unsealed(line, f"{path}, line {k},") for k, line in enumerate(file, 1)]


def whole_records(path: Path) -> Iterator[Json]:
    """Those lines of a file or journal that are as they were written."""
    with path.open("rb") as file:
        yield from (unsealed(line, str(path)) for line in file if is_whole(line))


def journal_of(path: str | Path) -> Path:
    """The journal of a file of runs, to which each run is written when it ends."""
    return Path(f"{path}.journal")


def append_record(journal: Path, record: Json) -> None:
    """Add a run to a journal, after whatever part of a line a killed process has left there."""
    journal.parent.mkdir(parents=True, exist_ok=True)
    with journal.open("a+b") as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            file.write(b"" if file.read(1) == b"\n" else b"\n")
        file.write(sealed(record))


def close_journal(path: Path) -> None:
    """Make the journal of a finished file of runs a second name of that file.

    Where something that runs are made from is deleted, Snakemake deletes their file, too, and makes
    both again. The runs survive in the journal.
    """
    new = path.with_name(f"{path.name}.new")
    with contextlib.suppress(OSError):  # a file system without links
        new.unlink(missing_ok=True)
        os.link(path, new)
        new.replace(journal_of(path))


# -- manifests -----------------------------------------------------------------------------------


def write_manifest(manifest: Path, files: Iterable[str | Path]) -> None:
    """Note the checksums of files and folders, and forget what the same step made before.

    A manifest is called STEP-IDENTITY.json; others of the step are of other settings or code.
    """
    sums = {
        os.path.relpath(path, manifest.parent): checksum(path)
        for place in map(Path, files)
        for path in (sorted(place.rglob("*")) if place.is_dir() else [place])
        if path.is_file() and not path.name.startswith(".")
    }
    for other in manifest.parent.glob(f"{manifest.stem[:-9]}-????????.json"):
        other.unlink()
    write_sealed(manifest, {"files": sums})


def damaged_in(manifest: Path) -> list[Path]:
    """The files of a manifest that are not as they were written, or gone; maybe itself."""
    try:
        sums: dict[str, str] = read_sealed(manifest)["files"]
    except DamagedFileError:
        return [manifest]
    places = ((Path(os.path.normpath(manifest.parent / name)), sums[name]) for name in sums)
    return [path for path, wanted in places if not path.is_file() or checksum(path) != wanted]
