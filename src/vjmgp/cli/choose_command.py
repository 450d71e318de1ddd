"""`vjmgp choose`: put another model of a fit in place of the chosen one."""

import argparse
from pathlib import Path
from typing import Any

from . import Exit


def add_to(commands: Any) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "choose",
        help="choose another model of a fit",
        description="Put another model of a fit in place of the one that its folder holds: "
        "model.json, formulas.txt and report.html are written again. Without ROW, the shorter "
        "versions are listed.",
    )
    command.add_argument(
        "model", type=Path, metavar="FOLDER", help="the folder that vjmgp fit has written"
    )
    command.add_argument("row", type=int, nargs="?", help="a row of its front.csv, from 0 on")
    command.add_argument("--all", action="store_true", help="list the models of the front, too")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Choose, write and print; without a row, list the models."""
    from ..fit_reports.fit_report import choose_model
    from ..fit_reports.folder import read_about, read_versions

    folder: Path = options.model
    before = read_versions(folder)
    if options.row is None:
        _print_list(before.table if options.all else before.short)
        return Exit.DONE
    report, has_rows = choose_model(folder, options.row)
    print(report.model)
    print(report.summary)
    old, new = before.table.iloc[before.chosen], before.table.iloc[options.row]
    print(
        f"Row {new['row']} in place of row {old['row']}: size {new['size']:.0f} instead of "
        f"{old['size']:.0f}, leave-one-out RMSE {new['rmse']:.4g} instead of {old['rmse']:.4g}."
    )
    if not has_rows:
        table = read_about(folder)["table"] or "The DataFrame of the fit"
        print(f"{table} is no longer available, so the page has no plots of its rows.")
    print(f"Everything: {report.page}")
    return Exit.DONE


def _print_list(table: Any) -> None:
    for entry in table.to_dict("records"):
        formula = str(entry["formula"])
        short = formula if len(formula) <= 60 else f"{formula[:58]} …"
        mark = "*" if entry["chosen"] else " "
        size = f"size {entry['size']:>4.0f},"
        print(f"{mark}{entry['row']:>3} {size} RMSE {entry['rmse']:<10.4g} {short}")
