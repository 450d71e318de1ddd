"""The step that draws the training rows of each run."""

from __future__ import annotations

from ...core.files import read_sealed, write_sealed
from ..paths import seeds_of
from ..protocols import Protocol
from .problems import read_data


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
