"""`vjmgp fit`: fit a model to a table and write its formulas, front, plots and a page."""

import argparse
import sys
from pathlib import Path
from typing import Any

from ..engine.paper_names import REGULARIZER_OF
from ..fit_reports.fit_settings import CHOICES, FitSettings
from . import Exit, as_option, print_error
from .table_options import add_table, recover_table

DEFAULTS = FitSettings(target="")
HELP = {
    "nominal": "columns of numbers that stand for categories, such as a machine's number; text "
    "columns always do",
    "missing": "missing cells: refuse the table (error), fill in the median, fill it in and add an "
    "input that says where (indicator), or leave such rows out (drop)",
    "dates": "columns of dates: refuse the table, or convert them to days since the first date",
    "ignore": "columns to leave out",
    "row_labels": "columns that name or count the rows: leave them out, or keep them",
    "weights": "the weight of each row: a number of 0 or more",
    "seed": "the same seed gives the same model",
    "holdout": "test on a share of the rows instead of by cross-validation, such as 0.2; 0 for "
    "none; last, or 'last 20%%', for the last rows",
    "folds": "parts of the rows for cross-validation (default: 5)",
    "repeats": "how often these are drawn (default: 2 up to 60 rows, then 1)",
    "final_fit": "after a test on a share of the rows, fit the model to all rows",
    "interval": "share of new targets that the page's intervals should contain",
    "method": f"{', '.join(REGULARIZER_OF)}, or the import path of a regulariser",
    "population": "number of models in a generation",
    "generations": "number of generations",
    "restarts": "number of evolutions to learn from, on all cores",
    "seconds": "time limit of the evolution",
    "functions": "functions that formulas may use",
    "max_trees": "largest number of terms of the formula",
    "max_size": "largest size of the formula: numbers, inputs and operations",
    "clip": "keep predictions within the range of the training target; a law may leave it",
}
"""Settings that are options of the command."""
METAVARS = {"nominal": "COLUMN", "ignore": "COLUMN", "weights": "COLUMN", "functions": "NAME"}
METAVARS |= {"holdout": "SHARE", "interval": "SHARE", "max_size": "NODES"}
TYPES = {"seconds": float, "max_size": int, "folds": int, "repeats": int}
"""Types of settings whose default is None, if they are not text."""


def add_to(commands: Any) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "fit",
        help="fit a model to a table",
        description="Fit a model to a table and write model.json, formulas.txt, front.csv, plots "
        "and report.html into a folder. The model is fitted to all rows; cross-validation tests "
        "it, or, with many rows, a fit to a share of them. Ctrl-C ends the fit; the model so far "
        "is written.",
    )
    add_table(command, nargs="?")
    command.add_argument("--target", required=True, help="the column to predict")
    command.add_argument(
        "--output", type=Path, metavar="FOLDER", help="where to write (default: TABLE_model)"
    )
    for name in HELP:
        _add_setting(command, name)
    command.add_argument(
        "--quiet", action="store_true", help="no progress bar, which only terminals show"
    )
    command.set_defaults(run=run)


def _add_setting(command: Any, name: str) -> None:
    default, text = getattr(DEFAULTS, name), HELP[name]
    more: dict[str, Any] = {}
    if isinstance(default, bool):
        more, text = {"action": argparse.BooleanOptionalAction}, f"{text} (default: yes)"
    elif isinstance(default, tuple):
        more, default = {"nargs": "+"}, []
    elif default is None:
        more = {"type": TYPES.get(name, str)}
    else:
        more, text = {"type": type(default)}, f"{text} (default: {default})"
    if name in METAVARS:
        more["metavar"] = METAVARS[name]
    if name in CHOICES:
        more["choices"] = CHOICES[name]
    option = command.add_argument(as_option(name), default=default, help=text, **more)
    if name == "method":
        option.suggestions = [method.replace(" ", "") for method in REGULARIZER_OF]


def run(options: argparse.Namespace) -> int:
    """Fit, write and print."""
    recover_table(options)
    options.functions = [name for word in options.functions for name in word.split(",") if name]
    settings = FitSettings.from_dict(vars(options))
    settings.find_regularizer()  # an error comes before the table is read
    from ..fit_reports.fit_report import write_report
    from ..fit_reports.training_table import read_training_table

    table = read_training_table(options.table, settings)
    for note in table.notes:
        print_error(note)
    folder = options.output or Path(f"{options.table.name.split('.')[0]}_model")
    progress = not options.quiet and sys.stderr.isatty()
    announce = print_error if progress else lambda line: None
    try:
        report = write_report(table, settings, folder, progress, announce)
    except RuntimeError as error:
        print_error(f"vjmgp: {error}")
        return Exit.FAILED
    print(report.model)
    print(report.summary)
    print(f"Everything: {report.page}")
    for line in (*(f"Caution: {caution}" for caution in report.cautions), *report.notes):
        print_error(line)
    return Exit.STOPPED if report.interrupted else Exit.DONE
