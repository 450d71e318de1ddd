"""The table of `vjmgp fit` and `vjmgp predict`: options, reading, and all that is wrong with it."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ..tables.dataset import Dataset
    from ..tables.dates import Elapsed
    from ..tables.reader import Reading, TableFile

SIGNS = {"tab": "\t", "space": " ", "comma": ",", "semicolon": ";", "point": "."}
"""What is hard to type in a shell, in words."""
AS_OPTIONS = {
    " is missing or infinite in ": " is infinite or missing (--missing leaves such rows out) in ",
    "fill them or leave": "use --missing median, indicator or drop, or leave",
    "list it under 'nominal'": "name it in --nominal",
    "list the column under 'nominal'": "name the column in --nominal",
    "leave it out": "leave it out with --ignore",
    "leave the column out": "leave the column out with --ignore",
}
"""What the workflow's checks say about a config, said about the command."""
SEVERAL = ("nominal", "ignore", "functions")
"""Options that take several words, and may take the table with them."""


class Taken(NamedTuple):
    """What a fit takes from a table: the data, weights or None, and how it was read."""

    data: Dataset
    weights: Any
    how: Reading
    dates: list[Elapsed]
    notes: list[str]
    """What to tell people."""


# -- options -------------------------------------------------------------------------------------


def add_table(command: Any, **more: Any) -> None:
    """Add the table and how to read it to a command."""
    command.add_argument(
        "table",
        type=Path,
        help="CSV, TSV, Excel or Parquet; text may be compressed",
        **more,
    )
    reading = command.add_argument_group(
        "reading the table", "Detected unless given; what is unusual is reported."
    )
    reading.add_argument("--separator", type=_sign, help="between columns: ';', ',', tab, …")
    reading.add_argument("--decimal", type=_sign, choices=(".", ","), help="the decimal sign")
    reading.add_argument(
        "--thousands", type=_sign, choices=(".", ",", " ", "'"), help="what groups thousands"
    )
    reading.add_argument("--encoding", help="of text, such as utf-8, cp1252 or utf-16")
    reading.add_argument("--sheet", help="of an Excel file (default: the first)")


def _sign(text: str) -> str:
    return SIGNS.get(text, text)


def find_table(options: argparse.Namespace) -> None:
    """Give the table back that an option of several words before it has taken."""
    for name in SEVERAL if options.table is None else ():
        words = getattr(options, name) or []
        found = [word for word in words if Path(word).is_file()]
        if found:
            options.table = Path(found[-1])
            words.remove(found[-1])
            return
    if options.table is None:
        raise ValueError("name a table: vjmgp fit TABLE --target COLUMN.")


def reading_of(options: argparse.Namespace) -> Reading:
    """How the user wants the table to be read."""
    from ..tables.reader import Reading

    return Reading(**{name: getattr(options, name) for name in asdict(Reading())})


def told_reading(file: TableFile, dates: list[Elapsed]) -> str:
    """In words what was assumed; nothing where that is the usual."""
    parts = [] if file.as_usual else [file.how.told()]
    parts += [entry.told() for entry in dates]
    return f"read as: {', '.join(parts)}" if parts else ""


# -- what a fit takes ----------------------------------------------------------------------------


def take_table(options: argparse.Namespace) -> Taken:
    """The table of a fit; one error with everything that is wrong with it."""
    from ..tables.dataset import (
        Dataset,
        input_complaints,
        nominal_inputs,
        target_complaints,
        together,
    )
    from ..tables.reader import read_file

    words = {part for word in (*options.nominal, *options.ignore) for part in _parts(word)}
    file = read_file(options.table, reading_of(options), texts=words)
    table = file.table
    nominal, ignored = (_names(words, table) for words in (options.nominal, options.ignore))
    complaints = list(_complaints_about_names(options, table, nominal, ignored))
    table = table.drop(columns=[name for name in ignored if name in table.columns])
    nominal = [name for name in nominal if name not in ignored]
    table, dates, of_dates = _with_dates(options, table, nominal)
    table, left_out = _without_missing(options, table)
    weights, of_weights = _weights(options, table, nominal)
    known = tuple(name for name in nominal if name in table.columns)
    data = Dataset(_stem(options.table), *_inputs_and_target(options, table), known)
    complaints += of_dates
    complaints += map(_as_options, target_complaints(table, options.target, tuple(nominal)))
    complaints += of_weights
    may_be_missing = options.missing != "error"
    complaints += map(_as_options, input_complaints(data, may_be_missing=may_be_missing))
    told = told_reading(file, dates)
    if complaints:
        where = f"{options.table} ({told})" if told else str(options.table)
        raise ValueError(together(where, complaints))
    data = replace(data, nominal=tuple(nominal_inputs(data)))
    notes = [f"{told[0].upper()}{told[1:]}."] if told else []
    if left_out:
        what = "missing cells" if options.missing == "drop" else "a missing target"
        notes.append(f"Left out {left_out} row{'s' if left_out > 1 else ''} with {what}.")
    return Taken(data, weights, file.how, dates, [*notes, *_warnings_about_names(data)])


def _stem(path: Path) -> str:
    return path.name.split(".")[0]


def _parts(word: str) -> list[str]:
    return [word, *map(str.strip, word.split(","))]


def _names(words: list[str], table: Any) -> list[str]:
    """The columns that an option names, in words of their own or with commas between them."""
    names: list[str] = []
    for word in words:
        names += [word] if word in table.columns else _parts(word)[1:]
    return list(dict.fromkeys(filter(None, names)))


def _complaints_about_names(
    options: argparse.Namespace, table: Any, nominal: list[str], ignored: list[str]
) -> Iterator[str]:
    for name in ignored:
        if name not in table.columns:
            yield f"there is no column {name!r} to ignore."
        if name in nominal:
            yield f"column {name!r} is both in --nominal and in --ignore."
    if options.weights is not None and options.weights not in table.columns:
        yield f"there is no column {options.weights!r} for --weights."
    for option, names in (("nominal", nominal), ("ignore", ignored)):
        if options.weights in names:
            yield f"column {options.weights!r} is both in --weights and in --{option}."


def _with_dates(
    options: argparse.Namespace, table: Any, nominal: list[str]
) -> tuple[Any, list[Elapsed], list[str]]:
    """The table with dates as elapsed days or, where they are refused, without them."""
    from ..tables.dates import elapsed_since_the_first, order_of_dates

    dates, complaints = [], []
    for name in table.columns:
        if name in (*nominal, options.target, options.weights):
            continue
        try:
            order = order_of_dates(table[name])
            if order is None:
                continue
            if options.dates == "refuse":
                raise ValueError("use --dates elapsed for days since the first one")
            dates.append(elapsed_since_the_first(table[name], name, order))
            table = table.assign(**{name: dates[-1].days(table[name])})
        except ValueError as error:
            table = table.drop(columns=name)
            complaints.append(
                f"column {name!r} holds dates: {error}, or leave it out with --ignore."
            )
    return table, dates, complaints


def _without_missing(options: argparse.Namespace, table: Any) -> tuple[Any, int]:
    """The rows that can be used, and how many were left out."""
    columns = list(table.columns) if options.missing == "drop" else [options.target]
    if options.missing == "error" or options.target not in table.columns:
        return table, 0
    kept = table.dropna(subset=columns)
    return kept, len(table) - len(kept)


def _inputs_and_target(options: argparse.Namespace, table: Any) -> tuple[Any, Any]:
    """Inputs and target; any target that varies in place of one that cannot be used."""
    import numpy as np

    special = [name for name in (options.target, options.weights) if name in table.columns]
    inputs, target = table.drop(columns=special), np.arange(float(len(table)))
    if options.target in special:
        with contextlib.suppress(TypeError, ValueError):
            target = table[options.target].to_numpy(dtype=np.float64)
    return inputs, target


def _weights(options: argparse.Namespace, table: Any, nominal: list[str]) -> tuple[Any, list[str]]:
    """The weights of the rows, None where all count the same, and what is wrong with them."""
    from ..tables.sample_weight import check_sample_weight

    if options.weights not in table.columns or options.weights in nominal:
        return None, []
    try:
        return check_sample_weight(table[options.weights], len(table)), []
    except ValueError as error:
        return None, [str(error).replace("sample_weight", f"--weights {options.weights}")]


def _as_options(complaint: str) -> str:
    for words, as_options in AS_OPTIONS.items():
        complaint = complaint.replace(words, as_options)
    if complaint.startswith("column number "):
        number = int(complaint.split()[2]) - 1
        complaint = f'{complaint.rstrip(".")} "Unnamed: {number}".'
    return complaint


def _warnings_about_names(data: Dataset) -> Iterator[str]:
    for column in data.nominal:
        if data.inputs[column].nunique(dropna=False) == len(data):
            yield (
                f"Warning: column {column!r} has another level in each row, which tells nothing "
                "about new rows; leave it out with --ignore."
            )
