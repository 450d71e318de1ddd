"""Make a study from a config: check it, fill in defaults, and resolve names.

Every job of the workflow reads the config again, so nothing heavy is imported here.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import yaml

from ...competitors.packages import how_to_install, missing_extra
from ...core.files import checksum
from ...core.import_policy import refuse_import
from ...engine.paper_names import regularizer_name
from ...tables.paper_datasets import paper_datasets
from ...tables.pmlb import cache_folder, embedded_datasets, local_file
from .. import paths
from ..names import IN_THE_PAPER
from ..plan.identities import own_code
from ..plan.study import Experiment, Json, Method, Study, Table
from ..protocols import LABEL_NOISE, PAPER, SRBENCH, Protocol
from ..published.index import HOME, INDEX, Published, read_published
from ..steps import RULES
from .schema import ConfigError, Problems, require_known, valid_part, with_defaults

ALL_PUBLISHED = "published"
"""The word that stands for all published methods or datasets."""
UNLIMITED = 1_000_000
"""Generations of runs that are limited by time."""
PAPERS = {"paper": PAPER, "label_noise": LABEL_NOISE}
"""The paper's protocols."""
LONGEST_NAME = 200
"""Bytes of a name that becomes part of a path."""


def read_study(
    config: Json,
    schema: str | Path,
    catalogue: str | Path,
    places: tuple[str, ...] = (),
    home: Path | None = None,
) -> Study:
    """Check a config against the schema and the catalogue of methods, and make the study.

    `places` are folders that are searched for users' classes after Python's path. `home` is the
    folder of the workflow, which may have published runs. One error has all problems of the config.
    """
    found = Problems()
    study = read_valid_part(config, schema, catalogue, places, home, found)
    found.raise_any()
    assert study is not None
    return study


def read_valid_part(
    config: Json,
    schema: str | Path,
    catalogue: str | Path,
    places: tuple[str, ...],
    home: Path | None,
    found: Problems,
) -> Study | None:
    """Return the study of what is valid in a config, None if there is too little.

    Problems are added to `found`. What refers to an invalid entry is left out without another.
    """
    rules, known = (
        yaml.safe_load(Path(p).read_text(encoding="utf-8")) for p in (schema, catalogue)
    )
    valid = valid_part(config, rules, found)
    study = None
    with found.collected():
        if valid:
            study = _study_of(with_defaults(valid, rules), config, known, places, home, found)
    return study


def _study_of(
    config: Json,
    written: Json,
    known: Json,
    places: tuple[str, ...],
    home: Path | None,
    found: Problems,
) -> Study | None:
    """Return the study of a config with defaults; `written` has its invalid entries, too."""
    _name_regularizers(config["methods"])
    with found.collected():
        _check_results_folder(config["results"])
    config["results"] = str(Path(config["results"]))  # Snakemake warns of each file in "a//b/"
    published = _published(config, home)
    not_run = _resolve_published(config, known, published)
    definitions: dict[str, Json] = {}
    for name, definition in (known | config["methods"]).items():
        faults = list(_method_faults(name, definition))
        found += faults
        definitions |= {} if faults else {name: definition}
    named = config["datasets"]
    config["datasets"] = _resolve_datasets(config, set(written.get("own_data") or ()), found)
    own = {
        name: Table(
            str(Path(e["file"])),
            e["target"],
            tuple(e["nominal"]),
            checksum(e["file"]),
            tuple(e.get("na_values", ())),
            e.get("missing", "error"),
        )
        for name, e in config["own_data"].items()
        if name in config["datasets"]
    }
    protocols = _protocols(config, found)
    for entry in config["experiments"].values():  # what is invalid has been reported
        invalid = {*(written.get("methods") or ())} - definitions.keys()
        entry["methods"] = [name for name in entry["methods"] if name not in invalid]
        unusable = set(named) - set(config["datasets"])
        if "datasets" in entry:
            entry["datasets"] = [name for name in entry["datasets"] if name not in unusable]
    experiments: dict[str, Experiment] = {}
    for name, entry in config["experiments"].items():
        faults = list(_unknown_names(name, entry, config, definitions, protocols))
        found += faults
        is_known = entry["protocol"] in protocols and entry["methods"] and not faults
        if is_known:
            with found.collected():
                timed = _timed_methods(name, entry, definitions)
                experiments[name] = _experiment(name, entry, config, protocols)
                definitions |= timed
    used = {name for experiment in experiments.values() for name in experiment.methods}
    methods = {
        name: _method(name, definition, config["seeds_per_job"], places)
        for name, definition in definitions.items()
        if name in used
    }
    _check_slugs(methods)
    for name in config["curve_datasets"] or ():
        with found.collected():
            every = [*config["datasets"], *named]
            require_known(name, every, "curve_datasets", "dataset of the study")
    if found and not any(entry.datasets for entry in experiments.values()):
        return None
    reused: Json = {"published": published, "not_run": not_run}
    return _without_unavailable(Study(config, own, methods, protocols, experiments, **reused))


def _name_regularizers(methods: Json) -> None:
    """Replace the paper's names of regularisers: the name is part of the identity of runs."""
    for definition in methods.values():
        if "regularizer" in definition.get("gp", {}):
            definition["gp"]["regularizer"] = regularizer_name(definition["gp"]["regularizer"])


def _method(name: str, definition: Json, seeds_per_job: int, places: tuple[str, ...]) -> Method:
    about_jobs = {"seeds_per_job": seeds_per_job, "mem_mb": None, "run_minutes": None}
    jobs: Json = {key: definition.get(key, default) for key, default in about_jobs.items()}
    settings = {key: value for key, value in definition.items() if key not in jobs}
    return Method(name, settings, places=places, **jobs)


def _method_faults(name: str, definition: Json) -> Iterator[str]:
    """Yield problems of a method's definition."""
    where = f"methods.{name}"
    if ("gp" in definition) == ("estimator" in definition):
        yield f"{where}: give either 'gp' or 'estimator'."
    if "estimator" not in definition and {"grid", "settings"} & set(definition):
        yield f"{where}: 'grid' and 'settings' belong to 'estimator'."
    gp = definition.get("gp", {})
    yield from _import_faults(definition.get("estimator", ""), f"{where}.estimator")
    yield from _import_faults(gp.get("regularizer", ""), f"{where}.gp.regularizer")
    grids = [("grid", part) for part in grids_of(definition)]
    for part, entries in [("settings", definition.get("settings", {})), *grids]:
        for key, value in entries.items():
            for item in value if isinstance(value, list) else [value]:
                if str(key).split("__")[-1] == "regularizer":
                    yield from _import_faults(str(item), f"{where}.{part}.{key}")
                if isinstance(item, str) and re.fullmatch(r"[+-]?[\d.]+(e[+-]?\d+)?", item, re.I):
                    yield (
                        f"{where}.{part}.{key}: {item!r} is text to YAML, not a number; write it "
                        "with a point, such as 1.0e-4."
                    )
    low, high = gp.get("init_depth", (0, 0))
    if not low <= high <= gp.get("max_depth", 10):
        yield f"{where}.gp.init_depth: it must be [low, high] ≤ max_depth."


def _import_faults(path: str, where: str) -> Iterator[str]:
    """Yield why a path must not be imported: importing its module has side effects."""
    try:
        if "." in path:
            refuse_import(path)
    except ValueError as error:
        yield f"{where}: {error}"


def grids_of(definition: Json) -> list[Json]:
    """Return the grids of a method as a list."""
    grid = definition.get("grid", {})
    return grid if isinstance(grid, list) else [grid]


def _check_slugs(methods: dict[str, Method]) -> None:
    """Raise if the name of a method cannot be part of paths and a column of tables."""
    names: dict[str, str] = {}
    found = Problems()
    for name, method in methods.items():
        fault = None
        if len(method.slug) > LONGEST_NAME:
            fault = f"the name has more than {LONGEST_NAME} letters; shorten it."
        elif not re.search("[A-Za-z0-9]", method.slug):
            fault = "the name needs a letter a to z or a digit."
        elif name == "dataset" or name.endswith(IN_THE_PAPER):
            fault = "tables have a column of this name; choose another."
        elif names.setdefault(method.slug, name) != name:
            like = names[method.slug]
            fault = f"its files would be called {method.slug!r}, like those of {like!r}; rename it."
        if fault:
            found.append(f"methods.{name[:LONGEST_NAME]}: {fault}")
    found.raise_any()


def _check_results_folder(folder: str) -> None:
    place, here = Path(folder), Path.cwd()
    _refuse_signs(folder, "results")
    if ".." in place.parts or folder.startswith("~"):
        raise ConfigError(
            f"results: {folder!r} would lead out of this directory, or into one called '~'; write "
            "the whole path if you mean it."
        )
    if any(len(part.encode()) > LONGEST_NAME for part in place.parts):
        raise ConfigError(f"results: a name in it has more than {LONGEST_NAME} bytes; shorten it.")
    for part in (place, *place.parents):
        if part.exists() and not part.is_dir():
            raise ConfigError(f"results: {str(part)!r} is a file; name a folder.")
    if place.resolve() in (here, *here.parents):
        raise ConfigError(
            f"results: {folder!r} contains the working directory; name another folder."
        )
    if not place.is_absolute() and not place.resolve().is_relative_to(here.resolve()):
        raise ConfigError(
            f"results: {folder!r} leads through a link to {place.resolve()}; write that path if "
            "you mean it."
        )
    for path in sorted(place.iterdir()) if place.exists() and not _is_ours(place) else ():
        known = path.name.startswith(".") or path.name == "README.md" or (path / INDEX).is_file()
        if not (known or _is_ours(path)):
            raise ConfigError(
                f"results: {folder!r} holds {path.name!r}, which vjmgp did not make; name an empty "
                "or a new folder."
            )


def _is_ours(folder: Path) -> bool:
    """Return whether vjmgp made a folder; nothing is written into any other."""
    return any((folder / mark).exists() for mark in (paths.MARK, paths.LOCK))


def _refuse_signs(path: str, where: str) -> None:
    """Raise if a path has characters that Snakemake takes for a wildcard."""
    strange = set("{}<>") & set(path)
    if strange:
        signs = " ".join(sorted(strange))
        raise ConfigError(f"{where}: {path!r} may not have any of {signs}; choose another name.")


def _protocols(config: Json, found: Problems) -> dict[str, Protocol]:
    protocols: dict[str, Protocol] = PAPERS | {"srbench": SRBENCH}
    for name, entry in config["protocols"].items():
        if name in protocols:
            found.append(f"protocols.{name}: this protocol exists already; choose another name.")
        elif ("train_rows" in entry) == ("train_share" in entry):
            found.append(f"protocols.{name}: give either 'train_rows' or 'train_share'.")
        else:
            protocols[name] = Protocol(**{"train_rows": None} | entry)
    return protocols


def _timed_methods(name: str, entry: Json, definitions: dict[str, Json]) -> dict[str, Json]:
    """Return variants with a time limit, if the experiment gives `seconds`."""
    timed = {}
    for method, variant in _names(entry).items() if "seconds" in entry else ():
        definition, limit = definitions[method], entry["seconds"]
        if "gp" not in definition:
            raise ConfigError(
                f"experiments.{name}.seconds: {method!r} is not genetic programming, so its "
                "runs cannot be limited by time; leave it out."
            )
        minutes = 0.4
        if isinstance(limit, str):
            first = definitions[entry["methods"][0]]
            limit = {"share": float(limit.rstrip(" %")) / 100.0, "of": first["gp"]}
        else:
            minutes = 0.2 + 2.0 * limit / 60.0
        timed[variant] = definition | {
            "gp": definition["gp"] | {"generations": UNLIMITED, "max_time": limit},
            "run_minutes": minutes,
        }
    return timed


def _names(entry: Json) -> dict[str, str]:
    """Return the methods of an experiment with their names, which include a time limit."""
    limit = entry.get("seconds", "")
    words = limit if isinstance(limit, str) else f"{limit:g} s"
    return {method: f"{method} {words}".rstrip() for method in entry["methods"]}


def _unknown_names(
    name: str,
    entry: Json,
    config: Json,
    definitions: dict[str, Json],
    protocols: dict[str, Protocol],
) -> Problems:
    """Return the names in an experiment that nothing has."""
    where, found = f"experiments.{name}", Problems()
    names = [(f"{where}.methods", method, definitions, "method") for method in entry["methods"]]
    for dataset in entry.get("datasets", ()):
        names.append((f"{where}.datasets", dataset, config["datasets"], "dataset of the study"))
    every = {**config["protocols"], **protocols}
    names.append((f"{where}.protocol", entry["protocol"], every, "protocol"))
    for place, word, known, what in names:
        with found.collected():
            require_known(word, known, place, what)
    return found


def _experiment(name: str, entry: Json, config: Json, protocols: dict[str, Protocol]) -> Experiment:
    where, names = f"experiments.{name}", _names(entry)
    if name in RULES:
        raise ConfigError(f"{where}: a rule of the workflow has this name; choose another.")
    chosen = (entry if "datasets" in entry else config)["datasets"]
    rules = protocols[entry["protocol"]]
    if rules.most_seeds is not None and config["seeds"] > rules.most_seeds:
        raise ConfigError(
            f"seeds is {config['seeds']}, but the protocol {entry['protocol']!r} of {where} "
            f"has {rules.most_seeds} splits; use at most {rules.most_seeds} seeds."
        )
    return Experiment(
        name,
        entry.get("title", name.replace("_", " ").capitalize()),
        list(names.values()),
        [dataset for dataset in config["datasets"] if dataset in chosen],
        entry["protocol"],
        rules.describe(),
        next((kind for kind, rule in PAPERS.items() if rule == rules), None),
        names if "seconds" in entry else {},
    )


def _published(config: Json, home: Path | None) -> Published | None:
    """Return the published runs of the folder that the config names, or of the workflow."""
    named = config["published_folder"]
    folder = Path(named) if named else (home or Path()) / HOME
    if config["published"] == "ignore" or not (named or home):
        return None
    published = read_published(folder)
    if published is None and (named or config["published"] == "only"):
        key = "published_folder" if named else "published"
        raise ConfigError(
            f"{key}: there are no published runs in {str(folder)!r}. They are in {HOME} of the "
            "repository of vjmgp."
        )
    return published


def _resolve_published(config: Json, known: Json, published: Published | None) -> frozenset[str]:
    """Replace the word "published" in a config by the names of published methods and datasets.

    Return the methods that are named nowhere else: their unpublished runs are not computed.
    """
    cells = published.cells.values() if published else ()

    def resolved(names: list[str], kind: str, every: Iterable[str]) -> list[str]:
        if ALL_PUBLISHED not in names:
            return names
        if not published:
            raise ConfigError(
                f"{kind}: {ALL_PUBLISHED!r}: no runs are published here. Clone the repository of "
                f"vjmgp and name its folder {HOME} in 'published_folder'."
            )
        parts = (every if name == ALL_PUBLISHED else [name] for name in names)
        return list(dict.fromkeys(name for part in parts for name in part))

    found = {cell.dataset for cell in cells}
    ordered = [*(name for name in paper_datasets() if name in found), *sorted(found)]
    config["datasets"] = resolved(config["datasets"], "datasets", ordered)
    named = {name for entry in config["experiments"].values() for name in entry["methods"]}
    added: set[str] = set()
    for name, entry in config["experiments"].items():
        names = {cell.method for cell in cells if cell.protocol == entry["protocol"]}
        methods = [method for method in known if method in names - set(config["methods"])]
        where = f"experiments.{name}.methods"
        entry["methods"] = resolved(entry["methods"], where, methods)
        added |= set(entry["methods"]) - named
    return frozenset(added)


def _without_unavailable(study: Study) -> Study:
    """Return the study without methods and datasets that have neither computed nor reused runs."""
    config, only = study.config, study.config["published"] == "only"
    reused = {cell.method for cell in study.cells() if study.seeds_reused(cell)}
    missing: dict[str, str] = {}
    found = Problems()
    for name, method in study.methods.items():
        extra = missing_extra(method.definition.get("estimator", ""))
        if extra and name in study.methods_to_run:
            missing[name] = extra
        elif not extra and (name in study.methods_to_run or name not in reused):
            with found.collected():
                _require_own_class(method)
    found.raise_any()
    if missing and config["unavailable"] == "refuse":
        raise ConfigError(
            f"experiments: packages are missing for {', '.join(missing)}. Install them: "
            f"{how_to_install(missing.values())}; or skip these methods: --config unavailable=skip"
        )
    study = replace(study, skipped=list(missing))
    least = 2 if only else 1  # a report of published runs compares methods
    experiments = {}
    for name, entry in study.experiments.items():
        cells = [c for c in study.cells(name) if study.seeds_reused(c) or study.seeds_to_run(c)]
        names = dict.fromkeys(cell.method for cell in cells)
        with_runs = {cell.dataset for cell in cells}
        datasets = [dataset for dataset in entry.datasets if dataset in with_runs]
        if len(names) >= min(least, len(entry.methods)):
            experiments[name] = replace(entry, methods=list(names), datasets=datasets)
    if not experiments:
        why = "none of their runs is published" if only else "packages of all methods are missing"
        raise ConfigError(f"experiments: {why}.")
    used = {name for entry in experiments.values() for name in entry.methods}
    methods = {name: method for name, method in study.methods.items() if name in used}
    left_out = _not_published(study) if only else []
    return replace(study, experiments=experiments, methods=methods, missing=left_out)


def _require_own_class(method: Method) -> None:
    """Raise if Python cannot find the module of a method's class."""
    if method.own_class and own_code(method.own_class, *method.places) is None:
        key = "gp.regularizer" if method.is_gp else "estimator"
        raise ConfigError(
            f"methods.{method.name}.{key}: Python cannot find the module of {method.own_class}. "
            "Put its file beside the config, or its folder on PYTHONPATH; or install its package."
        )


def _not_published(study: Study) -> list[str]:
    """Return sentences about methods and datasets without published runs."""
    runs = {cell: study.seeds_reused(cell) for cell in study.cells()}
    datasets = {cell.dataset for cell in runs if runs[cell]}
    no_method, part = [], []
    for name in study.methods:
        found = [runs[c] for c in runs if c.method == name and c.dataset in datasets]
        if not any(found):
            no_method.append(name)
        elif sum(found) < len(found) * study.seeds:
            part.append(f"{name} ({sum(found)} of {len(found) * study.seeds} runs)")
    lines = {
        "No runs are published on": [name for name in study.datasets if name not in datasets],
        "No runs are published of": no_method,
        "A part is published of": part,
    }
    return [f"{words} {', '.join(names)}." for words, names in lines.items() if names]


def _resolve_datasets(config: Json, written: set[str], found: Problems) -> list[str]:
    """Return the datasets that can be read; `written` are the names of the user's tables."""
    own, cache = config["own_data"], cache_folder(config["pmlb_cache"])
    names: dict[str, None] = {}
    for name in config["datasets"]:
        names |= dict.fromkeys(embedded_datasets() if name == "embedded" else [name])
    at_hand = written | set(own) | set(paper_datasets())
    unusable = written - own.keys()
    strange = [name for name in names if name not in at_hand and not local_file(name, cache)]
    if strange:
        from pmlb import regression_dataset_names  # slow to import

        known = [*own, *regression_dataset_names]
        for name in strange:
            if name not in known:
                unusable.add(name)
                with found.collected():
                    require_known(name, known, "datasets", "PMLB regression dataset")
    for name, entry in own.items():
        faults = Problems()
        with faults.collected():
            _check_own_table(name, entry, names)
        unusable |= {name} if faults else set()
        found += faults
    return [name for name in names if name not in unusable]


def _check_own_table(name: str, entry: Json, datasets: Iterable[str]) -> None:
    _refuse_signs(entry["file"], f"own_data.{name}.file")
    if not Path(entry["file"]).is_file():
        raise ConfigError(f"own_data.{name}.file: there is no file {entry['file']!r}.")
    if name == "embedded":
        raise ConfigError(f"own_data.{name}: the word stands for the shipped datasets.")
    if name in paper_datasets() and name in datasets:
        raise ConfigError(f"own_data.{name}: PMLB has a dataset of this name; choose another.")
