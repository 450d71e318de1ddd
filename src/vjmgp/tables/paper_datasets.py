"""Facts about the paper's 58 datasets. Light to import: every job does."""

from __future__ import annotations

import csv
import functools
from typing import TYPE_CHECKING, NamedTuple

from ..core.files import package_folder

if TYPE_CHECKING:
    import pandas as pd

READS = ("data/paper/datasets.csv", "data/paper/detailed_median_test_r2.csv")


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


@functools.cache
def paper_medians() -> pd.DataFrame:
    """Return the paper's median test R² by PMLB number and method."""
    import pandas as pd  # slow to import, and seldom needed

    return pd.read_csv(package_folder("data/paper") / "detailed_median_test_r2.csv").set_index(
        "pmlb_id"
    )


def pmlb_number(name: str) -> int:
    """Return the number at the start of a PMLB dataset's name."""
    return int(name.removeprefix("_deprecated_").split("_")[0])
