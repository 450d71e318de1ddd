"""What the workflow asks before a run and says after it."""

from __future__ import annotations

import csv
import dataclasses
import functools
import importlib.util
import math
import os
import shlex
import sysconfig
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

from ..engine.identity import hash_of_files
from ..fetching import cache_folder, is_reachable, ways_out
from ..protocol import LABEL_NOISE, PAPER, Protocol
from .config import PACKAGE, Method, Study, grids_of, load_class, not_at_hand
from .schema import ConfigError, require_known

PAPERS_PROTOCOLS = {"paper": PAPER, "label_noise": LABEL_NOISE}
SYMBOLIC = ("operon", "ffx", "gplearn", "pysr", "symbolic")
"""Parts of the import paths of other symbolic regressors."""
SO_FAR = "so_far"
"""The folder within the results that holds the report of an unfinished study."""
LARGE_FILE = 50_000_000
"""Bytes of a table that is not read before the run but in its first step."""


def own_entry(study: Study, dataset: str) -> dict[str, Any] | None:
    """What the config says of a user's own table, for a job."""
    table = study.own_data.get(dataset)
    return dataclasses.asdict(table) | {"nominal": list(table.nominal)} if table else None


def protocol_entry(protocol: Protocol) -> dict[str, Any]:
    """A protocol for a job."""
    return dataclasses.asdict(protocol)


def minutes(method: Method, runs: int) -> int:
    """Minutes that a cluster should give a block of runs.

    A run of genetic programming takes a second or less, one of the light learners three at most:
    this leaves room for slow machines. What the config says is taken as it is; a job that it is
    too little for gets twice as much.
    """
    if method.run_minutes:
        return math.ceil(runs * method.run_minutes)
    return max(5, math.ceil(runs * (0.2 if method.is_gp else 1.0)))


def for_report(study: Study) -> dict[str, Any]:
    """What the report tells of the study."""
    return {
        "config": study.config,
        "experiments": [experiment_entry(study, name) for name in study.experiments],
        "datasets": study.datasets,
        "skipped": study.skipped,
    }


def for_scoreboard(study: Study) -> dict[str, Any]:
    """What decides whether the study's runs speak to the paper's claims."""
    own = list(study.config["methods"])
    budgets = [name for name in study.experiments if timed_methods(study, name)]
    timed = timed_methods(study, budgets[0]) if budgets else {}
    return {
        "protocols": {
            kind: [name for name, protocol in study.protocols.items() if protocol == rule]
            for kind, rule in PAPERS_PROTOCOLS.items()
        },
        "significance": study.config["significance"],
        "own_methods": [*own, *(variant for name, variant in timed.items() if name in own)],
        "budget": study.config["experiments"][budgets[0]]["seconds"] if budgets else None,
        "timed": timed,
    }


def timed_methods(study: Study, experiment: str) -> dict[str, str]:
    """Of an experiment whose runs end by time: its methods' names, and those of the variants."""
    entry = study.config["experiments"][experiment]
    if "seconds" not in entry:
        return {}
    names = dict.fromkeys(entry["methods"])
    return dict(zip(names, study.experiments[experiment].methods, strict=True))


def for_figures(study: Study, experiment: str) -> dict[str, Any]:
    """What the figures of an experiment need to know of the study."""
    return {
        "experiment": experiment_entry(study, experiment),
        "symbolic": [name for name, method in study.methods.items() if is_symbolic(method)],
        "curve_datasets": study.config["curve_datasets"],
        "significance": study.config["significance"],
    }


def experiment_entry(study: Study, name: str) -> dict[str, Any]:
    """An experiment for a job, and which of the paper's protocols it follows."""
    experiment = study.experiments[name]
    protocol = study.protocols[experiment.protocol]
    kinds = [kind for kind, rule in PAPERS_PROTOCOLS.items() if rule == protocol]
    return dataclasses.asdict(experiment) | {
        "protocol_text": protocol.describe(),
        "papers_kind": kinds[0] if kinds else None,
        "timed": timed_methods(study, name),
    }


def is_symbolic(method: Method) -> bool:
    """Whether its models are formulas: ours, and those of other such programs."""
    path = method.definition.get("estimator", "").lower()
    return method.is_gp or any(name in path for name in SYMBOLIC)


def for_report_so_far(study: Study) -> dict[str, Any]:
    """What a report of the runs that are there needs to know of the study."""
    return {
        "experiments": [
            {
                "files": study.run_files(name),
                "papers_protocol": is_papers(study, name),
                "figures": for_figures(study, name),
            }
            for name in study.experiments
        ],
        "report": for_report(study),
        "scoreboard": for_scoreboard(study),
    }


def own_code(method: Method) -> str:
    """A hash of the file of a regulariser or estimator that is not an installed library's.

    So an edit runs it again.
    """
    if not method.is_gp:
        return _hash_of_module(method.definition["estimator"].rpartition(".")[0]) or ""
    name = method.regularizer
    if "." not in name:
        return ""
    code = _hash_of_module(name.rpartition(".")[0])
    if code is None:
        raise ConfigError(f"methods.{method.name}.gp.regularizer: there is no module for {name!r}.")
    return code


@functools.cache
def _hash_of_module(name: str) -> str | None:
    """None where there is no such module; nothing to tell of one that was installed."""
    package = importlib.util.find_spec(name.split(".")[0])
    if package and package.name != "vjmgp" and "site-packages" in Path(package.origin or "").parts:
        return ""
    found = importlib.util.find_spec(name)
    if found is None or not found.origin:
        return None
    return hash_of_files([Path(found.origin)], Path(found.origin).parent)


def check_own_regularizers(study: Study) -> None:
    """Import the regularisers of the user's own."""
    for method in study.methods.values():
        if method.is_gp and "." in method.regularizer:
            where = f"methods.{method.name}.gp.regularizer"
            _imported(method.regularizer, where)
            from ..engine.regularizers import find_regularizer  # slow, and only needed here

            try:
                find_regularizer(method.regularizer)
            except ValueError as error:
                raise ConfigError(f"methods.{method.name}.gp: {error}") from None


def is_papers(study: Study, experiment: str) -> bool:
    """Whether an experiment's protocol is that of the paper's tables."""
    return study.protocols[study.experiments[experiment].protocol] == PAPER


# -- before the run ------------------------------------------------------------------------------


def check_before_a_run(study: Study) -> None:
    """What a schema cannot see: the user's tables, classes and modules."""
    check_own_data(study)
    check_estimators(study)
    check_own_regularizers(study)


def check_folders(study: Study) -> None:
    """Snakemake keeps notes where it is started; the rest goes into the results folder."""
    for folder in (Path.cwd(), study.results.absolute()):
        there = next(place for place in (folder, *folder.parents) if place.exists())
        if not os.access(there, os.W_OK):
            raise OSError(
                f"nothing can be written to {folder}. Start the study in a folder of your own, and "
                "name such a one as 'results' in the config."
            )


def check_own_data(study: Study) -> None:
    """Read the user's own tables, so that what is wrong with them is told before any long work."""
    for name in study.datasets:
        table = study.own_data.get(name)
        if table is None:
            continue
        about = Path(table.file).stat()
        ahead = about.st_mtime - time.time()
        if ahead > 0:
            raise ConfigError(
                f"own_data.{name}: {table.file} was last changed {_time(ahead)} in the future by "
                "this machine's clock, by which Snakemake decides what is new. Correct the clock, "
                f"or: touch {shlex.quote(table.file)}"
            )
        if about.st_size > LARGE_FILE:
            continue
        from .data import check_inputs, load_own  # slow, and only needed here

        try:
            data = load_own(name, own_entry(study, name) or {})
            check_inputs(data, table.file)
            for experiment in study.experiments.values():
                if name in experiment.datasets:
                    study.protocols[experiment.protocol].split(name, len(data), 0)
        except ValueError as error:
            raise ConfigError(f"own_data.{name}: {error}") from None


def _time(seconds: float) -> str:
    """A time in the unit that fits."""
    for unit, length in (("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 0.99 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.1f} seconds"


def check_estimators(study: Study) -> None:
    """Import the classes that the study itself names and see whether they take its arguments."""
    for name in study.config["methods"]:
        definition = study.methods[name].definition if name in study.methods else {}
        if "estimator" not in definition:
            continue
        where, path = f"methods.{name}", definition["estimator"]
        found = _imported(path, f"{where}.estimator")
        if not is_learner(found):  # before it is called: a config from elsewhere runs nothing
            raise ConfigError(
                f"{where}.estimator: {path} is no class with scikit-learn's interface."
            )
        try:
            estimator = found(**definition.get("settings", {}))
            known = estimator.get_params()
        except Exception as error:  # noqa: BLE001 (whatever a class may raise)
            raise ConfigError(f"{where}.estimator: {path}: {_reason(error)}.") from None
        grids = grids_of(definition)
        for argument in (argument for grid in grids for argument in grid):
            require_known(argument, known, f"{where}.grid", "argument of this class")
        if path.startswith("vjmgp."):
            continue  # a trial takes long, and they are known to be regressors
        point = {k: v[0] if isinstance(v, list) else v for k, v in grids[0].items()}
        _try(estimator, point, where)


def is_learner(found: Any) -> bool:
    """Whether something is a class with the methods of scikit-learn's regressors."""
    methods = ("fit", "predict", "get_params", "set_params")
    return isinstance(found, type) and all(callable(getattr(found, m, None)) for m in methods)


def _imported(path: str, where: str) -> Any:
    """The class with this path; what is wrong with its module is told by file and line."""
    try:
        return load_class(path)
    except (Exception, SystemExit) as error:  # noqa: BLE001 (whatever a module may raise)
        raise ConfigError(f"{where}: {path}: {_reason(error)}.") from None


def _reason(error: BaseException) -> str:
    """What an exception says in a line, and the place where the user's own code raised it."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}: {error.msg}"
    said = (str(error).strip().splitlines() or [""])[0].removesuffix(".")
    kind = type(error).__name__
    places = [f for f in traceback.extract_tb(error.__traceback__) if _is_users(f.filename)]
    if not places:
        return said or kind
    return f"{places[-1].filename}, line {places[-1].lineno}: {kind}{': ' if said else ''}{said}"


def _is_users(file: str) -> bool:
    """Whether a file of code is neither ours, nor Python's, nor an installed library's."""
    path = Path(file)
    ours = (PACKAGE, Path(sysconfig.get_path("stdlib")))
    return (
        path.exists()
        and "site-packages" not in path.parts
        and not any(map(path.is_relative_to, ours))
    )


def _try(estimator: Any, settings: dict[str, Any], where: str) -> None:
    """Fit a few made-up rows: what is no regressor, or has a bad setting, shows it."""
    import numpy as np
    from sklearn.base import is_regressor

    if not is_regressor(estimator):
        raise ConfigError(f"{where}.estimator: {type(estimator).__name__} is no regressor.")
    x = np.random.default_rng(0).normal(size=(20, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            estimator.set_params(**settings)
            estimator.fit(x, x[:, 0] + x[:, 1] ** 2).predict(x)
        except Exception as error:  # noqa: BLE001 (whatever a class may raise)
            raise ConfigError(f"{where}: a trial fit failed ({_reason(error)}).") from None


def check_datasets_can_be_had(study: Study) -> None:
    """Stop where datasets are neither at hand nor to be downloaded."""
    folder = study.results / "datasets"
    fetched = [
        name
        for name in study.datasets
        if all((folder / name / part).exists() for part in ("source.json", "source.tsv.gz"))
    ]
    missing = not_at_hand(study, fetched)
    if missing and not is_reachable():
        cache = cache_folder(study.config["pmlb_cache"])
        raise OSError(
            f"{len(missing)} datasets are not at hand, and there is no connection to download them "
            f"from: {', '.join(missing)}. {ways_out(missing, cache)}"
        )


# -- after the run -------------------------------------------------------------------------------


def last_words(study: Study, so_far: bool = False) -> str:
    """Failed and skipped, if any, and the path of the report."""
    results = study.results
    if so_far:
        return f"\nReport so far: {(results / SO_FAR / 'report.html').resolve()}"
    lines = []
    failures = results / "tables" / "failures.csv"
    if failures.exists():
        with failures.open(encoding="utf-8", newline="") as file:
            failed = list(csv.DictReader(file))
        if failed:
            lines.append(f"\n{len(failed)} runs failed and are left out of the tables:")
            lines += [
                f"  {run['method']} on {run['dataset']}, seed {run['seed']}: {run['error']}"
                for run in failed[:20]
            ]
            lines += [f"  … all of them in {failures}"] if len(failed) > 20 else []
            lines.append(
                f"To try them again, delete the files of {results} that are named in {failures}, "
                "and run again."
            )
    if study.skipped:
        lines.append(f"Skipped, as their packages are not installed: {', '.join(study.skipped)}")
    report = results / "report.html"
    tables = [path.stat().st_mtime for path in results.glob("tables/*/summary.csv")]
    if report.exists() and report.stat().st_mtime >= max(tables, default=0.0):
        lines.append(f"\nReport: {report.resolve()}")
    else:  # one experiment was asked for, not the report
        lines.append(f"\nTables: {(results / 'tables').resolve()}")
    return "\n".join(lines)


def last_words_after_failure(study: Study) -> str:
    """What happened to what was computed."""
    results = study.results
    return (
        f"\nThe study is not complete. Everything that was finished is kept in {results}; the same "
        f"command goes on from there. Logs of all jobs: {results / 'logs'}\n"
        "A report of what is there: snakemake with the target report_so_far, or vjmgp study report"
    )
