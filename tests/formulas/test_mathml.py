"""Tests of formulas as MathML."""

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import sympy
from tests.support.regressors import small

from vjmgp import UserFunction
from vjmgp.formulas.printers.mathml import formula_mathml


def test_formulas_are_valid_mathml():
    rng = np.random.default_rng(0)
    a, b = rng.integers(-4, 5, size=(2, 80)) / 2
    inputs = pd.DataFrame({"<b>&amp; $x$": a, "b": b, "site": rng.choice(["<i>", "south"], 80)})
    target = (a + 2) * b + (inputs["site"] == "south") + 0.1 * rng.normal(size=80)
    for functions in (("add", "mul", "div", "sqrt"), ("exp", "cbrt", "abs", "log", "max", "sin")):
        model = small(generations=5, functions=functions, random_state=1).fit(inputs, target)
        for found in model.front_models():
            text = formula_mathml(found).replace("</math> <math>", "")
            root = ElementTree.fromstring(text)
            assert {e.tag for e in root.iter()} <= {
                *("math", "mrow", "mi", "mn", "mo", "mtext", "mfrac", "msup", "msqrt", "mroot"),
            }
            for element in root.iter():
                assert len(element) == 2 or element.tag not in ("mfrac", "msup", "mroot")


def test_a_formula_in_mathml():
    rng = np.random.default_rng(0)
    data = pd.DataFrame(rng.uniform(1, 3, size=(60, 2)), columns=["a", "b"])
    regressor = small(population_size=20, generations=3)
    model = regressor.fit(data, 3 * data["a"] - 2 * data["b"] + 5).model_
    parts = ElementTree.fromstring(f"<p>{formula_mathml(model)}</p>")
    assert " ".join("".join(part.itertext()) for part in parts) == (
        model.text().replace(" - ", " −").replace(" + ", " +").replace("*", "⋅")
    )


def test_mathml_shows_user_functions_by_name():
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 3, size=(60, 1))
    x0 = sympy.Symbol("a")
    double = UserFunction("double_square", lambda a: 2.0 * a * a, 2 * x0**2)
    model = small(population_size=20, generations=3, functions=["add", double])
    model.fit(x, 2.0 * x[:, 0] ** 2)
    assert "<mi>double_square</mi>" in "".join(map(formula_mathml, model.front_models()))
