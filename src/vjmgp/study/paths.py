"""Where everything is in a results folder: the only module that spells these paths.

A pattern is Snakemake's: names in braces are filled in. A folder or file whose name has an identity
belongs to one set of settings, code and data files; a change of them is another path.
"""

from __future__ import annotations

from dataclasses import dataclass
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
FIGURES = "figures/{experiment}"
TABLE = "tables/{experiment}/{name}"
SO_FAR = "so_far"
"""The folder of the report of an unfinished study."""
STATISTICS = {
    **{name: f"{name}.csv" for name in ("summary", "medians", "means", "pairwise")},
    **{
        f"{table}_{metric}": f"{table}_{metric}.csv"
        for table in ("win_tie_loss", "tests")
        for metric in ("test_r2", "train_r2")
    },
}
"""Tables that compare the methods of an experiment."""


def manifest(step: str, identity: str) -> str:
    """The manifest of what a step has written for the whole study."""
    return f"made/{step}-{identity}.json"


def experiments_manifest(step: str, identity: str) -> str:
    """The pattern of the manifests of what a step has written for each experiment."""
    return f"made/{{experiment}}/{step}-{identity}.json"


@dataclass(frozen=True)
class ExperimentFiles:
    """The tables and figures of an experiment below a folder."""

    folder: str
    experiment: str

    def table(self, name: str) -> str:
        """The path of a table."""
        return f"{self.folder}/{TABLE.format(experiment=self.experiment, name=name)}"

    @property
    def runs(self) -> str:
        """All its runs."""
        return self.table("runs.csv")

    @property
    def curves(self) -> str:
        """How scores change with the generations."""
        return self.table("curves.csv")

    @property
    def models(self) -> str:
        """The typical model of each method on each dataset."""
        return self.table("models.json")

    @property
    def latex(self) -> str:
        """The folder with the tables to print."""
        return self.table("latex")

    @property
    def statistics(self) -> dict[str, str]:
        """The tables that compare methods."""
        return {key: self.table(name) for key, name in STATISTICS.items()}

    @property
    def figures(self) -> str:
        """The folder with the figures."""
        return f"{self.folder}/{FIGURES.format(experiment=self.experiment)}"


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
