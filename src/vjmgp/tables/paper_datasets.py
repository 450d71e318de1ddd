"""Names, rows and checksums of the paper's 58 datasets. Light to import."""

import csv
import functools
from typing import NamedTuple

from ..core.files import package_folder

READS = ("data/paper/datasets.csv",)


class PaperDataset(NamedTuple):
    """A dataset of the paper."""

    rows: int
    sums: tuple[str, ...]
    """SHA-256 of PMLB's file; of 519_vinnie, also of its present one, of October 2020."""


@functools.cache
def paper_datasets() -> dict[str, PaperDataset]:
    """Return the paper's datasets by name."""
    text = (package_folder("data/paper") / "datasets.csv").read_text(encoding="utf-8")
    return {
        row["dataset"]: PaperDataset(int(row["rows"]), tuple(row["sha256"].split()))
        for row in csv.DictReader(text.splitlines())
    }


def pmlb_number(name: str) -> int:
    """Return the number at the front of a PMLB dataset's name."""
    return int(name.removeprefix("_deprecated_").split("_")[0])
