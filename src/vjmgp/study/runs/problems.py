"""The data of a run: the rows and labels that a method sees."""

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...core.arrays import Floats
from ...core.files import read_sealed, require_checksum
from ...tables.preprocessing import Standardizer, fit_standardizer, nominal_columns

Noise = dict[int, dict[str, Any]]
"""Noise estimates by seed."""
TARGET = "__target__"
"""The target's column in prepared tables; no input may have this name."""


@dataclass(frozen=True)
class Problem:
    """The data of a run."""

    dataset: str
    seed: int
    table: pd.DataFrame
    target: Floats
    nominal: list[str]
    train: NDArray[np.int64]
    test: NDArray[np.int64]
    labels: Floats
    """Labels of the training rows, with noise if the protocol adds some."""
    data_id: str = ""
    """Checksum of the prepared table."""
    source_id: str = ""
    """Checksum of its source file."""
    missing: str = "error"
    """How missing cells are treated: "error", or filled by "median" or "indicator"."""

    @property
    def train_table(self) -> pd.DataFrame:
        """Inputs of the training rows."""
        return self.table.iloc[self.train]

    @property
    def test_table(self) -> pd.DataFrame:
        """Inputs of the test rows."""
        return self.table.iloc[self.test]

    @functools.cached_property
    def standardizer(self) -> Standardizer:
        """Encoding and scales, fitted to the training rows."""
        names = [str(name) for name in self.table.columns]
        nominal = nominal_columns(self.table, names, self.nominal)
        return fit_standardizer(self.train_table, self.labels, names, nominal, missing=self.missing)


def read_data(data: str, about: dict[str, Any]) -> tuple[pd.DataFrame, Floats]:
    """Return inputs and target of a prepared table, after checking its checksum."""
    require_checksum(data, about["sha256"])
    frame = pd.read_parquet(data)
    return frame.drop(columns=TARGET), frame[TARGET].to_numpy()


def problems(data: str, facts: str, splits: list[str]) -> Iterator[Problem]:
    """Yield the data of each run in files of splits."""
    about = read_sealed(facts)
    table, target = read_data(data, about)
    for path in splits:
        for run in read_sealed(path)["runs"]:
            train = np.array(run["train"], np.int64)
            rest = np.ones(len(table), bool)
            rest[train] = False
            labels = target[train] if run["labels"] is None else np.array(run["labels"])
            yield Problem(
                about["dataset"], run["seed"], table, target, about["nominal"],
                train, np.flatnonzero(rest), labels, about["sha256"], about["source_sha256"],
                about.get("missing", "error"),
            )  # fmt: skip


def noise_estimates(paths: list[str]) -> Noise:
    """Return the noise estimates in files, by seed."""
    return {run["seed"]: run for path in paths for run in read_sealed(path)["runs"]}
