"""Find problems that make a table unusable."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.suggestions import alternatives, did_you_mean
from .errors import InputError, TableError
from .preprocessing import is_nominal, nominal_columns
from .validation import refuse_strange, remedy_for_classes

if TYPE_CHECKING:
    from .dataset import Dataset

LEAST_ROWS = 10
"""Five folds on half of the rows need at least one row each."""
LEAVE_OUT = {False: "leave it out", True: "leave it out with {ignore}"}
FILL = {
    False: "set {missing} to median, indicator or drop, or leave the column out.",
    True: "set {missing} to median, indicator or drop, or leave the column out with {ignore}.",
}
"""Advice, without and with the settings of a fit."""


def raise_any(problems: list[InputError], where: str) -> None:
    """Raise one error with all problems of a table, if there are any."""
    if problems:
        raise TableError(where, problems)


def check_inputs(dataset: "Dataset", where: str, missing: str = "error") -> list[str]:
    """Return the nominal columns; raise if the inputs cannot be used."""
    raise_any(list(input_problems(dataset, may_be_missing=missing != "error")), where)
    return nominal_inputs(dataset)


def nominal_inputs(dataset: "Dataset") -> list[str]:
    """Return the nominal columns: those declared as nominal, and text."""
    names = [str(column) for column in dataset.inputs.columns]
    return [names[k] for k in nominal_columns(dataset.inputs, names, list(dataset.nominal))]


def target_problems(
    table: pd.DataFrame, target: str, nominal: tuple[str, ...], *, for_fit: bool = False
) -> Iterator[InputError]:
    """Yield problems of the target and names of nominal columns that do not exist."""
    if target not in table.columns:
        text = f"no column {target!r}{alternatives(target, table.columns, 'the columns are')}"
        yield InputError("no_column", text, column=target)
    else:
        yield from _target_problems(table[target], target, for_fit)
    if target in nominal:
        yield InputError("nominal", f"the target {target!r} cannot be nominal.", column=target)
    for name in nominal:
        if name not in table.columns:
            text = (
                f"no column {name!r} to take as nominal{did_you_mean(name, table.columns) or '.'}"
            )
            yield InputError("no_column", text, column=name)


def _target_problems(values: Any, target: str, for_fit: bool) -> Iterator[InputError]:
    try:
        numbers = values.to_numpy(dtype=np.float64)
    except (TypeError, ValueError) as error:
        text = f"the target {target!r} is not numeric ({error}): {remedy_for_classes(values)}."
        yield InputError("type", text, column=target)
        return
    bad = int((~np.isfinite(numbers)).sum())
    if bad:
        text = f"the target {target!r} is missing or infinite in {bad} of {len(numbers)} rows"
        advice = ": {missing} can leave rows without a target out."
        yield InputError("missing", text, advice, target)


def input_problems(
    dataset: "Dataset", *, may_be_missing: bool = False, for_fit: bool = False
) -> Iterator[InputError]:
    """Yield problems that make the inputs unusable.

    With `may_be_missing`, missing numbers are accepted. With `for_fit`, advice names settings.
    """
    table = dataset.inputs
    if len(dataset) < LEAST_ROWS:
        text = f"{len(dataset)} rows are too few; at least {LEAST_ROWS} are needed."
        yield InputError("rows", text)
        return
    if table.shape[1] == 0:
        yield InputError("columns", "there is no column beside the target.")
        return
    if dataset.target.min() == dataset.target.max():
        yield InputError("constant", "the target has the same value in all rows.")
    constant = []
    for column in table.columns:
        found = list(_column_problems(dataset, column, may_be_missing, for_fit))
        yield from found
        constant.append(not found and table[column].nunique() < 2)
    if all(constant):
        text = "every column beside the target has the same value in all rows."
        yield InputError("constant", text)


def _column_problems(
    dataset: "Dataset", column: Any, may_be_missing: bool, for_fit: bool
) -> Iterator[InputError]:
    values = dataset.inputs[column]
    try:
        values.nunique()
        refuse_strange(values, f"column {column!r}")
    except TypeError:
        text = f"column {column!r} holds lists or other objects"
        yield InputError("type", text, f": {LEAVE_OUT[for_fit]}.", column)
        return
    except ValueError as error:
        yield InputError("type", str(error), column=column)
        return
    if column not in dataset.nominal:
        values = values.dropna() if may_be_missing else values
        yield from _value_problems(values, str(column), for_fit)


def _value_problems(values: Any, column: str, for_fit: bool) -> Iterator[InputError]:
    """Yield problems of a column that was not declared nominal: numbers, or text of few levels."""
    if column.startswith("Unnamed: "):
        text = f"column number {int(column[9:]) + 1} has no name; if it is an index, "
        advice = f'{LEAVE_OUT[for_fit]} "{column}".' if for_fit else f"{LEAVE_OUT[for_fit]}."
        yield InputError("unnamed", text, advice, column)
        return
    missing = int(values.isna().sum())
    if missing:
        text = f"column {column!r} has no value in {missing} of {len(values)} rows: "
        yield InputError("missing", text, FILL[for_fit], column)
    values = values.dropna()
    if is_nominal(values):
        yield from _text_problems(values, column, for_fit)
    elif not np.isfinite(np.asarray(values, dtype=np.float64)).all():
        yield InputError("infinite", f"column {column!r} has infinite values.", column=column)


def _text_problems(values: Any, column: str, for_fit: bool) -> Iterator[InputError]:
    is_text = pd.to_numeric(values, errors="coerce").isna().to_numpy()
    levels, rows = int(values.nunique()), len(values)
    if is_text.any() and not is_text.all():
        first = int(np.flatnonzero(is_text)[0])
        text = (
            f"column {column!r} has text among its numbers in {int(is_text.sum())} of {rows} rows, "
            f"first {values.iloc[first]!r} in row {values.index[first] + 1}: correct it, "
        )
        advice = "name it in {na_values} if it means a missing cell, or the column in {nominal}."
        yield InputError("mixed", text, advice, column)
    elif levels > rows // 2:
        text = f"column {column!r} is text with {levels} different values in {rows} rows"
        advice = f": turn it into numbers, {LEAVE_OUT[for_fit]}, or name it in {{nominal}}."
        yield InputError("levels", text, advice, column)
