"""`vjmgp choose`: another model of a fit in place of the one that its folder holds."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import Exit

if TYPE_CHECKING:
    import pandas as pd

    from ..fit_report.fits import Rows, Versions

LONGEST = 60
"""Letters of a formula that the list shows."""


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
    """Choose, write and tell."""
    from ..fit_report.about import summary
    from ..fit_report.folder import read_about, read_versions, write_chosen
    from ..fit_report.page import write_page

    folder: Path = options.model
    before, about = read_versions(folder), read_about(folder)
    if options.row is None:
        _print_list(before.table if options.all else before.short)
        return Exit.DONE
    if not 0 <= options.row < len(before.models):
        last = len(before.models) - 1
        raise ValueError(f"{folder}: there is no row {options.row}; the last one is {last}.")
    chosen = before.table["row"] == options.row
    after = replace(before, table=before.table.assign(chosen=chosen))
    rows = _rows_of(about)
    write_chosen(folder, after, about)
    write_page(folder, after, about, rows)
    print(after.models[after.chosen])
    print("\n".join(summary(about, after)))
    print(_what_changed(before, after))
    if rows is None:
        print(f"{about['table']} is not there any more, so the page has no plots of its rows.")
    print(f"Everything: {(folder / 'report.html').resolve()}")
    return Exit.DONE


def _print_list(table: pd.DataFrame) -> None:
    for entry in table.to_dict("records"):
        formula = str(entry["formula"])
        short = formula if len(formula) <= LONGEST else f"{formula[: LONGEST - 2]} …"
        mark = "*" if entry["chosen"] else " "
        size = f"{entry['size']:>5.0f} {'node, ' if entry['size'] == 1 else 'nodes,'}"
        print(f"{mark}{entry['row']:>3} {size} RMSE {entry['rmse']:<10.4g} {short}")


def _what_changed(before: Versions, after: Versions) -> str:
    old, new = (v.table.iloc[v.chosen] for v in (before, after))
    return (
        f"Row {new['row']} in place of row {old['row']}: {new['size']:.0f} nodes instead of "
        f"{old['size']:.0f}, leave-one-out RMSE {new['rmse']:.4g} instead of {old['rmse']:.4g}."
    )


def _rows_of(about: dict[str, Any]) -> Rows | None:
    """The table of the fit again, if it is still there and the same."""
    from ..core.files import checksum
    from ..fit_report.fits import split_rows
    from ..fit_report.table import take_table

    path = Path(about["table"])
    if not path.is_file() or checksum(path) != about["sha256"]:
        return None
    options = argparse.Namespace(**about["options"] | about["reading"] | {"table": path})
    taken = take_table(options)
    return split_rows(taken.data, taken.weights, options.holdout, options.seed)
