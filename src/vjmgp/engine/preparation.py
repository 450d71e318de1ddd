"""Prepare the data that all restarts share: noise estimate, τ and vicinal points."""

import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Integers
from .objectives.noise import adaptive_tau, noise_scores
from .objectives.row_weights import RowWeights, row_weights
from .regularizers import Regularizer, find_regularizer
from .settings import Settings
from .trees.addresses import addresses_of_run

ALIGNMENT = 8
"""Multiple to which row counts are padded: a cache line."""


def _padded(rows: int) -> int:
    return -(-rows // ALIGNMENT) * ALIGNMENT


class ScoredRows(NamedTuple):
    """The rows that models are scored on, standardised, and their weights."""

    x: Floats
    y: Floats
    weights: RowWeights
    left_out: Floats | None = None
    """Inputs whose target means leave out each row's own label; None if no input is one."""


@dataclass(frozen=True)
class Prepared:
    """The data of a run as its evolutions see them."""

    settings: Settings
    seed: int
    y: Floats
    columns: Floats
    """Inputs × rows: training rows, then the regulariser's points, each part padded."""
    n_extra: int
    regularizer: Regularizer
    """Ready for the first generation; each restart works on a copy."""
    noise_r2: float
    tau: float
    seconds: float
    weights: RowWeights
    """Weights of the training rows."""

    @property
    def addresses(self) -> Integers:
        """Addresses in this process of the run's functions with negative codes."""
        return addresses_of_run(self.settings.functions)

    @property
    def first_extra_row(self) -> int:
        """Position of the regulariser's first point."""
        return _padded(len(self.y))

    @property
    def x(self) -> Floats:
        """Training rows × inputs."""
        return np.ascontiguousarray(self.columns[:, : len(self.y)].T)

    @property
    def rows(self) -> ScoredRows:
        """The training rows."""
        return ScoredRows(self.x, self.y, self.weights)

    @property
    def extra(self) -> Floats:
        """The regulariser's points × inputs."""
        first = self.first_extra_row
        return np.ascontiguousarray(self.columns[:, first : first + self.n_extra].T)


def prepare(
    x: Floats,
    y: Floats,
    settings: Settings,
    seed: int,
    noise_r2: float | None = None,
    sample_weight: Floats | None = None,
) -> Prepared:
    """Prepare a run on standardised rows × inputs `x` and standardised target `y`."""
    started = time.perf_counter()
    y = np.ascontiguousarray(y, dtype=np.float64)
    weights = row_weights(len(y), sample_weight)
    regularizer = find_regularizer(settings.regularizer)(settings)
    regularizer.weights = weights
    if noise_r2 is None:
        noise_r2 = float("nan")  # the regulariser may not need it
        if regularizer.uses_noise_estimate:
            given = weights.each if weights.given else None
            noise_r2 = noise_scores(x, y, seed, given)[settings.noise_score]
    tau = float(adaptive_tau(noise_r2) if settings.tau == "adaptive" else settings.tau)
    extra = regularizer.extra_points(x, y, seed, noise_r2)
    n_extra = 0 if extra is None else len(extra)
    columns = np.empty((x.shape[1], _padded(len(y)) + _padded(n_extra)))
    columns[:] = x[:1].T  # padding repeats a real row
    columns[:, : len(y)] = x.T
    if extra is not None:
        columns[:, _padded(len(y)) : _padded(len(y)) + n_extra] = extra.T
    seconds = time.perf_counter() - started
    return Prepared(
        settings, seed, y, columns, n_extra, regularizer, noise_r2, tau, seconds, weights
    )
