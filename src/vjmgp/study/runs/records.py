"""What a run leaves behind: its record, a line of a file of runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from ...core.files import DamagedFileError, read_records, whole_records
from ..paths import seeds_of

PLACE = re.compile(r".*/([^/]+)/([^/]+)/[^/]+-([0-9a-f]{8})/seeds_\d+-\d+\.jsonl")
"""Protocol, dataset and identity of a file of runs."""


class Record(TypedDict):
    """One line of a file of runs."""

    dataset: str
    protocol: str
    method: str
    seed: int
    identity: str
    """Of its settings, code and data: the hash in the name of its folder."""
    status: str
    """"ok" or "failed"."""
    error: NotRequired[str]
    train_r2: NotRequired[float]
    test_r2: NotRequired[float]
    size: NotRequired[int | None]
    """Nodes of a symbolic model; SRBench's conventions for others."""
    trees: NotRequired[int | None]
    seconds: NotRequired[float]
    cpu_seconds: NotRequired[float]
    noise_seconds: NotRequired[float]
    """Of the noise estimate, where the run uses it; with its own, what training took."""
    noise_cpu_seconds: NotRequired[float]
    formula: NotRequired[str | None]
    legend: NotRequired[list[list[str]]]
    """Names in the formula that are not columns, with what they stand for."""
    features: NotRequired[list[list[Any]]]
    """Coefficient and formula of each constructed feature."""
    model: NotRequired[dict[str, Any]]
    """The whole model, as `vjmgp.load_model` reads it."""
    curve: NotRequired[list[list[float]]]
    """[generation, training R², test R²] where the chosen model changes."""
    noise_r2: NotRequired[float]
    tau: NotRequired[float]
    generations: NotRequired[int]
    engine: NotRequired[str]
    parameters: NotRequired[dict[str, Any]]
    """What tuning chose."""
    failed_candidates: NotRequired[int]
    warnings: NotRequired[dict[str, int]]
    definition: dict[str, Any]
    versions: dict[str, str]
    inputs: dict[str, Any]
    """Checksums of the source file, the prepared table and the training rows; the noise."""


def place_of(path: str | Path) -> tuple[str, ...]:
    """Protocol, dataset and identity of a file of runs."""
    found = PLACE.fullmatch(str(path))
    if not found:
        raise ValueError(f"{path} is not where files of runs are.")
    return found.groups()


def read_block(path: str | Path) -> list[Record]:
    """The records of a file of runs; they must be those that its path tells."""
    records: Any = read_records(path)
    keys = ("protocol", "dataset", "identity", "seed")
    wanted = [(*place_of(path), seed) for seed in seeds_of(str(path))]
    if [tuple(record.get(key) for key in keys) for record in records] != wanted:
        raise DamagedFileError(str(path), "its runs are not those of its name")
    return list(records)


def runs_in(folder: Path) -> dict[int, Any]:
    """The runs in the files and journals of a folder by seed, good ones before failed ones."""
    found: dict[int, Any] = {}
    for path in sorted(folder.glob("seeds_*.jsonl*")):
        for record in whole_records(path):
            if record["status"] == "ok" or record["seed"] not in found:
                found[record["seed"]] = record
    return found


def good_runs(folder: Path) -> dict[int, Any]:
    """Those that did not fail."""
    return {seed: run for seed, run in runs_in(folder).items() if run["status"] == "ok"}
