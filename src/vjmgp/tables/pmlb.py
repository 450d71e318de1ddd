"""Find PMLB's files in the package or a cache folder, or download them.

The cache folder has the layout of the `pmlb` package's `local_cache_dir`. `pmlb.fetch_data` is not
used for downloads: it loads each file twice, has no time limit, refuses the new names of two
datasets, and leaves a partial file in the cache if it is killed while writing.
"""

import gzip
import os
import re
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..core.files import checksum, package_folder, write_whole
from ..core.optional import require_module
from ..core.suggestions import did_you_mean
from .paper_datasets import paper_datasets

if TYPE_CHECKING:
    from .dataset import Dataset

CACHE_VARIABLE, MIRROR_VARIABLE = "VJMGP_PMLB_CACHE", "VJMGP_PMLB_URL"
"""Environment variables with PMLB's cache folder, and with the address to download from."""
RENAMED = ("195_auto_price", "207_autoPrice")
"""Datasets that PMLB's repository now has under `_deprecated_` + name."""
TRIES = 3
TIMEOUT = 30.0
SUFFIX = ".tsv.gz"
LARGEST = 500_000_000
"""Largest download in bytes, ten times PMLB's largest file."""


@dataclass(frozen=True)
class DatasetFile:
    """The file of a dataset, and where it comes from."""

    path: Path
    kind: Literal["shipped", "cache", "download"]
    sha256: str


def embedded_datasets() -> list[str]:
    """Return the names of the datasets that come with the package.

    Examples
    --------
    >>> from vjmgp import embedded_datasets
    >>> embedded_datasets()[:2]
    ['1027_ESL', '1096_FacultySalaries']

    """
    return sorted(
        path.name.removesuffix(SUFFIX) for path in package_folder("data").glob(f"*{SUFFIX}")
    )


def cache_folder(setting: str | os.PathLike[str] | None = None) -> Path | None:
    """Return the cache folder that is set, or that of the environment variable, or None."""
    folder = setting or os.environ.get(CACHE_VARIABLE)
    try:
        return Path(folder).expanduser() if folder else None
    except RuntimeError:
        raise OSError(f"PMLB's cache folder {folder}: unknown user; write the full path.") from None


def names_of(name: str) -> tuple[str, ...]:
    """Return the present and former names of a dataset in PMLB."""
    return (name, f"_deprecated_{name}") if name in RENAMED else (name,)


def local_file(name: str, cache: Path | None) -> Path | None:
    """Return the dataset's file in the package or the cache folder, or None."""
    places = [package_folder("data") / f"{name}{SUFFIX}"]
    if cache:
        places += [cache / known / f"{known}{SUFFIX}" for known in names_of(name)]
    return next((path for path in places if path.exists()), None)


def load_dataset(name: str, cache: str | os.PathLike[str] | None = None) -> "Dataset":
    """Load a dataset by its PMLB name: embedded, from the cache folder, or downloaded.

    Parameters
    ----------
    name : str
        The name in PMLB.
    cache : path, optional
        The cache folder of PMLB's package; by default that of the environment variable
        VJMGP_PMLB_CACHE.

    Examples
    --------
    >>> from vjmgp import load_dataset
    >>> data = load_dataset("192_vineyard")
    >>> len(data), list(data.inputs)
    (52, ['lugs_1989', 'lugs_1990'])

    """
    from .dataset import read_pmlb  # slow to import, and every job imports this module

    if not (isinstance(name, str) and re.fullmatch(r"[\w.+-]*\w", name)) or ".." in name:
        raise ValueError(
            f"{name!r} is not the name of a PMLB dataset: give one such as '547_no2', or read your "
            "own file with load_file."
        )
    with tempfile.TemporaryDirectory() as folder:
        return read_pmlb(name, fetch(name, cache_folder(cache), Path(folder)).path)


def fetch(name: str, cache: Path | None, folder: Path) -> DatasetFile:
    """Return the dataset's file; download it to the cache folder, or `folder`, if necessary."""
    path, note = local_file(name, cache), ""
    if path is not None:
        is_shipped, fault = path.parent == package_folder("data"), _fault_of(path)
        if fault is None:
            return DatasetFile(path, "shipped" if is_shipped else "cache", checksum(path))
        if is_shipped:
            raise OSError(f"{path}: {fault}; install vjmgp again.")
        note = f"{path} in the cache is damaged ({fault}); "
    path = _download(name, cache, cache or folder, note)
    return DatasetFile(path, "download", checksum(path))


def _limited(chunks: Iterable[bytes]) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > LARGEST:
            raise OSError(f"the file has more than {LARGEST // 1_000_000} MB")
        yield chunk


def _other_file(path: Path, name: str) -> str | None:
    """Return why a download is not the dataset's file, None if it is."""
    known = paper_datasets().get(name)
    if known and checksum(path) not in known.sums:
        return f"its SHA-256 is not {known.sums[-1][:12]}…, that of PMLB's file"
    return _fault_of(path)


def _fault_of(path: Path) -> str | None:
    """Return why a compressed file cannot be read to its end, None if it can."""
    try:
        with gzip.open(path) as file:
            while file.read(1 << 20):
                pass
    except (OSError, EOFError) as error:
        return str(error)
    return None


def _address() -> str:
    require_module("pmlb")
    from pmlb.pmlb import GITHUB_URL  # slow to import, and seldom needed

    return os.environ.get(MIRROR_VARIABLE) or str(GITHUB_URL)


def _download(name: str, cache: Path | None, into: Path, note: str) -> Path:
    """Download to a temporary file; move it to its place when it is complete."""
    import requests  # slow to import, and only needed here

    address = _address()
    failures: list[str] = []
    for attempt in range(TRIES):
        absent = 0
        for candidate in names_of(name):
            url = f"{address}/{candidate}/{candidate}{SUFFIX}"
            place = into / candidate / f"{candidate}{SUFFIX}"
            try:
                with requests.get(url, stream=True, timeout=TIMEOUT) as answer:
                    if answer.status_code == 404:
                        failures.append(f"{url} does not exist")
                        absent += 1
                        continue
                    answer.raise_for_status()
                    # A response cut short ends without an error; reading the file to its end
                    # finds that out.
                    chunks = _limited(answer.iter_content(1 << 16))
                    return write_whole(place, chunks, lambda path: _other_file(path, name))
            except (requests.RequestException, OSError) as error:
                failures.append(f"{type(error).__name__}: {str(error)[:200]}")
        if absent == len(names_of(name)):
            break
        if attempt + 1 < TRIES:
            time.sleep(2.0**attempt)
    hint = did_you_mean(name, [*embedded_datasets(), *paper_datasets()]) or "."
    raise OSError(
        f"{note}dataset {name!r} could not be downloaded ({failures[-1]}){hint} "
        f"{download_advice([name], cache)}"
    )


def is_reachable() -> bool:
    """Return whether the address for downloads answers."""
    import requests

    try:
        requests.head(_address(), timeout=10.0)
    except requests.RequestException:
        return False
    return True


def download_advice(names: list[str], cache: Path | None) -> str:
    """Say how to provide datasets that are not available."""
    place = f"{cache}/NAME/NAME{SUFFIX}" if cache else f"NAME/NAME{SUFFIX} of a folder"
    setting = "" if cache else f", and name that folder in {CACHE_VARIABLE} or 'pmlb_cache'"
    return (
        f"Either connect to the network, or put the file{'s' if len(names) > 1 else ''} of PMLB at "
        f"{place}{setting}."
    )
