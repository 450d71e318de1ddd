"""What decides a step's results, as a short hash: its settings, its code, its data files.

Whatever runs are made by counts by a version: the engine, the data, the competitors. Tests hold
each version to its results, so refactoring costs no runs, and published runs stay valid. The code
of a step after the runs is found by its imports, from the module whose function its script calls;
a module names the data files that it reads in a tuple `READS`. This runs nothing of what it looks
at, and every job asks for it, so it imports nothing heavy.
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

PACKAGE = Path(__file__).parents[2]
STEPS = {
    "collect_runs": "vjmgp.study.runs.collect",
    "join_runs": "vjmgp.study.runs.collect",
    "compare_methods": "vjmgp.study.statistics.compare_methods",
    "compare_srbench": "vjmgp.study.srbench.compare_srbench",
    "score_claims": "vjmgp.study.scoreboard.score",
    "draw_figures": "vjmgp.study.figures.draw_figures",
    "illustrations": "vjmgp.study.illustrations.draw_illustrations",
    "write_report": "vjmgp.study.report.write",
}
"""The module with the code of each step after the runs."""
DATA_VERSION = "1.0"
"""Of how PMLB's tables are read, divided into training and test rows, and given noise."""
COMPETITORS_VERSION = "1.0"
"""Of how other learners are tuned, and of those that this package brings itself."""
NOT_COUNTED = (
    # They decide no result.
    *("vjmgp.core", "vjmgp.operations"),
    # The engine's version counts in their place: golden runs hold them to their results, too.
    *("vjmgp.engine", "vjmgp.models", "vjmgp.model_selection", "vjmgp.regressor"),
    *("vjmgp.tables.preprocessing", "vjmgp.tables.validation"),
    *("vjmgp.inspection", "vjmgp.formulas"),
)


def identity(*parts: Any) -> str:
    """A short hash of anything that JSON can hold."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


@functools.cache
def code_of(step: str) -> str:
    """A hash of the code and data files that decide what a step makes of its inputs."""
    return _sum_of(STEPS[step])


def _sum_of(module: str) -> str:
    sums = {path.relative_to(PACKAGE).as_posix(): _sum(path) for path in files_of(module)}
    return identity(sums)


def files_of(module: str) -> list[Path]:
    """The files of a module, of all that it imports, and of the data that these read."""
    waiting, seen, files = [module], {module}, set()
    while waiting:
        name = waiting.pop()
        path = _path_of(name)
        if path is None or name.startswith(NOT_COUNTED):
            continue
        imports, reads = _look_into(path, name)
        files |= {path, *(file for pattern in reads for file in PACKAGE.glob(pattern))}
        new = imports - seen
        seen |= new
        waiting += new
    return sorted(files)


@functools.cache
def _sum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _path_of(module: str) -> Path | None:
    """The file of a module of this package."""
    package, *parts = module.split(".")
    return _file_at(PACKAGE.joinpath(*parts)) if package == "vjmgp" and parts else None


def _file_at(place: Path) -> Path | None:
    """The file of the module whose path, but for its ending, is this."""
    found = (path for path in (Path(f"{place}.py"), place / "__init__.py") if path.exists())
    return next(found, None)


@functools.cache
def _look_into(path: Path, module: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The modules that a file imports anywhere in it, and the data files that it reads."""
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
    """A hash of the file of a class of the user's own; "" if it is an installed library's.

    None where there is no such module. Nothing is imported to find out. `places` are searched after
    Python's own path.
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
