"""Several threads on one population, where rows are many. They change no bit of a result."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from ...core.arrays import Integers
from ..objectives.ridge import RidgeScratch
from ..trees.evaluation import Workspace

MANY_ROWS = 1000
"""With fewer training rows a generation is over before threads are worth their start."""


class Desk(NamedTuple):
    """What a thread works with, beside what it shares with the others."""

    workspace: Workspace
    ridge: RidgeScratch


class Crew:
    """The desks of the threads."""

    def __init__(self, make_desk: Callable[[], Desk], threads: int) -> None:
        self.desks = [make_desk() for _ in range(threads)]

    def share(self, items: Integers, work: Callable[[int, Desk, Integers], None]) -> None:
        """Let every thread work on its part of the items; one alone does all in this thread."""
        threads = len(self.desks)
        if threads == 1:
            work(0, self.desks[0], items)
            return
        with ThreadPoolExecutor(threads) as pool:
            futures = [
                pool.submit(work, k, desk, np.ascontiguousarray(items[k::threads]))
                for k, desk in enumerate(self.desks)
            ]
            for future in futures:
                future.result()
