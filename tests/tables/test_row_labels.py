"""Tests of row labels and cautions: which columns name rows, and what regressors do about them."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from tests.support.regressors import reloaded, small

from vjmgp import RowLabelWarning, VJMRegressor, embedded_datasets, load_dataset
from vjmgp.tables.row_labels import find_row_labels, row_labels_to_drop

ROWS = 60
RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(2, ROWS))
Y = A * B + 0.2 * RNG.normal(size=ROWS)
TEXT = [f"P-{k}" for k in RNG.permutation(ROWS)]
NUMBERS = RNG.permutation(ROWS) + 1000
IN_ORDER = np.arange(ROWS)


def table(**columns):
    return pd.DataFrame({"a": A, "b": B} | columns)


def found(name, values):
    return list(find_row_labels(pd.DataFrame({name: values, "a": A}))) == [name]


@pytest.mark.parametrize("name", ["Prüf-Nr.", "anything", "car", ""])
def test_text_with_nearly_as_many_levels_as_rows_names_them(name):
    assert found(name, TEXT)
    assert found(name, pd.Categorical(TEXT))
    assert found(name, [*TEXT[:40], *TEXT[:20]])
    assert not found(name, [*TEXT[:30], *TEXT[:30]])


@pytest.mark.parametrize(
    "name",
    [
        *("id", "ID", "Id.", "Nr", "Prüf-Nr.", "no.", "No", "index", "row", "row_id", "PatientID"),
        *("sample number", "id_sample", "#", "Unnamed: 0", "Unnamed: 0.1", "rownames", "row.names"),
    ],
)
def test_different_whole_numbers_with_a_name_of_labels_name_rows(name):
    assert found(name, NUMBERS)
    assert found(name, NUMBERS.astype(object))
    assert not found(name, NUMBERS // 2)  # groups
    assert not found(name, NUMBERS + 0.5)


@pytest.mark.parametrize(
    "name", ["year", "time_s", "t", "day", "no2", "humid", "grid", "number of rooms", "paid"]
)
def test_other_whole_numbers_do_not_name_rows(name):
    assert not found(name, NUMBERS)
    assert not found(name, IN_ORDER + 1947)


@pytest.mark.parametrize("first", [0, 1, 1.0])
def test_columns_from_0_or_1_in_order_count_rows(first):
    assert found("x", IN_ORDER + first)
    assert not found("year", IN_ORDER + first)
    assert not found("x", (IN_ORDER + first)[::-1])


def test_some_column_that_varies_is_never_left_out():
    both = pd.DataFrame({"Unnamed: 0": IN_ORDER, "heat": IN_ORDER + 1, "same": 3.0})
    assert list(row_labels_to_drop(both)) == ["Unnamed: 0"]
    assert not row_labels_to_drop(both[["heat", "same"]])
    assert list(row_labels_to_drop(table(id=NUMBERS, n=IN_ORDER), ["n"])) == ["id"]


def test_shipped_datasets_have_no_row_labels():
    for name in embedded_datasets():
        assert not find_row_labels(load_dataset(name).inputs)


def test_fit_leaves_row_labels_out_with_a_warning(tmp_path):
    data = table(**{"Prüf-Nr": TEXT, "Unnamed: 0": IN_ORDER})
    with pytest.warns(RowLabelWarning) as told:
        model = small().fit(data, Y)
    assert [str(warning.message) for warning in told] == [
        "Left out columns that name rows: 'Prüf-Nr' (60 different values in 60 rows), 'Unnamed: 0' "
        "(a different whole number in each of 60 rows). They tell nothing about new rows; "
        "row_labels='keep' keeps them."
    ]
    assert told[0].filename == __file__
    assert model.row_labels_ == ["Prüf-Nr", "Unnamed: 0"]
    assert model.cautions_ == []
    same = small().fit(data[["a", "b"]], Y)
    assert model.model_ == same.model_
    for kind in (model, reloaded(model.model_, tmp_path), pickle.loads(pickle.dumps(model))):
        for new in (data, data[["a", "b"]], data.drop(columns="Unnamed: 0")[["Prüf-Nr", "a", "b"]]):
            np.testing.assert_array_equal(kind.predict(new), same.predict(data[["a", "b"]]))
    assert list(model.get_feature_names_out(list(data))) == list(model.get_feature_names_out())


def test_text_that_may_be_numbers_is_named_as_such():
    faulty = [*map(str, A[:-1]), "much"]
    with pytest.warns(RowLabelWarning, match=r"\(60 .* rows, 59 of them numbers that are written"):
        small(generations=1).fit(table(mass=faulty), Y)


def test_row_labels_can_be_kept():
    data = table(probe=TEXT)
    for changes in ({"row_labels": "keep"}, {"categorical_features": ["probe"]}):
        model = clone(small(**changes)).fit(data, Y)
        assert model.row_labels_ == []
        assert model.feature_names_in_.tolist() == ["a", "b", "probe"]
        assert [caution.kind for caution in model.cautions_] == ["ID"]
        assert "The input 'probe' seems to name the rows" in model.cautions_[0]
    with pytest.warns(RowLabelWarning):
        model = small(categorical_features=[2]).fit(table(b=NUMBERS, id=NUMBERS, c=TEXT), Y)
    assert model.row_labels_ == ["c"]


def test_the_only_input_and_arrays_are_kept():
    assert small().fit(pd.DataFrame({"probe": TEXT}), Y).row_labels_ == []
    for data in (np.c_[IN_ORDER, A], pd.DataFrame(np.c_[IN_ORDER, A])):
        model = small().fit(data, Y)
        assert model.n_features_in_ == 2
        assert [caution.kind for caution in model.cautions_] == ["ID"]


def test_paper_settings_keep_all_columns():
    settings = {"population_size": 30, "generations": 3, "random_state": 0}
    model = VJMRegressor.paper(**settings).fit(table(probe=TEXT), Y)
    assert model.feature_names_in_.tolist() == ["a", "b", "probe"]


@pytest.mark.filterwarnings("ignore::vjmgp.RowLabelWarning")
def test_warm_start_goes_on_without_row_labels():
    data = table(id=NUMBERS)
    whole = small(generations=6).fit(data, Y)
    model = small(generations=3, warm_start=True).fit(data, Y)
    model.set_params(generations=6).fit(data, Y)
    assert model.model_ == whole.model_


def kinds(data, y=Y):
    return [caution.kind for caution in small(generations=3).fit(data, y).cautions_]


def test_a_good_fit_has_no_cautions():
    assert kinds(table()) == []


def test_cautions_have_kinds():
    assert kinds(table().iloc[:30], Y[:30]) == ["few rows"]
    assert kinds(table(c=2 * Y - 7)) == ["leak"]
    assert kinds(table(), np.round(RNG.uniform(0, 3, ROWS))) == ["few levels"]
    assert kinds(table(year=IN_ORDER + 1947)) == ["time order"]
    assert kinds(table(t=IN_ORDER)) == ["time order"]
    assert kinds(table(c=IN_ORDER + 20)) == ["time order"]
    assert kinds(table(month=IN_ORDER % 12)) == []


def test_neighbouring_rows_with_similar_errors_are_ordered():
    drift = np.sin(IN_ORDER / 5)
    assert kinds(table(), Y + 2 * drift) == ["time order"]
    shuffled = RNG.permutation(ROWS)
    assert kinds(table().iloc[shuffled], (Y + 2 * drift)[shuffled]) == []
    by_target = np.argsort(drift)
    assert kinds(table().iloc[by_target], drift[by_target]) == []


def test_cautions_survive_copies():
    model = small(generations=1).fit(table().iloc[:30], Y[:30])
    for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert again.cautions_ == model.cautions_
        assert again.cautions_[0].kind == "few rows"
