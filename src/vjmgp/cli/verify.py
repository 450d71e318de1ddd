"""`vjmgp verify`: compute some runs of a study again and compare them to the bit."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from . import Exit
from .place import read_config


def add_to(commands: Any) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "verify",
        help="compute some runs of a study again and compare them to the bit",
        description="Check all checksums, the table of runs against the records, and a random "
        "sample of the runs by computing them again.",
    )
    command.add_argument("config", type=Path, help="the study's YAML file")
    command.add_argument(
        "--runs", type=natural, default=10, help="how many; 0 for the files alone (default: 10)"
    )
    command.add_argument("--seed", type=natural, default=0, help="of the choice (default: 0)")
    command.set_defaults(run=run)


def natural(text: str) -> int:
    """A whole number that is not negative."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not 0, 1, 2, …")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Print what was looked at; exit code 1 where something is not right, 3 where nothing is."""
    from threadpoolctl import threadpool_limits

    from ..operations.verify import finished_files, verify

    study = read_config(options.config)
    results = study.results.resolve()
    if not finished_files(study):
        print(f"vjmgp: there are no runs of {options.config} in {results}.", file=sys.stderr)
        return Exit.NOT_NOW
    print(f"Results: {results}")
    wrong = looked_at = 0
    with threadpool_limits(1):  # as in the workflow's jobs: more threads sum in another order
        for finding in verify(study, options.runs, options.seed):
            print(f"{'ok' if finding.ok else 'WRONG':5}  {finding.what}: {finding.text}")
            looked_at += 1
            wrong += not finding.ok
    print(f"{looked_at - wrong} of {looked_at} right.")
    return Exit.FAILED if wrong else Exit.DONE
