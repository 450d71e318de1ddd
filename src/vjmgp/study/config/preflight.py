"""What a schema cannot see, looked at before a study runs: tables, classes, folders, network."""

from __future__ import annotations

import os
import sysconfig
import traceback
import warnings
from pathlib import Path
from typing import Any

from ...competitors.packages import load_class
from ...tables.pmlb import cache_folder, download_advice, is_reachable, local_file
from ..plan.identity import PACKAGE
from ..plan.study import Study
from .reader import grids_of
from .schema import ConfigError, require_known

LARGE_FILE = 50_000_000
"""Bytes of a table that only the study's first step reads."""


def check_before_a_run(study: Study) -> None:
    """Say what is wrong with the user's tables, classes and modules before any long work."""
    for check in (check_own_data, check_estimators, check_own_regularizers):
        check(study)


def check_folders(study: Study) -> None:
    """Refuse folders that cannot be written: where Snakemake keeps its notes, and the results."""
    for folder in (Path.cwd(), study.results.absolute()):
        there = next(place for place in (folder, *folder.parents) if place.exists())
        if not os.access(there, os.W_OK):
            raise OSError(
                f"{folder} cannot be written to. Start the study in a folder of your own, and name "
                "one as 'results' in the config."
            )


def check_own_data(study: Study) -> None:
    """Read the user's own tables."""
    for name, table in study.own_data.items():
        if name not in study.datasets or Path(table.file).stat().st_size > LARGE_FILE:
            continue
        from ...tables.checks import check_inputs  # slow, and only needed here
        from ..runs.prepare import load_own

        try:
            data = load_own(name, table)
            check_inputs(data, table.file)
            for experiment in study.experiments.values():
                if name in experiment.datasets:
                    study.protocols[experiment.protocol].split(name, len(data), 0)
        except ValueError as error:
            raise ConfigError(f"own_data.{name}: {error}") from None


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
                f"{where}.estimator: {path} is not a class with scikit-learn's interface."
            )
        try:
            estimator = found(**definition.get("settings", {}))
            known = estimator.get_params()
        except Exception as error:  # noqa: BLE001 (whatever a class may raise)
            raise ConfigError(f"{where}.estimator: {path}: {_reason(error)}.") from None
        grids = grids_of(definition)
        for argument in (argument for grid in grids for argument in grid):
            require_known(argument, known, f"{where}.grid", "argument of this class")
        if not path.startswith("vjmgp."):  # ours are known to work, and a trial takes long
            point = {k: v[0] if isinstance(v, list) else v for k, v in grids[0].items()}
            _try(estimator, point, where)


def is_learner(found: Any) -> bool:
    """Whether something is a class with the methods of scikit-learn's regressors."""
    methods = ("fit", "predict", "get_params", "set_params")
    return isinstance(found, type) and all(callable(getattr(found, m, None)) for m in methods)


def _imported(path: str, where: str) -> Any:
    """The class with this path; an error names file and line of its module."""
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
    places = [f for f in traceback.extract_tb(error.__traceback__) if _is_users(Path(f.filename))]
    if not places:
        return said or kind
    return f"{places[-1].filename}, line {places[-1].lineno}: {kind}{': ' if said else ''}{said}"


def _is_users(path: Path) -> bool:
    """Whether a file of code is neither ours, nor Python's, nor an installed library's."""
    others = (PACKAGE, Path(sysconfig.get_path("stdlib")))
    is_library = "site-packages" in path.parts or any(path.is_relative_to(p) for p in others)
    return path.exists() and not is_library


def _try(estimator: Any, settings: dict[str, Any], where: str) -> None:
    """Fit a few made-up rows: a classifier or a bad setting shows here."""
    import numpy as np
    from sklearn.base import is_regressor

    if not is_regressor(estimator):
        raise ConfigError(f"{where}.estimator: {type(estimator).__name__} is not a regressor.")
    x = np.random.default_rng(0).normal(size=(20, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            estimator.set_params(**settings)
            estimator.fit(x, x[:, 0] + x[:, 1] ** 2).predict(x)
        except Exception as error:  # noqa: BLE001 (whatever a class may raise)
            raise ConfigError(f"{where}: a trial fit failed ({_reason(error)}).") from None


def check_datasets_can_be_had(study: Study) -> None:
    """Name all datasets that are neither at hand nor to be downloaded."""
    cache = cache_folder(study.config["pmlb_cache"])
    missing = [
        name
        for name in study.datasets
        if name in study.datasets_to_read
        and not all(Path(path).exists() for path in study.source(name))
        and not local_file(name, cache)
    ]
    if missing and not is_reachable():
        are = "datasets are" if len(missing) > 1 else "dataset is"
        raise OSError(
            f"{len(missing)} {are} not at hand, and there is no connection to download from: "
            f"{', '.join(missing)}. {download_advice(missing, cache)} Or take those that come with "
            "vjmgp: datasets: [embedded]"
        )


def check_own_regularizers(study: Study) -> None:
    """Import the regularisers of the user's own."""
    for method in study.methods.values():
        if method.is_gp and method.own_class:
            _imported(method.own_class, f"methods.{method.name}.gp.regularizer")
            from ...engine.regularizers import find_regularizer  # slow, and only needed here

            try:
                find_regularizer(method.own_class)
            except ValueError as error:
                raise ConfigError(f"methods.{method.name}.gp: {error}") from None
