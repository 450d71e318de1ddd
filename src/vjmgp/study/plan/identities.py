"""The identities of a study's results: hashes of what decides them.

The code that makes runs counts by its version: the engine, the data, the competitors. Tests hold
each version to its results, so refactoring leaves published runs valid. The code of a step after
the runs is found by its imports, starting from the module of its function; a module names the data
files that it reads in a tuple `READS`. Nothing that is hashed is executed. Every job uses this
module, so nothing heavy is imported here.
"""

import ast
import functools
import hashlib
import importlib.util
import json
from collections.abc import Iterator
from dataclasses import asdict
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.files import checksum
from ...engine.version import ENGINE_VERSION
from ..steps import STEPS, TABLE_STEPS

if TYPE_CHECKING:
    from .study import Study

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
NOT_SHOWN = ("results", "pmlb_cache", "warm_workers", "published")
"""Keys of a config that change nothing in a report."""
_sum = functools.cache(checksum)


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

    None if there is no such module; runs then count as those of an uninstalled library, and a study
    that must compute them stops. Nothing is imported. `places` are searched after Python's path.
    """
    top, *parts = path.split(".")[:-1]
    if top == "vjmgp":
        is_competitor = parts[:1] == ["competitors"]
        return COMPETITORS_VERSION if is_competitor else ENGINE_VERSION
    spec = importlib.util.find_spec(top) or PathFinder.find_spec(top, places)
    if spec and "site-packages" in str(spec.origin or spec.submodule_search_locations):
        return ""
    if spec and not parts and spec.has_location:
        return _sum(Path(str(spec.origin)))[:12]
    folders = (spec.submodule_search_locations if spec else None) or ()
    found = filter(None, (_file_at(Path(folder, *parts)) for folder in folders))
    return next((_sum(file)[:12] for file in found), None)


class Identities:
    """The identities of datasets, splits, noise estimates, runs, and the steps after them."""

    def __init__(self, study: "Study") -> None:
        self._study = study

    @functools.cache  # noqa: B019 (a study lives as long as its process)
    def prepared(self, dataset: str) -> str:
        """Return that of a prepared table: the user's table and its config, or PMLB's name."""
        own = self._study.own_data.get(dataset)
        return identity(own.decides() if own else dataset, DATA_VERSION)

    @functools.cache  # noqa: B019
    def split(self, protocol: str, dataset: str) -> str:
        """Return that of training and test rows: the prepared table and the protocol."""
        rules = asdict(self._study.protocols[protocol])
        return identity(self.prepared(dataset), rules, DATA_VERSION)

    @functools.cache  # noqa: B019
    def noise(self, protocol: str, dataset: str) -> str:
        """Return that of noise estimates: the splits and the engine."""
        return identity(self.split(protocol, dataset), ENGINE_VERSION)

    @functools.cache  # noqa: B019
    def method(self, name: str) -> str:
        """Return that of a method: its settings and the version or hash of its code."""
        method = self._study.methods[name]
        code = ENGINE_VERSION if method.is_gp else COMPETITORS_VERSION
        own = own_code(method.own_class, *method.places) if method.own_class else ""
        return identity(method.name, method.definition, code, own or "")

    @functools.cache  # noqa: B019
    def run(self, protocol: str, dataset: str, method: str) -> str:
        """Return that of runs: the method, and what its runs start from."""
        source = self.noise if self._study.methods[method].is_gp else self.split
        return identity(source(protocol, dataset), self.method(method))

    @functools.cached_property
    def steps(self) -> dict[str, str]:
        """The identities of the steps after the runs: code, settings, and the steps before."""
        found: dict[str, str] = {}
        settings = self._settings()
        for step in TABLE_STEPS.values():
            before = [found[name] for name in step.after if name in found]
            found[step.name] = identity(code_of(step.name), before, settings.get(step.name))
        return found

    def _settings(self) -> dict[str, Any]:
        """Return the settings and runs that each step after the runs depends on."""
        study = self._study
        experiments = [asdict(experiment) for experiment in study.experiments.values()]

        def of_experiments(*keys: str) -> list[list[Any]]:
            return [[entry[key] for key in ("name", *keys)] for entry in experiments]

        computed = [path.removeprefix(study.config["results"]) for path in study.files.runs()]
        compared = of_experiments("methods", "datasets", "papers_kind")
        drawn = of_experiments("papers_kind", "timed")
        shown = {key: value for key, value in study.config.items() if key not in NOT_SHOWN}
        return {
            "collect_runs": [computed, study.reused()],
            "compare_methods": [study.significance, compared],
            "compare_srbench": [compared, study.kinds],
            "score_claims": study.for_scoreboard(),
            "draw_figures": [study.config["curve_datasets"], study.symbolic, drawn],
            "illustrations": ENGINE_VERSION,
            "write_report": [study.skipped, experiments, shown],
        }
