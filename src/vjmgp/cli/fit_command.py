"""`vjmgp fit`: a table in, a model with its formulas, front, plots and a page out."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from ..engine.paper_names import REGULARIZER_OF
from ..fit_report.table import add_table, find_table, take_table
from . import Exit
from .methods import WORDS, regularizer_of

HOLDOUT, INTERVAL = 0.25, 0.9


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
        choices=("error", "median", "indicator", "drop"),
        default="error",
        help="missing cells: refuse the table (error), fill in the median, fill it in and add an "
        "input that says where (indicator), or leave such rows out (drop)",
    )
    command.add_argument(
        "--dates",
        choices=("refuse", "elapsed"),
        default="refuse",
        help="columns of dates: refuse the table, or take them as days since the first date",
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
    command.add_argument("--seed", type=int, default=0, help="the same seed gives the same model")
    command.add_argument(
        "--holdout",
        type=float,
        default=HOLDOUT,
        metavar="SHARE",
        help=f"share of the rows to test the model on, 0 for none (default: {HOLDOUT})",
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
        default=INTERVAL,
        metavar="SHARE",
        help=f"what share of new targets the page's intervals are to hold (default: {INTERVAL})",
    )
    _add_settings(command)
    command.add_argument("--quiet", action="store_true", help="no progress bar")
    command.set_defaults(run=run)


def _add_settings(command: Any) -> None:
    """Add what the regressor is told."""
    method = command.add_argument(
        "--method",
        default="VJM",
        help=f"{', '.join(REGULARIZER_OF)}, or the import path of a regulariser (default: VJM)",
    )
    method.suggestions = WORDS
    command.add_argument("--population", type=int, default=200, help="default: 200")
    command.add_argument("--generations", type=int, default=100, help="default: 100")
    command.add_argument(
        "--restarts",
        type=int,
        default=1,
        help="evolutions to learn from, on all cores (default: 1)",
    )
    command.add_argument("--seconds", type=float, help="no new generation after so many seconds")
    command.add_argument(
        "--functions", nargs="+", default=[], metavar="NAME", help="functions that formulas may use"
    )
    command.add_argument(
        "--max-trees", type=int, default=10, help="terms of the formula at most (default: 10)"
    )
    command.add_argument(
        "--max-size", type=int, metavar="NODES", help="nodes of the formula at most"
    )
    command.add_argument(
        "--clip",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="keep predictions within the range of the training target (default: yes)",
    )


def run(options: argparse.Namespace) -> int:
    """Fit and write."""
    find_table(options)
    _check_numbers(options)
    regularizer_of(options.method)
    taken = take_table(options)
    for note in taken.notes:
        print(note, file=sys.stderr)
    from ..fit_report.about import about_fit, ending, summary
    from ..fit_report.fits import make_fits, split_rows, versions_of
    from ..fit_report.folder import claim_folder, write_chosen, write_models
    from ..fit_report.page import without_plots, write_page

    rows = split_rows(taken.data, taken.weights, options.holdout, options.seed)
    if len(rows.train) < 2:
        raise ValueError(f"{options.table}: {len(rows.train)} rows are too few to train on.")
    folder = options.output or Path(f"{options.table.name.split('.')[0]}_model")
    claim_folder(folder, options.table, options.target)
    try:
        fits = make_fits(options, rows)
    except RuntimeError as error:
        print(f"vjmgp: {error}", file=sys.stderr)
        return Exit.FAILED
    versions = versions_of(fits, options.max_size)
    about = about_fit(options, taken, fits)
    write_chosen(folder, versions, about)
    write_models(folder, versions)
    write_page(folder, versions, about, rows)
    print(versions.models[versions.chosen])
    print("\n".join(summary(about, versions)))
    print(f"Everything: {(folder / 'report.html').resolve()}")
    cautions = [f"Caution: {caution}" for caution in about["cautions"]]
    for line in (*cautions, without_plots(folder, versions.chosen), ending(about)):
        if line:
            print(line, file=sys.stderr)
    return Exit.STOPPED if about["stopped_by"].startswith("interrupt") else Exit.DONE


def _check_numbers(options: argparse.Namespace) -> None:
    for name, is_right, wanted in (
        ("holdout", 0 <= options.holdout <= 0.9, "from 0 to 0.9"),
        ("seed", options.seed >= 0, "0 or more"),
        ("population", options.population >= 2, "2 or more"),
        ("generations", options.generations >= 0, "0 or more"),
        ("restarts", options.restarts >= 1, "1 or more"),
        ("seconds", options.seconds is None or options.seconds > 0, "more than 0"),
        ("max_trees", options.max_trees >= 1, "1 or more"),
        ("max_size", options.max_size is None or options.max_size >= 1, "1 or more"),
        ("interval", 0 < options.interval < 1, "between 0 and 1"),
    ):
        if not is_right:
            option = name.replace("_", "-")
            raise ValueError(f"--{option} is {getattr(options, name)}; it must be {wanted}.")
