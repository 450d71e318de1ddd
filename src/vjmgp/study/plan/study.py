"""A study as planned: its methods, datasets and experiments, and the runs that they need.

Every job of the workflow makes one from the config, so nothing heavy is imported here.
"""

import functools
import math
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ..names import LABEL_NOISE, MANY_FORMULAS, NO_FORMULA, ONE_FORMULA, PAPER, SRBENCH
from ..paths import blocks
from ..published.index import Published, ReusedRuns
from .catalogue import Catalogue
from .identities import Identities

Json = dict[str, Any]
SHARED_KERNELS = "jensen_gap-lexicase"
"""The variant whose kernels include those of the noise estimate."""
SYMBOLIC = ("operon", "ffx", "gplearn", "pysr", "symbolic")
"""Parts of the import paths of other symbolic regressors."""
NEW_OPTIONS: Json = {"na_values": (), "missing": "error"}
"""Options of tables that older studies lack, with their defaults."""
KINDS = {"model": ONE_FORMULA, "front": MANY_FORMULAS, "blend": NO_FORMULA}
"""The kind of model of genetic programming, by `predict_with`."""


class Cell(NamedTuple):
    """A method on a dataset under a protocol."""

    protocol: str
    dataset: str
    method: str


@dataclass(frozen=True)
class Table:
    """A user's table."""

    file: str
    target: str
    nominal: tuple[str, ...] = ()
    sha256: str = ""
    na_values: tuple[str, ...] = ()
    missing: str = "error"

    def decides(self) -> Json:
        """Return what decides the data; options that came later only if they are used."""
        later = {name: value for name, value in NEW_OPTIONS.items() if getattr(self, name) == value}
        every = asdict(self) | {"file": ""}
        return {name: value for name, value in every.items() if name not in later}


@dataclass(frozen=True)
class Method:
    """A learner with its settings."""

    name: str
    definition: Json
    """Its entry of the config, without the keys that only concern jobs."""
    seeds_per_job: int = 10
    mem_mb: int | None = None
    run_minutes: float | None = None
    places: tuple[str, ...] = ()
    """Folders that are searched for users' classes after Python's path."""

    @property
    def slug(self) -> str:
        """The name in paths."""
        return re.sub(r"[^A-Za-z0-9.+=-]+", "_", self.name).strip("_")

    @property
    def is_gp(self) -> bool:
        """Whether it is genetic programming, by this package."""
        return "gp" in self.definition

    @property
    def is_symbolic(self) -> bool:
        """Whether its models are formulas, ours or those of another symbolic regressor."""
        path = self.definition.get("estimator", "").lower()
        return self.is_gp or any(name in path for name in SYMBOLIC)

    @property
    def kind(self) -> str:
        """The kind of its models: one formula, many, or none."""
        predictor = self.definition.get("gp", {}).get("predict_with", "model")
        return KINDS[predictor] if self.is_symbolic else NO_FORMULA

    @property
    def regularizer(self) -> str:
        """The regulariser of a method of genetic programming."""
        return str(self.definition["gp"].get("regularizer", "jensen_gap"))

    @property
    def kernels(self) -> str:
        """The variant of the compiled kernels: regulariser and selection operator."""
        return f"{self.regularizer}-{self.definition['gp'].get('selection', 'lexicase')}"

    def minutes(self, runs: int) -> int:
        """Return the minutes to ask a cluster for, enough for slow machines."""
        if self.run_minutes:
            return math.ceil(runs * self.run_minutes)
        return max(5, math.ceil(runs * (0.2 if self.is_gp else 1.0)))

    @property
    def own_class(self) -> str | None:
        """The import path of its learner, or of a user's regulariser."""
        path = self.regularizer if self.is_gp else str(self.definition["estimator"])
        return path if "." in path else None


@dataclass(frozen=True)
class Experiment:
    """A comparison of methods."""

    name: str
    title: str
    methods: list[str]
    """The first is compared with each of the rest."""
    datasets: list[str]
    protocol: str
    protocol_text: str = ""
    papers_kind: str | None = None
    """The protocol of the paper that it follows, if any."""
    timed: dict[str, str] = field(default_factory=dict)
    """The names of the variants whose runs are limited by time, by method."""

    @property
    def follows_srbench(self) -> bool:
        """Whether its runs can be compared with SRBench's published results."""
        return self.protocol == SRBENCH

    def needs(self, step: str) -> bool:
        """Return whether a step is done for this experiment."""
        return step != "compare_srbench" or self.follows_srbench


@dataclass(frozen=True, eq=False)
class Study:
    """The whole study. `ids` has the identities of its results, `files` their paths."""

    config: Json
    """The config with all defaults."""
    own_data: dict[str, Table]
    methods: dict[str, Method]
    """The methods that experiments use, by name."""
    protocols: dict[str, Any]
    experiments: dict[str, Experiment]
    skipped: list[str] = field(default_factory=list)
    """Methods whose packages are missing."""
    published: Published | None = None
    """Runs that are reused instead of computed."""
    not_run: frozenset[str] = frozenset()
    """Methods that are only reused: runs that are not published are not computed."""
    missing: list[str] = field(default_factory=list)
    """Sentences about unpublished runs that a study of published runs leaves out."""

    @functools.cached_property
    def ids(self) -> Identities:
        """The identities of the study's results."""
        return Identities(self)

    @functools.cached_property
    def files(self) -> Catalogue:
        """The files of the study."""
        return Catalogue(self)

    @property
    def results(self) -> Path:
        """The results folder."""
        return Path(self.config["results"])

    @property
    def published_folder(self) -> str | None:
        """The folder of the runs that are reused."""
        return self.published.folder if self.published else None

    @functools.cached_property
    def datasets(self) -> list[str]:
        """The datasets that experiments use, in the config's order."""
        used = {name for experiment in self.experiments.values() for name in experiment.datasets}
        return [name for name in self.config["datasets"] if name in used]

    @property
    def seeds(self) -> int:
        """The number of runs of each method on each dataset."""
        return int(self.config["seeds"])

    @property
    def significance(self) -> float:
        """The significance level of the tests."""
        return float(self.config["significance"])

    @functools.cached_property
    def methods_by_slug(self) -> dict[str, Method]:
        """The methods by their names in paths."""
        return {method.slug: method for method in self.methods.values()}

    @property
    def symbolic(self) -> list[str]:
        """The methods whose models are formulas."""
        return [name for name, method in self.methods.items() if method.is_symbolic]

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of model of each method."""
        return {name: method.kind for name, method in self.methods.items()}

    @property
    def runs_papers_methods(self) -> bool:
        """Whether the project's own methods are run under one of the paper's protocols."""
        own = set(self.config["methods"])
        return any(e.papers_kind and set(e.methods) - own for e in self.experiments.values())

    def experiments_of(self, step: str) -> list[str]:
        """Return the experiments that a step is done for."""
        return [name for name, entry in self.experiments.items() if entry.needs(step)]

    def cells(self, *experiments: str) -> list[Cell]:
        """Return the cells of experiments, by default of all; a shared cell is there once."""
        return list(
            dict.fromkeys(
                Cell(entry.protocol, dataset, method)
                for entry in map(self.experiments.__getitem__, experiments or self.experiments)
                for method in entry.methods
                for dataset in entry.datasets
            )
        )

    @functools.cache  # noqa: B019 (a study lives as long as its process)
    def seeds_reused(self, cell: Cell) -> int:
        """Return how many seeds of a cell, from the first, are published and reused."""
        if self.published is None:
            return 0
        return min(self.published.seeds(self.ids.run(*cell), *cell), self.seeds)

    def seeds_to_run(self, cell: Cell) -> range:
        """Return the seeds of a cell that are computed here."""
        only_reused = {*self.skipped, *self.not_run}
        is_run = cell.method not in only_reused and self.config["published"] != "only"
        first = self.seeds_reused(cell)
        return range(first, self.seeds if is_run else first)

    @functools.cached_property
    def methods_to_run(self) -> set[str]:
        """The methods of which runs are computed here."""
        return {cell.method for cell in self.cells() if self.seeds_to_run(cell)}

    def reused(self, *experiments: str) -> list[ReusedRuns]:
        """Return the published runs that experiments reuse."""
        found = ((cell, self.seeds_reused(cell)) for cell in self.cells(*experiments))
        return [ReusedRuns(self.ids.run(*cell), seeds) for cell, seeds in found if seeds]

    def blocks(self, *experiments: str) -> list[tuple[Cell, str]]:
        """Return the blocks of seeds that are computed here: one job each."""
        return [
            (cell, block)
            for cell in self.cells(*experiments)
            for block in blocks(self.seeds_to_run(cell), self.methods[cell.method].seeds_per_job)
        ]

    @functools.cached_property
    def datasets_to_read(self) -> set[str]:
        """The datasets on which something is computed."""
        return {cell.dataset for cell in self.cells() if self.seeds_to_run(cell)}

    def for_report(self) -> Json:
        """Return what the report shows of the study."""
        names = (
            *("config", "datasets", "skipped", "missing", "symbolic", "kinds"),
            "runs_papers_methods",
        )
        study = {name: getattr(self, name) for name in names}
        definitions = {name: method.definition for name, method in self.methods.items()}
        return study | {"experiments": list(self.experiments.values()), "methods": definitions}

    def for_scoreboard(self) -> Json:
        """Return what decides whether the study's runs test the paper's claims."""
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
