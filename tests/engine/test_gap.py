"""The vicinal Jensen gap and the finite difference against their definitions and theorems."""

import numpy as np
import pytest
from tests.support.engine_runs import MIX_Y, evolved, model_of, vicinity_of
from tests.support.twins import worst_gap

from vjmgp.engine.numerics.rng import stream
from vjmgp.engine.objectives.vicinal import finite_difference, mixup
from vjmgp.engine.trees.pool import SCALE


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"mixup_kernel": "joint"},
        {"fold_share": False, "intrusion_detection": True},
        {"regularizer": "finite_difference", "sigma": 0.25},
        {"memory_limit": 0.0},
    ],
)
def test_objective_2_equals_its_definition(problem, changes):
    run = evolved(problem, 3, 6, **changes)
    points, partner, share = vicinity_of(run, problem[0])
    for row in run.population:
        model = model_of(run, row)
        clean = model(problem[0])
        np.testing.assert_allclose(run.individuals.fitted[row], clean, atol=1e-9)
        expected = worst_gap(model, clean, points, partner, share, 60)
        assert run.individuals.o2[row] == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_unscaled_clean_features(problem):
    run = evolved(problem, 3, 6, unscaled_clean_features=True)
    points, partner, share = vicinity_of(run, problem[0])
    differs = 0
    for row in run.population:
        model = model_of(run, row)
        unscaled = model(problem[0], scaled=False)
        usable = run.pool.scaling[run.individuals.trees[row, : run.individuals.n_trees[row]], SCALE]
        if (usable > 0).all():
            expected = worst_gap(model, unscaled, points, partner, share, 60)
            assert run.individuals.o2[row] == pytest.approx(expected, rel=1e-6, abs=1e-12)
            honest = worst_gap(model, model(problem[0]), points, partner, share, 60)
            differs += not np.isclose(expected, honest)
    assert differs > 0


def test_linear_models_have_no_gap(problem):
    run = evolved(problem, 1, 10, population_size=30, functions=("add", "sub", "neg"), rounds=10)
    np.testing.assert_allclose(run.individuals.o2[run.population], 0.0, atol=1e-20)


def test_gap_does_not_fall_with_more_rounds(problem):
    """Without redraws, a longer run starts with the rounds of a shorter one."""
    x, y = problem
    model = lambda p: np.sin(3 * p[:, 0]) + p[:, 1] ** 2  # noqa: E731
    v = mixup(stream(0, "vicinal"), x, y, 12, MIX_Y)
    gaps = [
        worst_gap(model, model(x), v.points[: 60 * k], v.partner, v.share, 60) for k in range(1, 13)
    ]
    assert (np.diff(gaps) >= 0).all()
    assert gaps[-1] > gaps[0]
    shorter = mixup(stream(0, "vicinal"), x, y, 5, MIX_Y)
    np.testing.assert_array_equal(shorter.points, v.points[:300])


def test_early_stopping_keeps_the_best_sum(problem):
    """On the same individuals, the best sum is equal, and o2 is never larger."""
    full = evolved(problem, 5, 0, population_size=150)
    early = evolved(problem, 5, 0, population_size=150, early_stopping=True)
    np.testing.assert_array_equal(full.individuals.o1, early.individuals.o1)
    rows = np.flatnonzero(np.isfinite(full.individuals.o2))[:150]
    sums = full.individuals.o1[rows] + full.tau * full.individuals.o2[rows]
    stopped = early.individuals.o1[rows] + early.tau * early.individuals.o2[rows]
    assert (stopped <= sums * (1 + 1e-12)).all()
    assert (stopped < sums).any()
    assert early.best_sum[0] == pytest.approx(sums.min(), rel=1e-12)
    assert np.argmin(stopped) == np.argmin(sums)
    np.testing.assert_allclose(
        np.minimum.accumulate(stopped), np.minimum.accumulate(sums), rtol=1e-12
    )


@pytest.mark.parametrize("seed", range(5))
def test_vicinal_risk_is_bounded_by_empirical_risk_and_gap(problem, seed):
    """Theorems 1 and 2: on the vicinal sample, risk ≤ 2·(empirical part + gap)."""
    x, y = problem
    rng = np.random.default_rng(seed)
    w = rng.normal(size=(2, 4))
    model = lambda p: np.sin(p @ w[0]) * 2 + np.abs(p @ w[1])  # noqa: E731
    clean = model(x)
    noise = finite_difference(stream(seed, "vicinal"), x, 10, 0.5)
    mixed = mixup(stream(seed, "vicinal"), x, y, 10, MIX_Y)
    for v in (noise, mixed):
        anchor = np.arange(600) % 60
        values, share = model(v.points), v.share
        label = share * y[anchor] + (1 - share) * y[v.partner]
        risk = np.mean((values - label) ** 2)
        gap = np.mean((values - share * clean[anchor] - (1 - share) * clean[v.partner]) ** 2)
        squared = (clean - y) ** 2
        empirical = np.mean(share * squared[anchor] + (1 - share) * squared[v.partner])
        assert risk <= 2 * empirical + 2 * gap
        assert np.sqrt(risk) <= np.sqrt(empirical) + np.sqrt(gap)
        worst = worst_gap(model, clean, v.points, v.partner, share, 60)
        assert gap <= worst  # so the second objective bounds it, too
