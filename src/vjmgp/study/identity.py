"""What decides a step's results, as a short hash: its settings, its code, its data files.

The code of a step is found by its imports, from the module whose function its script calls. A
module names the data files that it reads in a tuple `READS`. The engine counts by its version.
This runs nothing of what it looks at, and every job asks for it, so it imports nothing heavy.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.machinery
import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..engine.identity import engine_id

PACKAGE = Path(__file__).parent.parent
STEPS = {
    "prepare_dataset": ("vjmgp.study.prepare",),
    "split_rows": ("vjmgp.study.splits",),
    "estimate_noise": ("vjmgp.study.noise",),
    "run_gp": ("vjmgp.study.runs", "vjmgp.study.gp"),
    "run_baseline": ("vjmgp.study.runs", "vjmgp.study.baselines"),
    "collect_runs": ("vjmgp.study.collect",),
    "join_runs": ("vjmgp.study.collect",),
    "compare_methods": ("vjmgp.study.statistics.compare",),
    "score_claims": ("vjmgp.study.scoreboard.score",),
    "draw_figures": ("vjmgp.study.figures.draw",),
    "illustrations": ("vjmgp.study.illustrations.draw",),
    "write_report": ("vjmgp.study.report.write",),
}
"""The modules that the scripts of these rules call."""
DECIDE_NO_RESULT = ("vjmgp.files", "vjmgp.operations", "vjmgp.warmup")
ENGINE = "vjmgp.engine"


def identity(*parts: Any) -> str:
    """A short hash of anything that JSON can hold."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def engine_version() -> str:
    """The engine's version: runs of two versions never share a folder."""
    return engine_id()


@functools.cache
def code_of(step: str, uses_engine: bool = False) -> str:
    """A hash of the code and data files that decide what a step makes of its inputs."""
    files = files_of(*STEPS[step], uses_engine=uses_engine)
    sums = {path.relative_to(PACKAGE).as_posix(): _sum(path) for path in files}
    return identity(sums, engine_version() if uses_engine else "")


def files_of(*modules: str, uses_engine: bool = False) -> list[Path]:
    """The files of modules, of all that they import, and of the data that these read.

    Of the engine, whatever they import directly, unless its version counts in its place.
    """
    waiting, seen, files = list(modules), set(modules), set()
    while waiting:
        name = waiting.pop()
        path = _path_of(name)
        if path is None or name.startswith(DECIDE_NO_RESULT):
            continue
        is_engine = name.startswith(ENGINE)
        if is_engine and uses_engine:
            continue
        imports, reads = _look_into(path, name)
        files |= {path, *(file for pattern in reads for file in PACKAGE.glob(pattern))}
        new = set() if is_engine else imports - seen
        seen |= new
        waiting += new
    return sorted(files)


@functools.cache
def _sum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _path_of(module: str) -> Path | None:
    """The file of a module of this package."""
    parts = module.split(".")
    if parts[0] != "vjmgp":
        return None
    place = PACKAGE.joinpath(*parts[1:])
    found = [path for path in (place.with_suffix(".py"), place / "__init__.py") if path.exists()]
    return found[0] if found and len(parts) > 1 else None


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
    for node in _walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            home = package.rsplit(".", node.level - 1)[0] if node.level else ""
            base = ".".join(filter(None, (home, node.module)))
            for name in node.names:  # a module, or something in one
                yield f"{base}.{name.name}" if _path_of(f"{base}.{name.name}") else base


def _walk(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes that Python runs: what only type checkers import decides nothing."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield node
            yield from _walk(node)


@functools.cache
def own_code(path: str, *places: str) -> str | None:
    """A hash of the file of a class of the user's own; "" if it is an installed library's.

    None where there is no such module. Nothing is imported to find out. `places` are searched after
    Python's own path.
    """
    parts = path.split(".")[:-1]
    if parts[0] == "vjmgp":
        with_engine = len(parts) == 1  # VJMRegressor itself
        module = "vjmgp.regressor" if with_engine else ".".join(parts)
        files = files_of(module, uses_engine=with_engine)
        return identity([*map(_sum, files), engine_version() if with_engine else ""])
    spec = importlib.util.find_spec(parts[0])  # of a top-level name, it imports nothing
    spec = spec or importlib.machinery.PathFinder.find_spec(parts[0], list(places))
    if spec and "site-packages" in str(spec.origin or spec.submodule_search_locations):
        return ""
    for k in range(2, len(parts) + 1):
        inside = spec.submodule_search_locations if spec else None
        find = importlib.machinery.PathFinder.find_spec
        spec = find(".".join(parts[:k]), inside) if inside else None
    return _sum(Path(spec.origin))[:12] if spec and spec.has_location and spec.origin else None
