"""Run the real Snakemake on small studies, for the tests of the workflow."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from vjmgp.study.collect import ALL_TIMES

ROOT = Path(__file__).parent.parent
TABLES = "results/tables/runs.csv"
SMALL = {"population_size": 10, "generations": 2}
STUDY: dict[str, Any] = {
    "seeds": 2,
    "seeds_per_job": 2,
    "datasets": ["192_vineyard"],
    "methods": {
        "VJM": {"gp": {"regularizer": "jensen_gap", **SMALL}},
        "Standard GP": {"gp": {"regularizer": "none", **SMALL}},
    },
    "experiments": {"one": {"methods": ["VJM", "LassoLars"]}},
}


def command(folder: Path, study: dict[str, Any] | Path, *arguments: str) -> list[str]:
    """The call of Snakemake for a study in a folder of its own."""
    if isinstance(study, dict):
        path = folder / "study.yaml"
        path.write_text(yaml.safe_dump(study), encoding="utf-8")
    else:
        path = study
    return [
        *(sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")),
        *("--configfile", str(path), "--directory", str(folder)),
        *(() if "--cores" in arguments else ("--cores", "2")),
        *arguments,
    ]


def snakemake(
    folder: Path, study: dict[str, Any] | Path, *arguments: str, ok: bool = True, **variables: str
) -> str:
    """Run Snakemake to its end; what it said."""
    result = subprocess.run(
        command(folder, study, *arguments),
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    said = result.stdout + result.stderr
    assert (result.returncode == 0) == ok, said
    return said


def made(folder: Path) -> dict[str, int]:
    """Every file of the steps before the tables, and when it was written."""
    results = folder / "results"
    return {
        path.relative_to(results).as_posix(): path.stat().st_mtime_ns
        for part in ("datasets", "splits", "noise", "runs")
        for path in results.glob(f"{part}/**/*")
        if path.is_file() and path.suffix != ".journal"
    }


def ran(before: dict[str, int], folder: Path) -> set[str]:
    """The files that were written since."""
    return {name for name, when in made(folder).items() if before.get(name) != when}


def timeless(path: Path, *more: str) -> str:
    """A table as text, without the columns that no two runs share."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    return table.drop(columns=[c for c in (*ALL_TIMES, *more) if c in table]).to_csv()


def all_tables(folder: Path, *more: str) -> dict[str, str]:
    """All tables of a study, without wall times."""
    results = folder / "results"
    return {
        path.relative_to(results).as_posix(): timeless(path, *more)
        for path in sorted(results.glob("tables/**/*.csv"))
    }
