"""Formulas compute what the model computes."""

import numpy as np
import pandas as pd
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import random_tree

from vjmgp.formula import identifiers
from vjmgp.model import Feature, SymbolicModel
from vjmgp.tabular import fit_standardizer

NAMES = ["speed", "wind chill", "3rd", "sin", "lambda"]
WORDS = ["speed", "wind_chill", "x3rd", "sin_", "lambda_"]
NUMPY = {
    "Abs": np.abs,
    "Max": np.maximum,
    "Min": np.minimum,
    "cos": np.cos,
    "log": np.log,
    "pi": np.pi,
    "sin": np.sin,
    "sqrt": np.sqrt,
}


def random_model(seed, depth=3, count=3):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(3, 2, size=(40, 5)), columns=NAMES)
    y = rng.normal(-4, 7, size=40)
    features = []
    for _ in range(count):
        codes, constants = random_tree(rng, depth, 5)
        weight, centre, factor = rng.normal(), rng.normal(), rng.uniform(0.1, 2)
        features.append(Feature(tuple(codes), tuple(constants), weight, centre, factor))
    standardizer = fit_standardizer(table, y, NAMES, [])
    return SymbolicModel(standardizer, tuple(features), 0.25), table


def columns(table):
    return {word: table[name].to_numpy() for word, name in zip(WORDS, NAMES, strict=True)}


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_text_computes_the_models_numbers(seed):
    model, table = random_model(seed)
    found = eval(model.text(), {**NUMPY, **columns(table)})  # our own text, in a test
    np.testing.assert_allclose(found, model.evaluate(table), rtol=1e-8, atol=1e-7)


@pytest.mark.parametrize("seed", range(12))
def test_sympy_computes_the_models_numbers(seed):
    model, table = random_model(seed)
    expression = model.sympy()
    symbols = sorted(expression.free_symbols, key=str)
    compute = sympy.lambdify(symbols, expression, "numpy")
    found = compute(*(columns(table)[str(symbol)] for symbol in symbols))
    np.testing.assert_allclose(
        np.broadcast_to(found, 40), model.evaluate(table), rtol=1e-8, atol=1e-7
    )


@pytest.mark.parametrize("seed", range(6))
def test_sympy_reads_the_text(seed):
    model, table = random_model(seed, depth=2)
    assert model.variables == WORDS
    symbols = {word: sympy.Symbol(word, real=True) for word in model.variables}
    read = sympy.sympify(model.text(), locals=symbols)
    compute = sympy.lambdify(list(symbols.values()), read, "numpy")
    found = compute(*(columns(table)[word] for word in symbols))
    np.testing.assert_allclose(
        np.broadcast_to(found, 40), model.evaluate(table), rtol=1e-8, atol=1e-7
    )


def test_features_are_told_one_by_one():
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
    digits = max(len(part) for part in __import__("re").findall(r"\d+\.\d+", latex))
    assert digits <= 9


def test_digits_shorten_the_text():
    model, _ = random_model(3)
    assert len(model.text(digits=3)) < len(model.text())
    assert str(model) == model.text(digits=4)


def test_identifiers_are_valid_and_unique():
    words = identifiers(["a b", "a-b", "a_b", "", "1", "für", "class", "Max", "a b"])
    assert len(set(words)) == 9
    assert all(word.isidentifier() for word in words)
    assert words[0] == "a_b"
    assert "class" not in words
    assert "Max" not in words


def test_columns_that_a_formula_needs_appear_by_name():
    model, _ = random_model(0, depth=0, count=5)
    text = model.text()
    used = {f.codes[0] - 14 for f in model.features if f.codes[0] >= 14}
    for k in used:
        assert WORDS[k] in text
