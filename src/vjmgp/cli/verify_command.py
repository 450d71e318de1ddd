"""`vjmgp verify`: recompute some runs of a study and compare them bit by bit."""

import argparse
import sys
from pathlib import Path
from typing import Any

from ..core.optional import require_module
from . import Exit
from .config_files import read_config, workflow_folder

VERDICTS = {True: "ok", False: "WRONG", None: "?"}


def add_to(commands: Any) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "verify",
        help="recompute some runs of a study and compare them bit by bit",
        description="Check all checksums, the table of runs against the records, and a random "
        "sample of the runs, which are computed again.",
    )
    command.add_argument("config", type=Path, nargs="?", help="the study's YAML file")
    command.add_argument(
        "--published",
        action="store_true",
        help="published runs instead: those of the study config/paper.yaml, or of CONFIG",
    )
    command.add_argument(
        "--shipped",
        action="store_true",
        help="with --published: only runs on shipped datasets, which need no network",
    )
    command.add_argument(
        "--runs", type=natural, default=10, help="how many; 0 for the files alone (default: 10)"
    )
    command.add_argument("--seed", type=natural, default=0, help="of the choice (default: 0)")
    command.set_defaults(run=run)


def natural(text: str) -> int:
    """Return a whole number that is not negative."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not 0, 1, 2, …")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Print what was checked; return 1 if something is wrong, 3 if runs are not available."""
    for module in ("jsonschema", "pmlb", "pyarrow"):  # the extra that brings the first has all
        require_module(module)
    from threadpoolctl import threadpool_limits

    from ..operations.verify import finished_files, verify, verify_published

    if options.config is None and not options.published:
        raise ValueError("name the study's YAML file, or say --published.")
    if options.published:
        paper = workflow_folder() / "config/paper.yaml"
        study = read_config(options.config or paper, published="only")
        results = Path(study.published_folder or "").resolve()
        findings = verify_published(study, options.runs, options.seed, shipped=options.shipped)
    else:
        study = read_config(options.config)
        results = study.results.resolve()
        findings = verify(study, options.runs, options.seed)
        if not finished_files(study):
            print(f"vjmgp: there are no runs of {options.config} in {results}.", file=sys.stderr)
            return Exit.NOT_NOW
    print(f"Results: {results}")
    right = []
    with threadpool_limits(1):  # as in the workflow's jobs: more threads sum in another order
        for finding in findings:
            print(f"{VERDICTS[finding.ok]:5}  {finding.what}: {finding.text}")
            right.append(finding.ok)
    unknown = right.count(None)
    beside = f"; {unknown} not checked" if unknown else ""
    print(f"{right.count(True)} of {len(right) - unknown} right{beside}.")
    return Exit.FAILED if False in right else Exit.NOT_NOW if unknown else Exit.DONE
