"""The interface of all methods in a run: fit, predict, measure and describe.

Modules `gp` and `baselines` implement it.
"""

from __future__ import annotations

import time
from typing import Any, Protocol

from ...core.arrays import Floats
from ..protocols import r2
from .problems import Noise, Problem


class Learner(Protocol):
    """A method in one run."""

    def fit(self, problem: Problem) -> None:
        """Fit the training rows of a run, tuning included."""

    def predict(self, table: Any) -> Floats:
        """Predict rows of the table, in the target's units."""

    @property
    def size(self) -> int | None:
        """The size of the model."""

    @property
    def text(self) -> str | None:
        """The model as a formula that sympy can read, if there is one."""

    def details(self) -> dict[str, Any]:
        """Return the entries of a record that depend on the kind of method."""


def learner_of(definition: dict[str, Any], noise: Noise) -> Learner:
    """Return the learner that a method's definition describes."""
    if "gp" in definition:
        from .gp import GeneticProgramming

        return GeneticProgramming(definition["gp"], noise)
    from .baselines import TunedEstimator

    return TunedEstimator(definition)


def run(learner: Learner, problem: Problem) -> dict[str, Any]:
    """Fit, score and describe a model; return the outcome as entries of a record."""
    started, busy = time.perf_counter(), time.process_time()
    learner.fit(problem)
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - busy
    return {
        "train_r2": r2(problem.labels, learner.predict(problem.train_table)),
        "test_r2": r2(problem.target[problem.test], learner.predict(problem.test_table)),
        "size": learner.size,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "formula": learner.text,
    } | learner.details()
