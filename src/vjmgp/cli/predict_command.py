"""`vjmgp predict`: a fitted model and a new table in, the table with predictions out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..fit_report.folder import model_file, read_about, write_output
from ..fit_report.table import add_table, reading_of, told_reading
from . import Exit

if TYPE_CHECKING:
    from ..tables.reader import Reading, TableFile

PREDICTION, ENDS = "prediction", ["low", "high"]
SEPARATORS = {".csv": ",", ".tsv": "\t"}


def add_to(commands: Any) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "predict",
        help="apply a fitted model to a table",
        description="Apply the model of vjmgp fit to a table that has the columns of the training "
        f"data, and print the table with one more column, {PREDICTION!r}. A table that looks like "
        "that of the fit is read in the same way.",
    )
    command.add_argument("model", type=Path, help="model.json, or the folder that fit has written")
    add_table(command)
    command.add_argument(
        "--interval",
        type=float,
        metavar="SHARE",
        help="add columns 'low' and 'high' that hold this share of new targets, such as 0.9",
    )
    command.add_argument("--output", type=Path, help="CSV or TSV file to write instead of printing")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Predict, and print or write."""
    output: Path | None = options.output
    if output is not None and output.suffix.lower() not in SEPARATORS:
        raise ValueError(f"--output {output}: name a file that ends with .csv or .tsv.")
    if output is not None and output.resolve() == options.table.resolve():
        raise ValueError(f"--output {output} is the table itself; name another file.")
    if options.interval is not None and not 0 < options.interval < 1:
        raise ValueError(f"--interval is {options.interval}; it must be between 0 and 1.")
    from ..models.loading import load_model

    path = model_file(options.model)
    model = load_model(path)
    file, table = _read(options, model, read_about(path.parent))
    where, result = str(options.table), file.written
    new = [PREDICTION] if options.interval is None else [PREDICTION, *ENDS]
    for name in new:
        if name in result.columns:
            raise ValueError(f"{where}: there is a column {name!r} already; rename it.")
    inputs = _inputs(table, result, model, where)
    result[new] = _predictions(model, inputs, options.interval, where)
    text = _as_text(result, file.how, output)
    if output is None:
        sys.stdout.write(text)
        return Exit.DONE
    write_output(output, text, file.how.encoding or "utf-8")
    print(f"{len(result)} predictions: {output.resolve()}")
    return Exit.DONE


def _read(options: argparse.Namespace, model: Any, about: dict[str, Any]) -> tuple[TableFile, Any]:
    """The file, read as that of the fit where it looks the same, and its table without dates."""
    from ..tables.dates import Elapsed
    from ..tables.reader import Reading, read_file

    columns = model.standardizer.columns
    dates = [Elapsed(**entry) for entry in about.get("dates", [])]
    numbers = {column.name for column in columns if column.codes is None}
    numbers -= {entry.column for entry in dates}
    expected = Reading(**about.get("reading", {}))
    file = read_file(options.table, reading_of(options), expected, numbers)
    table = file.table
    dates = [entry for entry in dates if entry.column in table.columns]
    for entry in dates:
        try:
            table = table.assign(**{entry.column: entry.days(table[entry.column])})
        except ValueError as error:
            raise ValueError(f"{options.table}: {error}: correct it.") from None
    told = told_reading(file, dates)
    if told:
        print(f"{told[0].upper()}{told[1:]}.", file=sys.stderr)
    return file, table


def _as_text(table: Any, how: Reading, output: Path | None) -> str:
    """The table as the file that was read writes numbers, columns apart as the name says."""
    between = SEPARATORS[output.suffix.lower()] if output is not None else ","
    if between == "," and how.separator == ";":
        between = ";"
    return str(table.to_csv(index=False, sep=between, decimal=how.decimal or "."))


def _predictions(model: Any, inputs: Any, interval: float | None, where: str) -> Any:
    """What the model says, with a word on inputs that leave their range in training."""
    import numpy as np

    from ..models.extrapolation import inputs_beyond, range_text

    encoded = model.standardizer.encode(inputs)
    found = inputs_beyond(model.standardizer, encoded, model.inputs_used)
    if found:
        print(f"Warning: {where} leaves {range_text(found, len(inputs))}.", file=sys.stderr)
    values = model.predict_rows(model.standardizer.scale(encoded))
    if interval is None:
        return values[:, None]
    return np.column_stack([values, model.intervals(values, interval)])


def _inputs(table: Any, written: Any, model: Any, where: str) -> Any:
    """The model's columns of the table, as training saw them."""
    from ..tables.dataset import together

    columns = {column.name: column for column in model.standardizer.columns}
    used = {column.name for column in model.standardizer.inputs}
    filled = {column.name for column in model.standardizer.columns if column.fill is not None}
    missing = [repr(name) for name in columns if name not in table.columns]
    complaints = []
    if missing:
        complaints.append(f"no column {', '.join(missing)}, which the model was fitted to.")
    inputs = table[[name for name in columns if name in table.columns]].copy()
    for name in inputs.columns:
        if columns[name].codes is not None:
            texts = written.iloc[:, table.columns.get_loc(name)]
            inputs[name] = _levels(inputs[name], texts, columns[name], where)
        elif name in used:
            numbers = _numbers(inputs[name])
            complaints += _no_numbers(inputs[name], numbers, name, name in filled)
            inputs[name] = numbers
    if complaints:
        raise ValueError(together(where, complaints))
    return inputs


def _numbers(values: Any) -> Any:
    import pandas as pd

    return pd.to_numeric(values, errors="coerce").astype(float)


def _no_numbers(values: Any, numbers: Any, name: str, may_be_missing: bool) -> Iterator[str]:
    """What a column has in place of numbers."""
    import numpy as np
    import pandas as pd

    bad = ~np.isfinite(numbers.to_numpy())
    if may_be_missing:
        bad &= values.notna().to_numpy()
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        first = values.iloc[row]
        shown = "an empty cell" if pd.isna(first) else repr(getattr(first, "item", lambda: first)())
        yield (
            f"column {name!r} has no number in {int(bad.sum())} of {len(values)} rows, first "
            f"{shown} in row {row + 1}: correct it, or leave these rows out."
        )


def _levels(values: Any, texts: Any, column: Any, where: str) -> Any:
    """Levels by their text: `01` is a number here, but was none if training had `A`, too."""
    import pandas as pd

    from ..tables.preprocessing import level_text

    known = {level_text(level): level for level in column.codes}
    pairs = zip(texts, values.astype(object), strict=True)
    found = [known.get(text, known.get(level_text(value), value)) for text, value in pairs]
    levels = pd.Series(found, index=values.index, dtype=object)
    unseen = ~levels.isin(list(column.codes)) & (levels.notna() | ("(missing)" not in known))
    if unseen.any():
        row = unseen.to_numpy().argmax()
        counts_as = "average" if column.label is None else "none of the known"
        print(
            f"Warning: {where}: column {column.name!r} has levels that training did not see in "
            f"{int(unseen.sum())} of {len(values)} rows, first {values.iloc[row]!r} in row "
            f"{row + 1}; they count as {counts_as}.",
            file=sys.stderr,
        )
    return levels
