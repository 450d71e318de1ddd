"""Shorter versions: they keep to their size, and the best model is chosen."""

import copy
import time

import numpy as np
import pandas as pd
import pytest
from tests.support.regressors import medium as small

from vjmgp.engine.distillation.distil import NODE_PRICE, distil, distil_within
from vjmgp.engine.search.archive import O1, SIZE
from vjmgp.model_selection import NEAR, STUDENT, Choice, choose_within
from vjmgp.study.protocols import r2


def table(rows=90, seed=0):
    rng = np.random.default_rng(seed)
    x = pd.DataFrame(rng.uniform(-2, 2, size=(rows, 3)), columns=list("abc"))
    y = 50 + 20 * x["a"] + 10 * x["b"] * x["c"] + np.exp(x["a"]) + rng.normal(size=rows)
    return x, y.to_numpy()


@pytest.fixture(scope="module")
def fitted():
    return small().fit(*table())


@pytest.mark.parametrize("max_size", [5, 10, 20, 40])
@pytest.mark.parametrize("rule", ["short", "distil", "paper", "o1", "knee"])
def test_choose_keeps_to_max_size(fitted, max_size, rule):
    model = copy.copy(fitted).choose(max_size=max_size, rule=rule)
    assert model.model_.size <= max_size
    assert model.predict(table()[0], interval=0.9)[1].shape == (90, 2)


def test_rule_o1_chooses_the_smallest_error_within_max_size(fitted):
    scores, sizes = fitted.archive_.scores, fitted.archive_.facts[:, SIZE]
    model = copy.copy(fitted).choose(max_size=10, rule="o1").model_
    least = [scores[sizes <= limit, O1].min() for limit in range(1, 11)]
    assert model.scores["o1"] in least
    assert model.size <= 10


def test_student_far_from_teacher_must_be_more_accurate(fitted):
    for limit in range(1, 30):
        choice = Choice("distil", NODE_PRICE, None, None)
        entry, chosen = choose_within(fitted._found, choice, limit)
        student, distance = distil_within(fitted._found.prepared, fitted.archive_, limit)
        if entry == STUDENT:
            assert np.array_equal(chosen.scores, student.scores)
        else:
            assert distance > NEAR
            assert fitted.archive_.scores[entry, O1] < student.scores[0, O1]


def test_distil_within_a_large_limit_equals_distil(fitted):
    usual = distil(fitted._found.prepared, fitted.archive_)
    student, distance = distil_within(fitted._found.prepared, fitted.archive_, 1000)
    assert np.array_equal(usual.linear, student.linear)
    assert np.array_equal(usual.codes, student.codes)
    assert 0 <= distance < NEAR


def test_distance_to_teacher_falls_with_max_size(fitted):
    distances = [
        distil_within(fitted._found.prepared, fitted.archive_, n)[1] for n in (1, 3, 10, 30)
    ]
    assert distances == sorted(distances, reverse=True)


def test_choose_keeps_to_max_size_of_the_constructor():
    model = small(max_size=8).fit(*table())
    assert model.choose(max_size=20).model_.evolved_size <= 8


def test_invalid_sizes_are_rejected(fitted):
    with pytest.raises(ValueError, match="max_size is 0; it must be a whole number"):
        fitted.choose(max_size=0)
    with pytest.raises(ValueError, match="an index or a max_size, not both"):
        fitted.choose(0, max_size=5)
    with pytest.raises(ValueError, match="sizes is 5; it must be a sequence"):
        fitted.shorter_versions(5)


def test_choose_rejects_a_size_below_all_models():
    model = small().fit(*table())
    with pytest.raises(ValueError, match=r"max_size is 3, but the smallest model .* has size 5"):
        model.choose(max_size=3)
    assert model.shorter_versions((2, 3)).empty


def test_shorter_versions_are_distinct_and_in_units(fitted):
    before = fitted.predict(table()[0])
    found = fitted.shorter_versions()
    models = fitted.shorter_models()
    assert list(found.columns) == ["max_size", "size", "o1", "rmse", "formula"]
    assert list(found["size"]) == [model.size for model in models]
    assert (found["size"] <= found["max_size"]).all()
    assert len({str(model) for model in models}) == len(models) > 1
    deviation = table()[1].std()
    assert found["rmse"].to_numpy() == pytest.approx(deviation * np.sqrt(found["o1"]))
    assert found["o1"].iloc[-1] < found["o1"].iloc[0]
    assert np.array_equal(fitted.predict(table()[0]), before)


def test_shorter_versions_are_cached_until_the_next_fit(fitted):
    fitted.shorter_versions()
    started = time.perf_counter()
    models = fitted.shorter_models()
    assert time.perf_counter() - started < 0.1
    assert models[0] is fitted.shorter_models()[0]
    again = copy.copy(fitted).fit(*table(seed=1))
    assert again.shorter_models()[0] != models[0]


def test_short_formulas_and_short_models_are_cached_apart(fitted):
    copy.copy(fitted).choose(rule="short", tau=7.0)
    assert all(model.size <= 7 for model in fitted.shorter_models((7,)))


def test_all_tables_have_the_size_of_the_written_formula(fitted):
    front, models = fitted.pareto_front_, fitted.front_models()
    assert list(front["size"]) == [model.size for model in models]
    assert [model.size for model in models] == [model.shown_size for model in models]
    assert any(model.size != model.evolved_size for model in models)
    x, y = table(60, seed=3)
    found = fitted.score_front(x, y)
    assert list(found["size"]) == [m.size for m in (*models, *fitted.shorter_models())]


def test_choose_selects_the_listed_versions(fitted):
    found = fitted.shorter_versions()
    for max_size, model in zip(found["max_size"], fitted.shorter_models(), strict=True):
        assert copy.copy(fitted).choose(max_size=int(max_size)).model_ == model


def test_constant_model_has_one_version():
    model = small().fit(np.ones((20, 1)), np.arange(20.0))
    assert list(model.shorter_versions()["size"]) == [1]
    assert model.model_.evolved_size == 0


def test_score_front_measures_all_models(fitted):
    x, y = table(60, seed=3)
    found = fitted.score_front(x, y)
    models = [*fitted.front_models(), *fitted.shorter_models()]
    assert len(found) == len(models)
    inputs = fitted.model_.standardizer.standardize(x)
    values = [model.predict_rows(inputs) for model in models]
    assert found["r2"].to_numpy() == pytest.approx([r2(y, v) for v in values])
    assert found["rmse"].to_numpy() == pytest.approx([np.std(y - v) for v in values], rel=0.1)
    assert found["mae"].to_numpy() == pytest.approx([np.abs(y - v).mean() for v in values])
    assert found["chosen"].sum() == 1
    assert list(found["max_size"].dropna()) == list(fitted.shorter_versions()["max_size"])
