"""Extra Trees and the noise estimate against scikit-learn."""

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.model_selection import KFold, cross_val_score
from tests.support.twins import predictions

from vjmgp.engine.numerics.rng import stream
from vjmgp.engine.numerics.scores import r2
from vjmgp.engine.objectives.forest import COLUMN_BITS, COLUMN_MASK, fit_forest
from vjmgp.engine.objectives.noise import adaptive_tau, noise_scores, out_of_fold_predictions


def slow_prediction(forest, point):
    """Predict one point by walking down each tree."""
    total = 0.0
    for root in forest.root:
        node = int(root)
        while True:
            cut = forest.nodes[node : node + 1, 0].view(np.float64)[0]
            link = forest.nodes[node, 1]
            if np.isinf(cut):
                break
            node = int(link >> COLUMN_BITS) + int(point[int(link & COLUMN_MASK)] > cut)
        total += forest.value[node]
    return total / len(forest.root)


@pytest.mark.parametrize("rows", [1, 7, 8, 29])
def test_prediction_equals_a_walk_down_each_tree(problem, rows):
    x, y = problem
    forest = fit_forest(stream(0, "detector"), np.ascontiguousarray(x.T), y, 20)
    points = np.random.default_rng(1).normal(size=(rows, 4))
    expected = [slow_prediction(forest, point) for point in points]
    np.testing.assert_allclose(predictions(forest, points), expected, rtol=1e-14)


def test_training_rows_are_reproduced(problem):
    x, y = problem
    forest = fit_forest(stream(0, "detector"), np.ascontiguousarray(x.T), y)
    np.testing.assert_allclose(predictions(forest, x), y, atol=1e-12)


def test_identical_rows_give_their_mean():
    x = np.zeros((1, 4))
    forest = fit_forest(stream(0, "detector"), x, np.array([0.0, 1.0, 2.0, 5.0]), 3)
    np.testing.assert_allclose(predictions(forest, np.zeros((2, 1))), 2.0)


@pytest.mark.parametrize(("weighted", "trees", "repetitions"), [(False, 100, 12), (True, 50, 8)])
def test_predictions_agree_with_scikit_learn(problem, weighted, trees, repetitions):
    """The random numbers differ, but means over repetitions agree."""
    x, y = problem
    weights = np.where(y > 0, 30.0, 0.1) if weighted else None
    x = np.round(x) if weighted else x  # ties, so that leaves have several rows
    points, columns = np.random.default_rng(5).normal(size=(40, 4)), np.ascontiguousarray(x.T)
    ours, theirs, plain = [], [], []
    for seed in range(repetitions):
        state = stream(seed, "detector")
        ours.append(predictions(fit_forest(state, columns, y, trees, weights), points))
        plain.append(predictions(fit_forest(state, columns, y, trees), points))
        model = ExtraTreesRegressor(trees, random_state=seed).fit(x, y, sample_weight=weights)
        theirs.append(model.predict(points))
    ours, theirs, plain = np.array(ours), np.array(theirs), np.array(plain)
    error = np.sqrt((ours.var(axis=0) + theirs.var(axis=0)) / repetitions)
    distance = np.abs(ours.mean(axis=0) - theirs.mean(axis=0)) / error
    assert np.mean(distance) < 1.5
    if weighted:
        assert np.mean(np.abs(ours.mean(axis=0) - plain.mean(axis=0)) / error) > 3
    else:
        assert ours.std(axis=0).mean() == pytest.approx(theirs.std(axis=0).mean(), rel=0.25)


def test_noise_estimate_agrees_with_scikit_learn(problem):
    x, y = problem
    ours = [noise_scores(x, y, seed)["mean"] for seed in range(8)]
    theirs = []
    for seed in range(8):
        trees = ExtraTreesRegressor(random_state=seed)
        folds = KFold(5, shuffle=True, random_state=seed)
        theirs.append(cross_val_score(trees, x, y, cv=folds, scoring="r2").mean())
    assert np.mean(ours) == pytest.approx(np.mean(theirs), abs=0.06)


def test_predictions_are_out_of_fold(problem):
    x, y = problem
    found, folds = out_of_fold_predictions(x, y, 0)
    assert sorted(np.concatenate(folds)) == list(range(len(y)))
    assert [len(fold) for fold in folds] == [12] * 5
    assert not np.isclose(found, y).any()
    mean = np.mean([r2(y[fold], found[fold]) for fold in folds])
    assert noise_scores(x, y, 0)["mean"] == mean
    assert noise_scores(x, y, 0)["pooled"] == r2(y, found)


def test_tau_steps_at_one_half():
    assert adaptive_tau(0.5) == 1.0
    assert adaptive_tau(0.49) == 10.0
    assert adaptive_tau(-30.0) == 10.0


def test_few_rows_are_scored_together():
    x, y = np.arange(6.0)[:, None], np.arange(6.0)
    assert np.isfinite(noise_scores(x, y, 0)["mean"])
    assert np.isfinite(noise_scores(x[:2], y[:2], 0)["mean"])
