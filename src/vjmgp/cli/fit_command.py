"""`vjmgp fit`: fit a model to a table and write its formulas, front, plots and a page."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..engine.regularizers.paper_names import REGULARIZER_OF
from ..fit_reports.settings import DATES, MISSING, FitSettings
from . import Exit, print_error
from .table_options import add_table, recover_table

DEFAULTS = FitSettings(target="")


def add_to(commands: Any) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "fit",
        help="fit a model to a table",
        description="Fit a model to a table and write model.json, formulas.txt, front.csv, plots "
        "and report.html into a folder. A share of the rows tests a first fit; the model that is "
        "written is then fitted to all rows. Ctrl-C ends the fit; the model so far is written.",
    )
    add_table(command, nargs="?")
    command.add_argument("--target", required=True, help="the column to predict")
    command.add_argument(
        "--nominal",
        nargs="+",
        default=[],
        metavar="COLUMN",
        help="columns of numbers that stand for categories, such as a machine's number; text "
        "columns always do",
    )
    command.add_argument(
        "--missing",
        choices=MISSING,
        default=DEFAULTS.missing,
        help="missing cells: refuse the table (error), fill in the median, fill it in and add an "
        "input that says where (indicator), or leave such rows out (drop)",
    )
    command.add_argument(
        "--dates",
        choices=DATES,
        default=DEFAULTS.dates,
        help="columns of dates: refuse the table, or convert them to days since the first date",
    )
    command.add_argument(
        "--ignore", nargs="+", default=[], metavar="COLUMN", help="columns to leave out"
    )
    command.add_argument(
        "--weights", metavar="COLUMN", help="how much each row counts: a number of 0 or more"
    )
    command.add_argument(
        "--output", type=Path, metavar="FOLDER", help="where to write (default: TABLE_model)"
    )
    _add_number(command, "--seed", "the same seed gives the same model")
    command.add_argument(
        "--holdout",
        type=float,
        default=DEFAULTS.holdout,
        metavar="SHARE",
        help=f"share of the rows to test the model on, 0 for none (default: {DEFAULTS.holdout})",
    )
    command.add_argument(
        "--final-fit",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="after the test, fit the model to all rows (default: yes)",
    )
    command.add_argument(
        "--interval",
        type=float,
        default=DEFAULTS.interval,
        metavar="SHARE",
        help="share of new targets that the page's intervals should contain (default: "
        f"{DEFAULTS.interval})",
    )
    _add_settings(command)
    command.add_argument("--quiet", action="store_true", help="no progress bar")
    command.set_defaults(run=run)


def _add_settings(command: Any) -> None:
    """Add the settings of the regressor."""
    method = command.add_argument(
        "--method",
        default=DEFAULTS.method,
        help=f"{', '.join(REGULARIZER_OF)}, or the import path of a regulariser (default: VJM)",
    )
    method.suggestions = [name.replace(" ", "") for name in REGULARIZER_OF]
    _add_number(command, "--population", "models of a generation")
    _add_number(command, "--generations", "generations of the evolution")
    _add_number(command, "--restarts", "evolutions to learn from, on all cores")
    command.add_argument("--seconds", type=float, help="time limit of the evolution")
    command.add_argument(
        "--functions", nargs="+", default=[], metavar="NAME", help="functions that formulas may use"
    )
    _add_number(command, "--max-trees", "largest number of terms of the formula")
    command.add_argument(
        "--max-size", type=int, metavar="NODES", help="largest number of nodes of the formula"
    )
    command.add_argument(
        "--clip",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="keep predictions within the range of the training target (default: yes)",
    )


def _add_number(command: Any, option: str, text: str) -> None:
    default = getattr(DEFAULTS, option.removeprefix("--").replace("-", "_"))
    command.add_argument(option, type=int, default=default, help=f"{text} (default: {default})")


def run(options: argparse.Namespace) -> int:
    """Fit, write and print."""
    recover_table(options)
    options.functions = [name for word in options.functions for name in word.split(",") if name]
    settings = FitSettings.from_dict(vars(options))
    _ = settings.regularizer  # an error comes before the table is read
    from ..fit_reports.report import write_report
    from ..fit_reports.training_table import read_training_table

    table = read_training_table(options.table, settings)
    for note in table.notes:
        print_error(note)
    folder = options.output or Path(f"{options.table.name.split('.')[0]}_model")
    announce = print_error if not options.quiet else lambda line: None
    try:
        report = write_report(table, settings, folder, not options.quiet, announce)
    except RuntimeError as error:
        print_error(f"vjmgp: {error}")
        return Exit.FAILED
    print(report.model)
    print(report.summary)
    print(f"Everything: {report.page}")
    for line in (*(f"Caution: {caution}" for caution in report.cautions), *report.notes):
        print_error(line)
    return Exit.STOPPED if report.interrupted else Exit.DONE
