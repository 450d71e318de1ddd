"""The worst gap per instance, which the Jensen gap and the finite difference share.

For vicinal point x_vic of anchor i and partner j in round k,

    d = F(Φ(x_vic)) − [λ·c(i) + (1−λ)·c(j)],   O2 = (1/n) Σᵢ maxₖ dᵢₖ²,

with F the model fitted on the clean rows and c its values there. If rows have weights, O2 is the
weighted mean over the anchors.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from ...core.arrays import Floats, Integers, Words
from ..compilation.kernels import kernel, part_of_kernel
from ..numerics.lanes import dot
from ..objectives.vicinal import Vicinity
from ..search.population import Individuals
from ..search.threads import run_in_threads
from ..trees.evaluation import Workspace
from ..trees.pool import MEAN, SCALE, Pool, extra_feature, fill_extra_rows
from .base import Regularizer

if TYPE_CHECKING:
    from ..search.evolution import Evolution
    from ..settings import Settings


CHUNK = 2048
"""Vicinal rows handled together."""
FITTED, UNSCALED, LABELS = range(3)
"""Kinds of c: the model's values, its (mistaken) values on unscaled features, labels."""


class Sides(NamedTuple):
    """The fixed data of a run, and scratch arrays for one individual."""

    y: Floats
    each: Floats
    """The rows' weights, and their sum."""
    total: float
    partner: Words
    share: Floats
    first_row: int
    """First vicinal row in the workspace."""
    clean: Floats
    worst: Floats
    sums: Floats
    feature: Floats
    second: Floats


class WorstGap(Regularizer):
    """A regulariser that measures gaps at vicinal points."""

    final_rule = "tau"
    depends_on_weights = True
    uses_noise_estimate = True
    uses_sample_weight = True
    clean_side: ClassVar[int] = FITTED
    vicinity: Vicinity

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._sides: list[Sides] = []

    @abstractmethod
    def make_vicinity(self, x: Floats, y: Floats, seed: int, noise_r2: float) -> Vicinity:
        """Return the vicinal points of this run."""

    def extra_points(self, x: Floats, y: Floats, seed: int, noise_r2: float) -> Floats:
        """Return the vicinal points; keep their partners and shares for the scores."""
        vicinity = self.make_vicinity(x, y, seed, noise_r2)
        # The run's workspace has the points; keep no second copy.
        self.vicinity = vicinity._replace(points=np.empty((0, x.shape[1])))
        return vicinity.points

    def extra_weights(self, n_extra: int) -> Floats:
        """Return the weights of the anchors."""
        return np.resize(self.weights.each, n_extra)

    def score(self, run: Evolution, rows: Integers) -> None:
        """Compute objective 2 of these rows."""
        if not self._sides:
            self._sides = [self._make_sides(run) for _ in run.threads]
        if self.settings.early_stopping:  # each depends on the best before it
            self.measure(run, 0, run.workspace, rows)
            return
        first, last = run.first_extra_row, run.first_extra_row + len(self._sides[0].share)
        if len(run.threads) > 1:
            run_in_threads(
                run.trees_of(rows),
                run.threads,
                lambda k, own, trees: fill_extra_rows(
                    run.pool, trees, own.workspace, first, last, self._sides[k].feature
                ),
            )
        run_in_threads(
            rows, run.threads, lambda k, own, part: self.measure(run, k, own.workspace, part)
        )

    def measure(self, run: Evolution, k: int, workspace: Workspace, rows: Integers) -> None:
        """Compute objective 2 of these rows with the scratch arrays of thread k."""
        models = run.pool, run.individuals, workspace, self._sides[k], rows
        wrong = self.settings.unscaled_clean_features and self.clean_side == FITTED
        stopping = self.settings.early_stopping, run.tau, run.best_sum
        worst_gaps(*models, UNSCALED if wrong else self.clean_side, *stopping)

    def _make_sides(self, run: Evolution) -> Sides:
        n = len(run.y)
        return Sides(
            run.y,
            run.weights.each,
            run.weights.total,
            self.vicinity.partner.astype(np.uint64),
            self.vicinity.share,
            run.first_extra_row,
            np.empty(n),
            np.empty(n),
            np.empty(CHUNK),
            np.empty(max(CHUNK, n)),
            np.empty(CHUNK),
        )


@part_of_kernel
def _clean_side(
    pool: Pool, individuals: Individuals, workspace: Workspace, sides: Sides, row: int, mode: int
) -> None:
    clean, n = sides.clean, len(sides.y)
    if mode != UNSCALED:
        for i in range(n):
            clean[i] = sides.y[i] if mode == LABELS else individuals.fitted[row, i]
        return
    clean[:] = dot(sides.y, sides.each, n) / sides.total
    for t in range(individuals.n_trees[row]):
        tree = individuals.trees[row, t]
        if pool.scaling[tree, SCALE] > 0.0:
            # It was evaluated for objective 1, so its values are stored or computed as usual.
            feature = extra_feature(
                pool, tree, workspace, np.int64(0), np.int64(0), n, sides.feature
            )
            weight = individuals.weights[row, t]
            for i in range(n):
                clean[i] += weight * (
                    feature[i] / pool.scaling[tree, SCALE] + pool.scaling[tree, MEAN]
                )


@part_of_kernel
def vicinal_values(
    pool: Pool,
    individuals: Individuals,
    workspace: Workspace,
    sides: Sides,
    row: int,
    mean: float,
    first: int,
    last: int,
) -> None:
    """Write the model's values on vicinal rows first ≤ r < last to `sides.sums`."""
    n, shift = last - first, sides.first_row
    trees, weights, m = individuals.trees[row], individuals.weights[row], individuals.n_trees[row]
    sums = sides.sums[:n]
    sums[:] = mean
    for t in range(0, m - 1, 2):  # two at a time: half the passes over the sums
        a = extra_feature(
            pool, trees[t], workspace, shift, shift + first, shift + last, sides.feature
        )
        b = extra_feature(
            pool, trees[t + 1], workspace, shift, shift + first, shift + last, sides.second
        )
        weight, other = weights[t], weights[t + 1]
        for i in range(n):
            sums[i] += weight * a[i] + other * b[i]
    if m % 2 == 1:
        a = extra_feature(
            pool, trees[m - 1], workspace, shift, shift + first, shift + last, sides.feature
        )
        weight = weights[m - 1]
        for i in range(n):
            sums[i] += weight * a[i]


@part_of_kernel
def worst_of_rows(sides: Sides, first: int, last: int) -> None:
    """Update each instance's worst squared gap with the rows in `sides.sums`."""
    n = len(sides.y)
    clean, other = sides.clean, sides.feature
    partner = sides.partner[first:last]
    for i in range(last - first):  # separate from the arithmetic, which becomes vector code
        other[i] = clean[partner[i]]
    start = first
    while start < last:
        instance = start % n
        length = min(last - start, n - instance)
        sums = sides.sums[start - first : start - first + length]
        mixed = other[start - first : start - first + length]
        share = sides.share[start : start + length]
        own = clean[instance : instance + length]
        worst = sides.worst[instance : instance + length]
        for i in range(length):
            gap = sums[i] - (share[i] * own[i] + (1.0 - share[i]) * mixed[i])
            square = gap * gap
            # `square != square` keeps a NaN, which makes the individual invalid.
            worst[i] = square if (square > worst[i]) | (square != square) else worst[i]
        start += length


@kernel
def worst_gaps(
    pool: Pool,
    individuals: Individuals,
    workspace: Workspace,
    sides: Sides,
    rows: Integers,
    mode: int,
    early_stopping: bool,
    tau: float,
    best_sum: Floats,
) -> None:
    """Compute objective 2 of each row.

    With early stopping, a row is abandoned after the first round that proves it worse than the best
    o1 + τ·o2 so far; its o2 is then the value reached.
    """
    n = len(sides.y)
    total = len(sides.share)
    mean = dot(sides.y, sides.each, n) / sides.total
    step = n if early_stopping else total
    for row in rows:
        _clean_side(pool, individuals, workspace, sides, row, mode)
        sides.worst[:] = 0.0
        value = 0.0
        for begin in range(0, total, step):
            for first in range(begin, begin + step, CHUNK):
                last = min(begin + step, first + CHUNK)
                vicinal_values(pool, individuals, workspace, sides, row, mean, first, last)
                worst_of_rows(sides, first, last)
            value = dot(sides.worst, sides.each, n) / sides.total
            if early_stopping and individuals.o1[row] + tau * value > best_sum[0]:
                break
        individuals.o2[row] = value
        if early_stopping:
            best_sum[0] = min(best_sum[0], individuals.o1[row] + tau * value)
