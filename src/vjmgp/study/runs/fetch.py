"""The step that fetches a dataset of PMLB."""

from __future__ import annotations

import tempfile
from pathlib import Path

from ...core.files import write_sealed, write_whole
from ...tables.pmlb import cache_folder, fetch


def fetch_dataset(dataset: str, cache: str | None, table: str, note: str) -> None:
    """Fetch a dataset's file and note its origin."""
    with tempfile.TemporaryDirectory() as folder:
        found = fetch(dataset, cache_folder(cache), Path(folder))
        with found.path.open("rb") as file:
            write_whole(Path(table), iter(lambda: file.read(1 << 20), b""))
    about = {
        "dataset": dataset,
        "from": found.kind,
        "file": found.path.name,
        "sha256": found.sha256,
    }
    write_sealed(note, about)
