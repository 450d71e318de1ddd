"""Where everything is in a results folder: the only module that spells these paths.

A pattern is Snakemake's: names in braces are filled in. A path with an identity belongs to one set
of settings, code and data files; a change of them is another path.
"""

from __future__ import annotations

from typing import NamedTuple

MARK = ".vjmgp"
"""An empty file: vjmgp has made this folder."""
RUNNING, LOCK = ".running.json", ".running.lock"
"""Who runs a study here, and the lock that ends with its process."""
SOURCE, SOURCE_NOTE = "datasets/{dataset}/source.tsv.gz", "datasets/{dataset}/source.json"
DATA = "datasets/{dataset}/prepared-{identity}/data.parquet"
FACTS = "datasets/{dataset}/prepared-{identity}/facts.json"
SPLITS = "splits/{protocol}/{dataset}-{identity}/seeds_{block}.json"
NOISE = "noise/{protocol}/{dataset}-{identity}/seeds_{block}.json"
RUNS = "runs/{protocol}/{dataset}/{method}-{identity}/seeds_{block}.jsonl"
KERNELS = "kernels/{engine}/{variant}.txt"
REPORT, PAGES, CONFIG = "report.html", "report", "config.yaml"
ALL_RUNS, FAILURES = "tables/runs.csv", "tables/failures.csv"
SCOREBOARD, SCOREBOARD_TEX = "tables/scoreboard.csv", "tables/scoreboard.tex"
ILLUSTRATIONS = "figures/illustrations"
SO_FAR = "so_far"
"""The folder of the report of an unfinished study."""
STATISTICS = (
    *("summary", "medians", "means", "pairwise"),
    *("win_tie_loss_test_r2", "win_tie_loss_train_r2", "tests_test_r2", "tests_train_r2"),
)
"""Tables that compare the methods of an experiment."""


class ExperimentFiles(NamedTuple):
    """The tables and figures of an experiment."""

    runs: str
    curves: str
    """How scores change with the generations."""
    models: str
    """The typical model of each method on each dataset."""
    latex: str
    """The folder with the tables to print."""
    figures: str
    statistics: dict[str, str]
    srbench: str
    """Beside SRBench's published results, where the experiment follows its protocol."""
    srbench_figure: str
    """The folder with the picture of it."""


def experiment_files(folder: str, experiment: str) -> ExperimentFiles:
    """The files of an experiment below a folder."""
    tables = f"{folder}/tables/{experiment}"
    return ExperimentFiles(
        f"{tables}/runs.csv",
        f"{tables}/curves.csv",
        f"{tables}/models.json",
        f"{tables}/latex",
        f"{folder}/figures/{experiment}",
        {name: f"{tables}/{name}.csv" for name in STATISTICS},
        f"{tables}/srbench.csv",
        f"{folder}/figures/{experiment}-srbench",  # no experiment has a hyphen in its name
    )


class StudyFiles(NamedTuple):
    """What a report is made from."""

    runs: str
    scoreboard: str
    illustrations: str
    facts: dict[str, str]
    """By dataset."""
    notes: dict[str, str]
    """Where datasets from PMLB came from."""
    experiments: dict[str, ExperimentFiles]


def blocks(seeds: range, size: int) -> list[str]:
    """Seeds in blocks; more seeds add blocks and leave the full ones as they are."""
    firsts = range(seeds.start, seeds.stop, size)
    return [f"{first}-{min(first + size, seeds.stop) - 1}" for first in firsts]


def seeds_of(block: str) -> range:
    """The seeds of a block such as "0-9", or of the file of one."""
    first, last = block.rpartition("seeds_")[2].partition(".")[0].split("-")
    return range(int(first), int(last) + 1)
