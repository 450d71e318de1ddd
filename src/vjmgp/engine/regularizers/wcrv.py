"""WCRV: weighted correlation with residuals and variables, measured by MIC.

A relevant input should be independent of the residuals; an irrelevant one should not be used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...core.arrays import Floats, Integers
from ..compilation.kernels import kernel, part_of_kernel
from ..objectives.mic import MicScratch, Ranked, make_mic_scratch, mic_of_ranked, rank
from ..search.population import Individuals
from ..trees.pool import LENGTH, START, Pool
from ..trees.primitives import FIRST_VARIABLE
from .base import Regularizer

if TYPE_CHECKING:
    from ..search.evolution import Evolution


class RankedInputs(NamedTuple):
    """The inputs as stacked `Ranked` columns, and their relevance."""

    orders: Integers
    ranked: Floats
    parts: Integers
    n_parts: Integers
    relevance: Floats
    """MIC with the target."""
    threshold: float
    """Its median, from which an input is relevant."""
    used: Integers
    """Whether an individual uses each input; scratch."""


class Wcrv(Regularizer):
    """Sum of MIC(x, y)·MIC(x, residuals) over relevant inputs and 1 − MIC(x, y) over the rest."""

    name = "wcrv"
    label = "WCRV"
    _inputs: RankedInputs
    _scratch: MicScratch

    def extra_points(self, x: Floats, y: Floats, seed: int, noise_r2: float) -> None:
        """Compute the MIC of each input with the target; there are no extra points."""
        scratch = make_mic_scratch(len(y))
        columns = [rank(np.ascontiguousarray(column), scratch.cells) for column in x.T]
        target = rank(y, scratch.cells)
        relevance = np.array([mic_of_ranked(column, target, scratch) for column in columns])
        self._scratch = scratch
        orders, ranked, parts, n_parts = map(np.array, zip(*columns, strict=True))
        threshold, used = float(np.median(relevance)), np.zeros(len(columns), np.int64)
        self._inputs = RankedInputs(orders, ranked, parts, n_parts, relevance, threshold, used)

    def score(self, run: Evolution, rows: Integers) -> None:
        """Score by the inputs that each row uses."""
        wcrv(run.pool, run.individuals, self._inputs, run.y, self._scratch, rows)


@part_of_kernel
def find_used_inputs(pool: Pool, individuals: Individuals, row: int, used: Integers) -> None:
    """Set `used` to 1 for the inputs that an individual uses, to 0 for the rest."""
    used[:] = 0
    for t in range(individuals.n_trees[row]):
        tree = individuals.trees[row, t]
        start = pool.facts[tree, START]
        for node in range(start, start + pool.facts[tree, LENGTH]):
            if pool.codes[node] >= FIRST_VARIABLE:
                used[pool.codes[node] - FIRST_VARIABLE] = 1


@kernel
def wcrv(
    pool: Pool,
    individuals: Individuals,
    inputs: RankedInputs,
    y: Floats,
    scratch: MicScratch,
    rows: Integers,
) -> None:
    """Compute objective 2 of each row."""
    used = inputs.used
    for row in rows:
        find_used_inputs(pool, individuals, row, used)
        residuals = rank(y - individuals.fitted[row], scratch.cells)
        value = 0.0
        for k in range(len(used)):
            if not used[k]:
                continue
            if inputs.relevance[k] >= inputs.threshold:
                column = Ranked(
                    inputs.orders[k], inputs.ranked[k], inputs.parts[k], inputs.n_parts[k]
                )
                value += inputs.relevance[k] * mic_of_ranked(column, residuals, scratch)
            else:
                value += 1.0 - inputs.relevance[k]
        individuals.o2[row] = value
