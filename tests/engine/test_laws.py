"""Simple laws: search, trees and the default formula."""

import numpy as np
import pandas as pd
import pytest
from tests.support.regressors import reloaded

from vjmgp import UserFunction, VJMRegressor
from vjmgp.engine.distillation import monomials
from vjmgp.engine.distillation.laws import tree_of
from vjmgp.engine.distillation.monomials import Monomial, find_terms, values_of_terms
from vjmgp.models.symbolic import Feature, SymbolicModel
from vjmgp.tables.preprocessing import fit_standardizer

N = 120
RNG = np.random.default_rng(3)
COLUMNS = RNG.uniform(1.0, 5.0, size=(5, N))
A, B, C, D, E = COLUMNS
TABLE = pd.DataFrame(COLUMNS.T, columns=list("abcde"))
PLAIN = np.ones(5, bool)
ONES = np.ones(N)
SMALL = {"population_size": 20, "generations": 3, "random_state": 100}


def term(text):
    """Parse a text such as a:1 b:-1 as a monomial."""
    pairs = [part.split(":") for part in text.split()]
    return Monomial(
        tuple("abcde".index(name) for name, _ in pairs), tuple(float(power) for _, power in pairs)
    )


LAWS = {
    "3*a - 2*b": (3 * A - 2 * B + 5, ["a:1", "b:1"]),
    "a*b": (A * B, ["a:1 b:1"]),
    "a*b*c*d": (A * B * C * D, ["a:1 b:1 c:1 d:1"]),
    "a/b": (A / B, ["a:1 b:-1"]),
    "a*b/(c*d)": (A * B / (C * D), ["a:1 b:1 c:-1 d:-1"]),
    "sqrt(a)*b": (np.sqrt(A) * B, ["a:0.5 b:1"]),
    "a**4": (A**4, ["a:4"]),
    "a**2 + b/c": (A**2 + B / C, ["a:2", "b:1 c:-1"]),
    "a*b + c*d": (A * B + C * D, ["a:1 b:1", "c:1 d:1"]),
}


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.05])
@pytest.mark.parametrize("law", LAWS)
def test_laws_are_found(law, noise):
    y, terms = LAWS[law]
    y = y + noise * y.std() * np.random.default_rng(5).normal(size=N)
    assert set(find_terms(COLUMNS, y, PLAIN, ONES)[1]) == set(map(term, terms))


def test_noise_has_no_law():
    y = np.random.default_rng(7).normal(size=N)
    assert find_terms(COLUMNS, y, PLAIN, ONES)[1] == []


def test_negative_inputs_have_no_roots_or_reciprocals():
    columns = COLUMNS - 3.0
    _, found = find_terms(columns, columns[0] * columns[1] + columns[2] ** 2, PLAIN, ONES)
    assert set(found) == {term("a:1 b:1"), term("c:2")}


def test_input_in_two_units_counts_once():
    columns = np.vstack([COLUMNS, 100.0 * A])
    plain = np.ones(6, bool)
    for y, powers in ((2 * A, [(1.0,)]), (A * B, [(1.0, 1.0)])):
        assert [found.powers for found in find_terms(columns, y, plain, ONES)[1]] == powers


def test_levels_are_not_multiplied():
    plain = np.array([False, True, True, True, True])
    _, found = find_terms(COLUMNS, A * B, plain, ONES)
    assert all(law.inputs == (0,) or 0 not in law.inputs for law in found)
    assert all(law.powers == (1.0,) for law in found if 0 in law.inputs)


def test_weights_count_as_copies():
    y = A * B
    y[:20] = 100.0 * C[:20]
    weights = np.where(np.arange(N) < 20, 0.0, 1.0)
    assert find_terms(COLUMNS, y, PLAIN, np.maximum(weights, 1e-12))[1] == [term("a:1 b:1")]


def test_selected_terms_equal_exhaustive_search():
    """Compare with least squares on all pairs of a small library."""
    terms = [Monomial((k,), (power,)) for k in range(5) for power in (1.0, 2.0)]
    values = values_of_terms(terms, COLUMNS)
    values -= values.mean(axis=1, keepdims=True)
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    y = A**2 - 3 * C + 0.1 * RNG.normal(size=N)
    y -= y.mean()

    def left(pair):
        x = values[list(pair)].T
        return float(np.sum((y - x @ np.linalg.lstsq(x, y, rcond=None)[0]) ** 2))

    pairs = [(i, j) for i in range(10) for j in range(i)]
    best = min(pairs, key=left)
    assert sorted(monomials.select_terms(values, y, 4)[1]) == sorted(best)


@pytest.mark.parametrize(
    "text", ["a:1", "a:2", "b:3", "a:4", "c:0.5", "c:1.5", "d:-1", "d:-2", "a:1 b:-0.5 c:2.5"]
)
def test_trees_compute_their_terms(text):
    standardizer = fit_standardizer(TABLE, A, list("abcde"), [])
    inputs = standardizer.inputs
    offset = np.array([column.mean / column.scale for column in inputs])
    codes, constants = tree_of(term(text), offset)
    feature = Feature(tuple(codes), tuple(constants), 1.0, 0.0, 1.0)
    found = SymbolicModel(standardizer, (feature,)).transform(TABLE)[:, 0]
    scaled = COLUMNS / np.array([column.scale for column in inputs])[:, None]
    expected = values_of_terms([term(text)], scaled)[0]
    if text == "a:1":  # the intercept contains the offset
        expected = expected - offset[0]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("y", "text"),
    [
        (A * B * C, "a*b*c"),
        (A / B, "a/b"),
        (3 * A - 2 * B + 5, "3*a - 2*b + 5"),
        (10 / (A + B), "10/(a + b)"),
        (A * B / (A + B), "1/(1/a + 1/b)"),
        (np.sqrt(A**2 + 3 * B**2), "sqrt(a**2 + 3*b**2)"),
    ],
)
def test_default_formula_is_the_law(tmp_path, y, text):
    model = VJMRegressor(**SMALL).fit(TABLE, y)
    assert str(model.model_) == text
    assert model.score(TABLE, y) > 0.999999
    front = model.pareto_front_
    assert front["chosen"].sum() == 1
    assert front.loc[front["chosen"], "formula"].item() == text
    again = reloaded(model.model_, tmp_path)
    np.testing.assert_array_equal(again.predict(TABLE), model.predict(TABLE))


def test_law_of_many_weighted_rows():
    rng = np.random.default_rng(11)
    table = pd.DataFrame(rng.uniform(1, 5, size=(4000, 3)), columns=list("abc"))
    y = table["a"] / table["b"]
    model = VJMRegressor(**SMALL, max_rows=300).fit(table, y, np.full(4000, 2.0))
    assert str(model.model_) == "a/b"
    assert model.model_.scores["o1"] < 1e-12


@pytest.mark.parametrize("law", [lambda a, b: b / a, lambda a, b: 1.0 / (b + 1.0 / a)])
def test_law_undefined_on_a_row_is_rejected(law):
    """The search uses some of many rows; on another row, this law is undefined."""
    table = pd.concat([TABLE[["a", "b"]]] * 10, ignore_index=True)
    y = law(table["a"], table["b"])
    assert 1 not in monomials.some_rows(len(y))
    table.loc[1, "a"] = 0.0
    model = VJMRegressor(**SMALL).fit(table, y)
    assert np.isfinite(model.predict(table)).all()


def test_rules_without_laws():
    y = A * B * C
    for rule in ("distil", "paper"):
        assert str(VJMRegressor(**SMALL, final_rule=rule).fit(TABLE, y).model_) != "a*b*c"


def test_given_functions_exclude_laws():
    """Given functions are the only ones allowed."""
    import sympy

    own = UserFunction("twice", lambda x: 2.0 * x, 2 * sympy.Symbol("x"))
    y = A / B
    for functions in (("add", "sub"), ("add", "mul", own)):
        model = VJMRegressor(**SMALL, functions=functions).fit(TABLE, y)
        assert "/" not in str(model.model_)


def test_laws_respect_max_size():
    model = VJMRegressor(**SMALL, max_size=5).fit(TABLE, A * B * C)
    assert model.model_.size <= 5


def test_short_student_is_not_larger_than_the_student():
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.normal(size=(150, 4)), columns=list("abcd"))
    y = np.sin(2 * table["a"]) + table["b"] * table["c"].abs() + rng.normal(size=150)
    model = VJMRegressor(population_size=40, generations=15, random_state=101).fit(table, y)
    short = model.model_.size
    error = model.model_.scores["o1"] + 0.0015 * short
    model.choose(rule="distil")
    assert short <= model.model_.size
    assert error <= model.model_.scores["o1"] + 0.0015 * model.model_.size
