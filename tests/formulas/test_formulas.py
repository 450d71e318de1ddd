"""Formulas compute the model's values."""

import builtins
import keyword
import re
from types import ModuleType

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.mathtext import MathTextParser
from tests.support.engine_runs import printed_by
from tests.support.random_models import EVERY_FUNCTION, NUMPY, WORDS, columns, random_model

from vjmgp.engine.trees.primitives import codes_by_name, functions_by_code
from vjmgp.formulas.input_names import identifiers, latex_name, reserved_words
from vjmgp.models.symbolic import Feature, SymbolicModel


def check_sympy(expression, model, table, **tolerance):
    symbols = sorted(expression.free_symbols, key=str)
    compute = sympy.lambdify(symbols, expression, "numpy")
    found = compute(*(columns(table)[str(symbol)] for symbol in symbols))
    expected = model.evaluate(table)
    np.testing.assert_allclose(np.broadcast_to(found, len(expected)), expected, **tolerance)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_text_computes_model_values(seed):
    model, table = random_model(seed)
    for text in (model.text(None), model.text(exact=True)):
        found = eval(text, {**NUMPY, **columns(table)})
        np.testing.assert_allclose(found, model.evaluate(table), rtol=1e-8, atol=1e-7)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_text_of_every_function_computes_model_values(seed):
    model, table = random_model(seed, depth=2, functions=EVERY_FUNCTION)
    with np.errstate(all="ignore"):
        found = eval(model.text(None), {**NUMPY, **columns(table)})
    expected = model.evaluate(table)
    usual = np.abs(expected) < 1e6  # a divisor near 0 magnifies rounding, 0 gives none
    np.testing.assert_allclose(
        np.broadcast_to(found, 40)[usual], expected[usual], rtol=1e-6, atol=1e-5
    )


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("name", codes_by_name())
def test_sympy_round_trips_every_function(name, alone):
    """Read as text, too, from which sympy does not know that columns are real."""
    model, table = random_model(1, depth=1, count=1)
    code = codes_by_name()[name]
    leaves = (14, 15)[: functions_by_code()[code].arity]
    feature = Feature((code, *leaves), (0.0,) * (1 + len(leaves)), 1.0, 0.0, 1.0)
    model = SymbolicModel(model.standardizer, (feature,))
    expression = sympy.sympify(model.text(None)) if alone else model.sympy()
    with np.errstate(invalid="ignore"):  # sympy's real root evaluates both signs
        check_sympy(expression, model, table, rtol=1e-8, atol=1e-8)
    assert model.latex()


@pytest.mark.parametrize("seed", range(12))
def test_sympy_computes_model_values(seed):
    model, table = random_model(seed)
    check_sympy(model.sympy(), model, table, rtol=1e-8, atol=1e-7)


@pytest.mark.parametrize("seed", range(6))
def test_sympy_reads_the_text(seed):
    model, table = random_model(seed, depth=2)
    assert model.variables == WORDS
    symbols = {word: sympy.Symbol(word, real=True) for word in model.variables}
    read = sympy.sympify(model.text(None), locals=symbols)
    check_sympy(read, model, table, rtol=1e-8, atol=1e-7)


def test_reserved_words_include_sympys_names():
    assert set(sympy.__all__) <= reserved_words()


def test_missing_sympy_names_the_extra_to_install(monkeypatch):
    model, _ = random_model(0)
    text = model.text()
    monkeypatch.setattr("vjmgp.core.optional.find_spec", lambda module: None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'vjmgp\[sympy\]'"):
        model.sympy()
    assert model.text() == text


SYMPY = {}
exec("from sympy import *", SYMPY)
KNOWN = sorted({*SYMPY, *dir(builtins), *keyword.kwlist, *keyword.softkwlist})


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(KNOWN) | st.text(min_size=1), min_size=5, max_size=5, unique=True),
    st.integers(0, 2**32 - 1),
)
def test_sympify_reads_text_with_any_column_names(names, seed):
    model, table = random_model(seed, depth=1, names=names)
    symbols = {word: sympy.Symbol(word) for word in model.variables}
    read = sympy.sympify(model.text(None), locals=symbols)
    assert read.free_symbols <= set(symbols.values())
    compute = sympy.lambdify(list(symbols.values()), read, "numpy", dummify=True)
    found = np.broadcast_to(compute(*(table[name].to_numpy() for name in names)), 40)
    np.testing.assert_allclose(found, model.evaluate(table), rtol=1e-8, atol=1e-7)
    read = sympy.sympify(str(model.sympy()))  # needs no symbols
    assert {str(symbol) for symbol in read.free_symbols} <= set(identifiers(names))


def test_identifiers_avoid_sympys_names():
    """Sympify keeps everything that can be called, and sympy's own objects."""
    kept = {name for name, value in SYMPY.items() if not isinstance(value, ModuleType | dict)}
    assert len(kept) > 800
    assert not kept & set(identifiers(sorted(kept)))
    for name in ("gamma", "re", "beta", "test", "Si", "oo", "nan", "true", "sum", "id", "None"):
        assert identifiers([name]) == [f"{name}_"]
    assert identifiers(["gamma", "gamma_", "speed", "x2"]) == ["gamma_", "gamma__2", "speed", "x2"]


def test_text_keeps_names_that_can_be_read():
    names = ["S", "N", "rad", "sin", "lambda"]
    model, _ = random_model(3, depth=0, count=40, names=names)
    assert model.variables == ["S", "N", "rad", "sin_", "lambda_"]
    assert {"S", "N", "rad"} <= set(re.findall(r"\w+", model.text(4) + model.text(exact=True)))
    assert "S_" in str(model.sympy())


def test_text_does_not_need_sympy_imported():
    """Each job of a study writes formulas; the import would take longer than its fit."""
    code = (
        "import sys; from vjmgp.formulas.input_names import identifiers; "
        "print(identifiers(['re', 'a']), 'sympy' in sys.modules)"
    )
    assert printed_by(code) == "['re_', 'a'] False\n"


def test_feature_texts_add_up_to_the_model():
    model, table = random_model(5)
    intercept, coefficients = model.original_units()
    total = intercept
    for text, coefficient in zip(model.feature_texts(), coefficients, strict=True):
        total = total + coefficient * eval(text, {**NUMPY, **columns(table)})
    np.testing.assert_allclose(total, model.evaluate(table), rtol=1e-8)


def test_latex_is_short_and_names_the_columns():
    model, _ = random_model(2, depth=1, count=2)
    latex = model.latex()
    assert "frac" in latex or "\\" in latex or "_" in latex
    assert max(map(len, re.findall(r"\d+\.\d+", latex))) <= 9


def test_latex_keeps_column_names():
    names = ["a (2)", "lambda", "x2", "t", "50%_\\^"]
    codes = [(14 + k,) for k in range(5)]
    model, _ = random_model(0, names=names)
    features = tuple(Feature(code, (0.0,), 1.0, 0.0, 1.0) for code in codes)
    latex = SymbolicModel(model.standardizer, features).latex()
    for name in (r"\mathrm{a\ (2)}", r"\mathrm{lambda}", r"\mathrm{x2}", " t "):
        assert name in latex
    assert r"\mathrm{50\%\_\backslash \wedge }" in latex
    assert "^{2}" not in latex
    assert "_{" not in latex
    MathTextParser("path").parse(f"${latex_name('a (2) #_{}~-x')}^{{2}}$")


def test_digits_shorten_the_text():
    model, _ = random_model(3)
    assert len(model.text(digits=3)) < len(model.text(digits=None))
    assert str(model) == model.text()


def test_identifiers_are_valid_and_unique():
    words = identifiers(["a b", "a-b", "a_b", "", "1", "für", "class", "Max", "a b", "x²", "½"])
    assert len(set(words)) == 11
    assert all(word.isidentifier() for word in words)
    assert words[0] == "a_b"
    assert identifiers(["Rührzeit (min)", "T [°C]", "Area, m²", "_a__b_", "% x"]) == [
        *("Rührzeit_min", "T_C", "Area_m", "_a__b_", "x"),
    ]
    assert "class" not in words
    assert "Max" not in words


def test_text_names_used_columns():
    model, _ = random_model(0, depth=0, count=5)
    text = model.text(None)
    used = {f.codes[0] - 14 for f in model.features if f.codes[0] >= 14}
    for k in used:
        assert WORDS[k] in text
