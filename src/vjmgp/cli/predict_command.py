"""`vjmgp predict`: apply a fitted model to a new table."""

import argparse
from pathlib import Path
from typing import Any

from . import Exit, print_error
from .table_options import FORMAT, add_output, add_table, check_output, write_output

SEPARATORS = {".csv": ",", ".tsv": "\t"}


def add_to(commands: Any) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "predict",
        help="apply a fitted model to a table",
        description="Apply the model of vjmgp fit to a table that has the columns of the training "
        "data, and print the table with one more column, 'prediction'. A table that looks like "
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
    add_output(command, "CSV or TSV file to write instead of printing")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Predict, and print or write."""
    output: Path | None = options.output
    if output is not None and output.suffix.lower() not in SEPARATORS:
        raise ValueError(f"--output {output}: name a file that ends with .csv or .tsv.")
    if output is not None and output.resolve() == options.table.resolve():
        raise ValueError(f"--output {output} is the table itself; name another file.")
    check_output(options, r"[,;\t]prediction\b")
    if options.interval is not None and not 0 < options.interval < 1:
        raise ValueError(f"--interval is {options.interval}; it must be between 0 and 1.")
    from ..fit_reports.predictions import predict_table
    from ..tables.reader import TableFormat

    wanted = TableFormat(**{name: getattr(options, name) for name in FORMAT})
    table, form, notes = predict_table(options.model, options.table, wanted, options.interval)
    for note in notes:
        print_error(note)
    between = SEPARATORS[output.suffix.lower()] if output is not None else ","
    if between == "," and form.separator == ";":
        between = ";"
    text = table.to_csv(index=False, sep=between, decimal=form.decimal or ".")
    write_output(output, text, form.encoding or "utf-8")
    if output is not None:
        print(f"{len(table)} predictions: {output.resolve()}")
    return Exit.DONE
