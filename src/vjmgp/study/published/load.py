"""Load published runs, or those of a study's results folder, as a table; and their models."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.optional import require_module
from ..paths import ALL_RUNS
from .index import HOME, INDEX, Published, ReusedRuns, read_published

if TYPE_CHECKING:
    import pandas as pd

    from ...models.symbolic import SymbolicModel

REPOSITORY = Path(__file__).parents[4]


def published_runs(folder: str | os.PathLike[str] | None = None) -> Published:
    """Return the index of published runs in a folder, or in the repository.

    That is the one that the package is in, or else the one that the working directory is in.
    """
    here = Path.cwd()
    homes = [home / HOME for home in (REPOSITORY, here, *here.parents)]
    places = homes if folder is None else [Path(folder)]
    found = next(filter(None, map(read_published, places)), None)
    if found is None:
        raise FileNotFoundError(
            f"There are no published runs in {', '.join(map(str, places))}: no {INDEX}, nor a "
            f"study's {ALL_RUNS}. Clone the repository of vjmgp and work in it, or name a folder."
        )
    return found


def load_results(folder: str | os.PathLike[str] | None = None) -> pd.DataFrame:
    """Load the published runs of the paper's study, or the runs of a study, one row each.

    Parameters
    ----------
    folder : path, optional
        The results folder of a study, such as `results/plant`, or a folder that `vjmgp study
        publish` has written. By default `results/paper` of the repository: the one that the
        package is in, or else the working directory.

    Returns
    -------
    DataFrame
        `experiment` (the first that needs the run), `protocol`, `dataset`, `method`, `seed`,
        `train_r2`, `test_r2`, `size`, `trees`, `seconds`, `cpu_seconds` (both with the noise
        estimate, if the method uses it), `noise_r2`, `tau`, `generations`, `parameters` (of
        tuned learners), `status`, `error`, `identity`, `engine`, `versions`. A study's table has
        neither `experiment`, `identity` nor `versions`, but `file`, which a run is in.

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

    if folder is not None and (runs := _runs_of_study(Path(folder))) is not None:
        return runs
    published = published_runs(folder)
    every = [ReusedRuns(identity, cell.seeds) for identity, cell in published.cells.items()]
    table = read_rows(published, every, [*PLAIN, *TEXTS])
    table = table.assign(**training_times(table)).drop(columns=list(NOISE_TIMES.values()))
    table.insert(0, "experiment", table.pop("file").str.removesuffix(".parquet"))
    return table


def _runs_of_study(folder: Path) -> pd.DataFrame | None:
    """Return the runs of a study's results folder, None if it has no table of them."""
    if (folder / INDEX).exists() or not (folder / ALL_RUNS).exists():
        return None
    from ..result_tables import read_table
    from .rows import PLAIN, TEXTS

    table = read_table(folder / ALL_RUNS)
    first = [name for name in (*PLAIN, *TEXTS) if name in table]
    return table[[*first, *table.columns.difference(first, sort=False)]]


def load_run_model(
    dataset: str,
    method: str = "VJM",
    seed: int = 0,
    *,
    protocol: str = "paper",
    folder: str | os.PathLike[str] | None = None,
) -> SymbolicModel:
    """Load the model of a published run, or of a study's, which predicts and prints its formula.

    Parameters
    ----------
    dataset, method, seed, protocol
        The run.
    folder : path, optional
        As for `load_results`; published runs that a study reuses stay in their own folder.

    Examples
    --------
    >>> from vjmgp import load_run_model
    >>> print(load_run_model("547_no2", "GC", seed=1))
    0.493*cars_per_hour + 0.3006*temperature_diff_2m_25m - 0.14*wind_speed + 0.579

    """
    require_module("pyarrow")
    from .rows import model_of, read_rows, splits_of

    names = (protocol, dataset, method)
    if folder is not None and (runs := _runs_of_study(Path(folder))) is not None:
        return _model_of_study(Path(folder), runs, *names, seed)
    published = published_runs(folder)
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


def _model_of_study(folder: Path, runs: pd.DataFrame, *run: str | int) -> SymbolicModel:
    """Return the model of a run that a study has computed."""
    from ...models.symbolic import SymbolicModel
    from ..runs.records import read_block

    is_it = (runs[["protocol", "dataset", "method", "seed"]] == list(run)).all(axis=1)
    for file in runs["file"][is_it & ~runs["file"].str.endswith(".parquet")]:
        for record in read_block(folder / file):
            if record["seed"] == run[3] and "model" in record:
                return SymbolicModel.from_dict(record["model"])
    raise ValueError(
        f"The study in {folder} has computed no symbolic model of {run}; load_results() lists its "
        "runs. Leave out 'folder' for a published run."
    )
