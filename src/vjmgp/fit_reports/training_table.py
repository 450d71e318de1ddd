"""Read the table of a fit, and report all of its problems at once."""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..core.suggestions import did_you_mean
from ..tables.checks import input_problems, nominal_inputs, raise_any, target_problems
from ..tables.dataset import Dataset
from ..tables.dates import ElapsedDays, days_since_first, find_date_order
from ..tables.errors import InputError
from ..tables.reader import TableFile, TableFormat, check_distinct, mark_missing, read_file
from ..tables.row_labels import describe_row_labels, row_labels_to_drop
from ..tables.validation import check_sample_weight
from .fit_settings import FitSettings


class TrainingTable(NamedTuple):
    """The data of a fit and where they come from."""

    data: Dataset
    weights: Any
    """Weights of the rows, or None."""
    path: Path | None
    """The file; None for a DataFrame."""
    form: TableFormat
    dates: list[ElapsedDays]
    notes: list[str]
    """Remarks for the user."""


def read_training_table(
    table: str | os.PathLike[str] | pd.DataFrame, settings: FitSettings
) -> TrainingTable:
    """Return the table of a fit; raise one error with all of its problems."""
    path = None if isinstance(table, pd.DataFrame) else Path(table)
    words = {part for word in (*settings.nominal, *settings.ignore) for part in _parts(word)}
    wanted = TableFormat(**{name: getattr(settings, name) for name in asdict(TableFormat())})
    file = _as_file(table, wanted) if path is None else read_file(path, wanted, texts=words)
    frame = file.table
    nominal, ignored = (_names(names, frame) for names in (settings.nominal, settings.ignore))
    problems = list(_name_problems(settings, frame, nominal, ignored))
    frame = frame.drop(columns=[name for name in ignored if name in frame.columns])
    nominal = [name for name in nominal if name not in ignored]
    frame, dates, date_problems = _convert_dates(settings, frame, nominal)
    frame, left_out = _drop_row_labels(settings, frame, [*nominal, *(d.column for d in dates)])
    frame, dropped = _drop_missing(settings, frame)
    weights, weight_problems = _weights(settings, frame, nominal)
    known = tuple(name for name in nominal if name in frame.columns)
    name = "table" if path is None else path.name.split(".")[0]
    data = Dataset(name, *_inputs_and_target(settings, frame), known)
    problems += date_problems
    problems += target_problems(frame, settings.target, tuple(nominal), for_fit=True)
    problems += weight_problems
    problems += input_problems(data, may_be_missing=settings.missing != "error", for_fit=True)
    reading = describe_reading(file, dates)
    where = str(path or "the table")
    raise_any(problems, f"{where} (read as: {reading})" if reading else where)
    data = replace(data, nominal=tuple(nominal_inputs(data)))
    notes = [f"Read as: {reading}."] if reading else []
    if dropped:
        gaps = "missing cells" if settings.missing == "drop" else "a missing target"
        notes.append(f"Left out {dropped} row{'s' if dropped > 1 else ''} with {gaps}.")
    notes += [left_out] if left_out else []
    return TrainingTable(data, weights, path, file.form, dates, notes)


def describe_reading(file: TableFile, dates: list[ElapsedDays]) -> str:
    """Describe how a file was read; return "" if that is as usual."""
    parts = [] if file.is_usual else [str(file.form)]
    return ", ".join([*parts, *map(str, dates)])


def _as_file(table: Any, wanted: TableFormat) -> TableFile:
    frame = table.rename(columns=str).reset_index(drop=True)
    check_distinct(list(frame.columns))
    return TableFile(mark_missing(frame, wanted), wanted, is_usual=True, read_cells=frame.copy)


def _parts(word: str) -> list[str]:
    return [word, *map(str.strip, word.split(","))]


def _names(words: tuple[str, ...], table: pd.DataFrame) -> list[str]:
    """Return columns that are named one by one, or with commas between them."""
    names: list[str] = []
    for word in words:
        names += [word] if word in table.columns else _parts(word)[1:]
    return list(dict.fromkeys(filter(None, names)))


def _name_problems(
    settings: FitSettings, table: pd.DataFrame, nominal: list[str], ignored: list[str]
) -> Iterator[InputError]:
    weights = settings.weights
    named = [(name, "for {ignore}.") for name in ignored]
    named += [] if weights is None else [(weights, "for {weights}.")]
    for name, role in named:
        if name not in table.columns:
            hint = did_you_mean(name, table.columns)
            text = f"there is no column {name!r}{hint or ' '}"
            yield InputError("no_column", text, "" if hint else role, name)
    roles = {"nominal": nominal, "ignore": ignored, "weights": [weights] if weights else []}
    for one, other in (("nominal", "ignore"), ("weights", "nominal"), ("weights", "ignore")):
        for name in roles[one]:
            if name in roles[other]:
                advice = f" is both in {{{one}}} and in {{{other}}}."
                yield InputError("roles", f"column {name!r}", advice, name)


def _convert_dates(
    settings: FitSettings, table: Any, nominal: list[str]
) -> tuple[Any, list[ElapsedDays], list[InputError]]:
    """Replace dates by elapsed days; drop columns whose dates are refused."""
    dates, problems = [], []
    for name in table.columns:
        if name in (*nominal, settings.target, settings.weights):
            continue
        try:
            order = find_date_order(table[name])
            if order is None:
                continue
            if settings.dates == "refuse":
                raise InputError(
                    "dates", "", "set {dates} to elapsed for days since the first date"
                )
            dates.append(days_since_first(table[name], name, order))
            table = table.assign(**{name: dates[-1].days(table[name])})
        except InputError as error:
            table = table.drop(columns=name)
            text = f"column {name!r} holds dates: {error.text}"
            advice = error.advice + ", or leave it out with {ignore}."
            problems.append(InputError("dates", text, advice, name))
    return table, dates, problems


def _drop_row_labels(settings: FitSettings, table: Any, kept: list[str]) -> tuple[Any, str]:
    """Drop columns that name rows, other than `kept`; return the table and a remark."""
    if settings.row_labels == "keep":
        return table, ""
    special = [name for name in (settings.target, settings.weights) if name in table.columns]
    found = row_labels_to_drop(table.drop(columns=special), kept)
    found = {name: label for name, label in found.items() if not label.has_numbers}  # refused
    remedy = "They tell nothing about new rows; the options 'row_labels' and 'nominal' keep them."
    return table.drop(columns=list(found)), describe_row_labels(found, remedy)


def _drop_missing(settings: FitSettings, table: Any) -> tuple[Any, int]:
    """Drop rows that cannot be used; return the table and the number of such rows."""
    if settings.missing == "error" or settings.target not in table.columns:
        return table, 0
    columns = list(table.columns) if settings.missing == "drop" else [settings.target]
    kept = table.dropna(subset=columns)
    return kept, len(table) - len(kept)


def _inputs_and_target(settings: FitSettings, table: Any) -> tuple[Any, Any]:
    """Return inputs and target; row numbers stand for a target that cannot be used."""
    special = [name for name in (settings.target, settings.weights) if name in table.columns]
    inputs, target = table.drop(columns=special), np.arange(float(len(table)))
    if settings.target in special:
        with contextlib.suppress(TypeError, ValueError):
            target = table[settings.target].to_numpy(dtype=np.float64)
    return inputs, target


def _weights(settings: FitSettings, table: Any, nominal: list[str]) -> tuple[Any, list[InputError]]:
    """Return the weights of the rows, None if there are none, and their problems."""
    name = settings.weights
    if name not in table.columns or name in nominal:
        return None, []
    try:
        shown = f"the column of weights {name!r}"
        return check_sample_weight(table[name], len(table), "the table", name=shown), []
    except ValueError as error:
        return None, [InputError("weights", str(error), column=name)]
