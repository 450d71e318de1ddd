"""The short form of a formula: rules preserve values, rounding preserves predictions."""

import copy
import math
import pickle
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from matplotlib.mathtext import MathTextParser
from tests.support.exported import by_python
from tests.support.random_models import EVERY_FUNCTION, NUMPY, columns, random_model
from tests.support.regressors import reloaded

from vjmgp.engine.trees.primitives import CONSTANT, codes_by_name
from vjmgp.export.source import source_of
from vjmgp.formulas import simplify
from vjmgp.formulas.functions import CALLS
from vjmgp.formulas.nodes import Algebra, count_symbols, in_order, is_not_negative, values_at
from vjmgp.formulas.numbers import number_text
from vjmgp.formulas.printers.text import TextPrinter
from vjmgp.formulas.rounding import TOLERANCE, shortened
from vjmgp.formulas.simplify import Lengths, expression_of, grouped, shortest
from vjmgp.models.symbolic import Feature, SymbolicModel
from vjmgp.tables.preprocessing import fit_standardizer

CONTINUOUS = [code for code in EVERY_FUNCTION if code != codes_by_name()["step"]]
"""Functions without a jump, at which rounding decides."""
RNG = np.random.default_rng(0)
X, Y, Z = RNG.normal(0.0, 2.0, size=(3, 200))


def written(algebra, node):
    return TextPrinter(algebra, ["x", "y", "z"]).write(node)


def tree_of(algebra, text):
    """A node from a formula: x + y is a call of add, as in a tree."""
    functions = {
        name: lambda *parts, name=name: algebra.of_function(name, list(parts))
        for name in codes_by_name()
    }
    names = {name: algebra.input(k) for k, name in enumerate("xyz")}
    return eval(text, {**functions, **names, "n": algebra.number, "pi": math.pi})


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        ("add(x, x)", "2*x"),
        ("sub(x, x)", "0"),
        ("sub(add(x, y), x)", "y"),
        ("neg(neg(x))", "x"),
        ("mul(n(2), mul(x, n(3)))", "6*x"),
        ("mul(neg(x), neg(y))", "x*y"),
        ("mul(n(0), sin(x))", "0"),
        ("mul(x, mul(x, x))", "x**3"),
        ("div(mul(x, y), x)", "y"),
        ("square(neg(x))", "x**2"),
        ("square(abs(x))", "x**2"),
        ("abs(square(x))", "x**2"),
        ("abs(neg(mul(n(3), x)))", "3*Abs(x)"),
        ("abs(abs(x))", "Abs(x)"),
        ("abs(mul(x, square(y)))", "y**2*Abs(x)"),
        ("square(sqrt(x))", "Abs(x)"),
        ("sqrt(square(x))", "Abs(x)"),
        ("sqrt(mul(n(4), x))", "2*sqrt(Abs(x))"),
        ("max(x, x)", "x"),
        ("max(x, max(y, x))", "Max(x, y)"),
        ("max(x, min(x, y))", "x"),
        ("max(square(x), n(-3))", "x**2"),
        ("max(n(2), n(5))", "5"),
        ("max(mul(n(2), x), mul(n(2), y))", "2*Max(x, y)"),
        ("max(add(x, z), add(y, z))", "z + Max(x, y)"),
        ("min(add(x, n(3)), y)", "Min(y, x + 3)"),
        ("add(max(x, y), min(x, y))", "x + y"),
        ("neg(min(neg(x), neg(y)))", "Max(x, y)"),
        ("min(neg(x), n(-2))", "-Max(x, 2)"),
        ("min(inv(x), n(2))", "Min(1/x, 2)"),
        ("mul(n(1/3), x)", "x/3"),
        ("add(n(2/3), mul(n(-0.25/pi), inv(x)))", "2/3 - 1/(4*pi*x)"),
        ("mul(n(-2*pi**2), mul(x, y))", "-2*pi**2*x*y"),
        ("max(x, n(-pi))", "Max(x, -pi)"),
        ("div(x, n((2*pi)**0.5))", "x/sqrt(2*pi)"),
        ("exponential(mul(n(-2/3), ln(x)))", "1/x**(2/3)"),
        ("sub(max(x, y), min(y, x))", "2*Max(x, y) - x - y"),
        ("sin(neg(x))", "-sin(pi*x)"),
        ("cos(neg(x))", "cos(pi*x)"),
        ("tanh(neg(x))", "-tanh(x)"),
        ("cbrt(mul(n(8), x))", "2*real_root(x, 3)"),
        ("step(mul(n(8), x))", "Heaviside(x, 0)"),
        ("log(n(0))", "0"),
        ("log(x)", "0.5*log(x**2 + 1)"),
        ("aq(x, y)", "x/sqrt(y**2 + 1)"),
        ("aq(n(3), x)", "3/sqrt(x**2 + 1)"),
        ("div(x, mul(y, z))", "x/(y*z)"),
        ("sigmoid(x)", "1/(exp(-x) + 1)"),
        ("gauss(x)", "exp(-x**2)"),
        ("exp(x)", "exp(Min(x, 20))"),
        ("mul(sub(x, y), sub(y, x))", "-(x - y)**2"),
        ("exponential(mul(n(0.5), ln(mul(x, y))))", "sqrt(x*y)"),
        ("exponential(mul(n(0.5), ln(mul(x, square(y)))))", "sqrt(x)*Abs(y)"),
    ],
)
def test_rules(tree, text):
    algebra = Algebra()
    assert written(algebra, tree_of(algebra, tree)) == text


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.integers(0, 2**32 - 1))
def test_every_rewriting_preserves_values(seed):
    model, table = random_model(seed, depth=3, functions=CONTINUOUS)
    text = model.text(exact=True)  # of the sine of a large power, rounding leaves nothing
    assume("exp(" not in text or ("sin(pi" not in text and "cos(pi" not in text))
    inputs = list(model.standardizer.encode(table).T)
    expected = model.evaluate(table)
    algebra, root = expression_of(model)
    names = ["x0", "x1", "x2", "x3", "x4"]
    length, usual = Lengths(names), np.abs(expected) < 1e3  # near a pole, rounding is magnified
    for form in (
        root,
        shortest(algebra, root, length),
        simplify.rewritten(algebra, root, lambda node: simplify.multiplied_out(algebra, node)),
        grouped(algebra, root, length),
    ):
        factor, plain = algebra.primitive(form)
        product = algebra.product([(plain, -1.0), (algebra.input(0), 1.0)])
        text = TextPrinter(algebra, names).write(algebra.scaled(product, -1.0))
        with np.errstate(all="ignore"):
            by_text = (
                -factor * inputs[0] / eval(text, {**NUMPY, **dict(zip(names, inputs, strict=True))})
            )
        for found in (values_at(form, inputs, algebra), by_text):
            found = np.broadcast_to(found, len(expected))
            np.testing.assert_allclose(found[usual], expected[usual], rtol=1e-6, atol=1e-5)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 2**32 - 1))
def test_displayed_formula_predicts_nearly_the_same(seed):
    """Also at the training rows, which rounding has not seen."""
    model, table = random_model(seed, depth=3)
    with np.errstate(all="ignore"):
        found = np.broadcast_to(eval(model.text(), NUMPY | columns(table)), len(table))
    clip = model.standardizer.clip_target
    gap = clip(np.array(found)) - clip(model.evaluate(table))
    assert np.sqrt(np.mean(gap**2)) <= 5 * TOLERANCE * model.standardizer.target_scale


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.integers(0, 2**32 - 1))
def test_is_not_negative_holds(seed):
    model, table = random_model(seed, depth=3, functions=EVERY_FUNCTION)
    algebra, root = expression_of(model)
    inputs = list(model.standardizer.encode(table).T)
    for node in in_order(root):
        if is_not_negative(node):
            values = np.asarray(values_at(node, inputs, algebra))
            assert not (values < 0.0).any()


def test_root_of_square_is_absolute_value():
    algebra = Algebra()
    square = algebra.power(algebra.input(0), 2.0)
    assert written(algebra, algebra.power(square, 0.5)) == "Abs(x)"
    assert written(algebra, algebra.power(square, -0.5)) == "1/Abs(x)"
    assert written(algebra, algebra.call("log", algebra.number(0.0))) == "log(0)"


def test_equal_content_is_one_node():
    algebra = Algebra()
    assert tree_of(algebra, "max(add(x, y), z)") is tree_of(algebra, "max(z, add(y, x))")
    assert tree_of(algebra, "mul(x, y)") is tree_of(algebra, "mul(y, x)")
    assert tree_of(algebra, "mul(x, y)") is not tree_of(algebra, "mul(x, z)")


def test_calls_compute_numpys_values():
    for name in CALLS.keys() - {"max", "min"}:
        algebra = Algebra()
        node = algebra.call(name, algebra.input(0))
        expected = CALLS[name].numpy(np.abs(X))
        np.testing.assert_allclose(values_at(node, [np.abs(X)], algebra), expected)


def model_of(table, target, trees, weights):
    """A model of trees of codes: columns have codes from 14, mul is 2."""
    standardizer = fit_standardizer(table, target, list(table.columns), [])
    features = [
        Feature(codes, (0.0,) * len(codes), weight, 0.0, 1.0)
        for codes, weight in zip(trees, weights, strict=True)
    ]
    return SymbolicModel(standardizer, tuple(features))


TABLE = pd.DataFrame({"a": X + 5.0, "b": 3.0 * Y, "c": Z})


def test_linear_law_is_displayed_as_one():
    target = 3.0 * TABLE["a"] - 2.0 * TABLE["b"] + 5.0
    weights = [3.0 * TABLE["a"].std(ddof=0), -2.0 * TABLE["b"].std(ddof=0)] / target.std(ddof=0)
    model = model_of(TABLE, target, [(14,), (15,)], weights)
    assert str(model) == "3*a - 2*b + 5"
    assert len(model.text(digits=4, exact=True)) > 50
    assert model.shown_size == 9
    assert model.evolved_size == 2


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        ("sub(div(x, z), div(mul(x, y), z))", "x*(1 - y)/z"),
        ("div(x, sub(inv(z), div(y, z)))", "x*z/(1 - y)"),
        ("inv(add(inv(x), inv(y)))", "x*y/(x + y)"),
        ("add(x, mul(x, y))", "x + x*y"),
        ("add(square(x), mul(x, y))", "x**2 + x*y"),
    ],
)
def test_factors_are_taken_out_if_that_is_shorter(tree, text):
    algebra = Algebra()
    node = grouped(algebra, tree_of(algebra, tree), Lengths(["x", "y", "z"]))
    assert written(algebra, node) == text


def test_powers_and_nested_exponentials_have_few_digits():
    names = codes_by_name()
    exponential, times = names["exponential"], names["mul"]
    table = pd.DataFrame({"a": np.abs(X) + 0.5})
    scale = table["a"].std(ddof=0)
    column = names["add"], 14, CONSTANT  # a/scale
    for power, text in ((2.0, "a**2"), (2.0 / 3.0, "a**(2/3)"), (0.71234567, "a**0.71")):
        codes = exponential, times, CONSTANT, names["ln"], *column
        constants = 0.0, 0.0, power, 0.0, 0.0, 0.0, table["a"].mean() / scale
        model = model_of(table, table["a"] ** power, [codes], [1.0])
        model = replace(model, features=(replace(model.features[0], constants=constants),))
        assert text in str(model)
    codes = exponential, exponential, times, CONSTANT, *column
    constants = 0.0, 0.0, 0.0, 1.234567890123, 0.0, 0.0, table["a"].mean() / scale
    model = replace(model, features=(Feature(codes, constants, 1e-9, 0.0, 1.0),))
    assert max(map(len, re.findall(r"[\d.]+", str(model)))) < 9


def test_copies_of_a_column_merge():
    model = model_of(TABLE, TABLE["a"], [(14,)] * 10, [0.1] * 10)
    assert str(model) == "a"


def test_product_is_multiplied_out_if_shorter():
    """a·b of standardised columns is a product of differences and two linear parts."""
    target = TABLE["a"] * TABLE["b"]
    scale = [TABLE[name].std(ddof=0) for name in "ab"]
    mean = [TABLE[name].mean() for name in "ab"]
    weights = np.array([scale[0] * scale[1], scale[0] * mean[1], scale[1] * mean[0]])
    model = model_of(TABLE, target, [(2, 14, 15), (14,), (15,)], weights / target.std(ddof=0))
    assert str(model).startswith("a*b")
    assert len(str(model)) < 12


def test_negligible_terms_are_dropped_from_rounded_form_only():
    model = model_of(TABLE, TABLE["a"], [(14,), (16,)], [1.0, 0.0004])
    assert "c" not in str(model)
    assert "*c" in model.text(digits=4)
    model = model_of(TABLE, TABLE["a"], [(14,), (16,)], [1.0, 0.004])
    assert "*c" in str(model)


def test_maximum_of_one_argument_is_dropped():
    feature = Feature((4, 14, 13), (0.0, 0.0, -50.0), 1.0, 0.0, 1.0)  # max(a, −50)
    model = replace(model_of(TABLE, TABLE["a"], [], []), features=(feature,))
    assert "Max" not in str(model)
    assert "Max" in model.text(digits=4)


@pytest.mark.parametrize("outliers", [(1e6,), (-1e6,), (1e6, -1e6), (1e6, 3e5)])
@pytest.mark.parametrize("function", ["tanh", "gauss", "sigmoid", "atan", "sin"])
def test_curves_beside_outliers_are_displayed(function, outliers):
    """With an outlier, hardly any point near the mean is where the other rows are."""
    table = TABLE.copy()
    table.loc[range(len(outliers)), "a"] = outliers
    scale, mean = table["a"].std(ddof=0), table["a"].mean()
    codes = (codes_by_name()[function], 2, CONSTANT, 0, 14, CONSTANT)  # of 1.2345·a
    constants = 0.0, 0.0, 1.2345 * scale, 0.0, 0.0, mean / scale
    model = model_of(table, TABLE["b"], [], [])
    features = Feature(codes, constants, 1.0, 0.0, 1.0), Feature((15,), (0.0,), 0.7, 0.0, 1.0)
    model = replace(model, features=features)
    with np.errstate(over="ignore"):
        found = eval(str(model), NUMPY | {name: table[name].to_numpy() for name in table})
    gap = found - model.evaluate(table)
    assert np.sqrt(np.mean(gap[len(outliers) :] ** 2)) < 5 * TOLERANCE * TABLE["b"].std()
    assert len(str(model)) < 120


def balanced(function, trees):
    """Return the codes of all trees joined by calls of a function of two arguments."""
    while len(trees) > 1:
        pairs = zip(trees[::2], trees[1::2], strict=True)
        trees = [(codes_by_name()[function], *a, *b) for a, b in pairs]
    return trees[0]


@pytest.mark.parametrize("function", ["max", "mul"])
def test_work_on_a_huge_formula_is_bounded(function, monkeypatch):
    """Each round tries replacements, and each of these goes through the whole formula."""
    nodes = []

    def counted(algebra, order, *arguments):
        nodes.append(len(order) + 20 * max(len(node.parts) for node in order))
        return replaced(algebra, order, *arguments)

    replaced = simplify.replaced
    monkeypatch.setattr(simplify, "replaced", counted)
    monkeypatch.setattr("vjmgp.formulas.rounding.MOST_WORK", 50_000)
    sines = [(codes_by_name()["sin"], 2, CONSTANT, 14 + k % 3) for k in range(256)]
    codes = balanced(function, sines)
    constants = np.where(np.array(codes) == CONSTANT, 1.0 + np.arange(len(codes)), 0.0)
    model = model_of(TABLE, TABLE["b"], [], [])
    feature = Feature(codes, tuple(constants.tolist()), 1.0, 0.0, 1.0)
    assert str(replace(model, features=(feature,)))
    rounds, starts, passes = 4, 2, 2
    assert 0 < sum(nodes) <= rounds * starts * passes * 50_000


def test_text_survives_saving_and_copying(tmp_path):
    model, _ = random_model(7, depth=3)
    text = str(model)
    assert str(reloaded(model, tmp_path)) == text
    assert str(pickle.loads(pickle.dumps(model))) == text
    assert str(copy.deepcopy(model)) == text
    assert len(pickle.dumps(model)) < 20_000
    assert model.to_dict()["formula"] == text


def test_repr_is_short_and_notebooks_show_latex():
    model, _ = random_model(7, depth=4, count=6)
    assert len(repr(model)) < 90
    assert model._repr_latex_() == f"$\\displaystyle {model.latex()}$"


@pytest.mark.parametrize("seed", range(20))
def test_latex_can_be_typeset(seed):
    names = ["a", "b", "temp", "x_2", "50%"]
    model, _ = random_model(seed, depth=3, names=names, functions=EVERY_FUNCTION)
    latex = model.latex().replace(r"\left|", "|").replace(r"\right|", "|")
    MathTextParser("path").parse(f"${latex}$")


def test_undefined_logarithm_stays_a_call():
    algebra = Algebra()
    for number in (0.0, -2.0):
        node = algebra.call("log", algebra.number(number))
        assert node.name == "log"
        assert not np.isfinite(values_at(node, [], algebra))


@pytest.mark.parametrize("offset", [1e5, 1e7, 1e9])
def test_products_of_inputs_far_from_zero_stay_precise(offset):
    rng = np.random.default_rng(100)
    table = pd.DataFrame(offset + rng.uniform(0.0, 10.0, size=(100, 2)), columns=["a", "b"])
    target = ((table["a"] - offset) * (table["b"] - offset)).to_numpy()
    model = model_of(table, target, [(2, 14, 15), (14,), (15,)], [0.4, 0.6, 0.6])
    shown = eval(str(model), {name: table[name].to_numpy() for name in table})
    assert np.std(shown - model.evaluate(table)) < 2 * TOLERANCE * target.std()


@pytest.mark.parametrize("unit", [1e-150, 1e-110, 1e110, 1e150])
@pytest.mark.parametrize("tree", [(2, 6, 14, 14), (6, 6, 14), (2, 15, 2, 6, 14, 14), (2, 6, 14, 6)])
def test_terms_of_extreme_numbers_stay(tree, unit):
    """The coefficient of (a − mean)³ alone would be below the range of floats, or above it."""
    table = TABLE.assign(a=unit * TABLE["a"])
    codes = (*tree, *[15] * (tree[-1] == 6))
    model = model_of(table, TABLE["b"], [codes, (15,)], [1.0, 1.0])
    values = {name: table[name].to_numpy() for name in table}
    clip = model.standardizer.clip_target
    expected = clip(model.evaluate(table))
    np.testing.assert_allclose(clip(eval(model.text(digits=None), values)), expected, rtol=1e-9)
    gap = clip(eval(str(model), values)) - expected
    assert np.sqrt(np.mean(gap**2)) < 5 * TOLERANCE * TABLE["b"].std()
    found = by_python(model.export("python"), table[[*source_of(model).columns]])
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_number_text_is_short():
    assert [number_text(value) for value in (3.0, -2.5, 0.00025, 1.5e-7, 1236000.0, 2.28e11)] == [
        "3", "-2.5", "0.00025", "1.5e-7", "1236000", "2.28e11",
    ]  # fmt: skip
    assert all(float(number_text(value)) == value for value in X)


def test_digits_follow_from_their_effect():
    assert shortened(3.14159, 0.01, 1.0) == 3.14
    assert shortened(3.14159, 0.1, 1.0) == 3.1
    assert shortened(3.14159, 0.1, 100.0) == 3.142
    assert shortened(0.002, 0.1, 1.0) == 0.0
    assert shortened(3.14159, 0.1, 0.0) == 3.14
    assert shortened(3.14159, 0.0, 1.0) == 3.14159
    assert shortened(-0.3333334, 0.01, 1.0) == -1 / 3
    assert shortened(-0.33334, 0.01, 1.0) == -0.33
    assert shortened(6.2831853, 0.1, 1.0) == 2.0 * math.pi
    assert shortened(0.25, 0.1, 1.0) == 0.25


def test_count_symbols_counts_the_written_form():
    algebra = Algebra()
    for tree, size in (("x", 1), ("add(x, y)", 3), ("mul(n(3), x)", 3), ("square(x)", 3),
                       ("sqrt(x)", 3), ("add(x, n(2))", 3), ("div(x, y)", 3), ("sin(x)", 4),
                       ("max(x, y)", 3)):  # fmt: skip
        assert count_symbols(tree_of(algebra, tree)) == size, tree


def test_model_without_terms_is_a_number():
    model = model_of(TABLE, TABLE["a"], [], [])
    assert math.isclose(float(str(model)), TABLE["a"].mean(), rel_tol=1e-3)


@pytest.mark.parametrize(
    ("constant", "weight", "text"),
    [
        (0.0005531, 0.0044248, "8/(exp(7.5 - 1.5*x) + 1)"),
        (0.0005531, 0.0005531, "1/(exp(7.5 - 1.5*x) + 1)"),
        (2400.0, 7200.0, "3/(exp(-1.5*x - 7.7832) + 1)"),
        (0.5, 3.0, "3/(exp(-1.5*x) + 0.5)"),
        (-0.0005531, 8.0, "8/(exp(-1.5*x) - 0.0005531)"),
    ],
)
def test_logistic_curves_are_written_with_one_added(constant, weight, text):
    algebra = Algebra()
    x = algebra.scaled(algebra.input(0), -1.5)
    below = algebra.sum([(algebra.call("exp", x), 1.0)], constant)
    node = algebra.scaled(algebra.product([(below, -1.0)]), weight)
    found = written(algebra, node)
    assert found == text
    values = np.linspace(-5.0, 9.0, 50)
    got = eval(found, {**NUMPY, "x": values})  # a text of ours
    np.testing.assert_allclose(got, weight / (np.exp(-1.5 * values) + constant), rtol=2e-4)


def powers_of(algebra, *factors, weight=1.0):
    return algebra.scaled(algebra.product(factors), weight)


def test_roots_halves_and_quotients_are_written_as_people_do():
    a = Algebra()
    x, y, z = (a.input(k) for k in range(3))
    both = a.sum([(y, 1.0), (z, 1.0)])
    inside = a.sum([(powers_of(a, (x, 2.0), (y, -2.0)), 1.0), (powers_of(a, (z, -2.0)), -9.0)])
    cases = {
        "sqrt(x*y)*z**2": powers_of(a, (x, 0.5), (y, 0.5), (z, 2.0)),
        "x**1.5/sqrt(y*z)": powers_of(a, (x, 1.5), (y, -0.5), (z, -0.5)),
        "sqrt(x/(y + z))": powers_of(a, (x, 0.5), (both, -0.5)),
        "x**2/(16*y**2)": powers_of(a, (x, 2.0), (y, -2.0), weight=0.0625),
        "0.5*x*y": powers_of(a, (x, 1.0), (y, 1.0), weight=0.5),
        "0.75*x/y": powers_of(a, (x, 1.0), (y, -1.0), weight=0.75),
        "sin(x*y/2)": a.call("sin", powers_of(a, (x, 1.0), (y, 1.0), weight=0.5)),
        "exp(-x**2/2)": a.call("exp", powers_of(a, (x, 2.0), weight=-0.5)),
        "sqrt(x**2/y**2 - 9/z**2)": powers_of(a, (inside, 0.5)),
    }
    assert [written(a, node) for node in cases.values()] == list(cases)
    third = a.sum([(term, weight / math.pi**2) for term, weight in inside.terms()])
    assert written(a, powers_of(a, (third, 0.5), weight=math.pi)) == "sqrt(x**2/y**2 - 9/z**2)"


def test_numbers_move_into_roots_only_if_that_is_shorter():
    a = Algebra()
    x, y = a.input(0), a.input(1)
    root = a.sum([(x, 1.0), (y, -3.0 / (8.0 * math.pi))])
    assert written(a, powers_of(a, (root, 0.5), weight=2.8944)) == "sqrt(8*pi*x/3 - y)"
    assert written(a, powers_of(a, (a.sum([(x, 1.0), (y, 1.0)]), 0.5), weight=2.0)) == (
        "2*sqrt(x + y)"
    )
    exact = written(a, powers_of(a, (root, 0.5), weight=2.894405018))
    assert exact.startswith("2.894405018*sqrt(")


def test_saturation_has_the_input_above_and_below():
    names = ["x", "y", "z"]
    a = Algebra()
    x = a.input(0)
    below = a.sum([(a.power(x, -1.0), 1.0)], 16.0)
    node = grouped(a, powers_of(a, (below, -1.0), weight=3200.0), Lengths(names))
    assert written(a, node) == "200*x/(x + 0.0625)"
    values = np.linspace(0.1, 9.0, 30)
    got = values_at(node, [values], a)
    np.testing.assert_allclose(got, 3200.0 / (1.0 / values + 16.0), rtol=1e-12)
