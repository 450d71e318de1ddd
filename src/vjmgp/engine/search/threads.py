"""Threads that share the work on a population. They do not change a bit of a result."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from ...core.arrays import Integers
from ..objectives.ridge import RidgeScratch
from ..trees.evaluation import Workspace

MANY_ROWS = 1000
"""With fewer training rows, threads take longer to start than a generation."""


class ThreadScratch(NamedTuple):
    """Scratch arrays of one thread."""

    workspace: Workspace
    ridge: RidgeScratch


def run_in_threads(
    items: Integers,
    scratch: list[ThreadScratch],
    work: Callable[[int, ThreadScratch, Integers], None],
) -> None:
    """Divide the items among threads, one per scratch; without a second one, use none."""
    threads = len(scratch)
    if threads == 1:
        work(0, scratch[0], items)
        return
    with ThreadPoolExecutor(threads) as pool:
        parts = [np.ascontiguousarray(items[k::threads]) for k in range(threads)]
        list(pool.map(work, range(threads), scratch, parts))
