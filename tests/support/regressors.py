"""Regressors that are fitted in a moment, and tables for them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from vjmgp import VJMRegressor, load_model
from vjmgp.engine.search.archive import FIRST_NODE, N_TREES, Archive


def small(**changes: Any) -> VJMRegressor:
    return VJMRegressor(**{"population_size": 30, "generations": 6, "random_state": 0} | changes)


def medium(**changes: Any) -> VJMRegressor:
    return small(**{"population_size": 60, "generations": 20} | changes)


def reloaded(model: Any, folder: Path) -> Any:
    """Save a model, and return the model that its file holds."""
    model.to_json(folder / "model.json")
    return load_model(folder / "model.json")


def fail(record: dict[str, float]) -> None:
    """Raise an error, as a callback."""
    raise RuntimeError("raised by the callback")


def same_archive(a: VJMRegressor, b: VJMRegressor) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a.archive_, b.archive_, strict=True))


def trees_of(archive: Archive, entry: int) -> Iterator[tuple[Any, Any]]:
    """Yield codes and constants of an entry's trees."""
    node = archive.facts[entry, FIRST_NODE]
    for length in archive.tree_length[entry, : archive.facts[entry, N_TREES]]:
        yield archive.codes[node : node + length], archive.constants[node : node + length]
        node += length


def noisy_table() -> tuple[pd.DataFrame, pd.Series]:
    """Three columns and a noisy target."""
    rng = np.random.default_rng(1)
    data = pd.DataFrame(rng.normal(size=(80, 3)), columns=["a", "b", "c"])
    return data, np.sin(data["a"]) + data["b"] * data["c"] + 0.3 * rng.normal(size=80)


def energy_table(rows: int = 100, seed: int = 0) -> tuple[pd.DataFrame, pd.Series]:
    """Numbers, levels and a constant column, with an index that does not start at 0."""
    rng = np.random.default_rng(seed)
    x = pd.DataFrame(
        {
            "load": rng.uniform(0, 10, rows),
            "site": rng.choice(["A", "B", "C"], rows, p=[0.2, 0.6, 0.2]),
            "town": rng.choice([f"town {k}" for k in range(8)], rows),
            "idle": rng.normal(size=rows),
            "same": np.full(rows, 7.0),
        },
        index=np.arange(rows) + 1000,
    )
    y = x["load"] ** 2 + 30 * (x["site"] == "A") + rng.normal(0, 3, rows)
    return x, pd.Series(y, name="energy")
