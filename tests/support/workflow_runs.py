"""Run the real Snakemake on small studies, for the tests of the workflow."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from vjmgp.cli.config_files import workflow_folder
from vjmgp.study.config.read_study import read_study

ROOT = Path(__file__).parents[2]
TABLES = "results/tables/runs.csv"
TARGET = "join_runs"
"""The rule that writes this table."""
SMALL = {"population_size": 10, "generations": 2}
STUDY: dict[str, Any] = {
    "published": "ignore",
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
    """Return the call of Snakemake for a study in a folder."""
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
    """Run Snakemake to its end, and return its output."""
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


def study_in(folder: Path, config: dict[str, Any]) -> Any:
    """Return the study of a config with its results in a folder."""
    root = workflow_folder()
    return read_study(
        config | {"results": str(folder / "results")},
        root / "workflow/schemas/config.schema.yaml",
        root / "config/methods.yaml",
    )
