"""From a config to a study: checked, completed with defaults, and spelt out.

Every job of the workflow reads the config again, so nothing heavy is imported here.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import yaml

from ..competitors.packages import how_to_install, missing_extra
from ..fetching import cache_folder, embedded_datasets, local_file
from ..files import checksum
from ..paper_study import paper_datasets
from ..protocol import LABEL_NOISE, PAPER, Protocol
from . import paths
from .identity import own_code
from .model import Experiment, Json, Method, Study, Table
from .names import PAPER_COLUMN
from .schema import ConfigError, check, require_known, with_defaults

RULES = (
    *("all", "study", "mark_results", "fetch_dataset", "prepare_dataset", "split_rows"),
    *("compile_kernels", "estimate_noise", "run_gp", "run_baseline", "collect_runs", "join_runs"),
    *("compare_methods", "score_claims", "draw_figures", "illustrations", "write_report"),
    *("report_so_far", "runs"),
)
"""Names of the workflow's rules, which no experiment can have."""
UNLIMITED = 1_000_000
"""Generations of runs that time ends."""
PAPERS = {"paper": PAPER, "label_noise": LABEL_NOISE}
"""The paper's protocols."""
LONGEST_NAME = 200
"""Bytes of a name that becomes part of a path."""


# -- reading -------------------------------------------------------------------------------------


def read_study(
    config: Json, schema: str | Path, catalogue: str | Path, places: tuple[str, ...] = ()
) -> Study:
    """Check a config against the schema and the catalogue of methods, and spell it out.

    `places` are folders in which classes of the user's own are looked for, beside Python's path.
    """
    rules = yaml.safe_load(Path(schema).read_text(encoding="utf-8"))
    check(config, rules)
    config = with_defaults(config, rules)
    _check_results_folder(config["results"])
    config["results"] = str(Path(config["results"]))  # "a//b/" has Snakemake warn of each file
    known = yaml.safe_load(Path(catalogue).read_text(encoding="utf-8"))
    check(known, {"additionalProperties": {"$ref": "#/$defs/method"}, "$defs": rules["$defs"]})
    definitions = known | config["methods"]
    for name, definition in definitions.items():
        _check_method(name, definition)
    config["datasets"] = _spell_out_datasets(config)
    own = {
        name: Table(
            str(Path(entry["file"])),
            entry["target"],
            tuple(entry["nominal"]),
            checksum(entry["file"]),
        )
        for name, entry in config["own_data"].items()
        if name in config["datasets"]
    }
    protocols = _protocols(config)
    definitions |= _timed_methods(config["experiments"], definitions)
    experiments, skipped = _experiments(config, definitions, protocols)
    used = {name for experiment in experiments.values() for name in experiment.methods}
    methods = {
        name: _method(name, definition, config["seeds_per_job"], places)
        for name, definition in definitions.items()
        if name in used
    }
    _check_slugs(methods)
    for name in config["curve_datasets"] or ():
        require_known(name, config["datasets"], "curve_datasets", "dataset of the study")
    return Study(config, own, methods, protocols, experiments, skipped)


def _method(name: str, definition: Json, seeds_per_job: int, places: tuple[str, ...]) -> Method:
    about_jobs = ("seeds_per_job", "mem_mb", "run_minutes")
    method = Method(
        name,
        {key: value for key, value in definition.items() if key not in about_jobs},
        definition.get("seeds_per_job", seeds_per_job),
        definition.get("mem_mb"),
        definition.get("run_minutes"),
        places,
    )
    if method.own_class and own_code(method.own_class, *places) is None:
        key = "gp.regularizer" if method.is_gp else "estimator"
        raise ConfigError(
            f"methods.{name}.{key}: Python finds no module for {method.own_class}. Put its file "
            "beside the config, or its folder into PYTHONPATH."
        )
    return method


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
    """What a config names is imported later, which of some modules does things by itself.

    So nothing is let through that holds no method: Python's own library, and what libraries do not
    mean for others, such as package.__main__ and package.tests.
    """
    parts = path.split(".")
    if parts[0] in sys.stdlib_module_names:
        raise ConfigError(f"{where}: {path} is of Python's own library, which has no such class.")
    private = [part for part in parts if part.startswith("_") or part in ("tests", "conftest")]
    if private:
        raise ConfigError(
            f"{where}: {path} is not for others to import ({private[0]}); give a public path."
        )


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
    place = Path(folder)
    if any(len(part.encode()) > LONGEST_NAME for part in place.parts):
        raise ConfigError(f"results: a name in it has more than {LONGEST_NAME} bytes; shorten it.")
    for part in (place, *place.parents):
        if part.exists() and not part.is_dir():
            raise ConfigError(f"results: {str(part)!r} is a file; name a folder.")
    if place.resolve() in (Path.cwd(), *Path.cwd().parents):
        raise ConfigError(f"results: {folder!r} is not a folder of its own; name one.")
    if not place.is_absolute() and not place.resolve().is_relative_to(Path.cwd().resolve()):
        raise ConfigError(
            f"results: {folder!r} leads through a link to {place.resolve()}; write that path if "
            "you mean it."
        )
    _refuse_others_folder(place)


def _refuse_others_folder(place: Path) -> None:
    """Whoever made the files in a folder wants to keep them."""
    if not place.exists() or any((place / mark).exists() for mark in (paths.MARK, paths.LOCK)):
        return
    for path in sorted(place.iterdir()):
        if path.name.startswith(".") or path.name == "README.md":
            continue
        if not any((path / mark).exists() for mark in (paths.MARK, paths.LOCK)):
            raise ConfigError(
                f"results: {str(place)!r} holds {path.name!r}, which vjmgp did not make; name an "
                "empty or a new folder."
            )


def _refuse_signs(path: str, where: str) -> None:
    """Refuse what Snakemake takes for something to fill in."""
    strange = set("{}<>") & set(path)
    if strange:
        signs = " ".join(sorted(strange))
        raise ConfigError(f"{where}: {path!r} may not have any of {signs}; choose another name.")


def _check_slugs(methods: dict[str, Method]) -> None:
    """Names of methods become parts of paths and columns of tables."""
    names: dict[str, str] = {}
    for name, method in methods.items():
        if len(method.slug) > LONGEST_NAME:
            raise ConfigError(
                f"methods.{name[:40]}…: the name has more than {LONGEST_NAME} letters; shorten it."
            )
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
    protocols = dict(PAPERS)
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
                    f"experiments.{name}.seconds: {method!r} is not genetic programming, so time "
                    "cannot end its runs; leave it out."
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
        rules = protocols[entry["protocol"]]
        kinds = [kind for kind, rule in PAPERS.items() if rule == rules]
        timed = dict(zip(entry["methods"], names, strict=True)) if "seconds" in entry else {}
        experiments[name] = Experiment(
            name,
            entry.get("title", name.replace("_", " ").capitalize()),
            list(dict.fromkeys(methods)),
            [dataset for dataset in config["datasets"] if dataset in chosen],
            entry["protocol"],
            rules.describe(),
            kinds[0] if kinds else None,
            timed,
            entry.get("seconds"),
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
        if not Path(entry["file"]).is_file():
            raise ConfigError(f"own_data.{name}.file: there is no file {entry['file']!r}.")
        if name == "embedded":
            raise ConfigError(f"own_data.{name}: the word stands for the shipped datasets.")
        if name in paper_datasets() and name in names:
            raise ConfigError(f"own_data.{name}: PMLB has a dataset of this name; choose another.")
    return names
