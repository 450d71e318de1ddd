"""Prediction intervals: leave-one-out errors compared with refits, ranks with their definition."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from benchmarks.intervals import hard_run, summary
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.linear_model import Ridge
from sklearn.model_selection import LeaveOneGroupOut, LeaveOneOut, cross_val_predict
from tests.support.regressors import reloaded, small

from vjmgp import SymbolicModel
from vjmgp.engine.distillation.teacher import teacher_of, teacher_tau
from vjmgp.engine.objectives.row_weights import row_weights
from vjmgp.engine.preparation import ScoredRows
from vjmgp.engine.scorer import leave_one_out_errors
from vjmgp.model_selection import model_of
from vjmgp.models.intervals import (
    CHOICES,
    MOST_KEPT,
    half_width,
    kept_quantiles,
    leave_one_out,
    merge_copies,
    searched,
)
from vjmgp.tables.preprocessing import fit_standardizer, inputs_left_out

pytestmark = pytest.mark.filterwarnings("ignore::vjmgp.ExtrapolationWarning")


def made_up(rows, seed=0, noise=0.5):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 3))
    return x, 10 + 2 * x[:, 0] + x[:, 1] * x[:, 2] + noise * rng.normal(size=rows)


@pytest.fixture(scope="module")
def fitted():
    return small(generations=20, clip_predictions=True).fit(*made_up(90))


def slow_leave_one_out(z, y, alpha):
    """Fit a ridge model without each row in turn, with the features' means as they were."""
    return y - cross_val_predict(Ridge(alpha), z, y, cv=LeaveOneOut())


def test_leave_one_out_errors_equal_refits(fitted):
    fitted.choose(rule="paper")  # a model with the weights of the ridge
    model, rows = fitted.model_, fitted.fitted_.rows
    z = model.construct(rows.x)
    z = (z - [f.centre for f in model.features]) * [f.factor for f in model.features]
    slow = slow_leave_one_out(z, rows.y, model.scores["alpha"])
    assert leave_one_out(model, rows) == pytest.approx(slow, abs=2e-3)
    fitted.choose()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("rule", ["paper", "distil"])
def test_mean_square_of_leave_one_out_errors_is_o1(weighted, rule):
    x, y = made_up(70)
    weights = np.random.default_rng(1).uniform(0.2, 3, 70) if weighted else None
    model = small(final_rule=rule).fit(x, y, weights)
    errors = leave_one_out(model.model_, model.fitted_.rows)
    assert np.average(errors**2, weights=weights) == pytest.approx(model.model_.scores["o1"])


@settings(max_examples=100, deadline=None)
@given(arrays(float, st.integers(1, MOST_KEPT), elements=st.floats(-1e3, 1e3)))
def test_kept_quantiles_of_few_errors_are_the_errors(errors):
    kept = kept_quantiles(errors, np.ones(len(errors)), 1.0)
    assert kept == pytest.approx(np.sort(np.abs(errors)), rel=1e-5)


def test_kept_quantiles_of_many_errors():
    errors = np.random.default_rng(0).permutation(np.arange(1.0, 10_001.0))
    kept = kept_quantiles(errors, np.ones(10_000), 2.0)
    assert len(kept) == MOST_KEPT
    wanted = 2 * np.ceil(10_001 * np.arange(1, MOST_KEPT + 1) / (MOST_KEPT + 1))
    assert kept == pytest.approx(wanted, abs=2)


def test_kept_quantiles_count_weights_as_copies():
    rng = np.random.default_rng(0)
    errors, copies = rng.normal(size=400), rng.integers(1, 4, 400)
    weighted = kept_quantiles(errors, copies.astype(float), 1.0)
    repeated = kept_quantiles(np.repeat(errors, copies), np.ones(copies.sum()), 1.0)
    assert len(weighted) == len(repeated)
    assert weighted[:190] == pytest.approx(repeated[:190], rel=0.05)


def test_kept_quantiles_ignore_the_scale_of_weights():
    rng = np.random.default_rng(0)
    errors, weights = rng.normal(size=50), rng.uniform(1, 2, 50)
    kept = kept_quantiles(errors, weights, 1.0)
    assert kept == kept_quantiles(errors, 1e-3 * weights, 1.0)


@given(st.integers(1, 200), st.floats(0.01, 0.99))
def test_half_width_has_the_rank_of_conformal_prediction(count, interval):
    width = half_width(tuple(map(float, range(1, count + 1))), interval)
    if math.isfinite(width):  # the smallest rank with probability rank / (count + 1) or more
        assert width / (count + 1) >= interval - 1e-8
        assert (width - 1) / (count + 1) < interval
    else:
        assert count / (count + 1) < interval


def test_correction_for_the_search_falls_with_rows():
    counted = 20 + CHOICES
    assert searched(100, 20) == pytest.approx(math.sqrt(100 / (100 - counted)), rel=0.02)
    assert searched(100_000, 20) < 1.001
    assert searched(100, 0) == 1.0  # a constant was not searched for
    assert searched(5, 20) < math.inf


def test_predict_returns_intervals(fitted):
    x, y = made_up(300, seed=1)
    values, intervals = fitted.predict(x, interval=0.9)
    assert np.array_equal(values, fitted.predict(x))
    assert intervals.shape == (300, 2)
    low, high = intervals.T
    assert (low <= values).all()
    assert (values <= high).all()
    assert 0.8 < np.mean((y >= low) & (y <= high)) < 0.98
    narrow = fitted.predict(x, interval=0.5)[1]
    assert (narrow[:, 0] >= low).all()
    assert (narrow[:, 1] <= high).all()


@pytest.mark.parametrize("kind", ["model", "front"])
def test_intervals_are_clipped_where_predictions_are_not(fitted, kind):
    x, _ = made_up(300, seed=1)
    predictor = fitted.choose(predict_with=kind).predictor_
    low, high = predictor.standardizer.target_range
    values, intervals = fitted.predict(x, interval=0.95)
    inside = (values > low + 1e-6) & (values < high - 1e-6)
    assert inside.sum() > 250
    width = half_width(predictor.error_quantiles, 0.95)
    expected = np.clip(values[:, None] + [-width, width], low, high)
    assert np.array_equal(intervals[inside], expected[inside])
    assert intervals[inside].min() == low
    assert intervals[inside].max() == high
    fitted.choose()


@pytest.mark.parametrize("kind", ["model", "front"])
def test_intervals_of_clipped_predictions_reach_beyond_the_limit(fitted, kind):
    predictor = fitted.choose(predict_with=kind).predictor_
    low, high = predictor.standardizer.target_range
    x = np.array([[-20.0, 0, 0], [20, 0, 0]])
    values, intervals = fitted.predict(x, interval=0.9)
    assert values == pytest.approx([low, high])
    width = half_width(predictor.error_quantiles, 0.9)
    free = predictor.unclipped_rows(predictor.standardizer.standardize(x))
    assert kind == "front" or (free[0] < low and free[1] > high)
    expected = np.array([[free[0] - width, low + width], [high - width, free[1] + width]])
    assert intervals == pytest.approx(expected)
    fitted.choose()


def test_unclipped_models_do_not_clip_intervals():
    x, y = made_up(90)
    model = small(generations=20, clip_predictions=False).fit(x, y)
    _, free = model.predict(made_up(300, seed=1)[0], interval=0.95)
    assert free.min() < y.min()
    assert free.max() > y.max()


def test_loaded_model_has_intervals(fitted, tmp_path):
    x, _ = made_up(20, seed=2)
    wanted = fitted.predict(x, interval=0.8)
    found = reloaded(fitted.model_, tmp_path).predict(x, interval=0.8)
    assert np.array_equal(wanted[0], found[0])
    assert np.array_equal(wanted[1], found[1])


def test_model_without_quantiles_rejects_intervals(fitted):
    data = fitted.model_.to_dict()
    del data["error_quantiles"]
    model = SymbolicModel.from_dict(data)
    x, _ = made_up(5)
    assert np.array_equal(model.predict(x), fitted.predict(x))
    with pytest.raises(ValueError, match=r"no leave-one-out errors.*fit it"):
        model.predict(x, interval=0.9)


@pytest.mark.parametrize("wrong", [[1.0, "a"], [2.0, 1.0], [-1.0, 1.0], [float("nan")], [[1.0], 2]])
def test_from_dict_rejects_malformed_quantiles(fitted, wrong):
    data = json.loads(json.dumps(fitted.model_.to_dict()))
    with pytest.raises(ValueError, match="error_quantiles"):
        SymbolicModel.from_dict(data | {"error_quantiles": wrong})


@pytest.mark.parametrize("interval", [0, 1, -0.5, 90, "0.9", True, float("nan")])
def test_predict_rejects_intervals_outside_0_and_1(fitted, interval):
    with pytest.raises(ValueError, match=r"interval is .*above 0 and below 1"):
        fitted.predict(made_up(5)[0], interval=interval)


def test_too_few_rows_give_no_finite_interval():
    x, y = made_up(8)
    model = small(clip_predictions=False).fit(x, y)
    assert np.isinf(model.predict(x, interval=0.95)[1]).all()
    assert np.isfinite(model.predict(x, interval=0.5)[1]).all()


def test_another_model_has_its_own():
    x, y = made_up(90)
    model = small(generations=20).fit(x, y)
    quantiles = model.model_.error_quantiles
    model.choose(len(model.pareto_front_) - 2)  # of the front the least accurate
    assert model.model_.error_quantiles[45] > quantiles[45]
    assert model.predict(x, interval=0.9)[1].shape == (90, 2)


def test_constant_model_has_the_errors_of_the_mean():
    y = np.random.default_rng(0).normal(5, 2, 40)
    model = small(clip_predictions=False).fit(np.ones((40, 1)), y)
    _, intervals = model.predict(np.ones((1, 1)), interval=0.5)
    errors = np.sort(np.abs(y - y.mean())) / (1 - 1 / 40)
    assert intervals[0] == pytest.approx([y.mean() - errors[20], y.mean() + errors[20]], rel=1e-5)
    same = small().fit(np.arange(6.0)[:, None], np.full(6, 3.0))
    assert (same.predict(np.ones((2, 1)), interval=0.5)[1] == 3.0).all()


def test_intervals_of_a_sampled_table_use_all_rows():
    x, y = made_up(600)
    model = small(max_rows=100).fit(x, y)
    assert len(model.fitted_.rows.y) == 600
    assert len(model.model_.error_quantiles) == MOST_KEPT


def test_front_has_the_mean_errors_of_its_models(fitted):
    fitted.choose(predict_with="front")
    teacher = teacher_of(fitted.archive_, teacher_tau(fitted.noise_r2_))
    models = [model_of(fitted._found, int(entry)) for entry in teacher.entries]
    errors = [leave_one_out(model, fitted.fitted_.rows) for model in models]
    nodes = teacher.weights @ [model.evolved_size for model in models]
    sizes = np.abs(teacher.weights @ errors) * searched(90, nodes) * np.std(made_up(90)[1])
    assert fitted.predictor_.error_quantiles == pytest.approx(np.sort(sizes), rel=1e-5)
    x, y = made_up(300, seed=1)
    _, intervals = fitted.predict(x, interval=0.9)
    assert 0.8 < np.mean((y >= intervals[:, 0]) & (y <= intervals[:, 1])) < 0.98
    again = type(fitted.predictor_).from_dict(fitted.predictor_.to_dict())
    assert np.array_equal(again.predict(x, interval=0.9)[1], intervals)
    fitted.choose(predict_with="blend")
    assert fitted.predict(x).shape == (300,)
    with pytest.raises(ValueError, match="A blend has no intervals"):
        fitted.predict(x, interval=0.9)
    fitted.choose()


def test_leave_one_out_of_a_row_with_leverage_1():
    rows = ScoredRows(np.array([[0.0], [0.0], [1.0]]), np.array([0.0, 0.0, 1.0]), row_weights(3))
    model = small().fit(*made_up(20))
    errors = leave_one_out(SymbolicModel(model.model_.standardizer, (), 0.0, {"alpha": 0.0}), rows)
    assert errors == pytest.approx([0.0, 0.0, 1.5])


@pytest.mark.parametrize("table", ["whole numbers", "each row three times"])
def test_intervals_of_hard_tables_contain_their_share(table, monkeypatch):
    monkeypatch.setattr("benchmarks.intervals.VJMRegressor", small)
    inside = {row["interval"]: row["inside"] for row in hard_run((table, 0, "model"))}
    assert 0.8 < inside[0.9] < 1.0


def test_target_means_of_the_intervals_leave_own_labels_out():
    rng = np.random.default_rng(0)
    levels, y = rng.choice([*"abcdefghijklmnopqrstu"], 60).astype(object), rng.normal(size=60)
    levels[7] = "single"
    table, x = pd.DataFrame({"level": levels}), np.zeros((60, 1))
    for weights in (None, rng.uniform(0.2, 3.0, 60)):
        scales = fit_standardizer(table, y, ["level"], [0], weights=weights)
        found = inputs_left_out(scales, table, x, scales.standardize_target(y), weights)
        codes = found[:, 0] * scales.inputs[0].scale + scales.inputs[0].mean
        for row in range(60):
            rest = np.arange(60) != row
            of_rest = None if weights is None else weights[rest]
            others = fit_standardizer(table[rest], y[rest], ["level"], [0], weights=of_rest)
            assert codes[row] == pytest.approx(others.encode(table[~rest])[0, 0])


def test_intervals_without_target_means_or_copies_are_as_they_were(fitted):
    rows = fitted.fitted_.rows
    assert rows.left_out is None
    assert merge_copies(rows) is rows


def test_intervals_of_a_sampled_table_leave_own_labels_out():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"id": [f"P{k}" for k in range(400)], "a": rng.normal(size=400)})
    y = rng.normal(size=400)
    for kind in ("model", "front"):
        model = small(max_rows=100, row_labels="keep", predict_with=kind).fit(table, y)
        ends = model.predict(table.assign(id="new"), interval=0.9)[1]
        assert np.mean((y >= ends[:, 0]) & (y <= ends[:, 1])) > 0.8


def test_copies_of_rows_are_left_out_together():
    x, y = made_up(30)
    rows = ScoredRows(np.tile(x, (3, 1)), np.tile(y, 3), row_weights(90))
    merged = merge_copies(rows)
    assert merged.x.shape == (30, 3)
    z, y = merged.x - merged.x.mean(axis=0), merged.y - merged.y.mean()
    weights = Ridge(0.1, fit_intercept=False).fit(np.tile(z, (3, 1)), np.tile(y, 3)).coef_
    linear = np.array([weights, merged.x.mean(axis=0), np.ones(3)])
    errors = leave_one_out_errors(merged.x, linear, 0.1, merged._replace(y=y))
    slow = cross_val_predict(
        Ridge(0.1), np.tile(z, (3, 1)), np.tile(y, 3), cv=LeaveOneGroupOut(),
        groups=np.tile(np.arange(30), 3),
    )  # fmt: skip
    assert errors == pytest.approx(y - slow[:30], abs=0.02)
    few_values = ScoredRows(rows.x, np.round(rows.y / 10), row_weights(90))
    assert merge_copies(few_values) is few_values  # equal by chance


def test_benchmark_weights_datasets_equally():
    runs = pd.DataFrame(
        [("a", 0, 0.9, 1.0, 2.0), ("a", 1, 0.9, 0.8, 4.0), ("b", 0, 0.9, 0.7, 1.0)],
        columns=["dataset", "seed", "interval", "inside", "width"],
    )
    found = summary(runs).loc[0.9]
    assert found["mean"] == pytest.approx((90 + 70) / 2)
    assert (found["min"], found["max"], found["width"]) == (70, 90, 2.0)
