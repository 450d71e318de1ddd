"""`vjmgp export`: write a fitted model in the language of another tool."""

import argparse
from pathlib import Path
from typing import Any

from . import Exit
from .table_options import add_output, check_output, write_output

OPTIONS = ("name", "digits", "cells", "table", "dialect")


def add_to(commands: Any) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "export",
        help="write a fitted model as Python, C, Excel, SQL or Structured Text",
        description="Write the model of vjmgp fit in the language of another tool. The text "
        "computes what predict does: clipping, levels and missing numbers are included.",
    )
    command.add_argument("model", type=Path, help="model.json, or the folder that fit has written")
    languages = ("python", "c", "excel", "sql", "st")
    command.add_argument("--to", required=True, choices=languages, help="st: Structured Text")
    add_output(command, "file to write instead of printing")
    command.add_argument("--name", help="of the function, or in SQL of the column of predictions")
    command.add_argument(
        "--digits", type=_digits, help="significant digits (default: all), or auto"
    )
    command.add_argument(
        "--cells", type=lambda text: text.split(","), metavar="A2,B2,…", help="Excel: the inputs"
    )
    command.add_argument("--table", help="SQL: a query on this table instead of an expression")
    command.add_argument("--dialect", choices=("sqlite", "postgres"), help="SQL (default: sqlite)")
    command.set_defaults(run=run)


def _digits(text: str) -> int | str:
    return int(text) if text.isdigit() else text


def run(options: argparse.Namespace) -> int:
    """Export, and print or write."""
    from ..export import export_model
    from ..fit_reports.folder import model_file
    from ..models.loading import load_model

    check_output(options, "Written by vjmgp")
    given = {name: getattr(options, name) for name in OPTIONS if getattr(options, name) is not None}
    text = export_model(load_model(model_file(options.model)), options.to, **given)
    write_output(options.output, text)
    return Exit.DONE
