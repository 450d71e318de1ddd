"""Other readings of the paper's GC, WCRV, RC and VJM: docs/reproduction.md compares them.

A config names them by their import paths, so that they do not join the paper's methods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...core.arrays import Floats, Integers
from ..compilation.kernels import kernel
from ..numerics.lanes import dot
from ..objectives.mic import MicScratch, Ranked, mic_of_ranked, rank
from ..objectives.ridge import RidgeScratch, factorise, solve
from ..search.front_rules import scaled
from ..search.population import Individuals
from ..search.survival import front_numbers_of_many, nsga2
from ..trees.evaluation import Workspace
from ..trees.pool import Pool, training_feature
from .rademacher import Rademacher, Signs
from .size_and_norm import GrandComplexity
from .vicinal_gaps import JensenGap
from .wcrv import RankedInputs, Wcrv, find_used_inputs
from .worst_gap import CHUNK, Sides, vicinal_values, worst_of_rows

if TYPE_CHECKING:
    from ..search.evolution import Evolution


class GrandComplexityOfPopulation(GrandComplexity):
    """GC that chooses the final model from the last population, by its ranks there."""

    name = "grand_complexity_of_population"
    label = "GC of the population"
    chooses_from_population = True


class WcrvOfResiduals(Wcrv):
    """WCRV that weights an input by its MIC with the residuals, as the authors' program does.

    The threshold is the median over the inputs that the individual uses.
    """

    name = "wcrv_of_residuals"
    label = "WCRV of residuals"

    def score(self, run: Evolution, rows: Integers) -> None:
        """Score by the inputs that each row uses."""
        wcrv_of_residuals(run.pool, run.individuals, self._inputs, run.y, self._scratch, rows)


class RefittedRademacher(Rademacher):
    """RC whose refits choose their ridge strength by leave-one-out errors, as models do."""

    name = "refitted_rademacher"
    label = "RC with free refits"
    uses_sample_weight = False

    def score(self, run: Evolution, rows: Integers) -> None:
        """Score by the complexity of each row."""
        models = run.pool, run.individuals, run.workspace, run.ridge
        refitted_rademacher(*models, self._signs, run.alphas, rows)


class RademacherAndSize(Rademacher):
    """RC with the number of nodes as third objective; the final model is the knee of all three."""

    name = "rademacher_and_size"
    label = "RC and size"
    chooses_from_population = True

    def survivors(self, run: Evolution, pool: Integers) -> Integers:
        """Return the rows that survive by NSGA-II on three objectives."""
        o1, o2, size = _three_objectives(run, pool)
        return pool[nsga2(o1, o2, run.settings.population_size, size)]

    def candidates(self, run: Evolution) -> Integers:
        """Return the knee of the population's first front."""
        rows = run.population
        if not len(rows):
            return rows
        objectives = _three_objectives(run, rows)
        front = np.flatnonzero(front_numbers_of_many(np.transpose(objectives)) == 0)
        distances = sum(scaled(values[front]) for values in objectives)
        return rows[front[[int(np.argmin(distances))]]]


def _three_objectives(run: Evolution, rows: Integers) -> tuple[Floats, Floats, Floats]:
    individuals = run.individuals
    return individuals.o1[rows], individuals.o2[rows], individuals.size[rows].astype(np.float64)


class BoundedJensenGap(JensenGap):
    """VJM whose predictions are clipped to the range of the target during evolution, too.

    Leave-one-out predictions, and thus objective 1 and the cases of selection, are clipped, and so
    are both sides of the gap. The ridge strength is chosen before. Early stopping has no effect.
    """

    name = "bounded_jensen_gap"
    label = "VJM bounded"

    def score(self, run: Evolution, rows: Integers) -> None:
        """Clip the rows' predictions, then compute objective 2."""
        clip_predictions(run.individuals, run.y, run.weights.each, run.weights.total, rows)
        super().score(run, rows)

    def measure(self, run: Evolution, k: int, workspace: Workspace, rows: Integers) -> None:
        """Compute objective 2 of these rows with the scratch arrays of thread k."""
        bounded_worst_gaps(run.pool, run.individuals, workspace, self._sides[k], rows)


@kernel
def wcrv_of_residuals(
    pool: Pool,
    individuals: Individuals,
    inputs: RankedInputs,
    y: Floats,
    scratch: MicScratch,
    rows: Integers,
) -> None:
    """Compute objective 2 of each row."""
    for row in rows:
        find_used_inputs(pool, individuals, row, inputs.used)
        residuals = rank(y - individuals.fitted[row], scratch.cells)
        count = int(inputs.used.sum())
        found = np.empty(count)
        count = 0
        for k in range(len(inputs.used)):
            if inputs.used[k]:
                column = Ranked(
                    inputs.orders[k], inputs.ranked[k], inputs.parts[k], inputs.n_parts[k]
                )
                found[count] = mic_of_ranked(column, residuals, scratch)
                count += 1
        value = 0.0
        if count:
            threshold = np.median(found)
            for mic in found:
                value += mic * mic if mic >= threshold else 1.0 - mic
        individuals.o2[row] = value


@kernel
def refitted_rademacher(
    pool: Pool,
    individuals: Individuals,
    workspace: Workspace,
    scratch: RidgeScratch,
    signs: Signs,
    alphas: Floats,
    rows: Integers,
) -> None:
    """Compute objective 2 of each row."""
    n, n_alphas = len(signs.y), len(alphas)
    stays = np.empty((n_alphas, n))
    fitted, best_fitted, solved = np.empty(n), np.empty(n), np.empty(len(scratch.moments))
    for row in rows:
        m = individuals.n_trees[row]
        for i in range(m):
            tree, z = individuals.trees[row, i], scratch.z[i]
            training_feature(pool, tree, workspace, n, scratch.each, scratch.total, z)
            for j in range(i + 1):
                scratch.gram[i, j] = dot(z, scratch.z[j], n)
        for a in range(n_alphas):
            factor = scratch.factor[a]
            factorise(scratch.gram, alphas[a], m, factor)
            for i in range(n):
                stays[a, i] = 1.0 - 1.0 / n
                for k in range(m):
                    share = scratch.z[k, i]
                    for j in range(k):
                        share -= factor[k, j] * solved[j]
                    solved[k] = share * factor[k, k]
                    stays[a, i] -= solved[k] * solved[k]
        total = 0.0
        for v in range(len(signs.signs)):
            target = signs.targets[v]
            for k in range(m):
                scratch.moments[k] = dot(scratch.z[k], target, n)
            least = np.inf
            for a in range(n_alphas):
                weights = scratch.weights[a]
                solve(scratch.factor[a], scratch.moments, m, weights)
                fitted[:] = signs.means[v]
                for k in range(m):
                    weight, z = weights[k], scratch.z[k]
                    for i in range(n):
                        fitted[i] += weight * z[i]
                error = 0.0
                for i in range(n):
                    residual = (target[i] - fitted[i]) / stays[a, i]
                    error += residual * residual
                if error < least:
                    least = error
                    best_fitted[:] = fitted
            complexity = 0.0
            for i in range(n):
                loss = best_fitted[i] - signs.y[i]
                complexity += signs.signs[v, i] * loss * loss
            total += max(complexity / n, 0.0)
        individuals.o2[row] = total / (len(signs.signs) * signs.variance)


@kernel
def clip_predictions(
    individuals: Individuals, y: Floats, each: Floats, total: float, rows: Integers
) -> None:
    """Clip fitted values and leave-one-out predictions to the range of y; update objective 1."""
    low, high = y.min(), y.max()
    for row in rows:
        fitted, loo = individuals.fitted[row], individuals.loo[row]
        for i in range(len(y)):
            # The prediction lies on the same side of the label as the fitted value.
            farthest = y[i] - low if fitted[i] <= y[i] else high - y[i]
            loo[i] = min(loo[i], farthest * farthest)
            fitted[i] = min(max(fitted[i], low), high)
        individuals.o1[row] = dot(loo, each, len(y)) / total


@kernel
def bounded_worst_gaps(
    pool: Pool, individuals: Individuals, workspace: Workspace, sides: Sides, rows: Integers
) -> None:
    """Compute objective 2 of each row with clipped predictions at vicinal points."""
    n, total = len(sides.y), len(sides.share)
    low, high = sides.y.min(), sides.y.max()
    mean = dot(sides.y, sides.each, n) / sides.total
    for row in rows:
        sides.clean[:] = individuals.fitted[row]
        sides.worst[:] = 0.0
        for first in range(0, total, CHUNK):
            last = min(total, first + CHUNK)
            vicinal_values(pool, individuals, workspace, sides, row, mean, first, last)
            sums = sides.sums[: last - first]
            for i in range(len(sums)):
                # A NaN stays one, which makes the individual invalid.
                sums[i] = low if sums[i] < low else high if sums[i] > high else sums[i]
            worst_of_rows(sides, first, last)
        individuals.o2[row] = dot(sides.worst, sides.each, n) / sides.total
