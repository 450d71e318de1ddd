"""Errors, importance, stability and responses, compared with their definitions."""

import copy
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from sklearn.inspection import permutation_importance
from sklearn.metrics import r2_score
from tests.support.regressors import energy_table as table
from tests.support.regressors import medium as small

from vjmgp.inspection.importance import columns_used, importance
from vjmgp.inspection.response import typical_row

pytestmark = pytest.mark.filterwarnings("ignore::vjmgp.ExtrapolationWarning")


@pytest.fixture(scope="module")
def fitted():
    return small(restarts=3).fit(*table())


def test_errors_and_residuals_match_predictions(fitted):
    x, y = table(50, seed=1)
    found = fitted.residuals(x, y)
    assert list(found.index) == list(x.index)
    assert np.array_equal(found["predicted"], fitted.predict(x))
    assert found["residual"].to_numpy() == pytest.approx(y - fitted.predict(x))
    errors = fitted.errors(x, y)
    assert errors["r2"] == pytest.approx(r2_score(y, fitted.predict(x)))
    assert errors["rmse"] == pytest.approx(np.sqrt(np.mean(found["residual"] ** 2)))
    assert errors["mae"] == pytest.approx(np.mean(np.abs(found["residual"])))


def test_errors_count_weights_as_copies(fitted):
    x, y = table(50, seed=1)
    copies = np.arange(50) % 3 + 1
    repeated = fitted.errors(x.loc[x.index.repeat(copies)], y.repeat(copies))
    assert fitted.errors(x, y, copies) == pytest.approx(repeated)


def test_importance_equals_that_of_scikit_learn(fitted):
    x, y = table(80, seed=1)
    found = fitted.importance(x, y)
    assert list(found["column"][:2]) == ["load", "site"]
    assert set(found["column"]) == set(x.columns)
    assert (found["importance"].diff().dropna() <= 0).all()
    assert found.set_index("column")["importance"]["same"] == 0
    wanted = permutation_importance(fitted, x, y, n_repeats=10, random_state=0)
    found = found.set_index("column").loc[x.columns]
    assert np.array_equal(found["importance"], wanted["importances_mean"])
    assert np.array_equal(found["deviation"], wanted["importances_std"])
    assert found.equals(fitted.importance(x, y).set_index("column").loc[x.columns])


def test_importance_of_some_columns_leaves_the_others_at_zero(fitted):
    x, y = table(80, seed=1)
    whole, some = (
        importance(fitted.fitted_, x, y, columns=columns).set_index("column")
        for columns in (None, ["site"])
    )
    assert some.loc["site"].equals(whole.loc["site"])
    assert not some.drop(index="site").any(axis=None)
    assert sorted(some.index) == sorted(x.columns)


def test_importance_shuffles_only_columns_of_the_model(fitted, monkeypatch):
    x, y = table(80, seed=1)
    state = Mock(wraps=np.random.RandomState(0))
    monkeypatch.setattr("vjmgp.inspection.importance.check_random_state", lambda seed: state)
    importance(fitted.fitted_, x, y, repeats=1)
    assert state.shuffle.call_count == len(columns_used(fitted.predictor_)) < x.shape[1]


def test_importance_of_columns_without_names():
    rng = np.random.default_rng(0)
    x = pd.DataFrame(rng.normal(size=(40, 2)))
    model = small(generations=3).fit(x, x[1])
    assert model.importance(x, x[1])["column"][0] == "x1"
    assert model.importance(x.to_numpy(), x[1])["importance"][0] > 0.5


def test_stability_compares_models_of_restarts(fitted):
    found = fitted.stability()
    assert len(found.models) == 3
    students = copy.copy(fitted).set_params(final_rule="distil").stability().models
    assert len({str(model) for model in students}) > 1
    shares = found.inputs.set_index("column")["share"]
    assert shares["load"] == shares["site"] == 1
    assert shares["same"] == 0
    assert found.spread.shape == (100,)
    x, _ = table(40, seed=1)
    predictions = [model.predict(x) for model in found.models]
    assert fitted.stability(x).spread == pytest.approx(np.std(predictions, axis=0, ddof=1))


def test_stability_of_noisy_data_has_different_models():
    """The cache of students must not mix restarts."""
    x, y = table()
    noisy = y + np.random.default_rng(5).normal(0, 40, len(y))
    found = small(restarts=3, final_rule="distil").fit(x, noisy).stability()
    assert len({str(model) for model in found.models}) > 1
    assert found.spread.max() > 0.0


def test_stability_has_the_model_of_a_single_restart():
    x, y = table()
    restarted, alone = small(restarts=2).fit(x, y), small().fit(x, y)
    assert restarted.stability().models[0] == alone.model_


def test_stability_rejects_one_restart():
    with pytest.raises(ValueError, match="fit with restarts=4"):
        small(generations=2).fit(*table()).stability()


def test_typical_row_has_means_and_most_frequent_levels():
    x, y = table()
    weights = np.where(x["town"] == "town 3", 9.0, 1.0)
    for given in (None, weights):
        model = small(generations=1).fit(x, y, given)
        row = typical_row(model.model_.standardizer, model.fitted_.rows)
        counts = pd.Series(np.ones(100) if given is None else given, x.index)
        assert row["load"] == pytest.approx(np.average(x["load"], weights=given))
        assert row["site"] == counts.groupby(x["site"]).sum().idxmax()
        most = counts.groupby(x["town"]).sum()
        assert most[row["town"]] == most.max()
        assert row["same"] == 7.0


def test_typical_row_distinguishes_levels_with_a_large_mean():
    rng = np.random.default_rng(0)
    levels = np.repeat([f"level {k}" for k in range(7)], [3, 3, 3, 20, 3, 3, 3])
    x = pd.DataFrame({"level": levels, "x": rng.normal(size=38)})
    y = 1e9 + 1e3 * np.unique(levels, return_inverse=True)[1] + rng.normal(size=38)
    model = small(generations=1).fit(x, y)
    assert typical_row(model.model_.standardizer, model.fitted_.rows)["level"] == "level 3"


def test_response_along_a_numeric_column(fitted):
    x, _ = table()
    found = fitted.response("load")
    assert found["load"].iloc[[0, -1]].to_list() == [x["load"].min(), x["load"].max()]
    row = typical_row(fitted.model_.standardizer, fitted.fitted_.rows)
    wanted = fitted.predict(pd.DataFrame([row | {"load": value} for value in found["load"]]))
    assert found["prediction"].to_numpy() == pytest.approx(wanted)
    assert fitted.response(0).equals(found)


def test_response_along_levels(fitted):
    found = fitted.response("site")
    assert found["site"].to_list() == ["A", "B", "C"]
    assert found["prediction"].iloc[0] > found["prediction"].iloc[1] + 15
    assert len(fitted.response("town")) == 8
    assert len(fitted.response("same")) == 1


def test_response_over_rows_is_the_partial_dependence(fitted):
    x, _ = table(10, seed=1)
    found = fitted.response("site", x)
    for level, value in found.to_numpy():
        assert value == pytest.approx(fitted.predict(x.assign(site=level)).mean())


def test_response_of_a_matrix_takes_positions():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    model = small().fit(x, 3 * x[:, 1])
    found = model.response(1)
    assert list(found.columns) == ["x1", "prediction"]
    assert (np.diff(found["prediction"]) > -1e-9).all()
    assert len(model.response("x0", x[:5])) == len(found)
    for wrong in ("x2", 2, -1):
        with pytest.raises(ValueError, match=r"There is no column .*'x0', 'x1'"):
            model.response(wrong)


def test_constant_model_can_be_inspected(fitted):
    x, y = table()
    model = small().fit(x, np.full(len(y), 2.0))
    assert (model.response("load")["prediction"] == 2.0).all()
    assert model.errors(x, np.full(len(y), 3.0))["mae"] == 1.0
    assert model.importance(x, y)["importance"].eq(0).all()


def test_target_name_is_that_of_the_series(fitted):
    assert fitted.target_name_ == "energy"
    x, y = table()
    assert small(generations=1).fit(x, y.to_numpy()).target_name_ == "target"
