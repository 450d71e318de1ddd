"""Runs that are published with the repository: which there are, so that nobody computes them again.

The folder has an index of cells (a method on a dataset under a protocol, by the identity of their
runs), a Parquet file of runs for each experiment, `splits.parquet` with what runs of a split share,
and `datasets.json` with the facts about the datasets. Every job reads the index, so nothing heavy
is imported here.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ...core.files import DamagedFileError, read_sealed, require_checksum

INDEX, SPLITS, DATASETS = "index.json", "splits.parquet", "datasets.json"
HOME = "results/paper"
"""Where they are in the repository."""


class Cell(NamedTuple):
    """The published runs of a method on a dataset: those of the first seeds."""

    protocol: str
    dataset: str
    method: str
    seeds: int
    group: str
    """The experiment whose file has them."""


class Taken(NamedTuple):
    """Published runs that a study takes over."""

    identity: str
    seeds: int


@dataclass(frozen=True)
class Published:
    """The published runs of a folder."""

    folder: str
    cells: dict[str, Cell]
    """By the identity of their runs."""
    files: dict[str, str]
    """Checksums."""
    made: dict[str, str]
    """When, on which machine, by which engine."""

    def seeds(self, identity: str, *names: str) -> int:
        """How many seeds are there of the runs with this identity, of these names."""
        cell = self.cells.get(identity)
        return cell.seeds if cell and cell[:3] == names else 0

    def file(self, name: str) -> Path:
        """A file of the folder, as it was published."""
        path = Path(self.folder) / name
        if not path.is_file():
            raise DamagedFileError(str(path), "it is missing")
        require_checksum(path, self.files[name])
        return path


@functools.cache
def read_published(folder: Path) -> Published | None:
    """What is published in a folder; None where nothing is."""
    path = folder / INDEX
    if not path.is_file():
        return None
    index: dict[str, Any] = read_sealed(path)
    cells = {identity: Cell(*cell) for identity, cell in index["cells"].items()}
    return Published(str(folder), cells, index["files"], index["made"])
