"""PMLB's files: shipped with the package, found in a cache folder, or downloaded.

The cache folder has the layout of the `pmlb` package's `local_cache_dir`. The download is ours and
not `pmlb.fetch_data`, which loads each file twice, has no time limit, refuses the new names of two
datasets, and leaves half a file in the cache when it is killed while writing.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Literal

CACHE_VARIABLE = "VJMGP_PMLB_CACHE"
"""Environment variable with PMLB's cache folder."""
MIRROR_VARIABLE = "VJMGP_PMLB_URL"
"""Environment variable with the address to download from; by default the one pmlb uses."""
RENAMED = ("195_auto_price", "207_autoPrice")
"""PMLB's repository has these under `_deprecated_` + name today."""
TRIES = 3
TIMEOUT = 30.0
SUFFIX = ".tsv.gz"


@dataclass(frozen=True)
class Source:
    """Where a dataset's file is and how it came there."""

    path: Path
    kind: Literal["shipped", "cache", "download"]
    sha256: str


def package_folder(name: str) -> Path:
    """A folder of data files within the package."""
    return Path(str(resources.files("vjmgp"))) / name


def embedded_datasets() -> list[str]:
    """Names of the datasets that come with the package."""
    return sorted(
        path.name.removesuffix(SUFFIX) for path in package_folder("data").glob(f"*{SUFFIX}")
    )


def cache_folder(setting: str | os.PathLike[str] | None = None) -> Path | None:
    """The cache folder: as set, else that of the environment variable, else none."""
    folder = setting or os.environ.get(CACHE_VARIABLE)
    try:
        return Path(folder).expanduser() if folder else None
    except RuntimeError:
        raise OSError(f"PMLB's cache folder: {folder} is nobody's; write the whole path.") from None


def names_of(name: str) -> tuple[str, ...]:
    """The names that PMLB has or had for a dataset."""
    return (name, f"_deprecated_{name}") if name in RENAMED else (name,)


def local_file(name: str, cache: Path | None) -> Path | None:
    """The dataset's file where it is shipped or in the cache folder."""
    shipped = package_folder("data") / f"{name}{SUFFIX}"
    if shipped.exists():
        return shipped
    for candidate in names_of(name) if cache else ():
        path = Path(cache or "") / candidate / f"{candidate}{SUFFIX}"
        if path.exists():
            return path
    return None


def fetch(name: str, cache: Path | None, folder: Path) -> Source:
    """The dataset's file, downloaded if need be: into the cache folder, or `folder` without one."""
    path = local_file(name, cache)
    if path is not None:
        is_shipped = path.parent == package_folder("data")
        kind: Literal["shipped", "cache"] = "shipped" if is_shipped else "cache"
        fault = _fault_of(path)
        if fault is None:
            return Source(path, kind, checksum(path))
        if kind == "shipped":
            raise OSError(f"{path}: {fault}; install vjmgp again.")
        note = f"{path} in the cache is damaged ({fault}); "
    else:
        note = ""
    path = _download(name, cache, cache or folder, note)
    return Source(path, "download", checksum(path))


def checksum(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fault_of(path: Path) -> str | None:
    """Why a compressed file cannot be read to its end; None if it can."""
    try:
        with gzip.open(path) as file:
            while file.read(1 << 20):
                pass
    except (OSError, EOFError) as error:
        return str(error)
    return None


def _address() -> str:
    """Where datasets are downloaded from."""
    from pmlb.pmlb import GITHUB_URL  # slow to import, and seldom needed

    return os.environ.get(MIRROR_VARIABLE) or str(GITHUB_URL)


def _download(name: str, cache: Path | None, into: Path, note: str) -> Path:
    """Download to a temporary file beside its place; only a whole one is moved there."""
    import requests  # slow to import, and only needed here

    address = _address()
    failures: list[str] = []
    for attempt in range(TRIES):
        found_none = True
        for candidate in names_of(name):
            url = f"{address}/{candidate}/{candidate}{SUFFIX}"
            place = into / candidate / f"{candidate}{SUFFIX}"
            try:
                with requests.get(url, stream=True, timeout=TIMEOUT) as answer:
                    if answer.status_code == 404:
                        failures.append(f"{url} does not exist")
                        continue
                    found_none = False
                    answer.raise_for_status()
                    # A response cut short ends without an error; reading the file to its end
                    # finds that out.
                    return write_whole(place, answer.iter_content(1 << 16), _fault_of)
            except (requests.RequestException, OSError) as error:
                found_none = False
                failures.append(f"{type(error).__name__}: {str(error)[:200]}")
        if found_none:
            break
        if attempt + 1 < TRIES:
            time.sleep(2.0**attempt)
    raise OSError(
        f"{note}dataset {name!r} could not be downloaded ({failures[-1]}). "
        f"{ways_out([name], cache)}"
    )


def write_whole(
    place: Path, chunks: Iterable[bytes], fault_of: Callable[[Path], str | None] | None = None
) -> Path:
    """Write a file so that nobody ever sees a part of it, nor one in which a fault is found."""
    place.parent.mkdir(parents=True, exist_ok=True)
    # Not by tempfile, whose files nobody else may read whatever the user's umask says.
    part = place.with_name(f".{place.name}.{secrets.token_hex(8)}")
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


def is_reachable() -> bool:
    """Whether the address that datasets are downloaded from answers at all."""
    import requests

    try:
        requests.head(_address(), timeout=10.0)
    except requests.RequestException:
        return False
    return True


def ways_out(names: list[str], cache: Path | None) -> str:
    """What to do about datasets that are not at hand."""
    place = f"{cache}/NAME/NAME{SUFFIX}" if cache else f"NAME/NAME{SUFFIX} of a folder"
    setting = "" if cache else f", and name that folder in {CACHE_VARIABLE} or 'pmlb_cache'"
    return (
        f"Either connect to the network, or put the file{'s' if len(names) > 1 else ''} of PMLB at "
        f"{place}{setting}."
    )
