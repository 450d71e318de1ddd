"""Hash what decides a step's results: its settings, its code and its data files.

The code that makes runs counts by its version: the engine, the data, the competitors. Tests hold
each version to its results, so refactoring leaves published runs valid. The code of a step after
the runs is found by its imports, starting from the module of its function; a module names the data
files that it reads in a tuple `READS`. Nothing that is hashed is executed. Every job uses this
module, so nothing heavy is imported here.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import json
import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from ...engine.version import ENGINE_VERSION
from ..steps import STEPS

PACKAGE = Path(__file__).parents[2]
DATA_VERSION = "1.0"
"""The version of reading PMLB's tables, splitting them, and adding label noise."""
COMPETITORS_VERSION = "1.0"
"""The version of tuning other learners, and of the learners in this package."""
NOT_COUNTED = {
    # They decide no result.
    *("core", "operations"),
    # The engine's version stands for them: golden runs hold them to their results.
    *("engine", "models", "model_selection", "regressor", "inspection"),
}
"""Packages whose code is not hashed."""
WHOLE = {"formulas"}
"""Packages that count as a whole if a step imports any of it: the models, which count by version,
write their formulas with it."""


def identity(*parts: Any) -> str:
    """Return a short hash of anything that JSON can hold."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


@functools.cache
def code_of(step: str) -> str:
    """Return a hash of the code and data files that decide what a step makes of its inputs."""
    files = files_of(STEPS[step].module)
    return identity({path.relative_to(PACKAGE).as_posix(): _sum(path) for path in files})


def files_of(module: str) -> list[Path]:
    """Return the files of a module, of the modules that it imports, and of their data."""
    waiting, seen, files = [module], {module}, set()
    while waiting:
        name = waiting.pop()
        path = _path_of(name)
        if path is None or _package_of(name) in NOT_COUNTED:
            continue
        imports, reads = _look_into(path, name)
        files |= {path, *(file for pattern in reads for file in PACKAGE.glob(pattern))}
        if _package_of(name) in WHOLE:
            imports = imports | _modules_in(_package_of(name))
        new = imports - seen
        seen |= new
        waiting += new
    return sorted(files)


def _package_of(module: str) -> str:
    """Return the package, or the module, directly below vjmgp."""
    return module.split(".")[1]


@functools.cache
def _modules_in(package: str) -> frozenset[str]:
    places = (path.relative_to(PACKAGE.parent) for path in (PACKAGE / package).rglob("*.py"))
    names = (".".join(place.with_suffix("").parts) for place in places)
    return frozenset(name.removesuffix(".__init__") for name in names)


@functools.cache
def _sum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _path_of(module: str) -> Path | None:
    """Return the file of a module of this package."""
    package, *parts = module.split(".")
    return _file_at(PACKAGE.joinpath(*parts)) if package == "vjmgp" and parts else None


def _file_at(place: Path) -> Path | None:
    """Return the file of the module or package with this path."""
    found = (path for path in (Path(f"{place}.py"), place / "__init__.py") if path.exists())
    return next(found, None)


@functools.cache
def _look_into(path: Path, module: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the modules that a file imports, at any depth, and the data files that it reads."""
    tree = ast.parse(path.read_bytes())
    reads: tuple[str, ...] = ()
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "READS":
            reads = ast.literal_eval(node.value)
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    return frozenset(_imports(tree, package)), reads


def _imports(tree: ast.AST, package: str) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            home = package.rsplit(".", node.level - 1)[0] if node.level else ""
            base = ".".join(filter(None, (home, node.module)))
            for name in node.names:  # a module, or something in one
                yield f"{base}.{name.name}" if _path_of(f"{base}.{name.name}") else base
        elif not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield from _imports(node, package)


@functools.cache
def own_code(path: str, *places: str) -> str | None:
    """Return a hash of the file of a user's class; "" for an installed library's class.

    None if there is no such module. Nothing is imported. `places` are searched after Python's path.
    """
    top, *parts = path.split(".")[:-1]
    if top == "vjmgp":
        is_competitor = parts[:1] == ["competitors"]
        return COMPETITORS_VERSION if is_competitor else ENGINE_VERSION
    spec = importlib.util.find_spec(top) or PathFinder.find_spec(top, [*sys.path, *places])
    if spec and "site-packages" in str(spec.origin or spec.submodule_search_locations):
        return ""
    if spec and not parts and spec.has_location:
        return _sum(Path(str(spec.origin)))[:12]
    folders = (spec.submodule_search_locations if spec else None) or ()
    found = filter(None, (_file_at(Path(folder, *parts)) for folder in folders))
    return next((_sum(file)[:12] for file in found), None)
