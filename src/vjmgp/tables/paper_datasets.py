"""Names, rows and checksums of the paper's 58 datasets. Light to import."""

import csv
import functools
from typing import NamedTuple

from ..core.files import package_folder

READS = ("data/paper/datasets.csv",)


class PaperDataset(NamedTuple):
    """A dataset of the paper."""

    rows: int | None
    sha256: str
    """Checksum of PMLB's file."""


@functools.cache
def paper_datasets() -> dict[str, PaperDataset]:
    """Return the paper's datasets by name."""
    text = (package_folder("data/paper") / "datasets.csv").read_text(encoding="utf-8")
    return {
        row["dataset"]: PaperDataset(int(row["rows"]) if row["rows"] else None, row["sha256"])
        for row in csv.DictReader(text.splitlines())
    }


def pmlb_number(name: str) -> int:
    """Return the number at the front of a PMLB dataset's name."""
    return int(name.removeprefix("_deprecated_").split("_")[0])
