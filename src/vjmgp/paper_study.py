"""What is known of the paper's 58 datasets. Light to import: every job does."""

from __future__ import annotations

import csv
import functools
from typing import NamedTuple

from .files import package_folder

READS = ("paper/datasets.csv",)


class PaperDataset(NamedTuple):
    """A dataset of the paper."""

    rows: int | None
    sha256: str
    """Of PMLB's file."""


@functools.cache
def paper_datasets() -> dict[str, PaperDataset]:
    """The paper's datasets by name."""
    text = (package_folder("paper") / "datasets.csv").read_text(encoding="utf-8")
    return {
        row["dataset"]: PaperDataset(int(row["rows"]) if row["rows"] else None, row["sha256"])
        for row in csv.DictReader(text.splitlines())
    }
