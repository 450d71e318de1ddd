"""What the paper claims, from its tables and text in `vjmgp/paper`, in the names of our methods."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd
import yaml

from ...files import package_folder
from ...paper_study import paper_datasets, paper_medians, pmlb_number
from ..names import LABEL_NOISE, PAPER

READS = ("paper/*",)
TIMED = "same_runtime_budget"
"""The part of the paper in which time ends the runs."""


@dataclass(frozen=True)
class Counts:
    """On how many of so many datasets one method is better, similar, worse than another."""

    better: int
    similar: int | None
    """None: the paper does not say."""
    worse: int
    datasets: int

    def __str__(self) -> str:
        similar = "–" if self.similar is None else self.similar
        return f"{self.better}/{similar}/{self.worse}"

    @property
    def net(self) -> float:
        """The share of datasets by which wins exceed losses."""
        return (self.better - self.worse) / self.datasets if self.datasets else 0.0


@dataclass(frozen=True)
class CountClaim:
    """A cell of the paper's tables of better, similar and worse."""

    part: str
    metric: str
    protocol: str
    method: str
    versus: str
    counts: Counts


@dataclass(frozen=True)
class ValueClaim:
    """Two figures of the paper's text: what is claimed is which of them is larger."""

    part: str
    protocol: str
    column: str
    """Of the table of runs."""
    how: str
    """Over the runs: mean or median."""
    method: str
    versus: str
    values: tuple[float, float]
    words: str
    """What is compared, and in which unit."""
    dataset: str | None = None
    """None: over all datasets."""
    ratio: bool = True
    """Whether the amount is a ratio or a difference."""


@dataclass(frozen=True)
class MedianClaim:
    """A cell of the paper's table of median test R²."""

    dataset: str
    method: str
    median: float


@functools.cache
def headline_figures() -> dict[str, object]:
    """Single figures that the paper states in its text."""
    text = (package_folder("paper") / "headline_figures.yaml").read_text(encoding="utf-8")
    figures: dict[str, object] = yaml.safe_load(text)
    return figures


@functools.cache
def _names() -> dict[tuple[str, str], str]:
    table = pd.read_csv(package_folder("paper") / "method_names.csv", dtype=str)
    return {(row["part"], row["name"]): row["method"] for row in table.to_dict("records")}


def our_name(part: str, name: str, timed: Mapping[str, str] | None = None) -> str:
    """What this project calls a method that the paper calls so in one of its parts.

    `timed` names the variants of a study whose runs end by time, such as "VJM 1 s" for VJM.
    """
    if part == TIMED:
        return (timed or {}).get(name, f"{name} in the same time")
    return _names().get((part, name), name)


def count_claims(timed: Mapping[str, str] | None = None) -> list[CountClaim]:
    """All rows of `win_tie_loss.csv`."""
    table = pd.read_csv(
        package_folder("paper") / "win_tie_loss.csv", dtype={"method": str, "versus": str}
    )
    figures = headline_figures()
    claims = []
    for row in table.to_dict("records"):
        part, noisy = row["experiment"], row["experiment"] == LABEL_NOISE
        datasets = int(str(figures["label_noise_datasets" if noisy else "datasets"]))
        similar = None if pd.isna(row["similar"]) else int(row["similar"])
        counts = Counts(int(row["better"]), similar, int(row["worse"]), datasets)
        method, versus = (our_name(part, row[key], timed) for key in ("method", "versus"))
        protocol = LABEL_NOISE if noisy else PAPER
        claims.append(CountClaim(part, row["metric"], protocol, method, versus, counts))
    return claims


def value_claims() -> list[ValueClaim]:
    """The figures of the text that compare two methods."""
    figures: dict[str, dict[str, float]] = headline_figures()  # type: ignore[assignment]
    size, seconds = figures["median_model_size"], figures["mean_training_seconds"]
    stopped = figures["early_stopping_mean_seconds"]
    example: dict[str, dict[str, float]] = headline_figures()["example_547_no2"]  # type: ignore[assignment]
    a, b, c, d = "VJM", "Standard GP", "PP", "VJM_EarlyStop"
    claims = [
        ValueClaim("headline", PAPER, "size", "median", a, b, (size[a], size[b]),
                   "median model size, nodes"),
        ValueClaim("headline", PAPER, "seconds", "mean", a, c, (seconds[a], seconds[c]),
                   "mean training time, s"),
        ValueClaim("headline", PAPER, "seconds", "mean", d, a, (stopped[d], stopped[a]),
                   "mean training time, s"),
    ]  # fmt: skip
    for column, words in (
        ("test_r2", "test R² on 547_no2"),
        ("train_r2", "training R² on 547_no2"),
    ):
        values = example[a][column], example[b][column]
        claims.append(
            ValueClaim("headline", PAPER, column, "median", a, b, values, words, "547_no2", False)
        )
    return claims


def median_claims() -> list[MedianClaim]:
    """The paper's detailed table of medians, dataset by dataset."""
    table = paper_medians()
    return [
        MedianClaim(
            dataset, our_name("medians", method), float(table[method][pmlb_number(dataset)])
        )
        for dataset in paper_datasets()
        for method in table.columns
    ]
