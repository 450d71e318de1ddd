"""A study: its methods, datasets and experiments, and the files that they ask for.

Every job of the workflow makes one from the config, so nothing heavy is imported here.
"""

from __future__ import annotations

import functools
import math
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ...engine.version import ENGINE_VERSION, source_hash
from .. import paths
from ..names import LABEL_NOISE, MANY_FORMULAS, NO_FORMULA, ONE_FORMULA, PAPER, SRBENCH
from ..paths import blocks, seeds_of
from ..published.index import DATASETS, Published, Taken
from .identity import COMPETITORS_VERSION, DATA_VERSION, code_of, identity, own_code

Json = dict[str, Any]
Cell = tuple[str, str, str]
"""Protocol, dataset, method."""
SHARED_KERNELS = "jensen_gap-lexicase"
"""The variant whose kernels include those of the noise estimate."""
SYMBOLIC = ("operon", "ffx", "gplearn", "pysr", "symbolic")
"""Parts of the import paths of other symbolic regressors."""
PLACES = ("results", "pmlb_cache", "warm_workers", "published")
"""Keys of a config that decide nothing that a report shows."""
OF_EXPERIMENT = ("collect_runs", "compare_methods", "compare_srbench", "draw_figures")
"""Steps that are done for each experiment, or for some."""
KINDS = {"model": ONE_FORMULA, "front": MANY_FORMULAS, "blend": NO_FORMULA}
"""What predicts in genetic programming, by `predict_with`."""


@dataclass(frozen=True)
class Table:
    """A dataset of the user's own."""

    file: str
    target: str
    nominal: tuple[str, ...] = ()
    sha256: str = ""


@dataclass(frozen=True)
class Method:
    """A learner with its settings."""

    name: str
    definition: Json
    """As in the config, without what only concerns jobs."""
    seeds_per_job: int = 10
    mem_mb: int | None = None
    run_minutes: float | None = None
    places: tuple[str, ...] = ()
    """Folders in which classes of the user's own are looked for, beside Python's path."""

    @property
    def slug(self) -> str:
        """The name as part of a path."""
        return re.sub(r"[^A-Za-z0-9.+=-]+", "_", self.name).strip("_")

    @property
    def is_gp(self) -> bool:
        """Whether it is one of ours."""
        return "gp" in self.definition

    @property
    def is_symbolic(self) -> bool:
        """Whether its models are formulas: ours, and those of other such programs."""
        path = self.definition.get("estimator", "").lower()
        return self.is_gp or any(name in path for name in SYMBOLIC)

    @property
    def kind(self) -> str:
        """What its models are: one formula, many, or none."""
        predictor = self.definition.get("gp", {}).get("predict_with", "model")
        return KINDS[predictor] if self.is_symbolic else NO_FORMULA

    @property
    def regularizer(self) -> str:
        """The regulariser of a method of genetic programming."""
        return str(self.definition["gp"].get("regularizer", "jensen_gap"))

    @property
    def kernels(self) -> str:
        """Regulariser and selection operator: what its compiled kernels depend on."""
        return f"{self.regularizer}-{self.definition['gp'].get('selection', 'lexicase')}"

    def minutes(self, runs: int) -> int:
        """Minutes that a cluster should give a job of so many runs: enough for slow machines."""
        if self.run_minutes:
            return math.ceil(runs * self.run_minutes)
        return max(5, math.ceil(runs * (0.2 if self.is_gp else 1.0)))

    @property
    def own_class(self) -> str | None:
        """The import path of its learner, or of a regulariser that is none of ours."""
        path = self.regularizer if self.is_gp else str(self.definition["estimator"])
        return path if "." in path else None

    @functools.cached_property
    def identity(self) -> str:
        """A hash of its settings and of the code that decides its runs, be it by version."""
        code = ENGINE_VERSION if self.is_gp else COMPETITORS_VERSION
        own = own_code(self.own_class, *self.places) if self.own_class else ""
        return identity(self.name, self.definition, code, own)


@dataclass(frozen=True)
class Experiment:
    """One comparison."""

    name: str
    title: str
    methods: list[str]
    """The first is compared with each of the others."""
    datasets: list[str]
    protocol: str
    protocol_text: str = ""
    papers_kind: str | None = None
    """Which of the paper's protocols it follows, if any."""
    timed: dict[str, str] = field(default_factory=dict)
    """Methods whose runs end by time, and the names of these variants."""
    seconds: float | None = None

    @property
    def follows_srbench(self) -> bool:
        """Whether its runs can stand beside those that SRBench has published."""
        return self.protocol == SRBENCH


@dataclass(frozen=True, eq=False)
class Study:
    """The whole study."""

    config: Json
    """The config with all defaults."""
    own_data: dict[str, Table]
    methods: dict[str, Method]
    """By name; those that experiments use."""
    protocols: dict[str, Any]
    experiments: dict[str, Experiment]
    skipped: list[str] = field(default_factory=list)
    """Methods whose packages are missing."""
    published: Published | None = None
    """Runs that are taken over instead of computed."""
    not_run: frozenset[str] = frozenset()
    """Methods of which no runs are computed here, though they may lack some."""
    missing: list[str] = field(default_factory=list)
    """What is not published of a study that shows what is, in sentences."""

    @property
    def results(self) -> Path:
        """The folder that everything goes to."""
        return Path(self.config["results"])

    @property
    def published_folder(self) -> str | None:
        """The folder that runs are taken over from."""
        return self.published.folder if self.published else None

    @functools.cached_property
    def datasets(self) -> list[str]:
        """Those that experiments use, in the config's order."""
        used = {name for experiment in self.experiments.values() for name in experiment.datasets}
        return [name for name in self.config["datasets"] if name in used]

    @property
    def seeds(self) -> int:
        """How many runs each method has on each dataset."""
        return int(self.config["seeds"])

    @property
    def significance(self) -> float:
        """Level of the tests."""
        return float(self.config["significance"])

    @functools.cached_property
    def methods_by_slug(self) -> dict[str, Method]:
        """The methods by the part of a path that their name makes."""
        return {method.slug: method for method in self.methods.values()}

    @property
    def symbolic(self) -> list[str]:
        """Methods whose models are formulas."""
        return [name for name, method in self.methods.items() if method.is_symbolic]

    @property
    def kinds(self) -> dict[str, str]:
        """What the models of each method are."""
        return {name: method.kind for name, method in self.methods.items()}

    @property
    def runs_papers_methods(self) -> bool:
        """Whether methods as the project defines them are run by a protocol of the paper."""
        own = set(self.config["methods"])
        return any(e.papers_kind and set(e.methods) - own for e in self.experiments.values())

    # -- identities of datasets, splits, noise estimates and runs --------------------------------

    @functools.cache  # noqa: B019 (a study lives as long as its process)
    def prepared_id(self, dataset: str) -> str:
        """Of a prepared table: the user's own and what is said of it, or the name of PMLB's."""
        own = self.own_data.get(dataset)
        return identity(asdict(own) | {"file": ""} if own else dataset, DATA_VERSION)

    @functools.cache  # noqa: B019
    def split_id(self, protocol: str, dataset: str) -> str:
        """Of training and test rows: the prepared table and the protocol."""
        rules = asdict(self.protocols[protocol])
        return identity(self.prepared_id(dataset), rules, DATA_VERSION)

    @functools.cache  # noqa: B019
    def noise_id(self, protocol: str, dataset: str) -> str:
        """Of noise estimates: the splits and the engine."""
        return identity(self.split_id(protocol, dataset), ENGINE_VERSION)

    @functools.cache  # noqa: B019
    def run_id(self, protocol: str, dataset: str, method: str) -> str:
        """Of runs: the method, and what its runs are made from."""
        entry = self.methods[method]
        source = (self.noise_id if entry.is_gp else self.split_id)(protocol, dataset)
        return identity(source, entry.identity)

    # -- files -----------------------------------------------------------------------------------

    def at(self, pattern: str, **names: str) -> str:
        """A path in the results folder."""
        return f"{self.config['results']}/{pattern.format(**names) if names else pattern}"

    def prepared(self, dataset: str) -> tuple[str, str]:
        """A prepared table, and the facts about it."""
        names = {"dataset": dataset, "identity": self.prepared_id(dataset)}
        return self.at(paths.DATA, **names), self.at(paths.FACTS, **names)

    def source(self, dataset: str) -> list[str]:
        """The table from PMLB and the note on it; of the user's own tables, none."""
        if dataset in self.own_data:
            return []
        return [self.at(part, dataset=dataset) for part in (paths.SOURCE, paths.SOURCE_NOTE)]

    def splits(self, protocol: str, dataset: str, seeds: range | None = None) -> list[str]:
        """The files with the splits of these seeds, or of all."""
        names = {"protocol": protocol, "dataset": dataset}
        names["identity"] = self.split_id(protocol, dataset)
        return [self.at(paths.SPLITS, block=block, **names) for block in self._blocks(seeds)]

    def noise(self, protocol: str, dataset: str, seeds: range | None = None) -> list[str]:
        """The files with the noise estimates of these seeds, or of all."""
        names = {"protocol": protocol, "dataset": dataset}
        names["identity"] = self.noise_id(protocol, dataset)
        return [self.at(paths.NOISE, block=block, **names) for block in self._blocks(seeds)]

    def _blocks(self, seeds: range | None) -> list[str]:
        """The blocks of splits that hold some of these seeds."""
        every = blocks(range(self.seeds), int(self.config["seeds_per_job"]))
        return [b for b in every if seeds is None or set(seeds) & set(seeds_of(b))]

    def cells(self, *experiments: str) -> list[Cell]:
        """What is run for experiments, or for all: each cell once, though they may share some."""
        return list(
            dict.fromkeys(
                (entry.protocol, dataset, method)
                for entry in map(self.experiments.__getitem__, experiments or self.experiments)
                for method in entry.methods
                for dataset in entry.datasets
            )
        )

    def taken(self, *experiments: str) -> list[Taken]:
        """The published runs that experiments take over."""
        found = ((self.run_id(*cell), self.seeds_taken(*cell)) for cell in self.cells(*experiments))
        return [Taken(identity, seeds) for identity, seeds in found if seeds]

    @functools.cache  # noqa: B019
    def seeds_taken(self, protocol: str, dataset: str, method: str) -> int:
        """How many of the first seeds of a cell are taken over."""
        if self.published is None:
            return 0
        cell = (protocol, dataset, method)
        return min(self.published.seeds(self.run_id(*cell), *cell), self.seeds)

    def seeds_to_run(self, protocol: str, dataset: str, method: str) -> range:
        """The seeds of a cell that are computed here."""
        is_run = method not in {*self.skipped, *self.not_run} and self.config["published"] != "only"
        first = self.seeds_taken(protocol, dataset, method)
        return range(first, self.seeds if is_run else first)

    def run_files(self, *experiments: str) -> list[str]:
        """The files with the runs of experiments that are computed here."""
        return [
            self.runs_at(*cell, block)
            for cell in self.cells(*experiments)
            for block in blocks(self.seeds_to_run(*cell), self.methods[cell[2]].seeds_per_job)
        ]

    def runs_at(self, protocol: str, dataset: str, method: str, block: str) -> str:
        """The file with a block of runs."""
        names = {"protocol": protocol, "dataset": dataset, "method": self.methods[method].slug}
        names["identity"] = self.run_id(protocol, dataset, method)
        return self.at(paths.RUNS, block=block, **names)

    @functools.cached_property
    def datasets_to_read(self) -> set[str]:
        """The datasets on which something is computed."""
        return {cell[1] for cell in self.cells() if self.seeds_to_run(*cell)}

    def sources(self, experiment: str) -> list[str]:
        """What the runs of an experiment are made from: tables, splits and noise estimates."""
        files: list[str] = []
        for protocol, dataset, method in self.cells(experiment):
            seeds = self.seeds_to_run(protocol, dataset, method)
            if seeds:
                files += [*self.source(dataset), *self.prepared(dataset)]
                files += self.splits(protocol, dataset, seeds)
            if seeds and self.methods[method].is_gp:
                files += self.noise(protocol, dataset, seeds)
        return list(dict.fromkeys(files))

    def everything(self, *experiments: str) -> list[str]:
        """All files of experiments, also those that nothing asks for once the runs are there."""
        files = list(self.run_files(*experiments))
        for name in experiments or self.experiments:
            files += self.sources(name)
            steps = [step for step in OF_EXPERIMENT if name in self.experiments_of(step)]
            files += [self.manifest(step, name) for step in steps]
        return list(dict.fromkeys(files))

    def experiments_of(self, step: str) -> list[str]:
        """The experiments that a step is done for."""
        every = self.experiments.items()
        return [name for name, e in every if step != "compare_srbench" or e.follows_srbench]

    def kernel_mark(self, variant: str) -> str:
        """The file that says that kernels are compiled."""
        return self.at(paths.KERNELS, engine=source_hash(), variant=variant)

    def manifest(self, step: str, experiment: str = "{experiment}") -> str:
        """The file that says what a step after the runs has written; its name has an identity."""
        folder = f"made/{experiment}" if step in OF_EXPERIMENT else "made"
        return self.at(f"{folder}/{step}-{self.steps[step]}.json")

    @functools.cached_property
    def steps(self) -> dict[str, str]:
        """The identities of the steps after the runs."""
        steps: dict[str, str] = {}
        experiments = [asdict(experiment) for experiment in self.experiments.values()]

        def of_experiments(*keys: str) -> list[list[Any]]:
            return [[entry[key] for key in ("name", *keys)] for entry in experiments]

        def add(step: str, *parts: Any) -> None:
            steps[step] = identity(code_of(step), *parts)

        here = [path.removeprefix(self.config["results"]) for path in self.run_files()]
        add("collect_runs", here, self.taken())
        add("join_runs", steps["collect_runs"])
        compared = of_experiments("methods", "datasets", "papers_kind")
        add("compare_methods", steps["collect_runs"], self.significance, compared)
        add("compare_srbench", steps["collect_runs"], compared, self.kinds)
        add("score_claims", steps["join_runs"], self.for_scoreboard())
        drawn = self.config["curve_datasets"], self.symbolic, of_experiments("papers_kind", "timed")
        add("draw_figures", steps["compare_methods"], drawn)
        add("illustrations", ENGINE_VERSION)
        told = {key: value for key, value in self.config.items() if key not in PLACES}
        add("write_report", list(steps.values()), self.skipped, experiments, told)
        return steps

    def report_files(self, folder: str | None = None) -> paths.StudyFiles:
        """What the report is made from; tables and figures may be in a folder of their own."""
        home = folder or self.config["results"]
        return paths.StudyFiles(
            f"{home}/{paths.ALL_RUNS}",
            f"{home}/{paths.SCOREBOARD}",
            f"{home}/{paths.ILLUSTRATIONS}",
            {name: self._facts(name) for name in self.datasets},
            {name: self._note(name) for name in self.datasets if name not in self.own_data},
            {name: paths.experiment_files(home, name) for name in self.experiments},
        )

    def _facts(self, dataset: str) -> str:
        """The file with the facts about a dataset: ours, or the published one for all."""
        return self.prepared(dataset)[1] if dataset in self.datasets_to_read else self._known()

    def _note(self, dataset: str) -> str:
        """The file that says where a dataset came from, likewise."""
        return self.source(dataset)[1] if dataset in self.datasets_to_read else self._known()

    def _known(self) -> str:
        return f"{self.published_folder}/{DATASETS}"

    def for_report(self) -> Json:
        """What the report tells of the study."""
        names = (
            "config",
            "datasets",
            "skipped",
            "missing",
            "symbolic",
            "kinds",
            "runs_papers_methods",
        )
        study = {name: getattr(self, name) for name in names}
        definitions = {name: method.definition for name, method in self.methods.items()}
        return study | {"experiments": list(self.experiments.values()), "methods": definitions}

    def for_scoreboard(self) -> Json:
        """What decides whether the study's runs speak to the paper's claims."""
        own = list(self.config["methods"])
        timed = next((e.timed for e in self.experiments.values() if e.timed), {})
        rules = self.protocols
        return {
            "protocols": {
                kind: [name for name in rules if rules[name] == rules[kind]]
                for kind in (PAPER, LABEL_NOISE)
            },
            "significance": self.config["significance"],
            "own_methods": [*own, *(variant for name, variant in timed.items() if name in own)],
            "timed": timed,
        }
