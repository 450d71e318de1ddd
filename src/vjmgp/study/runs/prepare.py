"""The step that checks a dataset and writes it as a typed table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...core.files import checksum, read_sealed, require_checksum, write_sealed, write_whole
from ...tables.checks import check_inputs
from ...tables.dataset import Dataset, load_file, read_pmlb
from .problems import TARGET

if TYPE_CHECKING:
    from ..plan.study import Table


def prepare_dataset(
    dataset: str, table: str, own: Table | None, data: str, facts: str, note: str | None = None
) -> None:
    """Write inputs and target of a dataset, and the facts about them.

    `note` has the checksum of a table from PMLB; `own` describes the columns of a user's table.
    """
    if note:
        require_checksum(table, read_sealed(note)["sha256"])
    found = load_own(dataset, own) if own else read_pmlb(dataset, Path(table))
    if TARGET in found.inputs.columns:
        raise ValueError(f"{table}: rename the input column {TARGET!r}; it is used internally.")
    nominal = check_inputs(found, table)
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
        },
    )


def load_own(name: str, own: Table) -> Dataset:
    """Return a user's table under its name in the study."""
    data = load_file(own.file, own.target, own.nominal)
    return Dataset(name, data.inputs, data.target, data.nominal)
