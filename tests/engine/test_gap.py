"""The vicinal Jensen gap and the finite difference against their definitions and theorems."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.engine_runs import MIX_Y, evolved, model_of, small_problem, vicinity_of
from tests.support.twins import worst_gap

from vjmgp.engine.numerics.rng import stream
from vjmgp.engine.objectives.vicinal import MixupRule, finite_difference, mixup
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


@pytest.fixture(scope="module")
def evolved_models():
    """Return a problem, the models of two evolved populations, and their objectives O1."""
    x, y = small_problem()
    runs = [
        evolved((x, y), seed, 5, regularizer=kind)
        for seed, kind in enumerate(("none", "jensen_gap"))
    ]
    found = [
        (model_of(run, row), run.individuals.o1[row]) for run in runs for row in run.population
    ]
    return x, y, found


def parts_of_the_bound(model, x, y, v):
    """Return vicinal risk, empirical risk weighted by shares, and all squared gaps."""
    anchor, clean = np.arange(len(v.share)) % len(y), model(x)
    mix = lambda values: v.share * values[anchor] + (1 - v.share) * values[v.partner]  # noqa: E731
    predicted = model(v.points)
    return (
        np.mean((predicted - mix(y)) ** 2), np.mean(mix((clean - y) ** 2)),
        (predicted - mix(clean)) ** 2,
    )  # fmt: skip


def vicinity(kind, seed, x, y, rounds, strength):
    """Return noisy rows, mixtures of rows, or (for no theorem) points beyond both rows."""
    if kind == "noise":
        return finite_difference(stream(seed, "vicinal"), x, rounds, strength)
    rule = MixupRule(1 + 9 * strength, strength, joint=bool(seed % 2), fold=bool(seed % 3))
    v = mixup(stream(seed, "vicinal"), x, y, rounds, rule)
    if kind == "mixture":
        return v
    share, anchor = v.share + 1.0, np.arange(len(v.share)) % len(y)
    points = share[:, None] * x[anchor] + (1 - share)[:, None] * x[v.partner]
    return v._replace(points=points, share=share)


@given(
    st.integers(0, 79), st.sampled_from(["noise", "mixture"]), st.integers(0, 2**32),
    st.integers(1, 20), st.floats(0.01, 2.0), st.floats(0.01, 100.0),
)  # fmt: skip
def test_theorems_1_and_2(evolved_models, number, kind, seed, rounds, strength, tau):
    """Vicinal risk ≤ (1 + 1/τ)(empirical risk + τ gap), with factor 2 for τ = 1."""
    x, y, models = evolved_models
    model, o1 = models[number]
    v = vicinity(kind, seed, x, y, rounds, strength)
    risk, empirical, gaps = parts_of_the_bound(model, x, y, v)
    slack = 1 + 1e-9
    assert risk <= 2 * (empirical + gaps.mean()) * slack
    assert np.sqrt(risk) <= (np.sqrt(empirical) + np.sqrt(gaps.mean())) * slack
    o2 = worst_gap(model, model(x), v.points, v.partner, v.share, len(y))
    assert gaps.mean() <= o2 * slack
    assert risk <= (1 + 1 / tau) * (empirical + tau * o2) * slack
    if kind == "noise":
        assert empirical <= o1 * slack  # so both objectives bound the risk


@pytest.mark.parametrize(("kind", "shift"), [("noise", -1.0), ("mixture", 1.0)])
def test_theorems_need_their_factor(problem, kind, shift):
    """Where errors and gaps of a parabola have the same sign, the plain sum is no bound."""
    x = problem[0]
    y = x[:, 0] ** 2 + shift
    v = vicinity(kind, 1, x, y, 10, 0.5)
    risk, empirical, gaps = parts_of_the_bound(lambda p: p[:, 0] ** 2, x, y, v)
    assert empirical + gaps.mean() < risk <= 2 * (empirical + gaps.mean())


def test_theorem_2_needs_shares_up_to_1(problem):
    x, y = problem
    v = vicinity("beyond", 1, x, y, 10, 0.5)
    risk, empirical, gaps = parts_of_the_bound(lambda p: 0 * p[:, 0], x, y[::-1], v)
    assert risk > 2 * (empirical + gaps.mean())
