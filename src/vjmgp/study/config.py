"""A study as described by its config: checked, completed with defaults, and spelt out.

Every job of the workflow reads the config again, so nothing heavy is imported here.
"""

from __future__ import annotations

import csv
import functools
import importlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from ..competitors.packages import how_to_install, missing_extra
from ..engine.identity import hash_of_files
from ..fetching import cache_folder, embedded_datasets, local_file, package_folder
from ..imports import refuse_import
from ..protocol import LABEL_NOISE, PAPER, Protocol
from .schema import ConfigError, Json, check, require_known, with_defaults

PACKAGE = Path(__file__).parent.parent
RULES = (
    *("all", "study", "fetch_dataset", "prepare_dataset", "split_rows", "compile_kernels"),
    *("estimate_noise", "run_gp", "run_baseline", "collect_runs", "join_runs"),
    *("compare_methods", "score_claims", "draw_figures", "illustrations"),
    *("write_report", "report_so_far", "runs"),
)
"""Names of the workflow's rules, which no experiment can have."""
SHARED_KERNELS = "jensen_gap-lexicase"
"""The variant whose kernels include those of the noise estimate."""
PAPER_COLUMN = "VJM in the paper"
"""A column of the table of medians, as are the methods."""

UNLIMITED = 1_000_000
"""Generations of runs that time ends."""


@dataclass(frozen=True)
class Table:
    """A dataset of the user's own."""

    file: str
    target: str
    nominal: tuple[str, ...] = ()


@dataclass(frozen=True)
class Method:
    """A learner with its settings."""

    name: str
    definition: Json
    """As in the config, without what only concerns jobs."""
    seeds_per_job: int
    mem_mb: int | None = None
    run_minutes: float | None = None

    @property
    def slug(self) -> str:
        """The name as part of a file's path."""
        return slug(self.name)

    @property
    def is_gp(self) -> bool:
        """Whether it is one of ours."""
        return "gp" in self.definition

    @property
    def regularizer(self) -> str:
        """The regulariser of a method of genetic programming."""
        return str(self.definition["gp"].get("regularizer", "jensen_gap"))

    @property
    def kernels(self) -> str:
        """Regulariser and selection operator: what its compiled kernels depend on."""
        return f"{self.regularizer}-{self.definition['gp'].get('selection', 'lexicase')}"


@dataclass(frozen=True)
class Experiment:
    """One comparison."""

    name: str
    title: str
    methods: list[str]
    datasets: list[str]
    protocol: str


@dataclass(frozen=True)
class Study:
    """The whole study, spelt out."""

    config: Json
    """The config with all defaults."""
    own_data: dict[str, Table]
    methods: dict[str, Method]
    """By name; those that experiments use."""
    protocols: dict[str, Protocol]
    experiments: dict[str, Experiment]
    skipped: list[str] = field(default_factory=list)
    """Methods that were asked for and whose packages are missing."""

    @property
    def results(self) -> Path:
        """The folder that everything goes to."""
        return Path(self.config["results"])

    @property
    def datasets(self) -> list[str]:
        """Those that experiments use, in the config's order."""
        used = {name for experiment in self.experiments.values() for name in experiment.datasets}
        return [name for name in self.config["datasets"] if name in used]

    @property
    def seeds(self) -> int:
        """How many runs each method has on each dataset."""
        return int(self.config["seeds"])

    def split_blocks(self) -> list[str]:
        """The blocks of seeds that splits and noise estimates are made for."""
        return blocks(self.seeds, int(self.config["seeds_per_job"]))

    def blocks(self, method: str) -> list[str]:
        """The blocks of seeds that jobs of a method run, such as "0-9"."""
        return blocks(self.seeds, self.methods[method].seeds_per_job)

    def run_files(self, experiment: str) -> list[str]:
        """The files with the runs of an experiment."""
        entry = self.experiments[experiment]
        folder = f"{self.config['results']}/runs/{entry.protocol}"
        return [
            f"{folder}/{dataset}/{self.methods[name].slug}/seeds_{block}.jsonl"
            for name in entry.methods
            for dataset in entry.datasets
            for block in self.blocks(name)
        ]

    def all_run_files(self) -> list[str]:
        """The files with the runs of all experiments, which may share some: each of them once."""
        files = (path for name in self.experiments for path in self.run_files(name))
        return list(dict.fromkeys(files))

    def sources(self, experiment: str) -> list[str]:
        """What the runs of an experiment are made from: tables, splits and noise estimates."""
        entry, results = self.experiments[experiment], self.config["results"]
        names = ("data.parquet", "facts.json")
        fetched = (*names, "source.tsv.gz", "source.json")
        steps = ["splits", "noise"] if self._has_gp(entry) else ["splits"]
        return [
            f"{results}/datasets/{dataset}/{name}"
            for dataset in entry.datasets
            for name in (names if dataset in self.own_data else fetched)
        ] + [
            f"{results}/{step}/{entry.protocol}/{dataset}/seeds_{block}.json"
            for step in steps
            for dataset in entry.datasets
            for block in self.split_blocks()
        ]

    def _has_gp(self, experiment: Experiment) -> bool:
        return any(self.methods[name].is_gp for name in experiment.methods)

    @functools.cached_property
    def methods_by_slug(self) -> dict[str, Method]:
        """The methods by the part of a path that their name makes."""
        return {method.slug: method for method in self.methods.values()}


def slug(name: str) -> str:
    """A name as part of a file's path."""
    return re.sub(r"[^A-Za-z0-9.+=-]+", "_", name).strip("_")


def blocks(seeds: int, size: int) -> list[str]:
    """Seeds 0, 1, … in blocks; more seeds add blocks and leave the full ones as they are."""
    return [f"{first}-{min(first + size, seeds) - 1}" for first in range(0, seeds, size)]


def seeds_of(block: str) -> range:
    """The seeds of a block."""
    first, last = block.split("-")
    return range(int(first), int(last) + 1)


def code_id(*names: str) -> str:
    """A hash of files of this package: what a step's results depend on beyond its inputs.

    A folder stands for all files in it.
    """
    paths = [PACKAGE / name for name in names]
    inside = [path for folder in paths if folder.is_dir() for path in folder.rglob("*.*")]
    files = [path for path in (*paths, *inside) if path.is_file() and path.suffix != ".pyc"]
    return hash_of_files(files, PACKAGE)


# -- reading -------------------------------------------------------------------------------------


def read_study(config: Json, schema: Path, catalogue: Path) -> Study:
    """Check a config against the schema and the catalogue of methods, and spell it out."""
    rules = yaml.safe_load(schema.read_text(encoding="utf-8"))
    check(config, rules)
    config = with_defaults(config, rules)
    _check_results_folder(config["results"])
    config["results"] = str(Path(config["results"]))  # "a//b/" has Snakemake warn of each file
    known = yaml.safe_load(catalogue.read_text(encoding="utf-8"))
    check(known, {"additionalProperties": {"$ref": "#/$defs/method"}, "$defs": rules["$defs"]})
    definitions = known | config["methods"]
    for name, definition in definitions.items():
        _check_method(name, definition)
    config["datasets"] = _spell_out_datasets(config)
    own = {
        name: Table(str(Path(entry["file"])), entry["target"], tuple(entry["nominal"]))
        for name, entry in config["own_data"].items()
    }
    protocols = _protocols(config)
    definitions |= _timed_methods(config["experiments"], definitions)
    experiments, skipped = _experiments(config, definitions, protocols)
    used = {name for experiment in experiments.values() for name in experiment.methods}
    methods = {
        name: _method(name, definition, config["seeds_per_job"])
        for name, definition in definitions.items()
        if name in used
    }
    _check_slugs(methods)
    for name in config["curve_datasets"] or ():
        require_known(name, config["datasets"], "curve_datasets", "dataset of the study")
    return Study(config, own, methods, protocols, experiments, skipped)


def _method(name: str, definition: Json, seeds_per_job: int) -> Method:
    about_jobs = ("seeds_per_job", "mem_mb", "run_minutes")
    return Method(
        name,
        {key: value for key, value in definition.items() if key not in about_jobs},
        definition.get("seeds_per_job", seeds_per_job),
        definition.get("mem_mb"),
        definition.get("run_minutes"),
    )


def _check_method(name: str, definition: Json) -> None:
    if ("gp" in definition) == ("estimator" in definition):
        raise ConfigError(f"methods.{name}: give either 'gp' or 'estimator'.")
    if "estimator" not in definition and {"grid", "settings"} & set(definition):
        raise ConfigError(f"methods.{name}: 'grid' and 'settings' belong to 'estimator'.")
    if "estimator" in definition:
        _check_import(definition["estimator"], f"methods.{name}.estimator")
    elif "." in definition["gp"].get("regularizer", ""):
        _check_import(definition["gp"]["regularizer"], f"methods.{name}.gp.regularizer")
    grids = [("grid", part) for part in grids_of(definition)]
    for part, entries in [("settings", definition.get("settings", {})), *grids]:
        for key, value in entries.items():
            for item in value if isinstance(value, list) else [value]:
                if str(key).split("__")[-1] == "regularizer" and "." in str(item):
                    _check_import(str(item), f"methods.{name}.{part}.{key}")
                if isinstance(item, str) and _is_number(item):
                    raise ConfigError(
                        f"methods.{name}.{part}.{key}: {item!r} is text to YAML, not a number; "
                        "write it with a point, such as 1.0e-4."
                    )
    low, high = definition.get("gp", {}).get("init_depth", (0, 0))
    if not low <= high <= definition.get("gp", {}).get("max_depth", 10):
        raise ConfigError(f"methods.{name}.gp.init_depth: it must be [low, high] ≤ max_depth.")


def _check_import(path: str, where: str) -> None:
    """What a config names is imported later, which of some modules does things by itself."""
    try:
        refuse_import(path)
    except ValueError as error:
        raise ConfigError(f"{where}: {error}") from None


def grids_of(definition: Json) -> list[Json]:
    """The grids that a method is tuned over: one, or a list of them."""
    grid = definition.get("grid", {})
    return grid if isinstance(grid, list) else [grid]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.lower() not in ("nan", "inf", "infinity")


def _check_results_folder(folder: str) -> None:
    _refuse_signs(folder, "results")
    if ".." in Path(folder).parts or folder.startswith("~"):
        raise ConfigError(
            f"results: {folder!r} would lead out of this directory, or into one called '~'; write "
            "the whole path if you mean it."
        )
    if Path(folder).resolve() in (Path.cwd(), *Path.cwd().parents):
        raise ConfigError(f"results: {folder!r} is no folder of its own; name one.")
    if Path(folder).is_file():
        raise ConfigError(f"results: {folder!r} is a file; name a folder.")


def _refuse_signs(path: str, where: str) -> None:
    """Snakemake takes names in these signs for something that it has to fill in."""
    strange = set("{}<>") & set(path)
    if strange:
        signs = " ".join(sorted(strange))
        raise ConfigError(f"{where}: {path!r} may not have any of {signs}; choose another name.")


def _check_slugs(methods: dict[str, Method]) -> None:
    """Names of methods become parts of paths and columns of tables."""
    names: dict[str, str] = {}
    for name, method in methods.items():
        if not re.search("[A-Za-z0-9]", method.slug):
            raise ConfigError(f"methods.{name}: the name needs a letter a to z or a digit.")
        if name in ("dataset", PAPER_COLUMN):
            raise ConfigError(f"methods.{name}: tables have a column of this name; choose another.")
        other = names.setdefault(method.slug, name)
        if other != name:
            raise ConfigError(
                f"methods.{name}: its files would be called {method.slug!r}, like those of "
                f"{other!r}; choose another name."
            )


def _protocols(config: Json) -> dict[str, Protocol]:
    protocols = {"paper": PAPER, "label_noise": LABEL_NOISE}
    for name, entry in config["protocols"].items():
        if name in protocols:
            raise ConfigError(f"protocols.{name}: this one is there already; choose another name.")
        if ("train_rows" in entry) == ("train_share" in entry):
            raise ConfigError(f"protocols.{name}: give either 'train_rows' or 'train_share'.")
        protocols[name] = Protocol(
            entry.get("train_rows"), entry.get("train_share"), entry.get("label_noise", 0.0)
        )
    return protocols


def _timed_methods(experiments: Json, definitions: dict[str, Json]) -> dict[str, Json]:
    """Variants whose runs end by time, for the experiments that give `seconds`."""
    timed = {}
    for name, entry in experiments.items():
        if "seconds" not in entry:
            continue
        seconds = entry["seconds"]
        for method, variant in zip(entry["methods"], _methods_of(entry), strict=True):
            require_known(method, definitions, f"experiments.{name}.methods", "method")
            definition = definitions[method]
            if "gp" not in definition:
                raise ConfigError(
                    f"experiments.{name}.seconds: {method!r} is no genetic programming, whose runs "
                    "time can end; leave it out."
                )
            timed[variant] = definition | {
                "gp": definition["gp"] | {"generations": UNLIMITED, "max_time": seconds},
                "run_minutes": 0.2 + 2.0 * seconds / 60.0,
            }
    return timed


def _methods_of(entry: Json) -> list[str]:
    """The methods of an experiment; those whose runs end by time are named by it."""
    time = f" {entry['seconds']:g} s" if "seconds" in entry else ""
    return [method + time for method in entry["methods"]]


def _experiments(
    config: Json, definitions: dict[str, Json], protocols: dict[str, Protocol]
) -> tuple[dict[str, Experiment], list[str]]:
    experiments: dict[str, Experiment] = {}
    missing: dict[str, str] = {}
    for name, entry in config["experiments"].items():
        where = f"experiments.{name}"
        if name in RULES:
            raise ConfigError(f"{where}: a rule of the workflow has this name; choose another.")
        names = _methods_of(entry)
        for method in names:
            require_known(method, definitions, f"{where}.methods", "method")
            extra = missing_extra(definitions[method].get("estimator", ""))
            if extra:
                missing[method] = extra
        for dataset in entry.get("datasets", ()):
            require_known(dataset, config["datasets"], f"{where}.datasets", "dataset of the study")
        require_known(entry["protocol"], protocols, f"{where}.protocol", "protocol")
        methods = [method for method in names if method not in missing]
        chosen = entry.get("datasets", config["datasets"])
        experiments[name] = Experiment(
            name,
            entry.get("title", name.replace("_", " ").capitalize()),
            list(dict.fromkeys(methods)),
            [dataset for dataset in config["datasets"] if dataset in chosen],
            entry["protocol"],
        )
    if missing and config["unavailable"] == "refuse":
        raise ConfigError(
            f"experiments: packages are missing for {', '.join(missing)}. Install them: "
            f"{how_to_install(missing.values())}; or skip these methods: --config unavailable=skip"
        )
    with_methods = {name: e for name, e in experiments.items() if len(e.methods)}
    if not with_methods:
        raise ConfigError("experiments: the packages of all their methods are missing.")
    return with_methods, list(missing)


# -- datasets ------------------------------------------------------------------------------------


@functools.cache
def paper_datasets() -> dict[str, int | None]:
    """The paper's 58 datasets and their numbers of rows, where known."""
    text = (package_folder("paper") / "datasets.csv").read_text(encoding="utf-8")
    return {
        row["dataset"]: int(row["rows"]) if row["rows"] else None
        for row in csv.DictReader(text.splitlines())
    }


def _spell_out_datasets(config: Json) -> list[str]:
    own, cache = config["own_data"], cache_folder(config["pmlb_cache"])
    names: list[str] = []
    for name in config["datasets"]:
        names += embedded_datasets() if name == "embedded" else [name]
    names = list(dict.fromkeys(names))
    at_hand = set(own) | set(paper_datasets())
    strange = [name for name in names if name not in at_hand and not local_file(name, cache)]
    if strange:
        from pmlb import regression_dataset_names  # slow, and seldom needed

        for name in strange:
            require_known(
                name, [*own, *regression_dataset_names], "datasets", "PMLB regression dataset"
            )
    for name, entry in own.items():
        _refuse_signs(entry["file"], f"own_data.{name}.file")
        if not Path(entry["file"]).exists():
            raise ConfigError(f"own_data.{name}.file: there is no file {entry['file']!r}.")
        if name == "embedded":
            raise ConfigError(f"own_data.{name}: the word stands for the shipped datasets.")
        if name in paper_datasets() and name in names:
            raise ConfigError(f"own_data.{name}: PMLB has a dataset of this name; choose another.")
    return names


def not_at_hand(study: Study, fetched: Iterable[str] = ()) -> list[str]:
    """Datasets of the study that would have to be downloaded."""
    cache = cache_folder(study.config["pmlb_cache"])
    have = set(study.own_data) | set(fetched)
    return [name for name in study.datasets if name not in have and not local_file(name, cache)]


def load_class(path: str) -> Any:
    """A class by its import path."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)
