"""Vicinal data: points near the training rows, made once per run and shared by all individuals.

Round k has one point per training row i (its anchor). Mixup puts it between the anchor and a
partner with a similar label; the finite difference adds Gaussian noise to the anchor.
"""

from typing import NamedTuple

import numpy as np

from ...core.arrays import Floats, Integers, Words
from ..compilation.kernels import kernel
from ..numerics.elementary import natural_exp
from ..numerics.rng import below, beta, normal, uniform
from .forest import Forest, predict_forest
from .row_weights import RowWeights, draw_row, row_weights

ATTEMPTS = 100
"""Number of times a point off the data manifold is drawn again."""
PATIENCE = 10
"""Number of failures after which the anchor's Beta parameter grows tenfold."""
ROUNDING = 1e-9


class Vicinity(NamedTuple):
    """K·n vicinal points, round after round: point r has anchor r mod n."""

    points: Floats
    """(K·n) × inputs."""
    partner: Integers
    share: Floats
    """λ: the anchor's share of the point."""
    attempts: Integers
    """Number of draws of the point."""


class MixupRule(NamedTuple):
    """Distribution of partners and shares."""

    alpha: float
    gamma: float
    joint: bool
    """Kernel on inputs and label (Mix_XY) instead of the label alone (Mix_Y)."""
    fold: bool
    """λ ← max(λ, 1 − λ): the anchor always has the larger share."""


def mixup(
    state: Words,
    x: Floats,
    y: Floats,
    rounds: int,
    rule: MixupRule,
    detector: Forest | None = None,
    margin: float = 0.05,
    weights: RowWeights | None = None,
) -> Vicinity:
    """Return mixup points of `x` (rows × inputs); rejected ones are drawn again."""
    if weights is None:
        weights = row_weights(len(y))
    n, total = len(y), rounds * len(y)
    x = np.ascontiguousarray(x)
    result = Vicinity(
        np.empty((total, x.shape[1])),
        np.empty(total, np.int64),
        np.empty(total),
        np.zeros(total, np.int64),
    )
    waiting = np.arange(total)
    if detector is not None:
        waiting = (detector.order[:, None] + n * np.arange(rounds)).ravel()
    for attempt in range(ATTEMPTS + 1):
        anchor_alpha = rule.alpha * 10.0 ** (attempt // PATIENCE)
        _draw(state, x, y, weights, rule, anchor_alpha, waiting, result)
        if detector is None:
            break
        prediction = np.empty(len(waiting))
        predict_forest(detector, result.points[waiting], prediction)
        a, b = y[waiting % n], y[result.partner[waiting]]
        one, other = (
            (result.share[waiting] + sign * margin) * a
            + (1.0 - result.share[waiting] - sign * margin) * b
            for sign in (-1.0, 1.0)
        )
        # The forest's mean of equal labels may differ from the label in the last digits.
        outside = (prediction < np.minimum(one, other) - ROUNDING) | (
            prediction > np.maximum(one, other) + ROUNDING
        )
        waiting = waiting[outside]
        if not len(waiting):
            break
    return result


def finite_difference(state: Words, x: Floats, rounds: int, sigma: float) -> Vicinity:
    """Return each row plus N(0, σ²); the row is its own partner and has the whole share."""
    n, n_inputs = x.shape
    total = rounds * n
    points = np.empty((total, n_inputs))
    _move(state, np.ascontiguousarray(x), sigma, points)
    return Vicinity(points, np.arange(total) % n, np.ones(total), np.ones(total, np.int64))


@kernel
def _move(state: Words, x: Floats, sigma: float, points: Floats) -> None:
    n = x.shape[0]
    for r in range(points.shape[0]):
        for c in range(x.shape[1]):
            points[r, c] = x[r % n, c] + sigma * normal(state)


@kernel
def _log_weight(x: Floats, y: Floats, rule: MixupRule, i: int, j: int) -> float:
    distance = (y[i] - y[j]) ** 2
    if rule.joint:
        for c in range(x.shape[1]):
            distance += (x[i, c] - x[j, c]) ** 2
    return -rule.gamma * distance


@kernel
def draw_partner(
    state: Words, x: Floats, y: Floats, weights: RowWeights, rule: MixupRule, i: int
) -> int:
    """Draw a row j ≠ i with probability ∝ its weight times exp(−γ·distance²).

    Rejection sampling from the weights needs about two tries for most rows and no table of n²
    terms. If n tries fail, as for outliers, the terms are summed.
    """
    n = len(y)
    for _ in range(n):
        if weights.given:
            j = draw_row(state, weights.ends)
            if j == i:
                continue
        else:
            j = below(state, n - 1)
            j += j >= i
        if uniform(state) < natural_exp(_log_weight(x, y, rule, i, j)):
            return j
    largest = -np.inf
    for j in range(n):
        if j != i:
            largest = max(largest, _log_weight(x, y, rule, i, j))
    total = 0.0
    for j in range(n):
        if j != i:
            total += weights.each[j] * natural_exp(_log_weight(x, y, rule, i, j) - largest)
    mark = uniform(state) * total
    chosen = -1
    for j in range(n):
        if j != i:
            weight = weights.each[j] * natural_exp(_log_weight(x, y, rule, i, j) - largest)
            if weight > 0.0:
                chosen = j
                mark -= weight
                if mark < 0.0:
                    break
    return chosen


@kernel
def _draw(
    state: Words,
    x: Floats,
    y: Floats,
    weights: RowWeights,
    rule: MixupRule,
    anchor_alpha: float,
    waiting: Integers,
    result: Vicinity,
) -> None:
    """Draw partner, share and position of every waiting point."""
    n = len(y)
    for r in waiting:
        i = r % n
        j = draw_partner(state, x, y, weights, rule, i)
        share = beta(state, anchor_alpha, rule.alpha)
        if rule.fold:
            share = max(share, 1.0 - share)
        result.partner[r] = j
        result.share[r] = share
        result.attempts[r] += 1
        for c in range(x.shape[1]):
            result.points[r, c] = share * x[i, c] + (1.0 - share) * x[j, c]
