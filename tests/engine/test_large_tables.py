"""Large tables: evolution on a sample, scores on all rows, and several threads in one run."""

import numpy as np
import pytest
from tests.support import twins
from tests.support.regressors import same_archive, trees_of
from tests.support.regressors import small as small_regressor

from vjmgp.engine.distillation import large_tables
from vjmgp.engine.objectives.noise import noise_scores
from vjmgp.engine.objectives.row_sample import MOST_FOREST_ROWS, sample_of_rows
from vjmgp.engine.regularizers.worst_gap import WorstGap
from vjmgp.engine.search.archive import ALPHA, CENTRE, FACTOR, O1, O2, WEIGHT

RNG = np.random.default_rng(2)
X = RNG.normal(size=(1500, 3))
Y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * RNG.normal(size=1500)


def small(**changes):
    return small_regressor(**{"generations": 5, "max_rows": 120} | changes)


@pytest.fixture(scope="module")
def fitted():
    return small().fit(X, Y)


def test_sample_has_a_row_of_each_stratum():
    y = np.random.default_rng(0).gamma(0.5, size=1003)
    rows = sample_of_rows(y, 100, seed=3)
    assert len(rows) == len(set(rows)) == 100
    assert (np.diff(rows) > 0).all()
    ranks = np.sort(np.argsort(np.argsort(y))[rows])
    ends = np.arange(1, 101) * 1003 // 100
    assert (ranks < ends).all()
    assert (ranks >= np.concatenate([[0], ends[:-1]])).all()
    assert not np.array_equal(rows, sample_of_rows(y, 100, seed=4))
    np.testing.assert_array_equal(rows, sample_of_rows(y, 100, seed=3))


def test_small_table_is_not_sampled():
    x, y = X[:100], Y[:100]
    np.testing.assert_array_equal(sample_of_rows(y, 100, 0), np.arange(100))
    assert same_archive(small(max_rows=100).fit(x, y), small(max_rows=None).fit(x, y))


def test_noise_estimate_uses_a_sample():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(MOST_FOREST_ROWS + 50, 1))
    y = x[:, 0] + rng.normal(size=len(x))
    rows = sample_of_rows(y, MOST_FOREST_ROWS, 1)
    assert noise_scores(x, y, 1) == noise_scores(x[rows], y[rows], 1)


def test_evolution_sees_only_the_sample(fitted):
    prepared = fitted._found.prepared
    assert len(prepared.y) == 120
    rows = sample_of_rows(fitted.model_.standardizer.standardize_target(Y), 120, 0)
    np.testing.assert_array_equal(prepared.x, fitted.model_.standardizer.standardize(X)[rows])


@pytest.mark.parametrize("weighted", [False, True])
def test_weights_and_errors_come_from_all_rows(weighted):
    given = np.random.default_rng(1).integers(1, 4, len(Y)).astype(float) if weighted else None
    model = small().fit(X, Y, sample_weight=given)
    scale, archive = model.model_.standardizer, model.archive_
    columns, target = scale.standardize(X).T, scale.standardize_target(Y)
    each = np.ones(len(Y)) if given is None else given
    for entry in archive.front[:5]:
        features = [twins.evaluate_tree(*tree, columns) for tree in trees_of(archive, entry)]
        z = twins.standardised(np.array(features).T, each)
        alpha = archive.scores[entry, ALPHA]
        weights, _ = twins.ridge(z, target, alpha, each)
        np.testing.assert_allclose(archive.linear[entry, WEIGHT, : z.shape[1]], weights, rtol=1e-8)
        errors = twins.loo_errors_by_refitting(z, target, alpha, each)
        assert archive.scores[entry, O1] == pytest.approx(np.average(errors, weights=each))
        means = np.average(features, axis=1, weights=each)
        np.testing.assert_allclose(archive.linear[entry, CENTRE, : len(means)], means, atol=1e-9)


def test_gap_uses_the_new_weights_at_points_of_the_sample(fitted):
    """The gap between a row and its partner does not depend on the intercept."""
    prepared, archive = fitted._found.prepared, fitted.archive_
    vicinity, n = prepared.regularizer.vicinity, len(prepared.y)
    for entry, model in zip(archive.front, fitted.front_models(), strict=False):
        linear = archive.linear[entry]
        coefficients = (linear[WEIGHT] * linear[FACTOR])[linear[FACTOR] > 0.0]
        clean = model.construct(prepared.x) @ coefficients
        vicinal = model.construct(prepared.extra) @ coefficients
        points = prepared.extra, vicinity.partner, vicinity.share
        worst = twins.worst_gap(lambda _, values=vicinal: values, clean, *points, n)
        assert archive.scores[entry, O2] == pytest.approx(worst, rel=1e-9, abs=1e-25)


def test_student_is_scored_on_all_rows(fitted):
    assert fitted.pareto_front_["student"].any()
    target = fitted.model_.standardizer.standardize_target(Y)
    values = fitted.model_.standardizer.standardize_target(fitted.model_.evaluate(X))
    assert fitted.model_.scores["o1"] == pytest.approx(np.mean((target - values) ** 2), rel=0.02)
    assert fitted.model_.scores["o1"] >= np.mean((target - values) ** 2)  # left out


def test_stages_follow_the_kept_entries():
    model = small(final_rule="paper").fit(X, Y)
    chosen = model.history_["chosen"].to_numpy()
    assert chosen.max() < len(model.archive_.facts)
    np.testing.assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))


@pytest.mark.parametrize("regularizer", ["parsimony", "grand_complexity", "none", "tikhonov"])
def test_other_regularizers_keep_objective_2(regularizer):
    model = small(regularizer=regularizer).fit(X, Y)
    front = model.pareto_front_
    assert np.isfinite(front[["o1", "o2"]].to_numpy()).all()
    if regularizer == "parsimony":
        sizes = [one.evolved_size for one in model.front_models()]
        np.testing.assert_array_equal(front["o2"], sizes)


def test_huge_table_is_scored_on_a_sample(monkeypatch):
    monkeypatch.setattr(large_tables, "MOST_ROWS", 700)
    model = small(final_rule="distil").fit(X, Y)
    assert len(model._found.whole.y) == 700
    assert model.score(X, Y) > 0.3


def test_model_undefined_on_other_rows_leaves_the_front():
    """1/x is finite on the sample and undefined at a row that evolution has not seen."""
    x, y = X.copy(), Y.copy()
    first = small(functions=("inv", "mul"), generations=3)
    rows = sample_of_rows((y - y.mean()) / y.std(), 120, 0)
    other = np.setdiff1d(np.arange(len(y)), rows)[0]
    scale = np.delete(x[:, 0], other)
    x[other, 0] = scale.mean()  # 0 once standardised
    model = first.fit(x, y)
    assert abs(model.model_.standardizer.standardize(x)[other, 0]) < 1e-12
    assert np.isfinite(model.predict(x)).all()
    assert np.isfinite(model.pareto_front_[["o1", "o2"]].to_numpy()).all()


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"early_stopping": True},
        {"regularizer": "vicinal_risk"},
        {"regularizer": "parsimony"},
        {"memory_limit": 0.5},
        {"unscaled_clean_features": True},
    ],
    ids=str,
)
def test_threads_do_not_change_results(changes):
    settings = {"max_rows": None, "generations": 3} | changes
    one = small(**settings).fit(X, Y)
    two = small(n_jobs=2, **settings).fit(X, Y)
    assert same_archive(one, two)
    np.testing.assert_array_equal(one.predict(X), two.predict(X))


def test_error_in_a_thread_is_raised(monkeypatch):
    def fail(*_):
        raise RuntimeError("raised by a thread")

    monkeypatch.setattr(WorstGap, "measure", fail)
    with pytest.raises(RuntimeError, match="raised by a thread"):
        small(max_rows=None, n_jobs=2).fit(X, Y)
