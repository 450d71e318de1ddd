"""Check what a schema cannot, before a study runs: tables, classes, folders, network."""

import os
import sysconfig
import traceback
import warnings
from pathlib import Path
from typing import Any

from ...competitors.packages import load_class
from ...tables.errors import TableError
from ...tables.pmlb import cache_folder, download_advice, is_reachable, local_file
from ..plan.identities import PACKAGE
from ..plan.study import Study
from .read_study import grids_of
from .schema import ConfigError, Problems, require_known

LARGE_FILE = 50_000_000
"""Bytes from which a table is left to the study's first step."""


def check_before_a_run(study: Study) -> None:
    """Raise one error with all problems of a user's tables, classes, modules and published runs."""
    found = Problems()
    for check in (check_own_data, check_estimators, check_own_regularizers, check_published):
        with found.collected():
            check(study)
    found.raise_any()


def check_published(study: Study) -> None:
    """Raise if published runs that the study reuses are not those that their index names."""
    reused = study.reused()
    if reused and study.published:
        from ..published.rows import check_index  # needs pyarrow

        cells = study.published.cells
        check_index(study.published, (cells[run.identity].group for run in reused))


def check_folders(study: Study) -> None:
    """Raise if the working directory or the results folder cannot be written to."""
    for folder in (Path.cwd(), study.results.absolute()):
        there = next(place for place in (folder, *folder.parents) if place.exists())
        if not os.access(there, os.W_OK):
            raise OSError(
                f"{folder} cannot be written to. Start the study in a folder that you can write "
                "to, and name such a folder as 'results' in the config."
            )


def check_own_data(study: Study) -> None:
    """Raise if users' tables are unusable, with all of their problems."""
    found = Problems()
    for name, table in study.own_data.items():
        if name not in study.datasets or Path(table.file).stat().st_size > LARGE_FILE:
            continue
        from ...tables.checks import check_inputs  # slow, and only needed here
        from ..runs.prepare import load_own

        try:
            data = load_own(name, table)
            check_inputs(data, table.file, table.missing)
            for experiment in study.experiments.values():
                if name in experiment.datasets:
                    study.protocols[experiment.protocol].split(name, len(data), 0)
        except TableError as error:
            found += [f"own_data.{name}: {error.text}: {problem}" for problem in error.problems]
        except ValueError as error:
            found.append(f"own_data.{name}: {error}")
    found.raise_any()


def check_estimators(study: Study) -> None:
    """Raise if classes that the config names cannot be imported, or reject their arguments."""
    found = Problems()
    for name, definition in study.config["methods"].items():
        if "estimator" in definition and name in study.methods_to_run:
            with found.collected():
                _check_estimator(f"methods.{name}", definition)
    found.raise_any()


def _check_estimator(where: str, definition: dict[str, Any]) -> None:
    path = definition["estimator"]
    found = _imported(path, f"{where}.estimator")
    if not is_learner(found):  # checked before calling: a config must not run arbitrary code
        raise ConfigError(
            f"{where}.estimator: {path} is not a class with scikit-learn's interface."
        )
    try:
        estimator = found(**definition.get("settings", {}))
        known = estimator.get_params()
    except Exception as error:  # noqa: BLE001 (whatever a class may raise)
        raise ConfigError(f"{where}.estimator: {path}: {_reason(error)}.") from None
    grids, unknown = grids_of(definition), Problems()
    for argument in dict.fromkeys(argument for grid in grids for argument in grid):
        with unknown.collected():
            require_known(argument, known, f"{where}.grid", "argument of this class")
    unknown.raise_any()
    if not path.startswith("vjmgp."):  # ours work, and a trial is slow
        point = {k: v[0] if isinstance(v, list) else v for k, v in grids[0].items()}
        _try(estimator, point, where)


def is_learner(found: Any) -> bool:
    """Return whether an object is a class with the methods of scikit-learn's regressors."""
    methods = ("fit", "predict", "get_params", "set_params")
    return isinstance(found, type) and all(callable(getattr(found, m, None)) for m in methods)


def _imported(path: str, where: str) -> Any:
    """Import a class; an error names file and line of its module."""
    try:
        return load_class(path)
    except (Exception, SystemExit) as error:  # noqa: BLE001 (whatever a module may raise)
        raise ConfigError(f"{where}: {path}: {_reason(error)}.") from None


def _reason(error: BaseException) -> str:
    """Return an exception in one line, with the place in the user's code that raised it."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}: {error.msg}"
    said = (str(error).strip().splitlines() or [""])[0].removesuffix(".")
    kind = type(error).__name__
    places = [f for f in traceback.extract_tb(error.__traceback__) if _is_users(Path(f.filename))]
    if not places:
        return said or kind
    return f"{places[-1].filename}, line {places[-1].lineno}: {kind}{': ' if said else ''}{said}"


def _is_users(path: Path) -> bool:
    """Return whether a file belongs to neither this package, Python, nor a library."""
    others = (PACKAGE, Path(sysconfig.get_path("stdlib")))
    is_library = "site-packages" in path.parts or any(path.is_relative_to(p) for p in others)
    return path.exists() and not is_library


def _try(estimator: Any, settings: dict[str, Any], where: str) -> None:
    """Raise if fitting a few random rows fails, as with a classifier or a bad setting."""
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


def check_datasets_are_available(study: Study) -> None:
    """Raise if datasets are neither stored nor downloadable, naming all of them."""
    cache = cache_folder(study.config["pmlb_cache"])
    missing = [
        name
        for name in study.datasets
        if name in study.datasets_to_read
        and not all(Path(path).exists() for path in study.files.source(name))
        and not local_file(name, cache)
    ]
    if missing and not is_reachable():
        are = "datasets are" if len(missing) > 1 else "dataset is"
        raise OSError(
            f"{len(missing)} {are} not at hand, and there is no connection to download from: "
            f"{', '.join(missing)}. {download_advice(missing, cache)} Or use those that come with "
            "vjmgp: datasets: [embedded]"
        )


def check_own_regularizers(study: Study) -> None:
    """Raise if users' regularisers cannot be imported or used."""
    found = Problems()
    for method in study.methods.values():
        if method.is_gp and method.own_class and method.name in study.methods_to_run:
            with found.collected():
                _check_regularizer(method.own_class, f"methods.{method.name}.gp")
    found.raise_any()


def _check_regularizer(path: str, where: str) -> None:
    _imported(path, f"{where}.regularizer")
    from ...engine.regularizers import find_regularizer  # slow to import

    try:
        find_regularizer(path)
    except ValueError as error:
        raise ConfigError(f"{where}: {error}") from None
