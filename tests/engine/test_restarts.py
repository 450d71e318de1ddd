"""Restarts, the student as a model, and predictions by more than one formula."""

import json
import signal
import threading
from operator import setitem

import numpy as np
import pytest
import sympy
from sklearn.gaussian_process import GaussianProcessRegressor
from tests.support.regressors import fail, noisy_table, reloaded, same_archive, small
from tests.support.twins import predictions

from vjmgp import VJMRegressor, load_model
from vjmgp.engine.distillation import distil as distillation
from vjmgp.engine.distillation.teacher import teacher_of, teacher_tau
from vjmgp.model_selection import model_of
from vjmgp.models.kriging import initial_kernel, predict_kriging

X, Y = noisy_table()


@pytest.fixture(scope="module")
def fitted():
    return small(restarts=3).fit(X, Y)


def test_number_of_cores_does_not_change_results(fitted):
    other = small(restarts=3, n_jobs=3).fit(X, Y)
    assert same_archive(fitted, other)
    np.testing.assert_array_equal(fitted.predict(X), other.predict(X))
    assert fitted.model_ == other.model_


def test_first_restart_equals_a_single_run(fitted):
    alone = small().fit(X, Y)
    first = fitted.archive_.scores[: len(alone.archive_.scores)]
    np.testing.assert_array_equal(first, alone.archive_.scores)
    assert fitted.history_["restart"].value_counts().tolist() == [7, 7, 7]
    assert (alone.history_["restart"] == 0).all()


def test_memory_limit_does_not_change_results(fitted):
    assert same_archive(fitted, small(restarts=3, n_jobs=2, memory_limit=0.01).fit(X, Y))


def test_stages_use_the_front_of_all_restarts(fitted):
    stages = list(fitted.staged_predict(X))
    assert len(stages) == len(fitted.staged_choices()) == 7
    paper = fitted.choose(rule="paper").predict(X)
    fitted.choose()
    np.testing.assert_array_equal(stages[-1], paper)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_callback_stops_all_restarts(n_jobs):
    seen = []

    def stop(record):
        seen.append((record["restart"], record["generation"]))
        return len(seen) >= 4

    model = small(restarts=3, n_jobs=n_jobs, generations=1000, callback=stop).fit(X, Y)
    assert model.stopped_by_ == "callback"
    assert len(seen) < 8
    assert np.isfinite(model.predict(X)).all()


def test_restarts_share_max_time():
    model = small(restarts=3, generations=10**6, max_time=0.3).fit(X, Y)
    assert model.stopped_by_ == "max_time"
    assert set(model.history_["restart"]) == {0, 1, 2}


@pytest.fixture
def ctrl_c():
    """Let Ctrl-C raise KeyboardInterrupt, also if the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize(("restarts", "n_jobs"), [(1, 1), (2, 1), (2, 2)])
def test_ctrl_c_keeps_the_models_found(restarts, n_jobs):
    pressed = []

    def press(record):
        if record["generation"] == 3 and not pressed:
            pressed.append(True)
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    model = small(restarts=restarts, n_jobs=n_jobs, generations=10**6, callback=press)
    with pytest.warns(UserWarning, match="Interrupted after generation"):
        model.fit(X, Y)
    assert model.stopped_by_ == "interrupt"
    assert len(model.history_) > model.n_iter_ >= 3
    assert n_jobs > 1 or model.n_iter_ < 10
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_error_in_a_restart_is_raised(n_jobs):
    with pytest.raises(RuntimeError, match="raised by the callback"):
        small(restarts=2, n_jobs=n_jobs, callback=fail).fit(X, Y)


def test_student_is_on_the_front_and_can_be_saved(fitted, tmp_path):
    front = fitted.pareto_front_
    row = front[front["student"]]
    assert len(row) == 1
    assert row.index[0] == len(front) - 1
    assert row["chosen"].item()
    assert front["chosen"].sum() == 1
    scores = fitted.model_.scores
    assert (row["o1"].item(), row["o2"].item()) == (scores["o1"], scores["o2"])
    assert row["size"].item() == fitted.model_.size
    again = reloaded(fitted.model_, tmp_path)
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    symbols = fitted.model_.variables
    function = sympy.lambdify(symbols, fitted.model_.sympy())
    by_formula = function(*(X[name].to_numpy() for name in symbols))
    np.testing.assert_allclose(by_formula, fitted.model_.evaluate(X), rtol=1e-9, atol=1e-9)


def test_choose_keeps_the_latest_student():
    model = small(generations=15).fit(X, Y)
    student = model.model_
    shorter = model.choose(rule="distil", node_price=0.05).model_
    assert shorter.evolved_size < student.evolved_size
    assert model.choose(0).pareto_front_["chosen"].tolist()[0]
    assert model.pareto_front_["student"].sum() == 1
    last = len(model.pareto_front_) - 1
    assert model.choose(last).model_ == shorter
    assert model.choose().model_ == student


def test_paper_chooses_from_the_front():
    paper = VJMRegressor.paper(population_size=30, generations=6, random_state=0).fit(X, Y)
    assert not paper.pareto_front_["student"].any()
    scores = paper.pareto_front_
    best = (scores["o1"] + paper.tau_ * scores["o2"]).idxmin()
    assert scores["chosen"][best]
    again = small().fit(X, Y).choose(rule="paper")
    assert again.model_ == paper.model_
    assert VJMRegressor.paper(final_rule="o1").final_rule == "o1"


@pytest.mark.parametrize("changes", [{"final_rule": "paper"}, {"regularizer": "parsimony"}])
def test_refit_without_distillation_has_no_student(changes):
    model = small().fit(X, Y).set_params(**changes).fit(X, Y)
    assert not model.pareto_front_["student"].any()


def test_model_of_the_teacher_replaces_a_distant_student(monkeypatch):
    monkeypatch.setattr(distillation, "FARTHEST", 1e-9)
    model = small(final_rule="distil").fit(X, Y)
    assert not model.pareto_front_["student"].any()
    assert model.pareto_front_["chosen"].sum() == 1


@pytest.mark.parametrize("kind", ["front", "blend"])
def test_front_and_blend_can_be_saved(fitted, kind, tmp_path):
    found = fitted.choose(predict_with=kind).predict(X)
    assert Y.min() <= found.min()
    assert found.max() <= Y.max()
    loaded = reloaded(fitted.predictor_, tmp_path)
    assert type(loaded) is type(fitted.predictor_)
    np.testing.assert_array_equal(loaded.predict(X), found)
    assert loaded.size == fitted.predictor_.size > fitted.model_.size
    fitted.choose()
    assert not np.array_equal(fitted.predict(X), found)
    at_once = small(restarts=3, predict_with=kind).fit(X, Y)
    np.testing.assert_array_equal(at_once.predict(X), found)


def test_front_predicts_the_weighted_mean_of_clipped_models(fitted):
    teacher = teacher_of(fitted.archive_, teacher_tau(fitted.noise_r2_))
    expected = sum(
        weight * model_of(fitted._found, int(entry)).predict(X)
        for entry, weight in zip(*teacher, strict=True)
    )
    found = fitted.choose(predict_with="front").predict(X)
    fitted.choose()
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_blend_predicts_the_mean_of_its_parts(fitted):
    blend = fitted.choose(predict_with="blend").predictor_
    fitted.choose()
    prepared = fitted._found.prepared
    process = GaussianProcessRegressor(initial_kernel(3), random_state=0)
    process.fit(prepared.x, prepared.y)
    kriging = predict_kriging(blend.process, prepared.extra)
    np.testing.assert_allclose(kriging, process.predict(prepared.extra), atol=1e-6)
    assert sum(blend.shares) == pytest.approx(1.0)
    assert 0.5 <= blend.shares[0] < 1.0
    trees = predictions(blend.forest, prepared.extra)
    parts = blend.front.predict_standardized(prepared.extra), trees, process.predict(prepared.extra)
    found = blend.predict_standardized(prepared.extra)
    np.testing.assert_allclose(found, np.dot(blend.shares, parts), atol=1e-6)


SPOILT = [
    ("front", "tree has a number outside", lambda d: setitem(d["members"]["tree"], 0, 10**6)),
    ("front", "weights has a number", lambda d: setitem(d["members"]["weights"], 0, float("nan"))),
    ("front", "terms do not agree", lambda d: d["members"]["first"].reverse()),
    ("front", "no entry 'members'", lambda d: d.pop("members")),
    ("front", "version 2", lambda d: setitem(d, "version", 2)),
    ("blend", "nodes of its forest", lambda d: setitem(d["forest"]["child"], 0, 0)),
    ("blend", "column has a number outside", lambda d: setitem(d["forest"]["column"], 0, 3)),
    ("blend", "length of its process", lambda d: setitem(d["process"], "length", 0)),
    ("blend", "no entry 'process'", lambda d: d.pop("process")),
    ("blend", "malformed", lambda d: setitem(d, "shares", [1.0])),
]


@pytest.mark.parametrize(("kind", "message", "spoil"), SPOILT)
def test_load_model_rejects_malformed_files(fitted, kind, message, spoil, tmp_path):
    data = json.loads(fitted.choose(predict_with=kind).predictor_.to_json())
    fitted.choose()
    spoil(data)
    path = tmp_path / "model.json"
    path.write_text(json.dumps(data))
    with pytest.raises(ValueError, match=message):
        load_model(path)
