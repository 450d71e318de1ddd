"""`vjmgp study`: write a config, check it, run and resume a study, report its progress."""

import argparse
import importlib.util
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..operations.stops import STOPS, require_signals
from ..study.paths import seeds_of
from . import Exit
from .config_files import read_config, workflow_folder

if TYPE_CHECKING:
    from ..study.plan.study import Study

TEMPLATE = """\
# A study: which methods run on which datasets, and how often.
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
    # The first is compared with each other method.
    methods: [VJM, Standard GP, LinearRegression, ElasticNet, SVR]
"""


def add_to(commands: Any) -> None:
    """Add the command and its subcommands to the command line."""
    study = commands.add_parser(
        "study", help="compare methods on many datasets", description="Compare methods on datasets."
    )
    parts = study.add_subparsers(metavar="WHAT", required=True)
    init = parts.add_parser("init", help="write a config to start from")
    init.add_argument("config", type=Path, help="the YAML file to write")
    init.add_argument("--data", type=Path, help="your table: CSV, TSV, Excel or Parquet")
    init.add_argument("--target", help="its column to predict")
    init.set_defaults(run=init_config)
    for name, function, text in (
        ("check", check, "report errors of a config, and how much there is to compute"),
        ("run", start, "run a study"),
        ("resume", resume, "continue a study that was killed"),
        ("retry", retry, "run failed runs again"),
        ("status", status, "report the progress of a study"),
        ("report", report, "write the report of a study, finished or not"),
        ("repair", repair, "remove damaged files, so that the next run makes them again"),
        ("prune", prune, "delete runs that none of these configs needs"),
        ("publish", publish, "add finished runs to a folder of published runs, for reuse"),
    ):
        part = parts.add_parser(name, help=text, description=text.capitalize() + ".")
        many = {"nargs": "+"} if function is prune else {}
        part.add_argument("config", type=Path, help="the study's YAML file", **many)
        if function is publish:
            part.add_argument("--to", type=Path, required=True, help="the folder of published runs")
        if function is prune:
            part.add_argument("--dry-run", action="store_true", help="list them, delete nothing")
        if function in (start, resume, retry, report):
            part.add_argument(
                "--cores", type=cores, default="all", help="cores of this machine (default: all)"
            )
            part.add_argument("--profile", help="slurm, cluster, or the folder of another profile")
            part.epilog = "Arguments after -- go to Snakemake: vjmgp study run my.yaml -- -n"
        part.set_defaults(run=function)


def cores(text: str) -> str:
    """Return an argument for Snakemake's --cores."""
    if text != "all" and not (text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number of cores nor 'all'")
    return text


def init_config(options: argparse.Namespace) -> int:
    """Write a config for the user's table or for shipped datasets."""
    path: Path = options.config
    if path.exists():
        raise ValueError(f"{path} already exists; give another name.")
    if (options.data is None) != (options.target is None):
        raise ValueError("--data and --target belong together.")
    own, datasets, title = "", "547_no2, 1027_ESL, 210_cloud", "VJM-GP on three small datasets"
    if options.data is not None:
        import yaml

        from ..tables.dataset import load_file

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
    return Exit.DONE


def _as_name(text: str) -> str:
    return re.sub("[^A-Za-z0-9_]+", "_", text).strip("_")


def check(options: argparse.Namespace) -> int:
    """Report errors, how much there is to compute, and how long it takes."""
    from ..study.config import estimate, preflight
    from ..study.statistics.fewest_pairs import fewest_pairs

    study = _checked(options.config, preflight.check_datasets_are_available)
    files = study.files.runs()
    runs = sum(map(len, map(seeds_of, files)))
    amounts = [
        (len(study.experiments), "experiment"), (len(study.methods), "method"),
        (len(study.datasets), "dataset"), (study.seeds, "seed"),
    ]  # fmt: skip
    words = ", ".join(_count(number, word) for number, word in amounts)
    jobs, taken = _count(len(files), "job"), sum(cell.seeds for cell in study.reused())
    print(f"{options.config} is valid: {words}; {_count(taken + runs, 'run')}.")
    if taken:
        print(f"{_count(taken, 'run')} of them are published and reused.")
    print(f"{_count(runs, 'run')} to compute, in {jobs}.")
    seconds, unknown = estimate.seconds_of(study)
    beside = f", and what {', '.join(unknown)} takes" if unknown else ""
    print(f"It takes {_time_of(seconds)} of one core{beside}.")
    needed = fewest_pairs(study.significance)
    few = ": with fewer, no difference can be significant." if study.seeds < needed else "."
    print(f"The level {study.significance:g} needs at least {needed} seeds{few}")
    print(f"Results: {study.results.resolve()}")
    if study.skipped:
        print(f"Skipped because their packages are not installed: {', '.join(study.skipped)}")
    return Exit.DONE


def _time_of(seconds: float) -> str:
    if seconds > 5400:
        return f"about {seconds / 3600:.1f} hours"
    return f"about {_count(round(seconds / 60), 'minute')}" if seconds >= 60 else "under a minute"


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def start(options: argparse.Namespace) -> int:
    """Remove damaged files and run a study by Snakemake."""
    study = _checked(options.config)
    return _busy(study) or _run(study, options)


def resume(options: argparse.Namespace) -> int:
    """Remove the lock of a killed run, if no run is active, and run."""
    study = _checked(options.config)
    return _busy(study) or _snakemake(study, options, "--unlock") or _run(study, options)


def retry(options: argparse.Namespace) -> int:
    """Run failed runs again."""
    from ..operations.repair import retry_failed

    study = _checked(options.config)
    busy = _busy(study)
    if not busy:
        print(f"{_count(retry_failed(study), 'failed run')} to try again.", flush=True)
    return busy or _run(study, options)


def _run(study: "Study", options: argparse.Namespace) -> int:
    _repair(study)
    return _snakemake(study, options)


def repair(options: argparse.Namespace) -> int:
    """Remove damaged files."""
    study = read_config(options.config)
    busy = _busy(study)
    if not busy:
        count = _repair(study)
        then = f"Removed {_count(count, 'damaged file')}. Next: vjmgp study run {options.config}"
        print(then if count else "No file is damaged.")
    return busy


def _repair(study: "Study") -> int:
    """Remove and list damaged files; return their number."""
    from ..operations.repair import repair as remove_damaged
    from ..operations.status import named

    damaged = remove_damaged(study.results)
    for line in named("DAMAGED", damaged, "it will be made again."):
        print(line, file=sys.stderr)
    return len(damaged)


def prune(options: argparse.Namespace) -> int:
    """Delete runs, splits, noise estimates and prepared tables that no config needs."""
    from ..operations.repair import prune as delete
    from ..operations.repair import unused_folders

    studies = [read_config(path) for path in options.config]
    if len({study.results.resolve() for study in studies}) > 1:
        raise ValueError("these configs have different results folders; prune them one by one.")
    busy = _busy(studies[0])
    if busy:
        return busy
    folders = unused_folders(studies)
    for folder in folders:
        print(folder)
    if options.dry_run:
        print(f"{_count(len(folders), 'folder')} to delete.")
    else:
        print(f"Deleted {_count(len(folders), 'folder')}, {delete(folders) / 1e6:.1f} MB.")
    return Exit.DONE


def publish(options: argparse.Namespace) -> int:
    """Add the finished runs and tables of a study to a folder of published runs."""
    from ..study.published.publish import Publication, copy_tables

    study = read_config(options.config)
    publication = Publication(options.to)
    new = publication.add(study)
    if new:
        publication.write()
    tables = copy_tables(study, options.to)
    size = sum(path.stat().st_size for path in options.to.rglob("*")) / 1e6
    words = f"{_count(new, 'new run')} and {_count(tables, 'table')}"
    print(f"{words} in {options.to}, which has {size:.1f} MB.")
    return Exit.DONE


def status(options: argparse.Namespace) -> int:
    """Print how far a study is; exit code 3 while it is not complete."""
    from ..operations.status import status_of

    state = status_of(read_config(options.config))
    print(state.text())
    return Exit.DONE if state.is_complete else Exit.NOT_NOW


def report(options: argparse.Namespace) -> int:
    """Make the report: of the whole study, or of what is there, while it runs or not."""
    from ..operations.status import status_of

    study = _checked(options.config)
    if status_of(study).has_all_runs:
        return _busy(study) or _run(study, options)
    return _snakemake(study, options, "report_so_far", "--nolock")


def _checked(config: Path, *more: Callable[["Study"], None]) -> "Study":
    """Return the study after Snakemake's checks, which have their own exit code here."""
    from ..study.config import preflight

    return read_config(config, (preflight.check_folders, preflight.check_before_a_run, *more))


def _busy(study: "Study") -> int:
    """Return exit code 3 if the study is running."""
    from ..operations.lock import is_running

    who = is_running(study.results, patience=2.0)
    if who:
        print(f"vjmgp: the study is already running ({who}).", file=sys.stderr)
    return Exit.NOT_NOW if who else Exit.DONE


def snakemake_call(options: argparse.Namespace) -> list[str]:
    """Return the command that runs a study by Snakemake."""
    root = workflow_folder()
    call = [sys.executable, "-m", "snakemake", "--snakefile", str(root / "Snakefile")]
    call += ["--configfile", str(options.config)]
    if options.profile:
        return [*call, "--profile", _profile(root / "profiles", options.profile)]
    return [*call, "--cores", options.cores]


def _profile(ours: Path, name: str) -> str:
    """Return the folder of a profile: one of ours, any other, or the user's for Snakemake."""
    plugin = {"slurm": "slurm", "cluster": "cluster_generic"}.get(name)
    if plugin and not importlib.util.find_spec(f"snakemake_executor_plugin_{plugin}"):
        raise ValueError(f'--profile {name} needs a plugin: pip install "vjmgp[cluster]"')
    from platformdirs import user_config_path

    users = user_config_path("snakemake")
    for folder in (ours / name, Path(name), users / name):
        if folder.is_dir():
            return str(folder)
    raise ValueError(
        f"--profile {name}: there is no such folder here or in {users}, and no built-in profile "
        f"({', '.join(sorted(path.name for path in ours.iterdir()))}) of that name."
    )


def _environment(results: Path) -> dict[str, str]:
    """Keep Snakemake's cache with the results if the home folder is read-only."""
    from platformdirs import user_cache_path

    home = user_cache_path()
    there = next(place for place in (home, *home.parents) if place.exists())
    if os.access(there, os.W_OK):
        return {}
    return {"XDG_CACHE_HOME": str(results.absolute() / ".cache")}


def _snakemake(study: "Study", options: argparse.Namespace, *arguments: str) -> int:
    """Run Snakemake; pass signals that stop this command on, so that Snakemake cleans up."""
    import snakemake  # noqa: F401 (an error says how to install it)

    require_signals()
    call = [*snakemake_call(options), *arguments, *options.more]
    process = subprocess.Popen(call, env=os.environ | _environment(study.results))  # noqa: S603
    stops: list[int] = []

    def stop(number: int, _: Any) -> None:
        stops.append(number)
        if number != signal.SIGINT:  # a terminal sends it to all of its processes
            process.terminate()  # background processes of a shell ignore SIGINT

    before = [(number, signal.signal(number, stop)) for number in STOPS]
    try:
        code = process.wait()
    finally:
        for number, handler in before:  # one Ctrl-C is enough
            signal.signal(number, signal.SIG_IGN if stops else handler)
    if code and stops:
        return Exit.STOPPED if stops[0] == signal.SIGINT else 128 + stops[0]
    if code == 1 and _busy(study):  # another run was started at the same time
        return Exit.NOT_NOW
    return 128 - code if code < 0 else code
