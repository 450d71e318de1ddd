"""The public behaviour of VJMRegressor."""

import io
import json
import pickle
import warnings
from contextlib import redirect_stderr
from types import SimpleNamespace

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.support.regressors import reloaded, small

from vjmgp import FUNCTION_NAMES, REGULARIZERS, SELECTIONS, SymbolicModel, VJMRegressor

CANNOT_HOLD = {
    "check_sample_weight_equivalence_on_dense_data": (
        "Repeated rows have their own vicinal points, folds and selection cases, so the search "
        "draws different random numbers. test_weights.py shows that objectives are equal."
    ),
    "check_sample_weight_equivalence_on_sparse_data": (
        "Sparse inputs are rejected, as the tags say; scikit-learn 1.6 still tries them."
    ),
}
"""scikit-learn's checks that the regressor cannot pass, with reasons."""


@parametrize_with_checks(
    [VJMRegressor(population_size=30, generations=10, random_state=0)],
    expected_failed_checks=lambda estimator: CANNOT_HOLD,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(5, 3, size=(80, 3)), columns=["speed", "wind chill", "3rd"])
Y = (2 * X["speed"] + np.sin(X["wind chill"]) * X["3rd"] + RNG.normal(size=80)).to_numpy()


def test_regularizer_accepts_names_of_the_paper():
    named = small(regularizer="VJM").fit(X, Y)
    assert named.get_params()["regularizer"] == "VJM"
    assert named.model_ == small(regularizer="jensen_gap").fit(X, Y).model_
    assert small(regularizer="standard gp", generations=1).fit(X, Y).student_ is None
    with pytest.raises(ValueError, match="regularizer is 'VJ'; it must be one of"):
        small(regularizer="VJ").fit(X, Y)


@pytest.fixture(scope="module")
def fitted():
    return small(generations=15, population_size=60).fit(X, Y)


@pytest.fixture(scope="module")
def fitted_as_in_the_paper():
    return small(generations=15, population_size=60, final_rule="paper").fit(X, Y)


def test_defaults_are_the_values_of_the_paper():
    parameters = VJMRegressor().get_params()
    expected = {
        "population_size": 200, "generations": 100, "max_trees": 10, "max_depth": 10,
        "init_depth": (0, 3), "crossover_rate": 0.9, "mutation_rate": 0.1, "addition_rate": 0.5,
        "deletion_rate": 0.5, "ridge_alphas": (0.1, 1.0, 10.0), "rounds": 10, "mixup_alpha": 10.0,
        "mixup_gamma": 0.5, "sigma": 0.5, "intrusion_margin": 0.05,
        "tau": "adaptive", "regularizer": "jensen_gap", "selection": "lexicase",
    }  # fmt: skip
    assert {name: parameters[name] for name in expected} == expected
    assert parameters["functions"] == FUNCTION_NAMES
    assert len(FUNCTION_NAMES) == 13


def test_registries_list_their_names():
    assert [REGULARIZERS[name].label for name in REGULARIZERS] == [
        *("VJM", "FDM", "P-VRM", "PP", "TK", "GC", "RC", "WCRV", "IODC", "Standard GP")
    ]
    assert list(SELECTIONS) == ["lexicase", "dominance_tournament", "pareto_tournament"]


@pytest.mark.parametrize("regularizer", REGULARIZERS)
def test_every_regularizer_learns(regularizer):
    model = small(regularizer=regularizer, generations=20, population_size=60).fit(X, Y)
    assert model.score(X, Y) > 0.6


def test_transform_works_in_a_pipeline(fitted):
    features = fitted.transform(X)
    names = fitted.get_feature_names_out()
    assert features.shape == (80, len(names))
    assert all(any(word in name for word in ("speed", "wind_chill", "x3rd")) for name in names)
    assert len(set(names)) == len(names)
    frame = clone(fitted).set_output(transform="pandas").fit(X, Y).transform(X)
    assert list(frame.columns) == list(names)
    pipeline = make_pipeline(small(), LinearRegression())
    assert np.median(cross_val_score(pipeline, X, Y, cv=5)) > 0.5


def test_choose_takes_rows_rules_and_tau(fitted_as_in_the_paper):
    fitted = fitted_as_in_the_paper
    front = fitted.pareto_front_
    assert (np.diff(front["o1"]) > 0).all()
    assert (np.diff(front["o2"]) < 0).all()
    assert front["chosen"].sum() == 1
    model = pickle.loads(pickle.dumps(fitted))
    sums = front["o1"] + fitted.tau_ * front["o2"]
    assert front["chosen"].idxmax() == sums.idxmin()
    accurate = model.choose(0).predict(X)
    assert model.pareto_front_["chosen"][0]
    model.choose(rule="o2")
    assert model.pareto_front_["chosen"].iloc[-1]
    assert not np.array_equal(model.predict(X), accurate)
    model.choose(tau=0.0)
    np.testing.assert_array_equal(model.predict(X), accurate)
    model.choose()
    np.testing.assert_array_equal(model.predict(X), fitted.predict(X))
    assert len(model.front_models()) == len(front)
    with pytest.raises(IndexError, match=f"{len(front)} models"):
        model.choose(len(front))


def test_staged_predictions_match_history(fitted_as_in_the_paper):
    fitted = fitted_as_in_the_paper
    stages = list(fitted.staged_predict(X))
    assert len(stages) == len(fitted.history_) == 16
    np.testing.assert_array_equal(stages[-1], fitted.predict(X))
    for stage, train_r2 in zip(stages, fitted.history_["train_r2"], strict=True):
        found = 1 - np.sum((Y - stage) ** 2) / np.sum((Y - Y.mean()) ** 2)
        assert found == pytest.approx(train_r2, abs=1e-9)


@pytest.mark.filterwarnings("ignore::vjmgp.ExtrapolationWarning")
def test_predictions_are_clipped_to_the_training_target():
    fitted = small(clip_predictions=True).fit(X, Y)
    wild = X * 1e6
    assert fitted.predict(wild).min() >= Y.min()
    assert fitted.predict(wild).max() <= Y.max()
    assert np.isfinite(fitted.predict(X * 1e300)).all()


def test_pickle_joblib_and_json_preserve_predictions(fitted, tmp_path):
    expected = fitted.predict(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(X), expected)
    joblib.dump(fitted, tmp_path / "model.joblib")
    np.testing.assert_array_equal(joblib.load(tmp_path / "model.joblib").predict(X), expected)
    model = reloaded(fitted.model_, tmp_path)
    assert model == fitted.model_
    np.testing.assert_array_equal(model.predict(X), expected)
    readable = json.loads((tmp_path / "model.json").read_text())
    assert [column["name"] for column in readable["columns"]] == list(X.columns)


def test_callback_receives_each_generation_and_can_stop():
    records = []

    def stop(record):
        records.append(record)
        return record["generation"] == 3

    model = small(callback=stop).fit(X, Y)
    assert [record["generation"] for record in records] == [1, 2, 3]
    assert model.stopped_by_ == "callback"
    assert model.n_iter_ == 3


def test_no_generation_starts_after_max_time(monkeypatch):
    """With a fake clock, one second per generation, none starts after the limit."""
    clock = [100.0]
    for module in ("preparation", "restarts"):
        fake = SimpleNamespace(perf_counter=lambda: clock[0])
        monkeypatch.setattr(f"vjmgp.engine.{module}.time", fake)

    def tick(record):
        clock[0] += 1.0

    model = small(generations=50, max_time=3.5, callback=tick).fit(X, Y)
    assert model.stopped_by_ == "max_time"
    assert model.n_iter_ == 4  # started at 0, 1, 2 and 3 seconds
    assert small(max_time=1e9).fit(X, Y).stopped_by_ == "generations"


def test_progress_shows_a_bar():
    screen = io.StringIO()
    with redirect_stderr(screen):
        small(progress=True).fit(X, Y)
        shown = screen.getvalue()
        small().fit(X, Y)
    assert "VJM-GP" in shown
    assert "6/6" in shown
    assert screen.getvalue() == shown


def test_same_seed_gives_the_same_model():
    a = small(random_state=3).fit(X, Y)
    b = small(random_state=3).fit(X, Y)
    np.testing.assert_array_equal(a.predict(X), b.predict(X))
    assert a.model_ == b.model_
    assert small(random_state=4).fit(X, Y).model_ != a.model_
    c, d = (small(random_state=np.random.RandomState(1)).fit(X, Y).model_ for _ in range(2))
    assert c == d


def test_nominal_columns_are_encoded():
    rng = np.random.default_rng(1)
    group = rng.choice(["red", "green", "blue"], 80)
    y = Y + pd.Series(group).map({"red": 30.0, "green": 0.0, "blue": -30.0}).to_numpy()
    for kind in (group, pd.Categorical(group), pd.Series(group, dtype=object)):
        model = small(generations=15, encoding="target").fit(X.assign(colour=kind), y)
        assert model.score(X.assign(colour=kind), y) > 0.9
        assert "encoded_colour" in model.model_.text()
    unseen = X.assign(colour="purple")
    assert np.isfinite(model.predict(unseen)).all()
    missing = X.assign(colour=pd.Series([None, *group[1:]], dtype=object))
    assert np.isfinite(model.predict(missing)).all()
    again = SymbolicModel.from_dict(json.loads(model.model_.to_json()))
    np.testing.assert_array_equal(again.predict(unseen), model.predict(unseen))
    coded = X.assign(colour=pd.factorize(group)[0])
    by_name, by_position = (
        small(categorical_features=[wanted], encoding="target", generations=15).fit(coded, y)
        for wanted in ("colour", 3)
    )
    assert by_name.score(coded, y) > 0.9
    np.testing.assert_array_equal(by_position.predict(coded), by_name.predict(coded))


@pytest.mark.parametrize("wanted", [["group"], "group", [1], 1, [False, True]])
def test_categorical_features_accepts_names_positions_and_masks(wanted):
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"a": rng.normal(size=60), "group": rng.integers(0, 4, 60)})
    y = np.array([5.0, -3.0, 9.0, 0.0])[data["group"]] + 0.1 * data["a"].to_numpy()
    model = small(categorical_features=wanted).fit(data, y)
    inputs = model.model_.standardizer.columns
    assert [column.name for column in inputs if column.codes is not None] == ["group"] * 4
    assert model.score(data, y) > 0.9
    if not isinstance(wanted, str) and wanted != ["group"]:  # a matrix has no names
        matrix = small(categorical_features=wanted).fit(data.to_numpy(), y)
        np.testing.assert_allclose(matrix.predict(data.to_numpy().tolist()), model.predict(data))


def test_matrix_with_text_can_have_categorical_columns():
    rng = np.random.default_rng(0)
    x = np.array([[float(k), "ab"[k % 2]] for k in range(40)], dtype=object)
    model = small(categorical_features=[1]).fit(x, np.arange(40) % 2 + 0.01 * rng.normal(size=40))
    assert model.score(x, np.arange(40) % 2) > 0.9


def test_integer_column_names_count_as_positions():
    model = small(categorical_features=[2]).fit(X.round().set_axis([7, 8, 9], axis=1), Y)
    assert [c.name for c in model.model_.standardizer.columns] == ["x0", "x1", "x2"]
    assert model.model_.standardizer.columns[2].codes is not None


def test_intervals_as_categories_are_saved_as_text(tmp_path):
    binned = X.assign(bin=pd.cut(X["speed"], 4))
    model = small().fit(binned, Y)
    again = reloaded(model.model_, tmp_path)
    np.testing.assert_array_equal(again.predict(binned), model.predict(binned))


def test_loaded_model_finds_columns_by_name(fitted):
    model = SymbolicModel.from_dict(fitted.model_.to_dict())
    expected = fitted.predict(X)
    mixed = X[["3rd", "speed", "wind chill"]].assign(other="x")
    np.testing.assert_array_equal(model.predict(mixed), expected)
    np.testing.assert_array_equal(model.predict(X.to_numpy().tolist()), expected)


def test_final_rule_decides_stages_and_choice():
    model = small(final_rule="o2", generations=8).fit(X, Y)
    np.testing.assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    assert model.pareto_front_["chosen"].iloc[-1]


def test_parameters_accept_numpy_numbers():
    model = small(population_size=np.int64(30), max_trees=np.int32(4), tau=np.float32(2))
    assert model.fit(X, Y).tau_ == 2.0


def test_pickled_model_is_small(fitted):
    assert len(pickle.dumps(fitted)) < 300_000


def test_constant_target_and_constant_columns():
    model = small().fit(X, np.full(80, 3.5))
    assert (model.predict(X) == 3.5).all()
    assert model.stopped_by_ == "constant"
    assert model.model_.text() == "3.5"
    assert len(model.pareto_front_) == 1
    assert model.transform(X).shape == (80, 0)
    assert len(list(model.staged_predict(X))) == 1
    nothing = small().fit(np.ones((20, 2)), np.arange(20.0))
    assert (nothing.predict(np.ones((2, 2))) == 9.5).all()
    assert nothing.pareto_front_["o1"][0] == pytest.approx((20 / 19) ** 2)
    partly = small().fit(X.assign(same=1.0), Y)
    assert "same" not in partly.model_.text()
    different = X.assign(same=7.0)
    np.testing.assert_array_equal(partly.predict(different), partly.predict(X.assign(same=1.0)))


def test_fit_accepts_two_rows():
    assert np.isfinite(small().fit([[1.0], [2.0]], [1.0, 2.0]).predict([[1.5]])).all()
    three = small().fit([[1.0], [2.0], [4.0]], [1.0, 2.0, 3.0])
    assert np.isfinite(three.predict([[3.0]])).all()


@pytest.mark.filterwarnings("ignore::vjmgp.ExtrapolationWarning")
def test_fit_accepts_more_columns_than_rows():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(25, 120))
    model = small(generations=10).fit(x, x[:, 3] + 0.01 * rng.normal(size=25))
    assert np.isfinite(model.predict(rng.normal(size=(5, 120)))).all()


def test_fit_accepts_huge_and_tiny_scales():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(50, 2)) * [1e200, 1e-200]
    y = x[:, 0] / 1e200 * 1e-30
    model = small().fit(x, y)
    assert model.score(x, y) > 0.9


def test_fit_and_predict_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = small().fit(X, Y)
        model.predict(X)
        _ = model.pareto_front_
