"""Row weights: integer weights equal repeated rows in every number of an evolution."""

import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import stats
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.support import twins
from tests.support.engine_runs import evolved, fingerprint, vicinity_of
from tests.support.regressors import small

from vjmgp import REGULARIZERS, SELECTIONS, r2
from vjmgp.engine.distillation.distil import _standardise, teaching_points
from vjmgp.engine.numerics.rng import below, stream, uniform
from vjmgp.engine.objectives.forest import fit_forest
from vjmgp.engine.objectives.noise import noise_scores, out_of_fold_predictions
from vjmgp.engine.objectives.row_weights import draw_row, row_weights
from vjmgp.engine.preparation import prepare
from vjmgp.engine.regularizers import Regularizer
from vjmgp.engine.scorer import _load
from vjmgp.engine.search.archive import CENTRE, FACTOR, O1, O2, TRAIN_R2, WEIGHT
from vjmgp.engine.search.evolution import Evolution
from vjmgp.engine.search.selection.lexicase import case_sums, lexicase, mark_passes
from vjmgp.engine.settings import Settings
from vjmgp.engine.trees.pool import MEAN, SCALE
from vjmgp.models.kriging import RowNoise, fit_kriging, predict_kriging
from vjmgp.tables.preprocessing import fit_standardizer

pytestmark = pytest.mark.usefixtures("all_kernels")

ALPHAS = np.array([0.1, 1.0, 10.0])
WEIGHTED = [name for name in REGULARIZERS if REGULARIZERS[name].uses_sample_weight]
N = 60
WHOLE = np.random.default_rng(3).integers(1, 5, N).astype(float)
COPY = np.repeat(np.arange(N), WHOLE.astype(int))
"""The original of each repeated row."""


TREES = np.random.default_rng(11)
MODELS = [[twins.random_tree(TREES, 3, 4) for _ in range(TREES.integers(1, 5))] for _ in range(40)]


def measured(prepared):
    """Evaluate both objectives of the models, as a run does for offspring."""
    run = Evolution(prepared)
    for row, trees in enumerate(MODELS):
        _load(run, row, trees)
    run._evaluate(np.arange(len(MODELS)))
    return run


def repeated(weighted, problem):
    """Return the run on repeated rows, whose copies share their vicinal points."""
    x, y = (part[COPY] for part in problem)
    settings = replace(weighted.settings, rounds=1)
    found = prepare(x, y, settings, seed=1, noise_r2=weighted.noise_r2)
    if not weighted.n_extra:
        return found
    rounds = weighted.n_extra // N
    rows = (N * np.arange(rounds)[:, None] + COPY).ravel()
    first_copy = np.searchsorted(COPY, np.arange(N))
    vicinity = weighted.regularizer.vicinity
    found.regularizer.vicinity = vicinity._replace(
        partner=first_copy[vicinity.partner[rows]], share=vicinity.share[rows]
    )
    clean = found.columns[:, : found.first_extra_row]
    columns = np.ascontiguousarray(np.hstack([clean, weighted.extra[rows].T]))
    return replace(found, columns=columns, n_extra=len(rows))


def weighted_and_repeated(problem, regularizer):
    """Return the runs on weighted and on repeated rows, and their settings."""
    options = Settings(population_size=40, regularizer=regularizer)
    weighted = prepare(*problem, options, seed=1, sample_weight=WHOLE)
    return measured(weighted), measured(repeated(weighted, problem)), options


@pytest.mark.parametrize("regularizer", WEIGHTED)
def test_integer_weights_equal_repeated_rows(problem, regularizer, monkeypatch):
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (20, N))
    monkeypatch.setattr(
        "vjmgp.engine.regularizers.rademacher.random_signs",
        lambda state, vectors, n: signs if n == N else np.ascontiguousarray(signs[:, COPY]),
    )
    one, other, options = weighted_and_repeated(problem, regularizer)
    a, b = one.individuals, other.individuals
    assert np.isfinite(a.o1[:40]).sum() > 30
    np.testing.assert_allclose(a.o1, b.o1, rtol=1e-10)
    np.testing.assert_allclose(a.o2, b.o2, rtol=1e-8, atol=1e-11)
    np.testing.assert_array_equal(a.alpha, b.alpha)
    np.testing.assert_allclose(a.weights, b.weights, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(a.fitted[:, COPY], b.fitted, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(a.loo[:, COPY], b.loo, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(one.pool.scaling, other.pool.scaling, rtol=1e-10, atol=1e-12)
    # Results differ from those without weights.
    plain = measured(prepare(*problem, options, seed=1)).individuals
    assert not np.isclose(plain.o1[:40], a.o1[:40], rtol=1e-3).all()


def test_archive_with_integer_weights_equals_repeated_rows(problem):
    one, other = (run.archive for run in weighted_and_repeated(problem, "none")[:2])
    np.testing.assert_array_equal(one.facts, other.facts)
    for column in (O1, TRAIN_R2):
        np.testing.assert_allclose(one.scores[:, column], other.scores[:, column], rtol=1e-10)
    for layer in (WEIGHT, CENTRE, FACTOR):
        np.testing.assert_allclose(one.linear[:, layer], other.linear[:, layer], atol=1e-9)


FRACTIONS = np.random.default_rng(5).uniform(0.1, 3.0, N)


@pytest.mark.parametrize("regularizer", ["jensen_gap", "finite_difference", "vicinal_risk"])
@pytest.mark.parametrize("total", [None, 1.0])
def test_weighted_objectives_equal_their_definitions(problem, regularizer, total):
    x, y = problem
    weights = FRACTIONS if total is None else FRACTIONS * (total / FRACTIONS.sum())
    options = Settings(population_size=40, regularizer=regularizer, rounds=3)
    prepared = prepare(x, y, options, seed=1, sample_weight=weights)
    run = measured(prepared)
    points, partner, share = vicinity_of(run, x)
    mean = np.average(y, weights=weights)
    checked = 0
    for row, trees in enumerate(MODELS):
        raw = np.column_stack([twins.evaluate_tree(*tree, x.T.copy()) for tree in trees])
        numbers = run.individuals.trees[row, : len(trees)]
        centre, scale = run.pool.scaling[numbers, MEAN], run.pool.scaling[numbers, SCALE]
        if not np.isfinite(run.individuals.o1[row]):
            continue
        checked += 1
        z = twins.standardised(raw, weights)
        np.testing.assert_allclose((raw - centre) * scale, z, atol=1e-9)
        alpha = run.individuals.alpha[row]
        errors = twins.loo_errors_by_refitting(z, y, alpha, weights)
        np.testing.assert_allclose(run.individuals.loo[row], errors, rtol=1e-6, atol=1e-9)
        o1 = np.average(errors, weights=weights)
        assert run.individuals.o1[row] == pytest.approx(o1, rel=1e-8)
        others = [
            np.average(twins.loo_errors_by_refitting(z, y, a, weights), weights=weights)
            for a in ALPHAS
        ]
        assert o1 <= min(others) * (1 + 1e-9)
        coefficients, _ = twins.ridge(z, y, alpha, weights)
        there = np.column_stack([twins.evaluate_tree(*tree, points.T.copy()) for tree in trees])
        values = mean + ((there - centre) * scale) @ coefficients
        clean = y if regularizer == "vicinal_risk" else mean + z @ coefficients
        expected = twins.worst_gap(lambda _, v=values: v, clean, points, partner, share, N, weights)
        assert run.individuals.o2[row] == pytest.approx(expected, rel=1e-6, abs=1e-12)
    assert checked > 30


@pytest.mark.parametrize("regularizer", REGULARIZERS)
def test_weights_of_one_do_not_change_results(problem, regularizer):
    found = []
    for weights in (None, np.ones(N)):
        changes = {"population_size": 20, "regularizer": regularizer, "sample_weight": weights}
        found.append(fingerprint(evolved(problem, 2, 3, **changes)))
    assert found[0] == found[1]


def slow_lexicase(state, passes, weights, count):
    """Draw cases by the remaining weights, with lists instead of trees and bits."""
    n, n_cases = passes.shape
    chosen = []
    for _ in range(count):
        running, left = list(range(n)), list(range(n_cases))
        while left and len(running) > 1:
            mark = uniform(state) * weights[left].sum()
            place = int(np.searchsorted(np.cumsum(weights[left]), mark, side="right"))
            case = left.pop(min(place, len(left) - 1))
            running = [i for i in running if passes[i, case]] or running
        chosen.append(running[below(state, len(running))])
    return chosen


@pytest.mark.parametrize("size", [2, 63, 65])
@pytest.mark.parametrize("n_cases", [2, 5, 32, 37])
def test_weighted_lexicase_equals_a_slow_version(size, n_cases):
    rng = np.random.default_rng(size)
    errors = rng.normal(size=(size, n_cases)) ** 2
    errors[1] = errors[0]  # these two pass the same cases, so all cases are drawn
    weights = rng.uniform(0.01, 4, n_cases)
    passes = np.empty((n_cases, (size + 63) // 64), np.uint64)
    population = np.arange(size)
    mark_passes(errors, population, passes)
    sums = case_sums(weights)
    before = sums.copy()
    parents = np.empty(80, np.int64)
    lexicase(stream(3, "evolution"), passes, sums, population, parents)
    slow = slow_lexicase(stream(3, "evolution"), twins.slow_passes(errors), weights, 80)
    np.testing.assert_array_equal(parents, slow)
    np.testing.assert_array_equal(sums, before)


def test_first_case_is_drawn_by_weight():
    """Each individual passes a different case, so the first case decides."""
    weights = np.array([1.0, 2.0, 0.5, 4.5])
    passes = np.uint64(1) << np.arange(4, dtype=np.uint64)[:, None]
    parents = np.empty(8000, np.int64)
    lexicase(stream(1, "evolution"), passes, case_sums(weights), np.arange(4), parents)
    expected = weights / weights.sum() * 8000
    assert stats.chisquare(np.bincount(parents, minlength=4), expected).pvalue > 0.005


def test_forest_with_integer_weights_splits_like_repeated_rows(problem):
    """Compare the roots; below, rows and copies use different random numbers."""
    x, y = problem
    columns = np.ascontiguousarray(x.T)
    copies = np.ascontiguousarray(columns[:, COPY])
    differs = 0
    for seed in range(30):
        forests = [
            fit_forest(stream(seed, "detector"), columns, y, 1, WHOLE),
            fit_forest(stream(seed, "detector"), copies, y[COPY], 1),
            fit_forest(stream(seed, "detector"), columns, y, 1),
        ]
        roots = [forest.nodes[0].tolist() for forest in forests]
        assert roots[0] == roots[1]
        differs += roots[0] != roots[2]
    assert differs > 0


def test_leaves_have_the_weighted_mean():
    x, weights = np.zeros((1, 4)), np.array([1.0, 2.0, 0.5, 4.0])
    y = np.array([0.0, 1.0, 2.0, 5.0])
    forest = fit_forest(stream(0, "detector"), x, y, 3, weights)
    expected = np.average(y, weights=weights)
    np.testing.assert_allclose(twins.predictions(forest, np.zeros((2, 1))), expected)


def test_noise_is_scored_with_weights(problem):
    x, y = problem
    found, folds = out_of_fold_predictions(x, y, 0, WHOLE)
    scores = noise_scores(x, y, 0, WHOLE)
    by_fold = [r2_score(y[f], found[f], sample_weight=WHOLE[f]) for f in folds]
    assert scores["mean"] == pytest.approx(np.mean(by_fold))
    assert scores["pooled"] == pytest.approx(r2_score(y, found, sample_weight=WHOLE))
    assert r2(y, found, WHOLE) == scores["pooled"]
    with pytest.raises(ValueError, match="sample_weight has 3 values, but truth has 60 rows"):
        r2(y, found, [1.0, 2.0, 3.0])
    assert r2([1.0, 2.0], [1.0, 3.0], [1.0, 0.0]) == 0.0  # a single row does not vary
    prepared = prepare(x, y, Settings(), seed=0, sample_weight=WHOLE)
    assert prepared.noise_r2 == scores["mean"]


def test_rows_are_drawn_by_weight():
    weights = np.array([0.5, 3.0, 1.0, 2.5])
    state, ends = stream(0, "vicinal"), row_weights(4, weights).ends
    counts = np.bincount([draw_row(state, ends) for _ in range(7000)], minlength=4)
    assert stats.chisquare(counts, weights / weights.sum() * 7000).pvalue > 0.005


def test_points_of_a_student_have_the_weights_of_their_rows(problem):
    prepared = prepare(*problem, Settings(rounds=2), seed=3, sample_weight=WHOLE)
    points, n, weights = teaching_points(prepared)
    np.testing.assert_allclose(weights[:n], WHOLE / WHOLE.mean())
    np.testing.assert_allclose(weights[n : n + 2 * N], np.tile(WHOLE / WHOLE.mean(), 2))
    assert (weights[n + 2 * N :] == 1.0).all()
    assert len(weights) == len(points)


def test_random_points_start_from_rows_drawn_by_weight(problem):
    x, y = problem
    x = np.where(np.arange(N)[:, None] < 3, x, x + 100.0)
    weights = np.where(np.arange(N) < 3, 1e6, 1.0)
    prepared = prepare(x, y, Settings(rounds=1), seed=3, noise_r2=0.0, sample_weight=weights)
    points, _, _ = teaching_points(prepared)
    assert np.mean(points[2 * N :, 0] < 50.0) > 0.99


def test_candidates_are_standardised_with_weights():
    rng = np.random.default_rng(0)
    values = rng.normal(2, 3, size=(3, 7))
    weights = rng.uniform(0.1, 3, 5)
    flat, usable, scale = values.ravel().copy(), np.empty(3, np.int64), np.empty(3)
    assert _standardise(flat, 7, np.arange(7), weights, usable, scale) == 3
    mean = np.average(values[:, :5], axis=1, weights=weights)[:, None]
    square = np.average((values[:, :5] - mean) ** 2, axis=1, weights=weights)[:, None]
    np.testing.assert_allclose(flat.reshape(3, 7), (values - mean) / np.sqrt(square))
    np.testing.assert_allclose(scale, 1 / np.sqrt(square[:, 0]))


def test_weighted_gaussian_process_equals_repeated_rows(problem):
    x, y = problem
    weighted = GaussianProcessRegressor(RBF(2.0) + RowNoise(0.3, weights=WHOLE), optimizer=None)
    copies = GaussianProcessRegressor(RBF(2.0) + WhiteKernel(0.3), optimizer=None)
    points = np.random.default_rng(5).normal(size=(10, 4))
    expected = copies.fit(x[COPY], y[COPY]).predict(points)
    np.testing.assert_allclose(weighted.fit(x, y).predict(points), expected, rtol=1e-6)
    noise = RowNoise(0.3, weights=WHOLE)
    value, slope = noise(x, eval_gradient=True)
    np.testing.assert_allclose(value, np.diag(0.3 / WHOLE))
    np.testing.assert_allclose(slope[:, :, 0], value)  # by the logarithm of the level


def test_gaussian_process_uses_weights():
    rng = np.random.default_rng(0)
    x = np.repeat(rng.normal(size=(30, 1)), 2, axis=0)
    y = np.where(np.arange(60) % 2, x[:, 0], -x[:, 0]) + 0.1 * rng.normal(size=60)
    for heavy, sign in ((1, 1.0), (0, -1.0)):
        weights = np.where(np.arange(60) % 2 == heavy, 1.98, 0.02)
        process = fit_kriging(x, y, weights)
        assert predict_kriging(process, np.ones((1, 1)))[0] * sign > 0.7


def test_standardizer_with_integer_weights_equals_repeated_rows():
    rng = np.random.default_rng(0)
    level = rng.choice(["a", "b", "c"], N).astype(object)
    level[7] = "alone"
    table = pd.DataFrame({"x": rng.normal(3, 2, N), "huge": rng.normal(size=N) * 1e200, "l": level})
    y = rng.normal(size=N) + (level == "b")
    y[level == "c"] = 0.25  # a level without variance
    names = list(table.columns)
    table.loc[5:20, "x"] = np.nan
    one = fit_standardizer(table, y, names, [2], missing="median", weights=WHOLE)
    other = fit_standardizer(table.iloc[COPY], y[COPY], names, [2], missing="median")
    assert one.columns[0].fill == other.columns[0].fill != np.nanmedian(table["x"])
    assert one.target_range == other.target_range
    np.testing.assert_allclose(
        [one.target_mean, one.target_scale], [other.target_mean, other.target_scale], rtol=1e-12
    )
    for a, b in zip(one.columns, other.columns, strict=True):
        np.testing.assert_allclose([a.mean, a.scale], [b.mean, b.scale], rtol=1e-9)
        assert a.unseen == pytest.approx(b.unseen)
        if a.codes is not None:
            assert a.codes == pytest.approx(b.codes, rel=1e-9)
    assert set(one.columns[2].codes) == {"a", "b", "c", "alone"}


CONTRARY = np.random.default_rng(0)
X = np.repeat(CONTRARY.uniform(-2, 2, size=(40, 2)), 2, axis=0)
UP = np.arange(80) % 2 == 1
Y = np.where(UP, 1.0, -1.0) * X[:, 0] + 0.05 * CONTRARY.normal(size=80)
"""Each input twice with opposite targets, of which one is up."""
MOSTLY_UP = np.where(UP, 1.9, 0.1)
UNEVEN = FRACTIONS[np.arange(80) % N]


@pytest.mark.parametrize("regularizer", WEIGHTED)
def test_regularizers_use_weights(regularizer):
    for follow in (UP, ~UP):
        weights = np.where(follow, 1.9, 0.1)
        model = small(regularizer=regularizer).fit(X, Y, sample_weight=weights)
        model.choose(rule="o1")  # the most accurate of the front; FDM also has flat models
        assert model.score(X[follow], Y[follow]) > 0.5
        assert model.score(X[~follow], Y[~follow]) < 0


@pytest.mark.parametrize(
    "changes",
    [{"selection": name} for name in SELECTIONS]
    + [{"predict_with": w} for w in ("front", "blend")],
    ids=str,
)
def test_selections_and_ensembles_use_weights(changes):
    model = small(**changes).fit(X, Y, sample_weight=MOSTLY_UP)
    assert model.score(X[UP], Y[UP]) > 0.5


def test_rows_of_weight_zero_are_ignored():
    weights = np.where(UP, UNEVEN, 0.0)
    spoilt = np.where(UP[:, None], X, np.nan)  # these rows are never read
    one = small().fit(spoilt, Y, sample_weight=weights)
    other = small().fit(X[UP], Y[UP], sample_weight=weights[UP])
    assert one.model_ == other.model_
    same = small().fit(X, Y, sample_weight=UP.astype(float))
    assert same.model_ == small().fit(X[UP], Y[UP]).model_


def test_reported_scores_are_weighted():
    model = small().fit(X, Y, sample_weight=UNEVEN)
    for row, one in zip(model.pareto_front_.itertuples(), model.front_models(), strict=True):
        assert row.train_r2 == pytest.approx(r2(Y, one.predict(X), UNEVEN), abs=1e-9)
    assert model.score(X, Y, UNEVEN) == pytest.approx(r2(Y, model.predict(X), UNEVEN))


def test_scalar_weight_applies_to_all_rows():
    one = small().fit(X, Y, sample_weight=2)
    assert one.model_ == small().fit(X, Y, sample_weight=[2.0] * 80).model_
    assert small().fit(X, Y, sample_weight=1).model_ == small().fit(X, Y).model_


def test_constant_input_gives_the_weighted_mean():
    y, weights = np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 0.5])
    model = small().fit(np.ones((3, 1)), y, sample_weight=weights)
    mean = np.average(y, weights=weights)
    assert model.predict(np.ones((1, 1)))[0] == pytest.approx(mean)
    left = weights - np.minimum(weights, 1.0) * np.eye(3)  # without one copy of each row
    errors = [(y[i] - np.average(y, weights=left[i])) ** 2 for i in range(3)]
    variance = np.average((y - mean) ** 2, weights=weights)
    expected = np.average(errors, weights=weights) / variance
    assert model.pareto_front_["o1"][0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(79), "sample_weight has 79 values, but X has 80 rows"),
        (np.ones((80, 1)), "sample_weight has 2 dimensions"),
        (["heavy"] * 80, "sample_weight must be numbers"),
        (np.full(80, np.datetime64(0, "s")), "sample_weight must be numbers"),
        (np.ma.MaskedArray(np.ones(80), np.eye(80)[2]), "NaN or infinity in row 2"),
        (np.full(80, 1e308), "sample_weight adds up to inf"),
        ([1.0, np.nan] * 40, r"NaN or infinity in row 1 \(40 of 80 rows\)"),
        ([np.inf] + [1.0] * 79, r"NaN or infinity in row 0 \(1 of 80 rows\)"),
        ([1.0, 2.0, -1.0, *[1.0] * 77], r"a negative number in row 2 \(1 of 80 rows\)"),
        (np.zeros(80), "zero in 80 of 80 rows; it must be above zero in 2 or more"),
        (np.eye(80)[0], "sample_weight is zero in 79 of 80 rows"),
        (np.full(80, 1e300), r"sample_weight adds up to 8e\+301"),
        (np.full(80, 1e-300), "sample_weight adds up to 8e-299"),
    ],
)
def test_invalid_weights_are_reported(weights, message):
    with pytest.raises(ValueError, match=message) as error:
        small().fit(X, Y, sample_weight=weights)
    assert "\n" not in str(error.value)


def test_regularizer_without_weights_rejects_them():
    with pytest.raises(ValueError, match="regularizer 'wcrv' takes no sample_weight"):
        small(regularizer="wcrv").fit(X, Y, sample_weight=UNEVEN)
    refused = set(REGULARIZERS) - set(WEIGHTED)
    assert refused == {"wcrv"}
    assert not Regularizer.uses_sample_weight  # a user's class must declare support


class WeightedSize(Regularizer):
    """A user-defined regulariser that uses the weights of the run."""

    name, label, uses_sample_weight = "weighted_size", "WS", True

    def score(self, run, rows):
        np.testing.assert_array_equal(run.sample_weight, self.weights.each)
        squares = run.individuals.fitted[rows] ** 2
        run.individuals.o2[rows] = np.average(squares, axis=1, weights=run.sample_weight)


def test_user_regularizer_has_the_weights(monkeypatch):
    monkeypatch.setitem(sys.modules, "my_measures", sys.modules[__name__])  # a public path
    model = small(regularizer="my_measures.WeightedSize").fit(X, Y, sample_weight=MOSTLY_UP)
    values = model.archive_.scores[model.archive_.front[0], O2]
    assert 0.0 < values < 1.0


@pytest.mark.filterwarnings("ignore:X leaves the training range")
def test_metadata_routing():
    with sklearn.config_context(enable_metadata_routing=True):
        asked = small().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), asked)
        pipeline.fit(X, Y, sample_weight=MOSTLY_UP)
        assert pipeline.score(X[UP], Y[UP]) > 0.5
        search = GridSearchCV(asked, {"max_trees": [1, 3]}, cv=2).fit(X, Y, sample_weight=MOSTLY_UP)
        assert search.best_estimator_.score(X[UP], Y[UP]) > 0.5
        assert search.best_score_ > 0.5  # on all rows, of which the light ones hardly count
