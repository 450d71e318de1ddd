"""A fit or choice that fails leaves the estimator unchanged."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from tests.support.regressors import fail, small

from vjmgp import VJMRegressor


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    data = pd.DataFrame(rng.normal(5, 3, size=(60, 2)), columns=["a", "b"])
    return data, (data["a"] * data["b"]).to_numpy()


@pytest.fixture
def fitted(table):
    return small(generations=3).fit(*table)


def interrupt(*_):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("changes", "spoilt", "error"),
    [
        ({"callback": fail}, None, RuntimeError),
        ({"callback": fail, "restarts": 2, "n_jobs": 2}, None, RuntimeError),
        ({"sigma": "wide"}, None, ValueError),
        ({}, "engine.evolve.prepare", KeyboardInterrupt),
        ({}, "model_selection.with_errors", KeyboardInterrupt),
        ({"callback": interrupt}, "model_selection.short_formula", KeyboardInterrupt),
        ({"callback": interrupt, "max_rows": 30}, "engine.evolve.refitted", KeyboardInterrupt),
    ],
)
@pytest.mark.filterwarnings("ignore:Interrupted after generation")
def test_failed_refit_changes_nothing(table, fitted, changes, spoilt, error, monkeypatch):
    data, y = table
    before, known = fitted.predict(data), set(vars(fitted))
    fitted.set_params(**changes)
    with monkeypatch.context() as patched:
        if spoilt:
            patched.setattr(f"vjmgp.{spoilt}", interrupt)
        other = pd.DataFrame({"other": 1e6 * np.arange(60.0)})  # another column and scale
        with pytest.raises(error):
            fitted.fit(other, 7.0 + 1e6 * y)
    np.testing.assert_array_equal(fitted.predict(data), before)
    assert list(fitted.feature_names_in_) == ["a", "b"]
    assert fitted.n_features_in_ == 2
    assert set(vars(fitted)) == known
    fitted.set_params(**{name: VJMRegressor().get_params()[name] for name in changes})
    np.testing.assert_array_equal(fitted.choose().predict(data), before)


@pytest.mark.parametrize(
    ("changes", "spoilt", "same"),
    [
        ({}, "model_selection.short_formula", {"final_rule": "paper"}),
        ({"final_rule": "distil"}, "model_selection.distil", {"final_rule": "paper"}),
        ({"predict_with": "blend"}, "model_selection.blend_model", {"final_rule": "paper"}),
        ({"max_rows": 30}, "engine.evolve.refitted", None),
    ],
)
def test_interrupted_choice_keeps_the_evolved_models(table, changes, spoilt, same, monkeypatch):
    monkeypatch.setattr(f"vjmgp.{spoilt}", interrupt)
    with pytest.warns(UserWarning, match=r"Interrupted after generation 3: the best model so far"):
        found = small(generations=3, **changes).fit(*table)
    assert found.stopped_by_ == "interrupt"
    assert len(found.pareto_front_)
    assert np.isfinite(found.predict(table[0])).all()
    if same:
        assert str(found.model_) == str(small(generations=3, **same).fit(*table).model_)
    if same and "predict_with" not in changes:  # the choice can be made up for
        monkeypatch.undo()
        again = small(generations=3, **changes).fit(*table)
        assert str(found.choose().model_) == str(again.model_)


def test_refit_without_names_removes_the_names(table, fitted):
    data, y = table
    fitted.fit(data.to_numpy(), y)
    assert not hasattr(fitted, "feature_names_in_")


def test_failed_first_fit_leaves_no_attributes(table):
    model = small(callback=fail)
    before = dict(vars(model))
    with pytest.raises(RuntimeError):
        model.fit(*table)
    assert vars(model) == before
    with pytest.raises(NotFittedError):
        model.predict(table[0])


@pytest.mark.parametrize(
    "arguments",
    [
        {"tau": -1.0},
        {"index": 10**6},
        {"rule": "best"},
        {"rule": "distil", "node_price": "low"},
        {"index": 0, "predict_with": "all"},
    ],
)
def test_invalid_choice_changes_nothing(table, fitted, arguments):
    before = dict(vars(fitted))
    with pytest.raises((ValueError, IndexError)):
        fitted.choose(**arguments)
    assert vars(fitted) == before


def test_interrupted_choice_changes_nothing(fitted, monkeypatch):
    before = dict(vars(fitted))
    monkeypatch.setattr("vjmgp.model_selection.front_model", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fitted.choose(node_price=0.1, predict_with="front")  # after the student was made
    assert vars(fitted) == before
