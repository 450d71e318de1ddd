"""Write files atomically, and detect damaged ones.

Each line of JSON ends with a seal, a checksum of the text before it. Truncated, corrupted or edited
files are thus detected without parsing them. Tables, figures and pages have a manifest: one sealed
line with the checksum of every file.
"""

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
    """A file whose content has changed since it was written.

    Without a `remedy`, `vjmgp study repair` is one.
    """

    def __init__(self, where: str, why: str = "", remedy: str = "") -> None:
        super().__init__(f"{where} is damaged{why and f' ({why})'}.{remedy and f' {remedy}'}")
        self.remedy = remedy


def package_folder(name: str) -> Path:
    """Return a folder of data files in the package."""
    return Path(str(resources.files("vjmgp"))) / name


def checksum(path: str | Path) -> str:
    """Return the SHA-256 checksum of a file."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def require_checksum(path: str | Path, wanted: str) -> None:
    """Raise DamagedFileError if a file does not have the expected checksum."""
    if checksum(path) != wanted:
        raise DamagedFileError(str(path))


def write_whole(
    place: Path, chunks: Iterable[bytes], fault_of: Callable[[Path], str | None] | None = None
) -> Path:
    """Write a file atomically; raise and write nothing if `fault_of` finds a fault in it."""
    # tempfile would ignore the user's umask: no one else could read the file.
    part = place.with_name(f".{secrets.token_hex(8)}.part")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with part.open("xb") as file:
            for chunk in chunks:
                file.write(chunk)
        fault = fault_of(part) if fault_of else None
        if fault is not None:
            raise OSError(f"the file is damaged: {fault}")
        return part.replace(place)
    except OSError as error:
        raise _with_path(error, place) from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def _with_path(error: OSError, path: Path) -> OSError:
    """Return an error that names the file: that of a full disk does not."""
    if error.errno is not None:
        error.filename = str(path)
    return error


def write_json(path: str | Path, data: Any) -> None:
    """Write unsealed JSON."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    write_whole(Path(path), [text.encode(), b"\n"])


def read_json(path: str | Path) -> Any:
    """Read unsealed JSON; an error names the file."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise DamagedFileError(str(path), str(error)) from None


def sealed(data: Json) -> bytes:
    """Return JSON in one line that ends with its seal. NaN and infinity become null."""
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(_without_nan(data), ensure_ascii=False, allow_nan=False)
    body = text[:-1].encode()
    return body + b', "seal": "' + _seal(body) + b'"}\n'


def unsealed(line: bytes, where: str) -> Json:
    """Return the content of a sealed line; raise DamagedFileError if its seal is wrong."""
    if not is_whole(line):
        raise DamagedFileError(where)
    data: Json = json.loads(line)
    del data["seal"]
    return data


def is_whole(line: bytes) -> bool:
    """Return whether a line has a correct seal."""
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
    """Read a file of one sealed line; an error names a damaged file."""
    return unsealed(Path(path).read_bytes(), str(path))


def read_records(path: str | Path) -> list[Json]:
    """Read a file of sealed lines; an error names the damaged line."""
    with Path(path).open("rb") as file:
        return [unsealed(line, f"{path}, line {k},") for k, line in enumerate(file, 1)]


def whole_records(path: Path) -> Iterator[Json]:
    """Yield the undamaged records of a file or journal."""
    with path.open("rb") as file:
        yield from (unsealed(line, str(path)) for line in file if is_whole(line))


def journal_of(path: str | Path) -> Path:
    """Return the journal of a file of runs, to which each run is appended as it ends."""
    return Path(f"{path}.journal")


def append_record(journal: Path, record: Json) -> None:
    """Append a run to a journal, on a new line if a killed process left part of one."""
    try:
        journal.parent.mkdir(parents=True, exist_ok=True)
        with journal.open("a+b") as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                file.write(b"" if file.read(1) == b"\n" else b"\n")
            file.write(sealed(record))
    except OSError as error:
        raise _with_path(error, journal) from None


def close_journal(path: Path) -> None:
    """Make the journal a hard link to the finished file of runs.

    If an input of the runs is missing, Snakemake deletes their file before it makes both again. The
    runs survive in the journal.
    """
    new = path.with_name(f"{path.name}.new")
    with contextlib.suppress(OSError):  # a file system without hard links
        new.unlink(missing_ok=True)
        os.link(path, new)
        new.replace(journal_of(path))


def write_manifest(manifest: Path, files: Iterable[str | Path]) -> None:
    """Write the checksums of files and folders, and delete earlier manifests of the step.

    A manifest is called STEP-IDENTITY.json; earlier ones belong to other settings or code.
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
    """Return missing or modified files of a manifest, or the manifest itself if it is damaged."""
    try:
        sums: dict[str, str] = read_sealed(manifest)["files"]
    except DamagedFileError:
        return [manifest]
    places = ((Path(os.path.normpath(manifest.parent / name)), sums[name]) for name in sums)
    return [path for path, wanted in places if not path.is_file() or checksum(path) != wanted]
