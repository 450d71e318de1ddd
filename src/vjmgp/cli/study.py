"""`vjmgp study`: make a config, check it, run it, go on with it, see how far it is."""

from __future__ import annotations

import argparse
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from . import DONE, NOT_NOW, STOPPED
from .place import read_config, workflow_folder

TEMPLATE = """\
# A study: which methods run on which datasets, how often.
#
#   vjmgp study check {file}
#   vjmgp study run {file}
#
# Every key, with its default: config/README.md in the repository of vjmgp.
title: {title}
results: {results}
seeds: 10 # runs of each method on each dataset
datasets: [{datasets}]
{own_data}experiments:
  comparison:
    # The first is compared with each of the others.
    methods: [VJM, Standard GP, LinearRegression, ElasticNet, SVR]
"""


def add_to(commands: Any) -> None:
    """Add the command and its parts to the command line."""
    study = commands.add_parser(
        "study", help="compare methods on many datasets", description=__doc__.split(": ", 1)[1]
    )
    parts = study.add_subparsers(metavar="WHAT", required=True)
    init = parts.add_parser("init", help="write a config to start from")
    init.add_argument("config", type=Path, help="the YAML file to write")
    init.add_argument("--data", type=Path, help="a table of your own: CSV, TSV or Parquet")
    init.add_argument("--target", help="the column of it to predict")
    init.set_defaults(run=init_config)
    for name, function, text in (
        ("check", check, "say what is wrong with a config, and what it amounts to"),
        ("run", start, "run a study"),
        ("resume", resume, "go on with a study that was killed"),
        ("status", status, "say how far a study is"),
        ("report", report, "make the report of a study, or of what is there of it"),
    ):
        part = parts.add_parser(name, help=text, description=text.capitalize() + ".")
        part.add_argument("config", type=Path, help="the study's YAML file")
        if function in (start, resume, report):
            part.add_argument(
                "--cores", type=cores, default="all", help="of this machine (default: all)"
            )
            part.add_argument("--profile", help="slurm, cluster, or the folder of another one")
            part.epilog = "What follows -- goes to Snakemake: vjmgp study run my.yaml -- -n"
        part.set_defaults(run=function)


def cores(text: str) -> str:
    """What Snakemake takes for --cores."""
    if text != "all" and not (text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number of cores nor 'all'")
    return text


def init_config(options: argparse.Namespace) -> int:
    """Write a config, for the user's own table or for shipped datasets."""
    path: Path = options.config
    if path.exists():
        raise ValueError(f"{path} is there already; give another name.")
    if (options.data is None) != (options.target is None):
        raise ValueError("--data and --target belong together.")
    own, datasets, title = "", "547_no2, 1027_ESL, 210_cloud", "VJM-GP on three small datasets"
    if options.data is not None:
        import yaml

        from ..datasets import load_file

        load_file(options.data, options.target)
        name = _as_name(options.data.name.split(".")[0]) or "mine"
        entry = {name: {"file": str(options.data), "target": options.target}}
        own = yaml.safe_dump({"own_data": entry}, allow_unicode=True, sort_keys=False)
        datasets, title = f"{name}, {datasets}", f"Study of {name}"
    text = TEMPLATE.format(
        file=shlex.quote(str(path)),
        title=title,
        results=f"results/{_as_name(path.stem) or 'study'}",
        datasets=datasets,
        own_data=own,
    )
    path.write_text(text, encoding="utf-8")
    print(f"Wrote {path}. Next: vjmgp study check {shlex.quote(str(path))}")
    return DONE


def _as_name(text: str) -> str:
    """A text as the name of a dataset or folder."""
    return re.sub("[^A-Za-z0-9_]+", "_", text).strip("_")


def check(options: argparse.Namespace) -> int:
    """Everything that a run would refuse, and how much there is to do."""
    from ..study import checks
    from ..study.status import amount

    study = _checked(options.config)
    checks.check_datasets_can_be_had(study)
    print(f"{options.config} is right: {amount(study)}.")
    print(f"Results: {study.results.resolve()}")
    if study.skipped:
        print(f"Skipped, as this version does not have them: {', '.join(study.skipped)}")
    return DONE


def start(options: argparse.Namespace) -> int:
    """Run a study by Snakemake."""
    study = _checked(options.config)
    return _busy(study) or _snakemake(options)


def resume(options: argparse.Namespace) -> int:
    """Remove the lock that a killed run has left, where none is under way, and run."""
    study = _checked(options.config)
    busy = _busy(study)
    if busy:
        return busy
    code = _snakemake(options, "--unlock")
    return code or _snakemake(options)


def status(options: argparse.Namespace) -> int:
    """Print how far a study is; exit code 3 while it is not complete."""
    from ..study.status import progress_of

    study = read_config(options.config)
    state = progress_of(study)
    print(state.text())
    return DONE if state.is_complete else NOT_NOW


def report(options: argparse.Namespace) -> int:
    """Make the report: of the whole study, or of what is there, while it runs or not."""
    from ..study.status import progress_of

    study = _checked(options.config)
    if progress_of(study).has_all_runs:
        return _busy(study) or _snakemake(options)
    return _snakemake(options, "report_so_far", "--nolock")


def _checked(config: Path) -> Any:
    """The study, after the checks that Snakemake would do, too; here they have their exit code."""
    from ..study import checks

    study = read_config(config)
    checks.check_folders(study)
    checks.check_before_a_run(study)
    return study


def _busy(study: Any) -> int:
    """Exit code 3 where a run of the study is under way."""
    from ..study.running import is_running

    who = is_running(study.results, patience=2.0)
    if who:
        print(f"vjmgp: the study is running already ({who}).", file=sys.stderr)
    return NOT_NOW if who else DONE


def snakemake_call(options: argparse.Namespace) -> list[str]:
    """The call of Snakemake for a study."""
    root = workflow_folder()
    call = [sys.executable, "-m", "snakemake", "--snakefile", str(root / "Snakefile")]
    call += ["--configfile", str(options.config)]
    if options.profile:
        call += ["--profile", _profile(root / "profiles", options.profile)]
    else:
        call += ["--cores", options.cores]
    return call


def _profile(ours: Path, name: str) -> str:
    """The folder of a profile: ours, the user's own for Snakemake, or anywhere."""
    users = Path.home() / ".config" / "snakemake"
    for folder in (ours / name, Path(name), users / name):
        if folder.is_dir():
            return str(folder)
    raise ValueError(
        f"--profile {name}: there is no such folder, here or in {users}, and none of ours has that "
        f"name ({', '.join(sorted(path.name for path in ours.iterdir()))})."
    )


def _snakemake(options: argparse.Namespace, *arguments: str) -> int:
    """Let Snakemake work; Ctrl-C and a polite kill are for it, and it cleans up."""
    import snakemake  # noqa: F401 (told by name where it is missing)

    call = [*snakemake_call(options), *arguments, *options.more]
    process = subprocess.Popen(call)  # noqa: S603
    stops: list[int] = []
    before = [
        (signal.SIGINT, signal.signal(signal.SIGINT, lambda number, _: stops.append(number))),
        (signal.SIGTERM, signal.signal(signal.SIGTERM, lambda *_: process.terminate())),
    ]
    try:
        code = process.wait()
    finally:
        for number, handler in before:
            signal.signal(number, handler)
    if code and stops:
        return STOPPED
    return 128 - code if code < 0 else code
