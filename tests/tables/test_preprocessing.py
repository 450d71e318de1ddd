"""Tests of preprocessing: levels, missing numbers, other kinds of tables, training ranges."""

import json
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.regressors import reloaded, small

from vjmgp import ExtrapolationWarning, SymbolicModel, VJMRegressor
from vjmgp.formulas.input_names import legend
from vjmgp.models.extrapolation import extrapolation_ignored
from vjmgp.tables.preprocessing import FEW_LEVELS, fit_standardizer

ROWS = 80


RNG = np.random.default_rng(0)
COLOUR = RNG.choice(["red", "green", "blue"], ROWS)
X = pd.DataFrame({"a": RNG.normal(5, 3, ROWS), "colour": COLOUR})
Y = X["a"].to_numpy() + np.where(COLOUR == "red", 30.0, 0.0)


@pytest.fixture(scope="module")
def fitted():
    return small(generations=15).fit(X, Y)


def inputs_of(levels, encoding):
    table = pd.DataFrame({"g": levels})
    y = np.arange(len(table), dtype=float)
    return fit_standardizer(table, y, ["g"], [0], encoding)


@given(st.lists(st.sampled_from("abcdefg"), min_size=2, max_size=30))
@settings(deadline=None)
def test_one_input_per_level(levels):
    """Indicators are 1 for their level, in alphabetical order; two levels have one."""
    scales = inputs_of(levels, "onehot")
    distinct = sorted(set(levels))
    told = distinct[1:] if len(distinct) == 2 else distinct
    by_hand = [[float(level == one) for one in told] for level in levels]
    if len(distinct) == 1:
        assert scales.inputs == []
    else:
        assert scales.encode(pd.DataFrame({"g": levels})).tolist() == by_hand
        assert [column.title for column in scales.inputs] == [f"g = {level}" for level in told]
        unseen = scales.encode(pd.DataFrame({"g": ["z", None]}))
        np.testing.assert_array_equal(unseen, np.zeros((2, len(told))))
    by_itself = inputs_of(levels, "auto")
    same_as = "onehot" if len(distinct) <= FEW_LEVELS else "target"
    assert by_itself == inputs_of(levels, same_as)


def test_missing_values_are_a_level():
    scales = inputs_of(["a", None, "b", np.nan], "auto")
    assert [column.title for column in scales.inputs] == ["g = (missing)", "g = a", "g = b"]
    assert scales.encode(pd.DataFrame({"g": [None, "b"]})).tolist() == [[1, 0, 0], [0, 0, 1]]


def test_labels_are_distinct():
    table = pd.DataFrame({"g": [1, "1", 2.0], "g = 1": [1.0, 2.0, 3.0]})
    scales = fit_standardizer(table, np.arange(3.0), list(table), [0], "auto")
    titles = [column.title for column in scales.inputs]
    assert titles == ["g = 1 [2]", "g = 1 [3]", "g = 2", "g = 1"]


def test_formulas_name_levels(fitted, tmp_path):
    model = fitted.model_
    assert fitted.score(X, Y) > 0.95
    assert "colour_is_red" in model.text()
    assert r"\left[\mathrm{colour\ =\ red}\right]" in model.latex()
    rows = dict(legend(model.standardizer, model.inputs_used))
    assert rows["colour_is_red"] == "1 where the column 'colour' is 'red', else 0"
    assert json.dumps(["column", "colour = red"]) in json.dumps(json.loads(model.to_json()))
    values = {f"colour_is_{level}": X["colour"] == level for level in set(X["colour"])}
    values["a"] = X["a"]
    names = model.variables
    columns = (values[name].to_numpy(float) for name in names)
    by_formula = sympy.lambdify(names, model.sympy())(*columns)
    np.testing.assert_allclose(by_formula, model.evaluate(X), rtol=1e-9)
    again = reloaded(model, tmp_path)
    assert again == model
    purple = X.assign(colour="purple")
    assert np.isfinite(again.predict(purple)).all()
    np.testing.assert_array_equal(again.predict(purple), fitted.predict(purple))


def test_paper_settings_encode_by_target_means():
    paper = VJMRegressor.paper(population_size=30, generations=6, random_state=0).fit(X, Y)
    same = small(final_rule="paper", encoding="target").fit(X, Y)
    assert paper.model_ == same.model_
    assert [column.label for column in paper.model_.standardizer.columns] == [None, None]


numbers = st.one_of(st.just(float("nan")), st.floats(-1e6, 1e6))


@given(st.lists(numbers, min_size=2, max_size=20), st.sampled_from(["median", "indicator"]))
@settings(deadline=None)
def test_missing_numbers_are_filled(values, missing):
    values = np.array([1.0, 2.0, *values])
    y = np.arange(len(values)) * 1.0
    scales = fit_standardizer(values[:, None], y, ["x"], [], missing=missing)
    absent = np.isnan(values)
    middle = sorted(values[~absent])
    half = len(middle) // 2
    median = middle[half] if len(middle) % 2 else (middle[half - 1] + middle[half]) / 2
    columns = [np.where(absent, median, values)]
    if missing == "indicator" and absent.any():
        columns.append(absent.astype(float))
    np.testing.assert_allclose(scales.encode(values[:, None]), np.column_stack(columns))
    assert scales.columns[0].limits == (middle[0], middle[-1])
    # Training without a gap, new rows with one.
    np.testing.assert_allclose(scales.encode([[np.nan]])[0, 0], median)


@pytest.mark.parametrize("missing", ["median", "indicator"])
@pytest.mark.parametrize("kind", [float, object, "Float64"])
def test_models_predict_missing_numbers(missing, kind, tmp_path):
    rng = np.random.default_rng(1)
    data = pd.DataFrame({"a": rng.normal(size=ROWS), "b": rng.normal(size=ROWS)})
    y = np.where(data["a"] > 0.8, 20.0, data["b"])  # what is missing tells
    data = data.assign(a=data["a"].where(data["a"] <= 0.8)).astype(kind)
    model = small(missing=missing, generations=15).fit(data, y)
    predictions = model.predict(data)
    np.testing.assert_array_equal(reloaded(model.model_, tmp_path).predict(data), predictions)
    rows = dict(legend(model.model_.standardizer, range(len(model.model_.standardizer.inputs))))
    assert "where it has no value" in rows["a"]
    if missing == "indicator":
        assert rows["a_is_missing"] == "1 where the column 'a' has no value, else 0"
        assert "a_is_missing" in model.model_.text()
        assert r"\left[\mathrm{a\ is\ missing}\right]" in model.model_.latex()
        assert model.score(data, y) > 0.9


@pytest.mark.parametrize(
    "kind",
    [
        pa.Table.from_pandas,
        pa.RecordBatch.from_pandas,
        lambda data: SimpleNamespace(to_pandas=lambda: data),  # polars, Modin and others
        lambda data: data.astype({"colour": "category"}),
        lambda data: data.astype({"colour": pd.StringDtype("pyarrow")}),
        lambda data: data.convert_dtypes(dtype_backend="pyarrow"),
    ],
)
def test_tables_of_other_packages(fitted, kind):
    other = kind(X)
    expected = fitted.predict(X)
    np.testing.assert_array_equal(fitted.predict(other), expected)
    np.testing.assert_array_equal(fitted.model_.predict(other), expected)
    model = small(generations=2).fit(other, Y)
    assert list(model.feature_names_in_) == ["a", "colour"]
    assert model.model_ == small(generations=2).fit(X, Y).model_


def test_predict_ignores_other_columns(fitted):
    others = pd.DataFrame(np.zeros((ROWS, 3)), X.index, columns=["b", "b", 7])
    more = pd.concat([others, X], axis=1)
    np.testing.assert_array_equal(fitted.model_.predict(more), fitted.predict(X))


def test_empty_masks_and_column_targets_are_accepted():
    x = X[["a"]].to_numpy()
    expected = small(generations=2).fit(x, Y).predict(x)
    for rows, target in (
        (np.ma.MaskedArray(x), np.ma.MaskedArray(Y)),
        (x.astype(object), list(Y)),
        (x.tolist(), pa.array(Y)),
        (pd.DataFrame(x), pd.Series(Y, dtype="Float64")),
    ):
        np.testing.assert_array_equal(small(generations=2).fit(rows, target).predict(x), expected)


def test_masked_numbers_are_missing():
    x = np.ma.MaskedArray(X[["a"]].to_numpy(), mask=False)
    x[3] = np.ma.masked
    as_nan = x.filled(np.nan)
    model = small(missing="median", generations=2).fit(x, Y)
    assert model.model_ == small(missing="median", generations=2).fit(as_nan, Y).model_
    np.testing.assert_array_equal(model.predict(x), model.predict(as_nan))


def warnings_of(call):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        call()
    return told


@pytest.mark.parametrize("kind", ["model", "front", "blend"])
def test_one_warning_outside_the_training_range(fitted, kind, tmp_path):
    predictor = fitted.choose(predict_with=kind).predictor_
    low, high = X["a"].min(), X["a"].max()
    inside = pd.DataFrame({"a": [low, high], "colour": "red"})
    width = high - low
    points = [low - 0.6 * width, high, high + 0.4 * width, high + 2 * width]
    outside = pd.DataFrame({"a": points, "colour": "violet"})
    ordinary = pd.DataFrame({"a": [*([high] * 19), high + 2 * width], "colour": "violet"})
    for model in (fitted, predictor, reloaded(predictor, tmp_path)):
        assert not warnings_of(lambda model=model: model.predict(inside))
        assert not warnings_of(lambda model=model: model.predict(ordinary))
        told = warnings_of(lambda model=model: model.predict(outside))
        assert [warning.category for warning in told] == [ExtrapolationWarning]
        assert told[0].filename == __file__
        assert str(told[0].message).startswith(
            "X leaves the training range by more than half its width in 2 of 4 rows: the model "
            f"extrapolates there. The farthest is 'a' = {points[3]:.6g}, 2 widths beyond {low:.6g} "
            f"to {high:.6g}. "
        )
    assert not warnings_of(lambda: list(fitted.staged_predict(outside)))
    assert not warnings_of(lambda: fitted.transform(outside))
    assert not warnings_of(lambda: fitted.score(outside, [1.0, 2.0, 3.0, 4.0]))
    with extrapolation_ignored():
        predictions = fitted.predict(outside)
    assert fitted.score(outside, predictions) == 1.0
    fitted.choose()


@pytest.mark.parametrize("kind", ["model", "front"])
def test_warning_tells_what_is_clipped(kind):
    x = np.linspace(0, 7, 50)[:, None]
    model = small(final_rule="distil", predict_with=kind).fit(x, 11 * x[:, 0])
    for points, text in (
        ([-5, 9.0, 10.0], ". 1 prediction is clipped at 0 and 2 predictions are clipped at 77."),
        ([5.0, 70.0], ". 1 prediction is clipped at 77."),
    ):
        (told,) = warnings_of(lambda points=points: model.predict(np.array(points)[:, None]))
        assert str(told.message).endswith(text)
    free = small(final_rule="distil", clip_predictions=False).fit(x, 11 * x[:, 0])
    (told,) = warnings_of(lambda: free.predict([[70.0]]))
    assert str(told.message).endswith(" 0 to 7. No prediction is clipped.")
    many = np.full((100, 1), 7.0)
    many[0] = 60.0  # one of many rows is worth a word only if it is very far
    assert not warnings_of(lambda: free.predict(many))
    assert warnings_of(lambda: free.predict(10 * many))


def test_unused_columns_do_not_warn_of_extrapolation():
    rng = np.random.default_rng(0)
    data = pd.DataFrame(rng.normal(size=(ROWS, 8)), columns=list("abcdefgh"))
    model = small(final_rule="distil").fit(data, 3.0 * data["c"])
    names = [model.model_.standardizer.inputs[k].name for k in model.model_.inputs_used]
    assert "c" in names
    other = next(name for name in data if name not in names)
    assert not warnings_of(lambda: model.predict(data.assign(**{other: 1e6})))
    told = warnings_of(lambda: model.predict(data + 1e6))
    assert len(told) == 1
    assert any(f"is '{name}' = " in str(told[0].message) for name in names)


def test_models_without_ranges_do_not_warn():
    fitted = small(final_rule="distil").fit(X, Y)
    old = fitted.model_.to_dict()
    for column in old["columns"]:
        column.pop("range", None)
    del old["target"]["clip"]
    model = SymbolicModel.from_dict(json.loads(json.dumps(old)))
    far = X.assign(a=1e6)
    assert not warnings_of(lambda: model.predict(far))
    with extrapolation_ignored():
        np.testing.assert_array_equal(model.predict(far), fitted.predict(far))


@pytest.mark.parametrize("kind", ["model", "front", "blend"])
def test_clipping_is_optional(kind, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, size=(ROWS, 1))
    y = 10.0 * x[:, 0]
    far = np.array([[3.0], [1e200]])
    clipped, free = (
        small(clip_predictions=clip, predict_with=kind, functions=("add", "mul")).fit(x, y)
        for clip in (True, False)
    )
    with extrapolation_ignored():
        assert clipped.predict(far).max() <= y.max()
        values = free.predict(far)
        again = reloaded(free.predictor_, tmp_path)
        np.testing.assert_array_equal(again.predict(far), values)
    assert values[0] > 1.2 * y.max()
    assert np.isfinite(values).all()
    np.testing.assert_array_equal(free.archive_.scores, clipped.archive_.scores)
    if kind == "model":
        np.testing.assert_array_equal(values[:1], free.model_.evaluate(far[:1]))
