"""What every method does, ours and others': it is fitted, asked, measured and described.

Each kind of method is a class with these abilities, in a module of its own: `gp`, `baselines`.
"""

from __future__ import annotations

import time
from typing import Any, Protocol

from ...core.arrays import Floats
from ..protocols import r2
from .problems import Noise, Problem


class Learner(Protocol):
    """A method on its way through one run."""

    def fit(self, problem: Problem) -> None:
        """Learn from the training rows of a run, tuning included."""

    def predict(self, table: Any) -> Floats:
        """Predict rows of the table, in the target's units."""

    @property
    def size(self) -> int | None:
        """How large the model is."""

    @property
    def text(self) -> str | None:
        """The model as a formula that sympy can read, where there is one."""

    def details(self) -> dict[str, Any]:
        """What else a record of this kind of method holds."""


def learner_of(definition: dict[str, Any], noise: Noise) -> Learner:
    """The learner that a method's definition describes."""
    if "gp" in definition:
        from .gp import GeneticProgramming

        return GeneticProgramming(definition["gp"], noise)
    from .baselines import TunedEstimator

    return TunedEstimator(definition)


def run(learner: Learner, problem: Problem) -> dict[str, Any]:
    """Fit, score and describe: what a record holds beyond its names."""
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
