"""From a dataset's file to the training and test rows of each run.

Steps of the workflow: `fetch_dataset`, `prepare_dataset`, `split_rows`, `estimate_noise_of`. Each
reads and writes files; `Problem` is what a run makes of them.
"""

from __future__ import annotations

import functools
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..datasets import Dataset, load_file, read_pmlb
from ..fetching import cache_folder, checksum, fetch, write_whole
from ..inputs import refuse_strange
from ..protocol import Protocol
from ..tabular import Standardizer, fit_standardizer, is_nominal, nominal_columns
from .config import seeds_of
from .seals import read_sealed, require_checksum, write_sealed

Floats = NDArray[np.float64]
LEAST_ROWS = 10
"""Five folds on half of the rows need at least one row each."""


def write_json(path: str | Path, data: Any) -> None:
    """Write JSON so that nobody ever sees a part of it."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    write_whole(Path(path), [text.encode(), b"\n"])


def read_json(path: str | Path) -> Any:
    """Read JSON; an error names the file."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is damaged ({error}): delete it and run again.") from None


# -- steps of the workflow -----------------------------------------------------------------------


def fetch_dataset(name: str, table: str, source: str, cache: str | None) -> None:
    """Get a PMLB dataset's file and write down where it came from."""
    with tempfile.TemporaryDirectory() as folder:
        found = fetch(name, cache_folder(cache), Path(folder))
        with found.path.open("rb") as file:
            write_whole(Path(table), iter(lambda: file.read(1 << 20), b""))
    write_sealed(
        source,
        {
            "dataset": name,
            "from": found.kind,
            "file": found.path.name,
            "sha256": found.sha256,
        },
    )


def prepare_dataset(
    name: str, table: str, data: str, facts: str, own: dict[str, Any] | None = None
) -> None:
    """A checked, typed table: inputs, then the target."""
    if own:
        dataset = load_own(name, own)
    else:
        require_checksum(table, read_sealed(Path(table).with_name("source.json"))["sha256"])
        dataset = read_pmlb(name, Path(table))
    nominal = check_inputs(dataset, str(table))
    frame = dataset.inputs.assign(**{TARGET: dataset.target})
    for column in nominal:  # levels as text, whatever they were
        if frame[column].dtype == object:
            frame[column] = frame[column].astype(str)
    write_whole(Path(data), [frame.to_parquet(index=False)])
    write_sealed(
        facts,
        {
            "dataset": name,
            "rows": len(dataset),
            "inputs": list(map(str, dataset.inputs.columns)),
            "nominal": nominal,
            "sha256": checksum(Path(data)),
            "source_sha256": checksum(Path(table)),
        },
    )


def load_own(name: str, own: dict[str, Any]) -> Dataset:
    """A table of the user's own, under the name it has in the study."""
    data = load_file(own["file"], own["target"], tuple(own["nominal"]))
    return Dataset(name, data.inputs, data.target, data.nominal)


def check_inputs(dataset: Dataset, where: str) -> list[str]:
    """The nominal columns; a clear error for what no method could use."""
    table = dataset.inputs
    if len(dataset) < LEAST_ROWS:
        raise ValueError(f"{where}: {len(dataset)} rows are too few; at least {LEAST_ROWS} needed.")
    if table.shape[1] == 0:
        raise ValueError(f"{where}: there is no column beside the target.")
    if TARGET in table.columns:
        raise ValueError(f"{where}: rename the input column {TARGET!r}; it is used internally.")
    if dataset.target.min() == dataset.target.max():
        raise ValueError(f"{where}: the target has the same value in all rows.")
    if all(_levels(table[column], column, where) < 2 for column in table.columns):
        raise ValueError(f"{where}: every column beside the target has the same value in all rows.")
    try:
        for column in table.columns:
            refuse_strange(table[column], f"Column {column!r}")
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    for column in table.columns:
        if column not in dataset.nominal:
            _check_column(table[column], str(column), where)
    names = [str(column) for column in table.columns]
    return [names[k] for k in nominal_columns(table, names, list(dataset.nominal))]


def _levels(values: Any, column: str, where: str) -> int:
    try:
        return int(values.nunique())
    except TypeError:
        raise ValueError(
            f"{where}: column {column!r} holds lists or other objects: leave it out."
        ) from None


def _check_column(values: Any, column: str, where: str) -> None:
    """A column that is not named as nominal: numbers, or text with few levels."""
    if column.startswith("Unnamed: "):
        raise ValueError(
            f"{where}: column number {int(column[9:]) + 1} has no name; if it is an index, leave "
            "it out."
        )
    if values.isna().any():
        raise ValueError(
            f"{where}: column {column!r} has no value in {int(values.isna().sum())} rows: fill "
            "them or leave the column out."
        )
    if is_nominal(values):
        _refuse_text_among_numbers(values, column, where)
        levels = int(values.nunique())
        if levels > len(values) // 2:
            raise ValueError(
                f"{where}: column {column!r} is text with {levels} different values in "
                f"{len(values)} rows: turn it into numbers, leave it out, or list it under "
                "'nominal'."
            )
    elif not np.isfinite(np.asarray(values, dtype=np.float64)).all():
        raise ValueError(f"{where}: column {column!r} has infinite values.")


def _refuse_text_among_numbers(values: Any, column: str, where: str) -> None:
    numbers = pd.to_numeric(values, errors="coerce")
    text = numbers.isna().to_numpy()
    if text.all():
        return
    row = int(np.flatnonzero(text)[0])
    raise ValueError(
        f"{where}: column {column!r} has text among its numbers in {int(text.sum())} of "
        f"{len(values)} rows, first {values.iloc[row]!r} in row {row + 1}: correct it, or list the "
        "column under 'nominal'."
    )


def split_rows(
    name: str, facts: str, block: str, protocol: dict[str, Any], data: str, output: str
) -> None:
    """The training rows of each seed of a block, and their labels where noise was added."""
    rules = Protocol(**protocol)
    about = read_sealed(facts)
    rows = int(about["rows"])
    target = None
    if rules.label_noise:
        require_checksum(data, about["sha256"])
        target = pd.read_parquet(data, columns=[TARGET])[TARGET].to_numpy()
    runs = []
    for seed in seeds_of(block):
        train, _ = rules.split(name, rows, seed)
        labels = None
        if target is not None:
            labels = rules.training_labels(target[train], name, seed).tolist()
        runs.append({"seed": seed, "train": train.tolist(), "labels": labels})
    write_sealed(output, {"dataset": name, "rows": rows, "runs": runs})


def estimate_noise_of(data: str, facts: str, splits: str, output: str) -> None:
    """The noise estimate of each run: how well Extra Trees predict unseen training rows."""
    from ..warmup import compile_kernels

    compile_kernels()
    runs = [noise_of(problem) for problem in problems(data, facts, [splits])]
    write_sealed(output, {"dataset": read_sealed(splits)["dataset"], "runs": runs})


def noise_of(problem: Problem) -> dict[str, Any]:
    """The noise estimate of a run."""
    from ..engine.noise import adaptive_tau, noise_scores

    x = problem.standardizer.standardize(problem.train_table)
    if x.shape[1] == 0 or problem.labels.min() == problem.labels.max():
        scores = {"mean": 0.0, "pooled": 0.0}
    else:
        y = problem.standardizer.standardize_target(problem.labels)
        scores = noise_scores(x, y, problem.seed)
    return {"seed": problem.seed, **scores, "tau": adaptive_tau(scores["mean"])}


# -- what a run sees -----------------------------------------------------------------------------

TARGET = "__target__"
"""The target's column in prepared tables: no input may have that name."""


@dataclass(frozen=True)
class Problem:
    """One run's data."""

    dataset: str
    seed: int
    table: pd.DataFrame
    target: Floats
    nominal: list[str]
    train: NDArray[np.int64]
    test: NDArray[np.int64]
    labels: Floats
    """Of the training rows, with noise where the protocol says so."""
    data_id: str = ""
    """Checksum of the prepared table, where there is one."""
    source_id: str = ""
    """Checksum of the file it was made from."""

    @property
    def train_table(self) -> pd.DataFrame:
        """Inputs of the training rows."""
        return self.table.iloc[self.train]

    @property
    def test_table(self) -> pd.DataFrame:
        """Inputs of the test rows."""
        return self.table.iloc[self.test]

    @functools.cached_property
    def standardizer(self) -> Standardizer:
        """Encoding and scales, learnt from the training rows."""
        names = [str(name) for name in self.table.columns]
        nominal = nominal_columns(self.table, names, self.nominal)
        return fit_standardizer(self.train_table, self.labels, names, nominal)


def problems(data: str, facts: str, splits: list[str]) -> Iterator[Problem]:
    """The runs of one or more split files."""
    about = read_sealed(facts)
    require_checksum(data, about["sha256"])
    frame = pd.read_parquet(data)
    table, target = frame.drop(columns=TARGET), frame[TARGET].to_numpy()
    for path in splits:
        split = read_sealed(path)
        for run in split["runs"]:
            train = np.array(run["train"], np.int64)
            rest = np.ones(len(frame), bool)
            rest[train] = False
            labels = target[train] if run["labels"] is None else np.array(run["labels"])
            yield Problem(
                about["dataset"],
                run["seed"],
                table,
                target,
                about["nominal"],
                train,
                np.flatnonzero(rest),
                labels,
                about["sha256"],
                about["source_sha256"],
            )
