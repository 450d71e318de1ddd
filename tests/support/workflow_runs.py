"""Run the real Snakemake on small studies, for the tests of the workflow."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from vjmgp.cli.config_files import workflow_folder
from vjmgp.study.config.read_study import read_study
from vjmgp.study.names import ALL_TIMES

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


def file_of(folder: Path, kind: str, block: str = "0-1", dataset: str = "192_vineyard") -> Path:
    """Return the only file of splits, noise estimates or runs (kind: a method) of a block."""
    if kind in ("splits", "noise"):
        pattern = f"results/{kind}/paper/{dataset}-*/seeds_{block}.json"
    else:
        pattern = f"results/runs/paper/{dataset}/{kind}-*/seeds_{block}.jsonl"
    (path,) = folder.glob(pattern)
    return path


def flip(path: Path, share: float = 0.9) -> None:
    """Change one bit of a file."""
    content = bytearray(path.read_bytes())
    content[int(len(content) * share)] ^= 4
    path.write_bytes(content)


def made(folder: Path) -> dict[str, int]:
    """Return every file of the steps before the tables, and its time."""
    results = folder / "results"
    return {
        path.relative_to(results).as_posix(): path.stat().st_mtime_ns
        for part in ("datasets", "splits", "noise", "runs")
        for path in results.glob(f"{part}/**/*")
        if path.is_file() and path.suffix != ".journal"
    }


def ran(before: dict[str, int], folder: Path) -> set[str]:
    """Return the files written since, without identities: "runs/paper/D/VJM/seeds_0-1"."""
    new = {Path(name) for name, when in made(folder).items() if before.get(name) != when}
    return {f"{p.parent.as_posix()[:-9]}/{p.stem}" for p in new if p.name.startswith("seeds_")}


def timeless(path: Path, *more: str) -> str:
    """Return a table as text, without columns of times."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    return table.drop(columns=[c for c in (*ALL_TIMES, *more) if c in table]).to_csv()


def all_tables(folder: Path, *more: str) -> dict[str, str]:
    """Return all tables of a study, without columns of times."""
    results = folder / "results"
    return {
        path.relative_to(results).as_posix(): timeless(path, *more)
        for path in sorted(results.glob("tables/**/*.csv"))
    }
