"""Limits of size and nesting, and the size of a model."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.regressors import reloaded, trees_of
from tests.support.twins import FUNCTIONS, holds
from tests.support.twins import random_tree as any_tree

from vjmgp import FUNCTION_NAMES, VJMRegressor
from vjmgp.engine.distillation.student import select
from vjmgp.engine.numerics.rng import stream
from vjmgp.engine.search.archive import SIZE
from vjmgp.engine.trees import structure
from vjmgp.engine.trees.primitives import codes_by_name, codes_of
from vjmgp.engine.trees.structure import Grammar, keeps_nesting, nesting_table, random_tree

CODES = codes_by_name()
RULES = {"sin": ("sin", "cos"), "mul": ("sin",), "tanh": ("tanh", "div")}
FUNCTIONS_OF_RULES = ("add", "mul", "sin", "cos", "tanh", "div")


def broken(codes, rules):
    return any(
        holds(codes, CODES[outer], CODES[inner]) for outer in rules for inner in rules[outer]
    )


def codes_in(archive):
    """Return the codes of every tree of an archive."""
    return [codes for entry in range(len(archive.facts)) for codes, _ in trees_of(archive, entry)]


def fitted(problem, regularizer="jensen_gap", **changes):
    small = {"population_size": 40, "generations": 12, "random_state": 100}
    return VJMRegressor(regularizer, **small | changes).fit(*problem)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 5))
def test_nesting_check_equals_recursion(seed, depth):
    functions = codes_of(FUNCTIONS_OF_RULES)
    codes, _ = any_tree(np.random.default_rng(seed), depth, 2, functions)
    table = nesting_table(FUNCTIONS_OF_RULES, RULES)
    scratch = np.empty((2, 16), np.int64)
    kept = keeps_nesting(np.array(codes, np.int32), len(codes), table, *scratch)
    assert kept == (not broken(codes, RULES))


def test_random_trees_keep_to_limits():
    state = stream(0, "evolution")
    codes, constants = np.empty(64, np.int32), np.empty(64)
    functions = np.array(codes_of(FUNCTIONS_OF_RULES), np.int32)
    sizes = set()
    for max_size in (1, 2, 6, structure.NO_LIMIT):
        table = nesting_table(FUNCTIONS_OF_RULES, RULES)
        grammar = Grammar(functions, 2, 0, 4, max_size, table)
        for _ in range(400):
            length = random_tree(state, grammar, codes, constants)
            assert length <= max_size
            assert not broken(codes[:length], RULES)
            sizes.add(length)
    assert {1, 2, 3, 4, 5, 6, 7, 15} <= sizes


def test_allowed_functions_are_equally_likely():
    """A sine contains neither sine nor cosine, and all other functions equally often."""
    state = stream(1, "evolution")
    codes, constants = np.empty(64, np.int32), np.empty(64)
    names = ("sin", "cos", "tanh", "abs", "neg")
    table = nesting_table(names, {"sin": ("sin", "cos")})
    grammar = Grammar(np.array(codes_of(names), np.int32), 2, 2, 2, 3, table)
    counts = dict.fromkeys(codes_of(names), 0)
    for _ in range(6000):
        random_tree(state, grammar, codes, constants)
        if codes[0] == CODES["sin"]:
            counts[codes[1]] += 1
    assert counts.pop(CODES["sin"]) == counts.pop(CODES["cos"]) == 0
    shares = np.array(list(counts.values())) / sum(counts.values())
    np.testing.assert_allclose(shares, 1 / 3, atol=0.05)


@pytest.mark.parametrize("max_size", [1, 4, 13])
def test_models_keep_to_max_size(problem, max_size):
    model = fitted(problem, max_size=max_size, node_price=0.0, predict_with="front")
    assert model.archive_.facts[:, SIZE].max() == max_size
    assert max(one.evolved_size for one in model.front_models()) <= max_size
    assert model.model_.evolved_size <= max_size
    assert all(len(tree.codes) <= max_size for tree in model.predictor_.trees)


def test_student_makes_use_of_max_size(problem):
    rule = {"final_rule": "distil", "node_price": 1e-5}
    free, limited = (fitted(problem, max_size=size, **rule) for size in (None, 40))
    assert free.model_.evolved_size > 40
    assert limited.student_ is not None
    assert 20 < limited.model_.evolved_size <= 40


def test_wide_limit_does_not_change_selection():
    rng = np.random.default_rng(4)
    values, teacher = rng.normal(size=(12, 80)), rng.normal(size=80)
    price, size = np.full(12, 1e-4), np.arange(1, 13)
    free = select(values, teacher, price, 6)
    wide = select(values, teacher, price, 6, size, 78)
    np.testing.assert_array_equal(free[0], wide[0])
    np.testing.assert_array_equal(free[1], wide[1])
    narrow = select(values, teacher, price, 6, size, 20)[0]
    assert size[narrow].sum() <= 20 < size[free[0]].sum()


@settings(max_examples=6, deadline=None)
@given(
    st.integers(100, 119),
    st.dictionaries(
        st.sampled_from(FUNCTIONS_OF_RULES),
        st.lists(st.sampled_from(FUNCTIONS_OF_RULES), min_size=1, max_size=3),
        min_size=1,
        max_size=3,
    ),
)
def test_forbidden_inside_holds_for_every_model(problem, seed, rules):
    changes = {"forbidden_inside": rules, "random_state": seed, "generations": 6}
    model = fitted(problem, functions=FUNCTIONS_OF_RULES, **changes)
    assert not any(broken(codes, rules) for codes in codes_in(model.archive_))
    assert not any(broken(feature.codes, rules) for feature in model.model_.features)


def test_models_nest_without_forbidden_inside(problem):
    """Without rules the same run does nest, so the test above can fail."""
    rules = {"sin": ("sin",)}
    model = fitted(problem, functions=("add", "sin"))
    assert any(broken(codes, rules) for codes in codes_in(model.archive_))


@pytest.mark.parametrize("changes", [{"max_size": 5}, {"forbidden_inside": {"sin": ("sin",)}}])
def test_wide_limits_do_not_change_results(problem, changes):
    wide = (
        {"max_size": 10**6} if "max_size" in changes else {"forbidden_inside": {"tanh": ("sin",)}}
    )
    free, same, other = (fitted(problem, **c) for c in ({}, wide, changes))
    np.testing.assert_array_equal(free.archive_.scores, same.archive_.scores)
    assert free.model_ == same.model_ != other.model_


def test_model_front_and_parsimony_count_the_same_nodes(problem, tmp_path):
    """Nodes of constant trees count, too, although they are not part of the formula."""
    model = fitted(problem, "parsimony", generations=20)
    front, models = model.pareto_front_, model.front_models()
    assert [m.evolved_size for m in models] == list(front["o2"])
    with_constants = [m for m in models if m.constant_nodes > 0]
    assert with_constants
    for one in with_constants:
        shown = sum(len(feature.codes) for feature in one.features)
        assert one.evolved_size == shown + one.constant_nodes
        assert reloaded(one, tmp_path) == one


def test_from_dict_rejects_invalid_constant_nodes(problem):
    data = fitted(problem, generations=1).model_.to_dict()
    assert "constant_nodes" not in data or data["constant_nodes"] > 0
    for wrong in (-1, 1.5, "3", True):
        with pytest.raises(ValueError, match="constant_nodes"):
            type(fitted(problem, generations=0).model_).from_dict(data | {"constant_nodes": wrong})


def test_more_functions_are_used_if_needed():
    rng = np.random.default_rng(3)
    x = rng.uniform(-2, 2, size=(120, 2))
    y = np.where(x[:, 0] > 0.5, 2.0, -1.0) + np.tanh(3 * x[:, 1])
    plain, more = (
        fitted((x, y), functions=names, generations=20)
        for names in (FUNCTION_NAMES, (*FUNCTION_NAMES, "step", "tanh"))
    )
    used = {FUNCTIONS[c].name for codes in codes_in(more.archive_) for c in codes if c < 13}
    assert {"step", "tanh"} <= used
    assert more.archive_.scores[:, 0].min() < plain.archive_.scores[:, 0].min()


def test_models_that_divide_by_zero_are_rejected():
    """The standardised column is exactly 0 in a third of the rows, then in none of them."""
    rng = np.random.default_rng(5)
    x = np.column_stack([np.tile([-1.0, 0.0, 1.0], 30), rng.normal(size=90)])
    y = x[:, 1] * (2.0 + x[:, 0])
    model = fitted((x, y), functions=("div", "inv", "add"))
    divided = [codes for codes in codes_in(model.archive_) if set(codes) & {CODES["div"]}]
    assert divided
    for one in model.front_models():
        assert np.isfinite(one.evaluate(x)).all()
    kept = x[x[:, 0] != 0.0]
    y = kept[:, 1] / kept[:, 0]
    again = fitted((kept, y), functions=("div",), max_trees=1)
    new = np.vstack([kept, kept * [0.0, 1.0]])
    undefined = np.isnan(again.model_.evaluate(new))
    np.testing.assert_array_equal(undefined, new[:, 0] == 0.0)
    np.testing.assert_array_equal(again.predict(new)[undefined], np.mean(y))
