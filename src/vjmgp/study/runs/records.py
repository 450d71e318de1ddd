"""Records of runs: the lines of a file of runs."""

from pathlib import Path
from typing import Any, NotRequired, TypedDict

from ...core.files import DamagedFileError, read_records, whole_records
from ..paths import RUNS, files_and_journals, parse, seeds_of


class RunRecord(TypedDict):
    """A line of a file of runs."""

    dataset: str
    protocol: str
    method: str
    seed: int
    identity: str
    """The hash of its settings, code and data, as in the name of its folder."""
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
    """Seconds of the noise estimate, if the run uses it; added to `seconds`, the training time."""
    noise_cpu_seconds: NotRequired[float]
    formula: NotRequired[str | None]
    legend: NotRequired[list[list[str]]]
    """Names in the formula that differ from column names, with their meanings."""
    features: NotRequired[list[list[Any]]]
    """Coefficient and formula of each constructed feature."""
    model: NotRequired[dict[str, Any]]
    """The whole model, as `vjmgp.load_model` reads it."""
    curve: NotRequired[list[list[float]]]
    """[generation, training R², test R²] whenever the chosen model changes."""
    noise_r2: NotRequired[float]
    tau: NotRequired[float]
    generations: NotRequired[int]
    engine: NotRequired[str]
    parameters: NotRequired[dict[str, Any]]
    """Parameters that tuning chose."""
    failed_candidates: NotRequired[int]
    warnings: NotRequired[dict[str, int]]
    definition: dict[str, Any]
    versions: dict[str, str]
    inputs: dict[str, Any]
    """Checksums of the source file, the prepared table and the training rows; the noise."""


def names_of(path: str | Path) -> dict[str, str]:
    """Return protocol, dataset, method, identity and block of a file of runs."""
    found = parse(RUNS, path)
    if not found:
        raise ValueError(f"{path} is not the path of a file of runs.")
    return found


def read_block(path: str | Path) -> list[RunRecord]:
    """Return the records of a file of runs, after checking that they belong to its path."""
    records: Any = read_records(path)
    names, keys = names_of(path), ("protocol", "dataset", "identity")
    wanted = [(*(names[key] for key in keys), seed) for seed in seeds_of(names["block"])]
    if [tuple(record.get(key) for key in (*keys, "seed")) for record in records] != wanted:
        raise DamagedFileError(str(path), "its runs are not those of its name")
    return list(records)


def runs_in(folder: Path) -> dict[int, Any]:
    """Return the runs in the files and journals of a folder, by seed; good ones win."""
    found: dict[int, Any] = {}
    for path in files_and_journals(folder):
        for record in whole_records(path):
            if record["status"] == "ok" or record["seed"] not in found:
                found[record["seed"]] = record
    return found


def good_runs(folder: Path) -> dict[int, Any]:
    """Return the runs of a folder that did not fail, by seed."""
    return {seed: run for seed, run in runs_in(folder).items() if run["status"] == "ok"}
