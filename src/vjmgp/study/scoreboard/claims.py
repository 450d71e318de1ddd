"""Read the paper's claims from `vjmgp/data/paper`, with our names of the methods."""

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd
import yaml

from ...core.files import package_folder
from ...tables.paper_datasets import paper_datasets
from ..names import LABEL_NOISE, METRICS, PAPER, PLAIN, REFERENCE
from ..statistics.summaries import paper_medians

READS = ("data/paper/*",)
TIMED = "same_runtime_budget"
"""The part of the paper in which runs end by time."""
PAPER_RUNS = 30
"""Runs of each method on each dataset in the paper."""
TWINS = {
    "573_cpu_act": "197_cpu_act",
    "562_cpu_small": "227_cpu_small",
    "207_autoPrice": "195_auto_price",
}
"""Datasets that PMLB, and so the paper, has twice; the cars differ by a shifted column."""
How = Literal["mean", "median"]


@dataclass(frozen=True)
class OutcomeCounts:
    """Numbers of datasets on which one method is better, similar and worse than another."""

    better: int
    similar: int | None
    """None if the paper does not say."""
    worse: int
    datasets: int

    def __str__(self) -> str:
        similar = "–" if self.similar is None else self.similar
        return f"{self.better}/{similar}/{self.worse}"


@dataclass(frozen=True)
class CountClaim:
    """A cell of the paper's tables of better, similar and worse."""

    part: str
    metric: str
    protocol: str
    method: str
    versus: str
    counts: OutcomeCounts


@dataclass(frozen=True)
class ValueClaim:
    """The claim that a figure of one method exceeds that of all others by more than a bound."""

    part: str
    words: str
    method: str
    versus: tuple[str, ...]
    column: str
    """Column of the table of runs."""
    over_runs: How
    over_datasets: How
    paper: tuple[float, float] | None
    """The method's figure and the largest other one; None if the paper states only the bound."""
    ratio: bool = True
    """Whether the amount is a ratio or a difference."""
    bound: float = 1.0
    dataset: str = ""
    """Empty for a claim over all datasets."""


@functools.cache
def _yaml(name: str) -> dict[str, Any]:
    text = (package_folder("data/paper") / name).read_text(encoding="utf-8")
    return dict(yaml.safe_load(text))


def headline_figures() -> dict[str, Any]:
    """Return the single figures that the paper states in its text."""
    return _yaml("headline_figures.yaml")


def competitors() -> tuple[str, ...]:
    """Return the paper's other learners."""
    return tuple(_yaml("baseline_grids.yaml"))


def datasets_of(protocol: str) -> int:
    """Return the number of datasets that the paper has for a protocol."""
    name = "label_noise_datasets" if protocol == LABEL_NOISE else "datasets"
    return int(headline_figures()[name])


@functools.cache
def _names() -> dict[tuple[str, str], str]:
    table = pd.read_csv(package_folder("data/paper") / "method_names.csv", dtype=str)
    return {(row["part"], row["name"]): row["method"] for row in table.to_dict("records")}


def our_name(part: str, name: str, timed: Mapping[str, str] | None = None) -> str:
    """Return our name of a method, given the paper's name in one of its parts.

    `timed` has the names of variants whose runs end by time, such as "VJM 1 s" for VJM.
    """
    if part == TIMED:
        return (timed or {}).get(name, f"{name} in the same time")
    return _names().get((part, name), name)


def count_claims(timed: Mapping[str, str] | None = None) -> list[CountClaim]:
    """Return the rows of `win_tie_loss.csv`; a cell of two of the paper's tables counts once."""
    table = pd.read_csv(
        package_folder("data/paper") / "win_tie_loss.csv", dtype={"method": str, "versus": str}
    )
    claims: dict[tuple[str, ...], CountClaim] = {}
    for row in table.to_dict("records"):
        part = row["experiment"]
        protocol = LABEL_NOISE if part == LABEL_NOISE else PAPER
        similar = None if pd.isna(row["similar"]) else int(row["similar"])
        better, worse = int(row["better"]), int(row["worse"])
        counts = OutcomeCounts(better, similar, worse, datasets_of(protocol))
        method, versus = (our_name(part, row[key], timed) for key in ("method", "versus"))
        claim = CountClaim(part, row["metric"], protocol, method, versus, counts)
        claims.setdefault((protocol, row["metric"], method, versus), claim)
    return list(claims.values())


def paper_means(datasets: Iterable[str]) -> tuple[float, float]:
    """Return the paper's mean of medians over datasets, of VJM and of the best other learner."""
    means = paper_medians().loc[list(datasets)].mean()
    return float(means[REFERENCE]), float(means.drop(REFERENCE).max())


def value_claims() -> list[ValueClaim]:
    """Return the claims of the paper's text about one figure against another or all others."""
    figures = headline_figures()
    size, seconds = figures["median_model_size"], figures["mean_training_seconds"]
    stopped, example = figures["early_stopping_mean_seconds"], figures["example_547_no2"]
    a, b, c, d, e = REFERENCE, PLAIN, "PP", "VJM_EarlyStop", "XGB"
    times = figures["times_smaller_than"][e]
    text, others = "figures_in_the_text", "competitors"
    claims = [
        ValueClaim(others, f"{a} has the best mean R² of all", a, competitors(), "test_r2",
                   "median", "mean", paper_means(paper_datasets()), ratio=False, bound=0.0),
        ValueClaim(others, f"Models of {a} are {times} times smaller than those of {e}", e, (a,),
                   "size", "median", "median", None, bound=times),
        ValueClaim(text, f"Models of {a} are smaller than those of {b}", b, (a,), "size",
                   "median", "median", (size[b], size[a])),
        ValueClaim(text, f"{a} trains longer than {c}", a, (c,), "cpu_seconds", "mean", "mean",
                   (seconds[a], seconds[c])),
        ValueClaim(text, f"{a} trains longer than {d}", a, (d,), "cpu_seconds", "mean", "mean",
                   (stopped[a], stopped[d])),
    ]  # fmt: skip
    claims += [
        ValueClaim(text, f"{high} has the larger {METRICS[column]} on 547_no2 of {a} and {b}", high,
                   (low,), column, "median", "median",
                   (example[high][column], example[low][column]), False, 0.0, "547_no2")
        for column, high, low in (("test_r2", a, b), ("train_r2", b, a))
    ]  # fmt: skip
    return claims


def median_claims() -> list[tuple[str, str, float]]:
    """Return dataset, method and median test R² of each cell of the paper's detailed table."""
    table = paper_medians()
    return [(name, m, float(table[m][name])) for name in paper_datasets() for m in table.columns]
