"""`vjmgp fit`: a table in, a model with its formulas, front, plots and a page out."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

HOLDOUT = 0.25


def add_to(commands: Any) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "fit",
        help="fit a model to a table",
        description="Fit a model to a CSV, TSV or Parquet file and write model.json, formulas.txt, "
        "front.csv, plots and report.html into a folder.",
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
    command.add_argument("--ignore", nargs="+", default=[], metavar="COLUMN", help="leave them out")
    command.add_argument("--output", type=Path, help="folder to write to (default: TABLE_model)")
    command.add_argument("--seed", type=int, default=0, help="the same seed gives the same model")
    command.add_argument(
        "--holdout",
        type=float,
        default=HOLDOUT,
        metavar="SHARE",
        help=f"share of the rows to test the model on, 0 for none (default: {HOLDOUT})",
    )
    command.add_argument("--method", default="jensen_gap", help="a regulariser, e.g. jensen_gap")
    command.add_argument("--population", type=int, default=200, help="default: 200")
    command.add_argument("--generations", type=int, default=100, help="default: 100")
    command.add_argument("--seconds", type=float, help="no new generation after so many seconds")
    command.add_argument("--quiet", action="store_true", help="no progress bar")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Fit and write."""
    if not 0 <= options.holdout <= 0.9:
        raise ValueError(f"--holdout is {options.holdout}; it must be from 0 to 0.9.")
    data = _read(options)
    import numpy as np

    from .. import VJMRegressor, r2
    from ..warmup import kernels_are_compiled
    from .page import write_page

    order = np.random.default_rng(options.seed).permutation(len(data))
    test, train = np.split(order, [round(options.holdout * len(data))])
    train, test = np.sort(train), np.sort(test)
    if len(train) < 2:
        raise ValueError(f"{options.table}: {len(train)} rows are too few to train on.")
    if not kernels_are_compiled():
        print("Compiling for this machine, which takes half a minute and happens once …")
    model = VJMRegressor(
        options.method,
        population_size=options.population,
        generations=options.generations,
        max_time=options.seconds,
        random_state=options.seed,
        categorical_features=list(data.nominal) or "auto",
        progress=not options.quiet,
    ).fit(data.inputs.iloc[train], data.target[train])
    scores = {"training": r2(data.target[train], model.predict(data.inputs.iloc[train]))}
    if len(test) > 1 and np.ptp(data.target[test]) > 0:
        scores["test"] = r2(data.target[test], model.predict(data.inputs.iloc[test]))
    stem = options.table.name.split(".")[0]
    folder = options.output or Path(f"{stem}_model")
    folder.mkdir(parents=True, exist_ok=True)
    _write_files(model, folder, options, scores)
    write_page(model, data, train, test, scores, options.target, folder)
    print(model.model_)
    print(", ".join(f"R² on {rows} rows: {score:.4f}" for rows, score in scores.items()))
    print(f"Everything: {(folder / 'report.html').resolve()}")
    return 0


def _read(options: argparse.Namespace) -> Any:
    """The table, checked as the workflow checks it."""
    from dataclasses import replace

    from ..datasets import load_file
    from ..study.data import check_inputs

    data = load_file(options.table, options.target, tuple(options.nominal))
    for column in options.ignore:
        if column not in data.inputs.columns:
            raise ValueError(f"{options.table}: there is no column {column!r} to ignore.")
    data = replace(data, inputs=data.inputs.drop(columns=options.ignore))
    return replace(data, nominal=tuple(check_inputs(data, str(options.table))))


def _write_files(
    model: Any, folder: Path, options: argparse.Namespace, scores: dict[str, float]
) -> None:
    from ..fetching import checksum, write_whole
    from ..study.runs import versions

    model.model_.to_json(folder / "model.json")
    model.pareto_front_.to_csv(folder / "front.csv", index=False)
    parts = {
        "Formula": model.model_.text(digits=4),
        "With all digits, as sympy reads it": model.model_.text(),
        "LaTeX": model.model_.latex(),
        "Constructed features": "\n".join(model.model_.feature_texts(digits=4)),
    }
    text = "\n\n".join(f"{title}\n{'-' * len(title)}\n{body}" for title, body in parts.items())
    write_whole(folder / "formulas.txt", [text.encode(), b"\n"])
    about = {
        "table": str(options.table),
        "sha256": checksum(options.table),
        "target": options.target,
        "seed": options.seed,
        "r2": scores,
        "engine": model.engine_id_,
        "versions": versions({}),
        "stopped_by": model.stopped_by_,
    }
    text = json.dumps(about, ensure_ascii=False, indent=1)
    write_whole(folder / "about.json", [text.encode(), b"\n"])
