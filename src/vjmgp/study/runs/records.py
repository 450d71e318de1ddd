"""Records of runs: the lines of a file of runs. docs/architecture.md lists their keys."""

from pathlib import Path
from typing import Any

from ...core.files import DamagedFileError, Json, read_records, whole_records
from ..paths import RUNS, files_and_journals, parse, seeds_of


def names_of(path: str | Path) -> dict[str, str]:
    """Return protocol, dataset, method, identity and block of a file of runs."""
    found = parse(RUNS, path)
    if not found:
        raise ValueError(f"{path} is not the path of a file of runs.")
    return found


def read_block(path: str | Path) -> list[Json]:
    """Return the records of a file of runs, after checking that they belong to its path."""
    records = read_records(path)
    names, keys = names_of(path), ("protocol", "dataset", "identity")
    wanted = [(*(names[key] for key in keys), seed) for seed in seeds_of(names["block"])]
    if [tuple(record.get(key) for key in (*keys, "seed")) for record in records] != wanted:
        raise DamagedFileError(str(path), "its runs are not those of its name")
    return records


def runs_in(folder: Path) -> dict[int, Any]:
    """Return the runs in the files and journals of a folder, by seed; good ones win."""
    found: dict[int, Any] = {}
    for path in files_and_journals(folder):
        for record in whole_records(path):
            if record["status"] == "ok" or record["seed"] not in found:
                found[record["seed"]] = record
    return found
