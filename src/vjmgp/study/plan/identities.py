"""The identities of a study's results: hashes of all that decides them."""

from __future__ import annotations

import functools
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ...engine.version import ENGINE_VERSION
from ..steps import TABLE_STEPS
from .identity import COMPETITORS_VERSION, DATA_VERSION, code_of, identity, own_code

if TYPE_CHECKING:
    from .study import Study

NOT_SHOWN = ("results", "pmlb_cache", "warm_workers", "published")
"""Keys of a config that change nothing in a report."""


class Identities:
    """The identities of datasets, splits, noise estimates, runs, and the steps after them."""

    def __init__(self, study: Study) -> None:
        self._study = study

    @functools.cache  # noqa: B019 (a study lives as long as its process)
    def prepared(self, dataset: str) -> str:
        """Return that of a prepared table: the user's table and its config, or PMLB's name."""
        own = self._study.own_data.get(dataset)
        return identity(asdict(own) | {"file": ""} if own else dataset, DATA_VERSION)

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
        return identity(method.name, method.definition, code, own)

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
