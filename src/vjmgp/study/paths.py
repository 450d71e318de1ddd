"""The paths of a results folder: the only module that spells or parses them.

A pattern is Snakemake's: names in braces are filled in. A path with an identity belongs to one
combination of settings, code and data files; if one of them changes, so does the path.
"""

import functools
import re
from pathlib import Path
from typing import NamedTuple

MARK = ".vjmgp"
"""An empty file that marks a folder as made by vjmgp."""
RUNNING, LOCK = ".running.json", ".running.lock"
"""The note on the process that runs a study here, and the lock that ends with that process."""
SOURCE, SOURCE_NOTE = "datasets/{dataset}/source.tsv.gz", "datasets/{dataset}/source.json"
DATA = "datasets/{dataset}/prepared-{identity}/data.parquet"
FACTS = "datasets/{dataset}/prepared-{identity}/facts.json"
SPLITS = "splits/{protocol}/{dataset}-{identity}/seeds_{block}.json"
NOISE = "noise/{protocol}/{dataset}-{identity}/seeds_{block}.json"
RUNS = "runs/{protocol}/{dataset}/{method}-{identity}/seeds_{block}.jsonl"
KERNELS = "kernels/{engine}/{variant}.txt"
MANIFEST = "made/{step}-{identity}.json"
EXPERIMENT_MANIFEST = "made/{experiment}/{step}-{identity}.json"
LOGS = "logs"
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
WILDCARDS = {"identity": "[0-9a-f]{8}", "block": "[0-9]+-[0-9]+"}
"""Regular expressions for names in braces; any other is one or more characters but a slash."""


def parse(pattern: str, path: str | Path) -> dict[str, str] | None:
    """Return the names that a path fills into a pattern, or None if it does not match."""
    found = _expression(pattern).search(Path(path).as_posix())
    return found.groupdict() if found else None


@functools.cache
def _expression(pattern: str) -> re.Pattern[str]:
    text, *rest = re.split(r"\{(\w+)\}", pattern)
    parts = ["(?:^|/)", re.escape(text)]
    for name, text in zip(rest[::2], rest[1::2], strict=True):
        parts += [f"(?P<{name}>{WILDCARDS.get(name, '[^/]+')})", re.escape(text)]
    return re.compile("".join(parts) + "$")


def find(results: Path, pattern: str) -> list[Path]:
    """Return what matches a pattern in a results folder."""
    return sorted(results.glob(re.sub(r"\{\w+\}", "*", pattern.replace("{identity}", "?" * 8))))


def files_and_journals(folder: Path) -> list[Path]:
    """Return the files of runs in a folder, and their journals."""
    return sorted(folder.glob("seeds_*.jsonl*"))


def log_of(step: str, *names: str) -> str:
    """Return the log file of a job: that of its step, or one for each of some names."""
    return f"{'/'.join((LOGS, step, *names))}.log"


class ExperimentFiles(NamedTuple):
    """The tables and figures of an experiment."""

    runs: str
    curves: str
    """Scores by generation."""
    models: str
    """The typical model of each method on each dataset."""
    latex: str
    """The folder of the tables for print."""
    figures: str
    statistics: dict[str, str]
    srbench: str
    """The comparison with SRBench's published results, if the experiment follows its protocol."""
    srbench_figure: str
    """The folder of its figure."""


def experiment_files(folder: str, experiment: str) -> ExperimentFiles:
    """Return the files of an experiment in a folder."""
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
    """The files that a report is made from."""

    runs: str
    scoreboard: str
    illustrations: str
    facts: dict[str, str]
    """By dataset."""
    notes: dict[str, str]
    """The origin of each dataset from PMLB."""
    experiments: dict[str, ExperimentFiles]


def blocks(seeds: range, size: int) -> list[str]:
    """Divide seeds into blocks; additional seeds leave full blocks as they are."""
    firsts = range(seeds.start, seeds.stop, size)
    return [f"{first}-{min(first + size, seeds.stop) - 1}" for first in firsts]


def seeds_of(block: str) -> range:
    """Return the seeds of a block such as "0-9", or of the file of a block."""
    first, last = block.rpartition("seeds_")[2].partition(".")[0].split("-")
    return range(int(first), int(last) + 1)
