"""What every method does, ours and others': it is made, fitted, asked, measured, and written down.

A method's definition in the config has one key that says of which kind it is; each kind is a class
with these abilities, in a module of its own.
"""

from __future__ import annotations

import time
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..protocol import r2
from .data import Problem

Record = dict[str, Any]
Floats = NDArray[np.float64]


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

    def details(self) -> Record:
        """What else a record of this kind of method holds."""


def make(definition: dict[str, Any], noise: dict[int, dict[str, float]]) -> Learner:
    """The learner that a definition describes; `noise` has the noise estimate of each seed."""
    if "gp" in definition:
        from .gp import GeneticProgramming

        return GeneticProgramming(definition["gp"], noise)
    from .baselines import TunedEstimator

    return TunedEstimator(definition)


def run(learner: Learner, problem: Problem) -> Record:
    """Fit, score and describe: what a run record holds beyond its names."""
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
