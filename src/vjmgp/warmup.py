"""Compile every kernel once per machine, in one process at a time."""

from __future__ import annotations

import functools

import numpy as np

from .engine.compiling import compile_once, is_compiled
from .engine.evolution import Evolution
from .engine.pool import compact
from .engine.population import rehash
from .engine.regularizers import REGULARIZERS
from .engine.selection import SELECTIONS
from .engine.settings import Settings


def _use_every_kernel() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    variants = [{"regularizer": name} for name in REGULARIZERS]
    variants += [{"selection": name} for name in SELECTIONS]
    for variant in variants:
        small = Settings(population_size=8, intrusion_detection=True, **variant)  # type: ignore[arg-type]
        run = Evolution(x, y, small, seed=0)
        run.start()
        run.step()
        run.step()
        run.pool = compact(run.pool, room=1)
    rehash(np.zeros(1, np.uint64), np.zeros(2, np.uint64))


@functools.cache
def compile_kernels() -> None:
    """Make sure that compiled kernels are on disk; about half a minute the first time.

    Parallel processes are safe: one compiles, the others wait and load.
    """
    compile_once("engine", _use_every_kernel)


def kernels_are_compiled() -> bool:
    """Whether compiled kernels are on disk."""
    return is_compiled("engine")


@functools.cache
def load_kernels() -> None:
    """Load every kernel into this process, so that no fit has to: about a second."""
    compile_kernels()
    _use_every_kernel()
