"""User functions: the guide's example, storage, and errors."""

import copy
import json
import math
import pickle
import re
from dataclasses import replace

import numba
import numpy as np
import pytest
import sympy
from sklearn.base import clone
from tests.support.regressors import small
from tests.support.workflow_runs import ROOT

from vjmgp import SymbolicModel, UserFunction, load_model
from vjmgp.engine.preparation import prepare
from vjmgp.engine.search.evolution import Evolution
from vjmgp.engine.settings import Settings
from vjmgp.engine.trees.primitives import CONSTANT, FIRST_VARIABLE, ROOM, codes_of
from vjmgp.models.symbolic import Feature, with_used_functions
from vjmgp.tables.preprocessing import fit_standardizer

GUIDE = (ROOT / "docs/own_function.md").read_text(encoding="utf-8")


def softplus(a):
    return math.log1p(math.exp(-abs(a))) + max(a, 0.0)


def ratio(p, q):
    if q < -1.0:
        raise ValueError("not here")
    return p / (2.0 + q)


A, B, P, Q = sympy.symbols("a b p q")
SOFTPLUS = UserFunction("softplus", softplus, sympy.log(1 + sympy.exp(A)))
RATIO = UserFunction("ratio", ratio, P / (2 + Q))


def fitted(problem, **changes):
    settings = {"functions": ["add", SOFTPLUS, "mul", RATIO, "tanh"], "random_state": 100}
    return small(population_size=40, **settings | changes).fit(*problem)


def model_of(codes, functions, constants=None):
    """A model of one tree."""
    rng = np.random.default_rng(0)
    x = rng.normal(1.0, 2.0, size=(1000, 2))
    standardizer = fit_standardizer(x, rng.normal(size=1000), ["a", "speed"], [])
    feature = Feature(tuple(codes), tuple(constants or [0.0] * len(codes)), 1.5, 0.2, 0.5)
    return SymbolicModel(standardizer, (feature,), functions=tuple(functions)), x


def test_guide_example_runs(here, capsys):
    names = {}
    exec(re.search(r"```python\n(.*?)```", GUIDE, re.S)[1], names)
    model = names["model"]
    assert "exp(-Abs(" in capsys.readouterr().out
    assert names["again"] == model.model_
    assert model.score(names["X"], names["y"]) > 0.95
    assert model.model_.evolved_size <= 30


def test_values_and_formulas_agree():
    one, two = codes_of([SOFTPLUS, RATIO])
    codes = [two, one, FIRST_VARIABLE, one, FIRST_VARIABLE + 1]
    model, x = model_of(codes, [SOFTPLUS, RATIO])
    z = model.standardizer.standardize(x)
    exact = np.log1p(np.exp(z[:, 0])) / (2.0 + np.log1p(np.exp(z[:, 1])))
    np.testing.assert_allclose(model.construct(z)[:, 0], exact, rtol=1e-12)
    for expression in (model.sympy(), sympy.sympify(model.text(None))):
        symbols = sorted(expression.free_symbols, key=str)
        assert [str(symbol) for symbol in symbols] == ["a", "speed"]
        found = sympy.lambdify(symbols, expression, "numpy")(*x.T)
        np.testing.assert_allclose(found, model.evaluate(x), rtol=1e-9)
    assert r"\log" in model.latex()


def test_arguments_are_replaced_as_words():
    """The `a` in `Abs`, the `e` in `1.0e-20`, and an `a` within an argument stay."""
    formula = sympy.Abs(A) + sympy.Float(1e-20) * A + sympy.Symbol("e")
    assert "1.0e-20" in str(formula)
    own = UserFunction("own", lambda a, e: abs(a) + 1e-20 * a + e, formula)
    code = codes_of([own])[0]
    codes = [code, FIRST_VARIABLE + 1, code, FIRST_VARIABLE, CONSTANT]
    model, x = model_of(codes, [own], [0.0, 0.0, 0.0, 0.0, -0.5])
    expression = sympy.sympify(model.text(None))
    found = sympy.lambdify(sympy.symbols("a speed"), expression, "numpy")(*x.T)
    np.testing.assert_allclose(found, model.evaluate(x), rtol=1e-9)


def test_errors_in_the_function_give_nan():
    model, x = model_of([codes_of([RATIO])[0], FIRST_VARIABLE, FIRST_VARIABLE + 1], [RATIO])
    z = model.standardizer.standardize(x)
    values = model.construct(z)[:, 0]
    np.testing.assert_array_equal(np.isnan(values), z[:, 1] < -1.0)
    assert np.isnan(values).any()


def test_runs_do_not_depend_on_threads(problem):
    one, two = (fitted(problem, restarts=2, n_jobs=jobs) for jobs in (1, 2))
    assert one.model_ == two.model_
    np.testing.assert_array_equal(one.archive_.scores, two.archive_.scores)
    held = {f.name for m in one.front_models() for f in m.functions}
    assert held == {"softplus", "ratio"}


def test_user_function_matches_builtin_bitwise(problem):
    """The same run with `abs` and `mul` under other names, before constants are fitted."""
    size = UserFunction("size", lambda a: abs(a), sympy.Abs(A))
    times = UserFunction("times", lambda a, b: a * b, A * B)
    mine = fitted(problem, functions=["add", size, times, "sin"])
    theirs = fitted(problem, functions=["add", "abs", "mul", "sin"])
    np.testing.assert_array_equal(mine.archive_.scores, theirs.archive_.scores)
    ours, others = (m.choose(rule="distil").predict(problem[0]) for m in (mine, theirs))
    np.testing.assert_array_equal(ours, others)


@pytest.mark.parametrize("predict_with", ["model", "front", "blend"])
def test_stored_models_require_their_functions(problem, tmp_path, predict_with):
    model = fitted(problem, predict_with=predict_with, final_rule="o1")
    path = tmp_path / "model.json"
    text = model.predictor_.to_json(path)
    content = json.loads(text)
    names = content.get("front", content)["functions"]
    assert set(names) <= {"softplus", "ratio"}
    assert "log1p" not in text
    again = load_model(path, functions=[RATIO, SOFTPLUS])
    np.testing.assert_array_equal(again.predict(problem[0]), model.predict(problem[0]))
    with pytest.raises(ValueError, match=rf"{names[0]}.*give it as load_model\(path, functions="):
        load_model(path)


def test_models_keep_only_functions_in_use():
    """A file requires no others, and reading restores the model."""
    other = UserFunction("other", lambda a, b: a - b, A - B)
    run = [SOFTPLUS, other, RATIO]
    codes = (codes_of(run)[2], FIRST_VARIABLE, FIRST_VARIABLE + 1)
    model, x = model_of(codes, run)
    trees, functions = with_used_functions(model.features, run)
    assert functions == (RATIO,)
    held = replace(model, features=trees, functions=functions)
    np.testing.assert_array_equal(held.evaluate(x), model.evaluate(x))
    assert held.to_dict()["functions"] == ["ratio"]
    assert SymbolicModel.from_dict(held.to_dict(), [SOFTPLUS, RATIO]) == held
    plain, _ = model_of([FIRST_VARIABLE], [])
    assert "functions" not in plain.to_dict()


def test_fitted_regressor_can_be_pickled_copied_and_cloned(problem):
    model = fitted(problem)
    assert clone(model).get_params()["functions"] == model.get_params()["functions"]
    copies = pickle.loads(pickle.dumps(model)), copy.deepcopy(model), clone(model).fit(*problem)
    for other in copies:
        assert other.model_ == model.model_
        np.testing.assert_array_equal(other.predict(problem[0]), model.predict(problem[0]))


def test_evolution_resumes_with_other_addresses(problem):
    """As in another process, in which functions have other addresses."""
    settings = Settings(functions=("add", SOFTPLUS, "tanh"), population_size=20)
    here = Evolution(prepare(*problem, settings, seed=100))
    here.start()
    table = here.workspace.addresses
    assert np.count_nonzero(table) == 2
    known = table.copy()
    table[:] = 0
    there = pickle.loads(pickle.dumps(here))
    np.testing.assert_array_equal(there.workspace.addresses, known)
    table[:] = known
    for run in (here, there):
        run.step()
    np.testing.assert_array_equal(here.individuals.o1, there.individuals.o1)


def test_compiled_function_is_accepted():
    compiled = UserFunction("compiled", numba.njit(softplus), sympy.log(1 + sympy.exp(A)))
    assert compiled.arguments == ("a",)
    model, x = model_of([codes_of([compiled])[0], FIRST_VARIABLE], [compiled])
    plain, _ = model_of([codes_of([SOFTPLUS])[0], FIRST_VARIABLE], [SOFTPLUS])
    np.testing.assert_array_equal(model.evaluate(x), plain.evaluate(x))


@pytest.mark.parametrize(
    ("name", "scalar", "formula", "said"),
    [
        ("two words", softplus, A, "is 'two words'; it must be a word"),
        (3, softplus, A, "is 3; it must be a word"),
        ("sin", softplus, A, "the package uses this name"),
        ("tanh", softplus, A, "the package uses this name"),
        ("column", softplus, A, "the package uses this name"),
        ("f", lambda a: missing(a), A, "numba cannot compile scalar: .*'missing'"),  # noqa: F821
        ("f", lambda a: a.foo, A, "numba cannot compile scalar: Unknown attribute 'foo'"),
        ("f", lambda a: 1, sympy.S(1), "scalar returns int64; it must return a float"),
        ("f", lambda a: a > 0.0, A, "scalar returns bool; it must return a float"),
        ("f", lambda a, b, c: a, A, "scalar has 3 arguments; it must have one or two"),
        ("f", lambda: 1.0, sympy.S(1), "scalar has 0 arguments"),
        ("f", lambda *a: 1.0, sympy.S(1), "it must have one or two"),
        ("f", math.sin, sympy.sin(A), "must be a function written in Python"),
        ("f", "sin", sympy.sin(A), "must be a function written in Python"),
        ("f", softplus, sympy.Symbol("x"), r"sympy has 'x', not an argument of scalar \(a\)"),
        ("f", softplus, "log(1 + exp(a))", "it must be an expression of sympy"),
        ("f", softplus, None, "it must be an expression of sympy"),
        ("f", lambda beta: beta + 1.0, sympy.Symbol("beta") + 1, "argument 'beta' means something"),
        ("f", softplus, sympy.exp(A), "sympy is 0.272532 at -1.3, where scalar is 0.241008"),
    ],
)
def test_invalid_user_function_raises_one_line(name, scalar, formula, said):
    with pytest.raises(ValueError, match=said) as error:
        UserFunction(name, scalar, formula)
    assert "\n" not in str(error.value)


def test_duplicate_names_and_too_many_functions_raise(problem):
    twin = UserFunction("softplus", lambda a: a + 1.0, A + 1)
    with pytest.raises(ValueError, match="two functions with the name 'softplus'"):
        fitted(problem, functions=["add", SOFTPLUS, twin])
    many = [UserFunction(f"f{k}", lambda a: a + 1.0, A + 1) for k in range(ROOM + 1)]
    with pytest.raises(ValueError, match=f"at most {ROOM} fit"):
        fitted(problem, functions=["add", *many])
    assert fitted(problem, functions=["add", *many[:ROOM]]).score(*problem) > 0
