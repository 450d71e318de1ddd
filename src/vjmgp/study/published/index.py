"""The index of published runs, which studies reuse instead of computing them.

The folder has an index of cells (a method on a dataset under a protocol, by the identity of their
runs), a Parquet file of runs for each experiment, `splits.parquet` with what the runs of a split
share, and `datasets.json` with the facts about the datasets. Every job reads the index, so nothing
heavy is imported here.
"""

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ...core.files import DamagedFileError, checksum, read_sealed

INDEX, SPLITS, DATASETS = "index.json", "splits.parquet", "datasets.json"
HOME = "results/paper"
"""Their folder in the repository."""


class PublishedCell(NamedTuple):
    """The published runs of a method on a dataset: the first seeds."""

    protocol: str
    dataset: str
    method: str
    seeds: int
    group: str
    """The experiment whose file holds them."""


class ReusedRuns(NamedTuple):
    """Published runs that a study reuses: the first seeds of an identity."""

    identity: str
    seeds: int


@dataclass(frozen=True)
class Published:
    """The published runs of a folder."""

    folder: str
    cells: dict[str, PublishedCell]
    """By the identity of their runs."""
    files: dict[str, str]
    """Checksums."""
    made: dict[str, str]
    """Date, machine and engine."""

    def seeds(self, identity: str, *names: str) -> int:
        """Return the number of published seeds of an identity, if the names agree."""
        cell = self.cells.get(identity)
        return cell.seeds if cell and cell[:3] == names else 0

    def file(self, name: str) -> Path:
        """Return a file of the folder, after checking its checksum."""
        path = Path(self.folder) / name
        if not path.is_file():
            raise damaged(path, "it is missing")
        if checksum(path) != self.files.get(name):
            raise damaged(path, f"its checksum is not that of {INDEX}")
        return path


def damaged(path: Path, why: str) -> DamagedFileError:
    """Return the error of a published file, which no study can make again."""
    return DamagedFileError(
        str(path),
        why,
        f"Restore it, in a clone with git checkout -- {path.parent}, or compute these runs here "
        "with published: ignore in the config.",
    )


@functools.cache
def read_published(folder: Path) -> Published | None:
    """Read the index of a folder; return None if it has none."""
    path = folder / INDEX
    if not path.is_file():
        return None
    try:
        index: dict[str, Any] = read_sealed(path)
    except DamagedFileError:
        raise damaged(path, "its seal is wrong") from None
    cells = {identity: PublishedCell(*cell) for identity, cell in index["cells"].items()}
    return Published(str(folder), cells, index["files"], index["made"])
