"""Apply a saved model to a new table."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..core.suggestions import did_you_mean
from ..models.loading import load_model
from ..models.symbolic import SymbolicModel
from ..tables.checks import raise_any
from ..tables.dates import ElapsedDays
from ..tables.errors import InputError, TableError
from ..tables.preprocessing import MISSING, Column, level_text
from ..tables.reader import TableFile, TableFormat, read_file
from .folder import model_file, read_about
from .training_table import describe_reading


def predict_table(
    model: Path, table: Path, wanted: TableFormat, interval: float | None = None
) -> tuple[pd.DataFrame, TableFormat, list[str]]:
    """Add predictions, and their intervals if wanted; return also the format, and remarks.

    A table that looks like that of the fit is read in the same way. Unknown columns stay.
    """
    path = model_file(model)
    fitted, about = load_model(path), read_about(path.parent)
    file, frame, notes = _read(table, wanted, fitted, about)
    result = file.read_cells().copy()
    new = ["prediction"] if interval is None else ["prediction", "low", "high"]
    for name in new:
        if name in result.columns:
            text = f"there is a column {name!r} already; rename it."
            raise TableError(str(table), [InputError("names", text, column=name)])
    inputs = _inputs(frame, result, fitted, table, notes)
    result[new] = _predictions(fitted, inputs, interval, table, notes)
    return result, file.form, notes


def _read(
    path: Path, wanted: TableFormat, model: SymbolicModel, about: dict[str, Any]
) -> tuple[TableFile, pd.DataFrame, list[str]]:
    """Return the file, its table with dates converted, and how it was read."""
    dates = [ElapsedDays(**entry) for entry in about.get("dates", [])]
    numbers = {column.name for column in model.standardizer.columns if column.codes is None}
    numbers -= {entry.column for entry in dates}
    file = read_file(path, wanted, TableFormat(**about.get("reading", {})), numbers)
    table = file.table
    dates = [entry for entry in dates if entry.column in table.columns]
    for entry in dates:
        try:
            table = table.assign(**{entry.column: entry.days(table[entry.column])})
        except InputError as error:
            raise TableError(str(path), [error.followed_by(": correct it.")]) from None
    reading = describe_reading(file, dates)
    return file, table, [f"Read as: {reading}."] if reading else []


def _predictions(
    model: SymbolicModel, inputs: pd.DataFrame, interval: float | None, path: Path, notes: list[str]
) -> Any:
    """Predict; add a note on inputs outside their training range."""
    encoded = model.standardizer.encode(inputs)
    values = model.unclipped_rows(model.standardizer.scale(encoded))
    if text := model.extrapolation(encoded, values):
        notes.append(f"Warning: {path} {text}")
    ends = [] if interval is None else [model.intervals(values, interval)]
    return np.column_stack([model.standardizer.clip_target(values), *ends])


def _inputs(
    table: pd.DataFrame, cells: pd.DataFrame, model: SymbolicModel, path: Path, notes: list[str]
) -> pd.DataFrame:
    """Return the model's columns as in training; raise one error with all problems."""
    columns = {column.name: column for column in model.standardizer.columns}
    used = {column.name for column in model.standardizer.inputs}
    filled = {column.name for column in model.standardizer.columns if column.fill is not None}
    missing = [repr(name) for name in columns if name not in table.columns]
    hint = did_you_mean(missing[0].strip("'"), table.columns) if len(missing) == 1 else ""
    text = f"no column {', '.join(missing)}, which the model was fitted to{hint or '.'}"
    problems = [InputError("no_column", text)] if missing else []
    inputs = table[[name for name in columns if name in table.columns]].copy()
    for name in inputs.columns:
        if columns[name].codes is not None:
            texts = cells.iloc[:, list(table.columns).index(name)]
            inputs[name] = _levels(inputs[name], texts, columns[name], path, notes)
        elif name in used:
            numbers = pd.to_numeric(inputs[name], errors="coerce").astype(float)
            problems += _number_problems(inputs[name], numbers, name, name in filled)
            inputs[name] = numbers
    raise_any(problems, str(path))
    return inputs


def _number_problems(
    values: Any, numbers: Any, name: str, may_be_missing: bool
) -> Iterator[InputError]:
    bad = ~np.isfinite(numbers.to_numpy())
    if may_be_missing:
        bad &= values.notna().to_numpy()
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        first = values.iloc[row]
        shown = "an empty cell" if pd.isna(first) else repr(getattr(first, "item", lambda: first)())
        text = (
            f"column {name!r} has no number in {int(bad.sum())} of {len(values)} rows, first "
            f"{shown} in row {row + 1}: correct it, or leave these rows out."
        )
        yield InputError("type", text, column=name)


def _levels(values: Any, texts: Any, column: Column, path: Path, notes: list[str]) -> pd.Series:
    """Match levels by their text: `01` is a number here, but was not if training also had `A`."""
    codes = column.codes or {}
    known = {level_text(level): level for level in codes}
    pairs = zip(texts, values.astype(object), strict=True)
    found = [known.get(text, known.get(level_text(value), value)) for text, value in pairs]
    levels = pd.Series(found, index=values.index, dtype=object)
    unseen = ~levels.isin(list(codes)) & (levels.notna() | (MISSING not in known))
    if unseen.any():
        row = int(unseen.to_numpy().argmax())
        counts_as = "average" if column.label is None else "none of the known levels"
        notes.append(
            f"Warning: {path}: column {column.name!r} has levels that training did not see in "
            f"{int(unseen.sum())} of {len(values)} rows, first {values.iloc[row]!r} in row "
            f"{row + 1}; they count as {counts_as}."
        )
    return levels
