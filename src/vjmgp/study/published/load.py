"""Load the published runs of the paper's study as a table, and their models."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.optional import require_module
from .index import HOME, Published, ReusedRuns, read_published

if TYPE_CHECKING:
    import pandas as pd

    from ...models.symbolic import SymbolicModel

REPOSITORY = Path(__file__).parents[4]


def published_runs(folder: str | os.PathLike[str] | None = None) -> Published:
    """Return the index of published runs in a folder, by default in this repository."""
    place = Path(folder) if folder is not None else REPOSITORY / HOME
    found = read_published(place)
    if found is None:
        hint = "" if folder is not None else " Clone the repository of vjmgp, or name a folder."
        raise FileNotFoundError(f"There are no published runs in {place}.{hint}")
    return found


def load_results(folder: str | os.PathLike[str] | None = None) -> pd.DataFrame:
    """Load the published runs of the paper's study, one row each.

    Parameters
    ----------
    folder : path, optional
        A folder that `vjmgp study publish` has written; by default `results/paper` of the
        repository.

    Returns
    -------
    DataFrame
        `experiment` (the first that needs the run), `protocol`, `dataset`, `method`, `seed`,
        `train_r2`, `test_r2`, `size`, `trees`, `seconds`, `cpu_seconds` (both with the noise
        estimate, if the method uses it), `noise_r2`, `tau`, `generations`, `parameters` (of
        tuned learners), `status`, `error`, `identity`, `engine`, `versions`.

    Examples
    --------
    >>> from vjmgp import load_results
    >>> runs = load_results()
    >>> vjm = runs.query("protocol == 'paper' and method == 'VJM' and dataset == '547_no2'")
    >>> print(f"{vjm.test_r2.median():.3f}")
    0.470

    """
    require_module("pyarrow")
    from ..names import NOISE_TIMES
    from .rows import PLAIN, TEXTS, read_rows, training_times

    published = published_runs(folder)
    every = [ReusedRuns(identity, cell.seeds) for identity, cell in published.cells.items()]
    table = read_rows(published, every, [*PLAIN, *TEXTS])
    table = table.assign(**training_times(table)).drop(columns=list(NOISE_TIMES.values()))
    table.insert(0, "experiment", table.pop("file").str.removesuffix(".parquet"))
    return table


def load_run_model(
    dataset: str,
    method: str = "VJM",
    seed: int = 0,
    *,
    protocol: str = "paper",
    folder: str | os.PathLike[str] | None = None,
) -> SymbolicModel:
    """Load the model of a published run, which predicts and prints its formula.

    Examples
    --------
    >>> from vjmgp import load_run_model
    >>> print(load_run_model("547_no2", "GC", seed=1))
    0.493*cars_per_hour + 0.3006*temperature_diff_2m_25m - 0.14*wind_speed + 0.579

    """
    require_module("pyarrow")
    from .rows import model_of, read_rows, splits_of

    published = published_runs(folder)
    names = (protocol, dataset, method)
    found = [i for i, cell in published.cells.items() if cell[:3] == names and seed < cell.seeds]
    if not found:
        raise ValueError(
            f"No run of {method!r} on {dataset!r} with seed {seed} (protocol {protocol!r}) is "
            "published; load_results() lists those that are."
        )
    rows = read_rows(published, [ReusedRuns(found[-1], seed + 1)])
    row: Any = rows[rows["seed"] == seed].iloc[0].to_dict()
    if row["nodes"] is None:
        raise ValueError(f"Runs of {method!r} have no published symbolic model.")
    return model_of(row, splits_of(published))
