"""`vjmgp fit`: a table in, a model with its formulas, front, plots and a page out."""

from __future__ import annotations

import argparse
import sys
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..methods import REGULARIZER_OF
from . import Exit
from .methods import WORDS, regularizer_of
from .table import add_table, find_table, take_table

HOLDOUT = 0.25


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
        help="columns of numbers that are levels without an order; text columns are so anyway",
    )
    command.add_argument(
        "--missing",
        choices=("error", "median", "indicator", "drop"),
        default="error",
        help="missing numbers: an error, the median, that and an input that says where, or leave "
        "such rows out",
    )
    command.add_argument(
        "--dates",
        choices=("refuse", "elapsed"),
        default="refuse",
        help="columns of dates: an error, or days since the first one",
    )
    command.add_argument("--ignore", nargs="+", default=[], metavar="COLUMN", help="leave them out")
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
    regularizer = regularizer_of(options.method)
    data, weights, how, dates = take_table(options)
    import numpy as np

    from .. import r2
    from ..extrapolation import extrapolation_ignored
    from ..files import checksum
    from ..study.runs import versions
    from .folder import claim_folder, ending, write_files
    from .page import write_page

    order = np.random.default_rng(options.seed).permutation(len(data))
    test, train = np.split(order, [round(options.holdout * len(data))])
    train, test = np.sort(train), np.sort(test)
    if len(train) < 2:
        raise ValueError(f"{options.table}: {len(train)} rows are too few to train on.")
    folder = options.output or Path(f"{options.table.name.split('.')[0]}_model")
    claim_folder(folder, options.table, options.target)
    try:
        model = _fit(options, regularizer, data, train, weights)
    except RuntimeError as error:
        print(f"vjmgp: {error}", file=sys.stderr)
        return Exit.FAILED

    def score(rows: Any) -> float:
        own = None if weights is None else weights[rows]
        with extrapolation_ignored():
            return r2(data.target[rows], model.predict(data.inputs.iloc[rows]), own)

    scores = {"training": score(train)}
    counted = test if weights is None else test[weights[test] > 0]
    if len(counted) > 1 and np.ptp(data.target[counted]) > 0:
        scores["test"] = score(test)
    about = {
        "table": str(options.table.resolve()),
        "sha256": checksum(options.table),
        "target": options.target,
        **({"weights": options.weights} if options.weights else {}),
        "reading": asdict(how),
        "dates": [asdict(entry) for entry in dates],
        "seed": options.seed,
        "r2": scores,
        "engine": model.engine_version_,
        "versions": versions({}),
        "stopped_by": model.stopped_by_,
    }
    write_files(model, folder, about)
    write_page(model, data, train, test, scores, options.target, folder)
    print(model.model_)
    print(", ".join(f"R² on {rows} rows: {score:.4f}" for rows, score in scores.items()))
    print(f"Everything: {(folder / 'report.html').resolve()}")
    if ending(model):
        print(ending(model), file=sys.stderr)
    return Exit.STOPPED if model.stopped_by_ == "interrupt" else Exit.DONE


def _check_numbers(options: argparse.Namespace) -> None:
    for name, is_right, wanted in (
        ("holdout", 0 <= options.holdout <= 0.9, "from 0 to 0.9"),
        ("seed", options.seed >= 0, "0 or more"),
        ("population", options.population >= 2, "2 or more"),
        ("generations", options.generations >= 0, "0 or more"),
        ("restarts", options.restarts >= 1, "1 or more"),
        ("seconds", options.seconds is None or options.seconds > 0, "more than 0"),
    ):
        if not is_right:
            raise ValueError(f"--{name} is {getattr(options, name)}; it must be {wanted}.")


def _fit(options: argparse.Namespace, regularizer: str, data: Any, train: Any, weights: Any) -> Any:
    from .. import VJMRegressor
    from ..warmup import kernels_are_compiled

    if not kernels_are_compiled():
        print("Compiling for this machine, which takes half a minute and happens once …")
    model = VJMRegressor(
        regularizer,
        population_size=options.population,
        generations=options.generations,
        max_time=options.seconds,
        restarts=options.restarts,
        n_jobs=-1,
        random_state=options.seed,
        categorical_features=list(data.nominal) or "auto",
        missing="error" if options.missing == "drop" else options.missing,
        progress=not options.quiet,
    )
    with warnings.catch_warnings():  # told below, in the words of the command
        warnings.filterwarnings("ignore", "Interrupted after generation")
        own = None if weights is None else weights[train]
        return model.fit(data.inputs.iloc[train], data.target[train], own)
