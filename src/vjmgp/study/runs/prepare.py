"""The steps before runs: fetch a dataset, check it and write a typed table, draw training rows."""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.files import checksum, read_sealed, require_checksum, write_sealed, write_whole
from ...tables.checks import check_inputs
from ...tables.dataset import Dataset, load_file, read_pmlb
from ...tables.pmlb import cache_folder, fetch
from ..paths import seeds_of
from ..protocols import Protocol
from .problems import TARGET, read_data

if TYPE_CHECKING:
    from ..plan.study import Table


def fetch_dataset(dataset: str, cache: str | None, table: str, note: str) -> None:
    """Fetch a dataset's file and note its origin."""
    with tempfile.TemporaryDirectory() as folder:
        found = fetch(dataset, cache_folder(cache), Path(folder))
        with found.path.open("rb") as file:
            write_whole(Path(table), iter(lambda: file.read(1 << 20), b""))
    origin = {"from": found.kind, "file": found.path.name, "sha256": found.sha256}
    write_sealed(note, {"dataset": dataset} | origin)


def prepare_dataset(
    dataset: str, table: str, own: "Table | None", data: str, facts: str, note: str | None = None
) -> None:
    """Write inputs and target of a dataset, and the facts about them.

    `note` has the checksum of a table from PMLB; `own` describes the columns of a user's table.
    """
    if note:
        require_checksum(table, read_sealed(note)["sha256"])
    found = load_own(dataset, own) if own else read_pmlb(dataset, Path(table))
    if TARGET in found.inputs.columns:
        raise ValueError(f"{table}: rename the input column {TARGET!r}; it is used internally.")
    missing = own.missing if own else "error"
    nominal = check_inputs(found, table, missing)
    frame = found.inputs.copy().assign(**{TARGET: found.target})  # in one block again
    for column in nominal:  # levels as text, whatever they were
        if frame[column].dtype == object:
            frame[column] = frame[column].astype(str)
    write_whole(Path(data), [frame.to_parquet(index=False)])
    write_sealed(
        facts,
        {
            "dataset": dataset,
            "rows": len(found),
            "inputs": list(map(str, found.inputs.columns)),
            "nominal": nominal,
            "sha256": checksum(data),
            "source_sha256": checksum(table),
        }
        | ({"missing": missing} if missing in ("median", "indicator") else {}),
    )


def load_own(name: str, own: "Table") -> Dataset:
    """Return a user's table under its name in the study."""
    data = load_file(
        own.file, own.target, own.nominal, na_values=own.na_values, missing=own.missing
    )
    return replace(data, name=name)


def split_rows(data: str, facts: str, protocol: Protocol, splits: str) -> None:
    """Write the training rows of each seed of a block, and their labels if noise is added."""
    about = read_sealed(facts)
    name, rows = str(about["dataset"]), int(about["rows"])
    target = read_data(data, about)[1] if protocol.label_noise else None
    runs = []
    for seed in seeds_of(splits):
        train, _ = protocol.split(name, rows, seed)
        labels = None
        if target is not None:
            labels = protocol.training_labels(target[train], name, seed).tolist()
        runs.append({"seed": seed, "train": train.tolist(), "labels": labels})
    write_sealed(splits, {"dataset": name, "rows": rows, "runs": runs})
