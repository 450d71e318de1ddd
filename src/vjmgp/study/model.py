"""A study: its methods, datasets and experiments, and the files that they ask for.

Every job of the workflow makes one from the config, so nothing heavy is imported here.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from . import paths
from .blocks import blocks, seeds_of
from .identity import code_of, engine_version, identity, own_code
from .names import LABEL_NOISE, PAPER

Json = dict[str, Any]
SHARED_KERNELS = "jensen_gap-lexicase"
"""The variant whose kernels include those of the noise estimate."""
SYMBOLIC = ("operon", "ffx", "gplearn", "pysr", "symbolic")
"""Parts of the import paths of other symbolic regressors."""
PLACES = ("results", "pmlb_cache", "warm_workers")
"""Keys of a config that decide nothing that a report shows."""


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
    seeds_per_job: int
    mem_mb: int | None = None
    run_minutes: float | None = None
    places: tuple[str, ...] = ()
    """Folders in which classes of the user's own are looked for, beside Python's path."""

    @property
    def slug(self) -> str:
        """The name as part of a path."""
        return slug(self.name)

    @property
    def is_gp(self) -> bool:
        """Whether it is one of ours."""
        return "gp" in self.definition

    @property
    def ends_by_time(self) -> bool:
        """Whether time ends its runs, so that no two are the same."""
        return self.is_gp and self.definition["gp"].get("max_time") is not None

    @property
    def is_symbolic(self) -> bool:
        """Whether its models are formulas: ours, and those of other such programs."""
        path = self.definition.get("estimator", "").lower()
        return self.is_gp or any(name in path for name in SYMBOLIC)

    @property
    def regularizer(self) -> str:
        """The regulariser of a method of genetic programming."""
        return str(self.definition["gp"].get("regularizer", "jensen_gap"))

    @property
    def kernels(self) -> str:
        """Regulariser and selection operator: what its compiled kernels depend on."""
        return f"{self.regularizer}-{self.definition['gp'].get('selection', 'lexicase')}"

    def minutes(self, runs: int) -> int:
        """Minutes that a cluster should give a job of so many runs.

        A run of genetic programming takes a second or less, one of the light learners three at
        most: this leaves room for slow machines. A job that it is too little for gets twice as
        much.
        """
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
        """A hash of its settings and of all code that decides its runs."""
        code = code_of("run_gp", uses_engine=True) if self.is_gp else code_of("run_baseline")
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

    @property
    def results(self) -> Path:
        """The folder that everything goes to."""
        return Path(self.config["results"])

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

    def split_blocks(self) -> list[str]:
        """The blocks of seeds that splits and noise estimates are made for."""
        return blocks(self.seeds, int(self.config["seeds_per_job"]))

    # -- identities of datasets, splits, noise estimates and runs --------------------------------

    @functools.cache  # noqa: B019 (a study lives as long as its process)
    def prepared_id(self, dataset: str) -> str:
        """Of a prepared table: the user's table and what is said of it, and the code."""
        own = self.own_data.get(dataset)
        return identity(asdict(own) | {"file": ""} if own else {}, code_of("prepare_dataset"))

    @functools.cache  # noqa: B019
    def split_id(self, protocol: str, dataset: str) -> str:
        """Of training and test rows: the prepared table and the protocol."""
        rules = asdict(self.protocols[protocol])
        return identity(self.prepared_id(dataset), rules, code_of("split_rows"))

    @functools.cache  # noqa: B019
    def noise_id(self, protocol: str, dataset: str) -> str:
        """Of noise estimates: the splits and the engine."""
        code = code_of("estimate_noise", uses_engine=True)
        return identity(self.split_id(protocol, dataset), code)

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

    def split_file(self, protocol: str, dataset: str, block: str) -> str:
        """The file with the splits of a block."""
        number = self.split_id(protocol, dataset)
        names = {"protocol": protocol, "dataset": dataset, "block": block}
        return self.at(paths.SPLITS, identity=number, **names)

    def noise_file(self, protocol: str, dataset: str, block: str) -> str:
        """The file with the noise estimates of a block."""
        number = self.noise_id(protocol, dataset)
        names = {"protocol": protocol, "dataset": dataset, "block": block}
        return self.at(paths.NOISE, identity=number, **names)

    def blocks_with(self, seeds: range) -> list[str]:
        """The blocks of splits that hold some of these seeds."""
        found = ((block, seeds_of(block)) for block in self.split_blocks())
        return [name for name, own in found if own[0] <= seeds[-1] and own[-1] >= seeds[0]]

    def run_files(self, experiment: str) -> list[str]:
        """The files with the runs of an experiment."""
        entry = self.experiments[experiment]
        return [
            path
            for name in entry.methods
            for dataset in entry.datasets
            for path in self._run_files(entry.protocol, dataset, name)
        ]

    def _run_files(self, protocol: str, dataset: str, name: str) -> Iterator[str]:
        method = self.methods[name]
        names = {"protocol": protocol, "dataset": dataset, "method": method.slug}
        names["identity"] = self.run_id(protocol, dataset, name)
        for block in blocks(self.seeds, method.seeds_per_job):
            yield self.at(paths.RUNS, block=block, **names)

    def all_run_files(self) -> list[str]:
        """The files with the runs of all experiments, which may share some: each of them once."""
        files = (path for name in self.experiments for path in self.run_files(name))
        return list(dict.fromkeys(files))

    def sources(self, experiment: str) -> list[str]:
        """What the runs of an experiment are made from: tables, splits and noise estimates."""
        entry = self.experiments[experiment]
        makers = [self.split_file]
        if any(self.methods[name].is_gp for name in entry.methods):
            makers.append(self.noise_file)
        files: list[str] = []
        for dataset in entry.datasets:
            files += self.prepared(dataset)
            if dataset not in self.own_data:
                patterns = paths.SOURCE, paths.SOURCE_NOTE
                files += [self.at(pattern, dataset=dataset) for pattern in patterns]
            for make in makers:
                files += [make(entry.protocol, dataset, block) for block in self.split_blocks()]
        return files

    def products(self, experiment: str) -> list[str]:
        """The manifests of an experiment's tables and figures."""
        steps = "collect_runs", "compare_methods", "draw_figures"
        return [self.at(self.manifests[step], experiment=experiment) for step in steps]

    def everything(self, *experiments: str) -> list[str]:
        """All files of experiments, also those that nothing asks for once the runs are there."""
        parts = self.sources, self.run_files, self.products
        files = (path for name in experiments for part in parts for path in part(name))
        return list(dict.fromkeys(files))

    @functools.cached_property
    def manifests(self) -> dict[str, str]:
        """The manifest of each step after the runs, or its pattern; its name has the identity."""
        steps: dict[str, str] = {}
        experiments = [asdict(experiment) for experiment in self.experiments.values()]
        runs = [path.removeprefix(self.config["results"]) for path in self.all_run_files()]
        level = self.config["significance"]
        steps["collect_runs"] = identity(code_of("collect_runs"), runs)
        steps["join_runs"] = identity(code_of("join_runs"), steps["collect_runs"])
        steps["compare_methods"] = identity(
            code_of("compare_methods"), steps["collect_runs"], level,
            [(e["name"], e["methods"], e["datasets"], e["papers_kind"]) for e in experiments],
        )  # fmt: skip
        steps["score_claims"] = identity(
            code_of("score_claims"), steps["join_runs"], self.for_scoreboard()
        )
        steps["draw_figures"] = identity(
            code_of("draw_figures"), steps["compare_methods"], self.config["curve_datasets"],
            self.symbolic, [(e["name"], e["papers_kind"], e["timed"]) for e in experiments],
        )  # fmt: skip
        steps["illustrations"] = identity(code_of("illustrations", uses_engine=True))
        steps["write_report"] = identity(
            code_of("write_report"), list(steps.values()), self.skipped, experiments,
            {key: value for key, value in self.config.items() if key not in PLACES},
        )  # fmt: skip
        whole = ("join_runs", "score_claims", "illustrations", "write_report")
        return {
            step: (paths.manifest if step in whole else paths.experiments_manifest)(step, number)
            for step, number in steps.items()
        }

    def report_files(self, folder: str | None = None) -> paths.StudyFiles:
        """What the report is made from; tables and figures may be in a folder of their own."""
        home = folder or self.config["results"]
        fetched = (name for name in self.datasets if name not in self.own_data)
        return paths.StudyFiles(
            f"{home}/{paths.ALL_RUNS}",
            f"{home}/{paths.SCOREBOARD}",
            f"{home}/{paths.ILLUSTRATIONS}",
            {name: self.prepared(name)[1] for name in self.datasets},
            {name: self.at(paths.SOURCE_NOTE, dataset=name) for name in fetched},
            {name: paths.ExperimentFiles(home, name) for name in self.experiments},
        )

    def for_report(self) -> Json:
        """What the report tells of the study."""
        return {
            "config": self.config,
            "experiments": list(self.experiments.values()),
            "datasets": self.datasets,
            "skipped": self.skipped,
            "symbolic": self.symbolic,
        }

    def for_scoreboard(self) -> Json:
        """What decides whether the study's runs speak to the paper's claims."""
        own = list(self.config["methods"])
        budget = next((e for e in self.experiments.values() if e.timed), None)
        timed = budget.timed if budget else {}
        return {
            "protocols": {
                kind: [
                    name for name, rule in self.protocols.items() if rule == self.protocols[kind]
                ]
                for kind in (PAPER, LABEL_NOISE)
            },
            "significance": self.config["significance"],
            "own_methods": [*own, *(variant for name, variant in timed.items() if name in own)],
            "budget": budget.seconds if budget else None,
            "timed": timed,
        }


def slug(name: str) -> str:
    """A name as part of a path."""
    return re.sub(r"[^A-Za-z0-9.+=-]+", "_", name).strip("_")


def kernel_mark(study: Study, variant: str) -> str:
    """The file that says that kernels are compiled."""
    return study.at(paths.KERNELS, engine=engine_version(), variant=variant)
