"""Options of `vjmgp fit` and `vjmgp predict` about their table."""

import argparse
import re
import sys
from pathlib import Path
from typing import Any

from ..fit_reports.fit_settings import CHOICES, LISTS

SIGNS = {"tab": "\t", "space": " ", "comma": ",", "semicolon": ";", "point": "."}
"""Words for signs that are hard to type in a shell."""
READ = 1 << 20
"""Bytes of a file that tell what wrote it."""
FORMAT = ("separator", "decimal", "thousands", "encoding", "sheet", "na_values")


def add_table(command: Any, **more: Any) -> None:
    """Add the table and its format to a command."""
    help_text = "CSV, TSV, Excel or Parquet; text may be compressed"
    command.add_argument("table", type=Path, help=help_text, **more)
    reading = command.add_argument_group(
        "reading the table", "Detected unless given; what is unusual is reported."
    )
    reading.add_argument("--separator", type=_sign, help="between columns: ';', ',', tab, …")
    reading.add_argument(
        "--decimal", type=_sign, choices=CHOICES["decimal"], help="the decimal sign"
    )
    reading.add_argument(
        "--thousands", type=_sign, choices=CHOICES["thousands"], help="what groups thousands"
    )
    reading.add_argument("--encoding", help="of text, such as utf-8, cp1252 or utf-16")
    reading.add_argument("--sheet", help="of an Excel file (default: the first)")
    reading.add_argument(
        "--na",
        dest="na_values",
        action="append",
        default=[],
        metavar="TEXT",
        help="a text that means a missing cell, such as k.A.; may be given more than once",
    )


def _sign(text: str) -> str:
    return SIGNS.get(text, text)


def recover_table(options: argparse.Namespace) -> None:
    """Take the table back from an option with several values that precedes it."""
    for name in LISTS if options.table is None else ():
        words = getattr(options, name) or []
        found = [word for word in words if Path(word).is_file()]
        if found:
            options.table = Path(found[-1])
            words.remove(found[-1])
            return
    if options.table is None:
        raise ValueError("name a table: vjmgp fit TABLE --target COLUMN.")


def add_output(command: Any, help_text: str) -> None:
    """Add the file to write to a command."""
    command.add_argument("--output", type=Path, help=help_text)
    command.add_argument("--force", action="store_true", help="overwrite any file with --output")


def check_output(options: argparse.Namespace, own: str) -> None:
    """Raise if the output would overwrite a file without the word that begins this command's."""
    output: Path | None = options.output
    if options.force or output is None or not output.is_file():
        return
    with output.open("rb") as file:
        start = file.readline(READ)
    if start and re.search(own.encode(), start.replace(b"\0", b"")) is None:
        raise ValueError(
            f"--output {output} exists, and this command did not write it; name another file, or "
            "add --force."
        )


def write_output(output: Path | None, text: str, encoding: str = "utf-8") -> None:
    """Write the output of a command to a file, or print it."""
    from ..core.files import write_whole

    if output is None:
        sys.stdout.write(text)
        return
    try:
        write_whole(output, [text.encode(encoding)])
    except OSError as error:
        raise ValueError(f"--output {output}: cannot write there ({error.strerror}).") from None
