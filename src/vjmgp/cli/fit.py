"""`vjmgp fit`: a table in, a model with its formulas, front, plots and a page out."""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path
from typing import Any

from ..methods import REGULARIZER_OF
from . import Exit
from .methods import WORDS, regularizer_of

HOLDOUT = 0.25
AS_OPTIONS = {
    "fill them or leave": "use --missing median, or leave",
    "list it under 'nominal'": "name it in --nominal",
    "list the column under 'nominal'": "name the column in --nominal",
    "leave it out": "leave it out with --ignore",
    "leave the column out": "leave the column out with --ignore",
}
"""What the workflow's checks say about a config, said about the command."""


def add_to(commands: Any) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "fit",
        help="fit a model to a table",
        description="Fit a model to a CSV, TSV or Parquet file and write model.json, formulas.txt, "
        "front.csv, plots and report.html into a folder. Ctrl-C ends the fit; the model so far is "
        "written.",
    )
    command.add_argument("table", type=Path, help="CSV, TSV or Parquet; text may be compressed")
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
        choices=("error", "median", "indicator"),
        default="error",
        help="missing numbers: an error, the median, or that and an input that says where",
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
    command.add_argument("--quiet", action="store_true", help="no progress bar")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Fit and write."""
    _check_numbers(options)
    regularizer = regularizer_of(options.method)
    data, weights = _read(options)
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
        missing=options.missing,
        progress=not options.quiet,
    )
    with warnings.catch_warnings():  # told below, in the words of the command
        warnings.filterwarnings("ignore", "Interrupted after generation")
        own = None if weights is None else weights[train]
        return model.fit(data.inputs.iloc[train], data.target[train], own)


def _read(options: argparse.Namespace) -> tuple[Any, Any]:
    """The table, checked as the workflow checks it, and the weights of its rows or None."""
    from dataclasses import replace

    from ..datasets import check_inputs, load_file

    where = str(options.table)
    data = load_file(options.table, options.target, tuple(options.nominal))
    weights = None
    if options.weights is not None:
        weights = _weights(options, data)
        data = replace(data, inputs=data.inputs.drop(columns=options.weights))
    for column in options.ignore:
        if column not in data.inputs.columns:
            raise ValueError(f"{where}: there is no column {column!r} to ignore.")
        if column in options.nominal:
            raise ValueError(f"{where}: column {column!r} is both in --nominal and in --ignore.")
    data = replace(data, inputs=data.inputs.drop(columns=options.ignore))
    for number, column in enumerate(data.inputs.columns):
        if str(column).startswith("Unnamed: ") and column not in data.nominal:
            raise ValueError(
                f"{where}: column number {number + 1} has no name; if it is an index, leave it "
                f'out with --ignore "{column}".'
            )
    try:
        may_be_missing = options.missing != "error"
        nominal = check_inputs(data, where, may_be_missing=may_be_missing)
        data = replace(data, nominal=tuple(nominal))
    except ValueError as error:
        text = str(error)
        for words, as_options in AS_OPTIONS.items():
            text = text.replace(words, as_options)
        raise ValueError(text) from None
    for column in data.nominal:
        if data.inputs[column].nunique(dropna=False) == len(data):
            print(
                f"Warning: column {column!r} has another level in each row, which tells nothing "
                "about new rows; leave it out with --ignore.",
                file=sys.stderr,
            )
    return data, weights


def _weights(options: argparse.Namespace, data: Any) -> Any:
    from ..weights import check_sample_weight

    column = options.weights
    if column not in data.inputs.columns:
        raise ValueError(f"{options.table}: there is no column {column!r} for --weights.")
    for name in ("nominal", "ignore"):
        if column in getattr(options, name):
            raise ValueError(
                f"{options.table}: column {column!r} is both in --weights and in --{name}."
            )
    try:
        return check_sample_weight(data.inputs[column], len(data))
    except ValueError as error:
        text = str(error).replace("sample_weight", f"--weights {column}")
        raise ValueError(f"{options.table}: {text}") from None
