"""Compile a method's kernels once per machine, in one process at a time."""

from __future__ import annotations

import functools

import numpy as np

from .engine.archive import merged
from .engine.compiling import compile_once, is_compiled
from .engine.distil import distil
from .engine.evolution import Evolution
from .engine.pool import compact
from .engine.population import rehash
from .engine.preparation import prepare
from .engine.settings import Settings


def _use_every_kernel(regularizer: str, selection: str) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    small = Settings(
        regularizer=regularizer, selection=selection, population_size=8, intrusion_detection=True
    )
    run = Evolution(prepare(x, y, small, seed=0))
    run.start()
    run.step()
    run.step()
    run.pool = compact(run.pool, room=1)
    if run.regularizer.final_rule == "tau":
        distil(run.prepared, merged([run.archive]))
    rehash(np.zeros(1, np.uint64), np.zeros(2, np.uint64))


@functools.cache
def compile_kernels(regularizer: str = "jensen_gap", selection: str = "lexicase") -> None:
    """Make sure that a method's compiled kernels are on disk; half a minute the first time.

    Parallel processes are safe: one compiles, the others wait and load.
    """
    name = f"{regularizer}-{selection}"
    compile_once(name, lambda: _use_every_kernel(regularizer, selection))


def kernels_are_compiled() -> bool:
    """Whether the kernels that most methods share are on disk."""
    return is_compiled("jensen_gap-lexicase")


@functools.cache
def load_kernels(regularizer: str = "jensen_gap", selection: str = "lexicase") -> None:
    """Load a method's kernels into this process, so that no fit has to: about a second."""
    compile_kernels(regularizer, selection)
    _use_every_kernel(regularizer, selection)
