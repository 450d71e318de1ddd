"""Vicinal data: partners, shares, intrusion detection, finite differences, random numbers."""

import numpy as np
import pytest
from scipy import stats
from tests.support.engine_runs import MIX_XY, MIX_Y
from tests.support.twins import kernel_probabilities, predictions

from vjmgp.engine.numerics.rng import STREAMS, below, beta, gamma, normal, shuffle, stream, uniform
from vjmgp.engine.objectives.forest import fit_forest
from vjmgp.engine.objectives.row_weights import row_weights
from vjmgp.engine.objectives.vicinal import draw_partner, finite_difference, mixup


@pytest.mark.parametrize("weights", [None, np.array([5.0, 0.3, 2.0, 4.0, 1.0, 0.1, 3.0, 1.5])])
@pytest.mark.parametrize("rule", [MIX_Y, MIX_XY, MIX_Y._replace(gamma=500.0)])
def test_partners_follow_weights_and_kernel(rule, weights):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(8, 2)), rng.normal(size=8)
    y[3] = 6.0  # an outlier: its draws need the exact sum
    state = stream(0, "vicinal")
    for i in (0, 3):
        drawn = [draw_partner(state, x, y, row_weights(8, weights), rule, i) for _ in range(20000)]
        expected = kernel_probabilities(x, y, rule, i) * (1.0 if weights is None else weights)
        shares = np.bincount(drawn, minlength=8) / len(drawn)
        np.testing.assert_allclose(shares, expected / expected.sum(), atol=0.015)


def test_points_lie_between_anchor_and_partner(problem):
    x, y = problem
    v = mixup(stream(0, "vicinal"), x, y, 3, MIX_Y)
    anchor = np.arange(180) % 60
    assert (v.partner != anchor).all()
    assert (v.share >= 0.5).all()
    assert (v.attempts == 1).all()
    expected = v.share[:, None] * x[anchor] + (1 - v.share[:, None]) * x[v.partner]
    np.testing.assert_allclose(v.points, expected, rtol=1e-12)


def test_shares_follow_the_beta_distribution(problem):
    x, y = problem
    free = mixup(stream(0, "vicinal"), x, y, 60, MIX_Y._replace(fold=False)).share
    assert stats.kstest(free, stats.beta(10, 10).cdf).pvalue > 0.01
    folded = mixup(stream(0, "vicinal"), x, y, 60, MIX_Y).share
    np.testing.assert_array_equal(folded, np.maximum(free, 1 - free))


def test_accepted_points_satisfy_the_detector(problem):
    x, y = problem
    forest = fit_forest(stream(0, "detector"), np.ascontiguousarray(x.T), y)
    v = mixup(stream(0, "vicinal"), x, y, 10, MIX_Y, forest, margin=0.05)
    prediction = predictions(forest, v.points)
    a, b = y[np.arange(600) % 60], y[v.partner]
    ends = [(v.share + s * 0.05) * a + (1 - v.share - s * 0.05) * b for s in (-1, 1)]
    inside = (prediction >= np.minimum(*ends) - 1e-8) & (prediction <= np.maximum(*ends) + 1e-8)
    assert inside[v.attempts <= 100].all()  # the 101st draw is accepted
    assert v.attempts.max() > 10  # the anchor's share grows for some
    assert v.share[v.attempts > 30].min() > 0.9
    without = mixup(stream(0, "vicinal"), x, y, 10, MIX_Y)
    assert 0.01 < (v.attempts == 1).mean() < 0.5
    assert without.share.mean() < v.share.mean()


def test_equal_labels_are_accepted(problem):
    x, _ = problem
    y = np.ones(60) / 3
    forest = fit_forest(stream(0, "detector"), np.ascontiguousarray(x.T), y)
    assert (mixup(stream(0, "vicinal"), x, y, 2, MIX_Y, forest).attempts == 1).all()


def test_finite_difference_moves_each_row(problem):
    x, _ = problem
    v = finite_difference(stream(0, "vicinal"), x, 50, 0.25)
    moved = v.points - np.tile(x, (50, 1))
    assert stats.kstest(moved.ravel() / 0.25, "norm").pvalue > 0.01
    assert (v.partner == np.arange(3000) % 60).all()
    assert (v.share == 1.0).all()


def test_random_numbers_have_their_distributions():
    state = stream(1, "evolution")
    sample = {
        "uniform": (lambda: uniform(state), stats.uniform()),
        "normal": (lambda: normal(state), stats.norm()),
        "gamma": (lambda: gamma(state, 2.5), stats.gamma(2.5)),
        "small gamma": (lambda: gamma(state, 0.4), stats.gamma(0.4)),
        "beta": (lambda: beta(state, 3.0, 7.0), stats.beta(3, 7)),
    }
    for name, (draw, distribution) in sample.items():
        values = [draw() for _ in range(5000)]
        assert stats.kstest(values, distribution.cdf).pvalue > 0.005, name
    counts = np.bincount([below(state, 7) for _ in range(14000)])
    assert stats.chisquare(counts).pvalue > 0.005


def test_shuffles_are_uniform():
    state, counts = stream(2, "folds"), {}
    for _ in range(6000):
        items = np.arange(3)
        shuffle(state, items)
        counts[tuple(items)] = counts.get(tuple(items), 0) + 1
    assert stats.chisquare(list(counts.values())).pvalue > 0.005
    assert len(counts) == 6


def test_streams_differ_and_repeat():
    states = {tuple(stream(seed, name)) for seed in range(3) for name in STREAMS}
    assert len(states) == 3 * len(STREAMS)
    assert tuple(stream(2, "folds")) == tuple(stream(2, "folds"))
