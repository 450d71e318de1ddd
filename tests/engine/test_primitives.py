"""Functions of trees and polynomials against NumPy and mpmath."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vjmgp.engine.numerics.curves import arctangent, cube_root, hyperbolic_tangent, logistic
from vjmgp.engine.numerics.elementary import analytic_log, cos_pi, natural_exp, natural_log, sin_pi
from vjmgp.engine.trees import primitives
from vjmgp.engine.trees.addresses import addresses_of
from vjmgp.engine.trees.evaluation import BLOCK, make_workspace, run, translate
from vjmgp.formulas.functions import FUNCTIONS

mpmath.mp.dps = 40


@pytest.mark.parametrize(
    ("function", "exact", "low", "high", "tolerance"),
    [
        (sin_pi, mpmath.sinpi, -1e6, 1e6, {"rel": 0, "abs": 4e-16}),
        (cos_pi, mpmath.cospi, -1e6, 1e6, {"rel": 0, "abs": 4e-16}),
        (natural_log, mpmath.log, 1e-300, 1e300, {"rel": 4e-16, "abs": 2.3e-16}),
        (natural_exp, mpmath.exp, -800.0, 800.0, {"rel": 4e-16, "abs": 5e-324}),
        (
            *(analytic_log, lambda x: mpmath.log(mpmath.sqrt(1 + mpmath.mpf(x) ** 2))),
            *(-1e150, 1e150, {"rel": 4e-16, "abs": 2.3e-16}),
        ),
    ],
)
@settings(max_examples=300, deadline=None)
@given(st.data())
def test_functions_agree_with_mpmath(function, exact, low, high, tolerance, data):
    x = data.draw(st.floats(low, high))
    assert function(x) == pytest.approx(float(exact(x)), **tolerance)


def test_exp_at_the_limits():
    assert natural_exp(0.0) == 1.0
    assert natural_exp(-1e300) == natural_exp(-np.inf) == 0.0
    assert natural_exp(1e300) == natural_exp(np.inf) == np.inf
    assert np.isnan(natural_exp(np.nan))


def test_log_and_sine_of_non_finite_numbers():
    assert analytic_log(np.inf) == np.inf
    assert analytic_log(1e200) == np.inf  # x² overflows, as in the definition
    assert np.isnan(analytic_log(np.nan))
    assert np.isnan(sin_pi(np.inf))
    assert np.isnan(cos_pi(np.nan))


@pytest.mark.parametrize("code", range(13), ids=[p.name for p in primitives.PRIMITIVES])
def test_functions_equal_their_numpy_definitions(code):
    rng = np.random.default_rng(code)
    a = np.concatenate([rng.normal(size=400) * 3, [0.0, -0.0, 1e30, -1e30, np.inf, np.nan, 0.5]])
    b = np.concatenate([rng.permutation(a[:400]), [np.nan, 1.0, 2.0, -1.0, -np.inf, 0.0, np.inf]])
    out = np.empty_like(a)
    primitives.apply(code, a, b, out)
    primitive = primitives.PRIMITIVES[code]
    assert primitives.arity(code) == primitive.arity
    # 1e30 is an integer for our sine; NumPy's product with π is not.
    rows = np.abs(a) < 1e29 if primitive.name in ("sin", "cos") else np.ones(len(a), bool)
    with np.errstate(all="ignore"):
        expected = FUNCTIONS[primitive.name].numpy(*(a, b)[: primitive.arity])
    np.testing.assert_allclose(out[rows], expected[rows], rtol=1e-14, atol=1e-14)


CURVES = {
    hyperbolic_tangent: mpmath.tanh,
    logistic: lambda x: 1 / (1 + mpmath.exp(-x)),
    arctangent: mpmath.atan,
    cube_root: lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
}


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.__name__)
@settings(max_examples=300, deadline=None)
@given(st.floats(-3.0, 3.0) | st.floats(-700.0, 700.0) | st.floats(allow_nan=False))
def test_curves_agree_with_mpmath(curve, x):
    if np.isinf(x):
        exact = {logistic: float(x > 0), cube_root: x}.get(curve, float(CURVES[curve](x)))
    else:
        exact = float(CURVES[curve](mpmath.mpf(x)))
    assert curve(x) == pytest.approx(exact, rel=8e-16, abs=5e-323)


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.__name__)
def test_curves_of_nan(curve):
    assert np.isnan(curve(np.nan))


@pytest.mark.parametrize("code", primitives.MORE_PRIMITIVES, ids=primitives.MORE_FUNCTION_NAMES)
def test_functions_at_addresses_equal_their_numpy_definitions(code):
    rng = np.random.default_rng(-code)
    ends = [0.0, -0.0, 19.9, 20.1, 1e30, -1e30, np.inf, -np.inf, np.nan]
    a = np.concatenate([rng.normal(size=2 * BLOCK) * 3, ends, np.ones(9)])
    b = np.concatenate([rng.normal(size=2 * BLOCK), np.full(9, 2.0), ends])
    primitive = primitives.MORE_PRIMITIVES[code]
    assert primitives.arity(code) == primitive.arity
    leaves = [primitives.FIRST_VARIABLE, primitives.FIRST_VARIABLE + 1][: primitive.arity]
    codes, out = np.array([code, *leaves], np.int32), np.empty_like(a)
    workspace = make_workspace(np.stack([a, b]), 3, 1, addresses_of([code]))
    run(workspace, translate(codes, np.zeros(3), 0, len(codes), workspace), 0, len(a), out)
    with np.errstate(all="ignore"):
        expected = FUNCTIONS[primitive.name].numpy(*(a, b)[: primitive.arity])
    np.testing.assert_allclose(out, expected, rtol=1e-14, atol=0)


def test_codes_of_functions():
    assert primitives.codes_of(primitives.FUNCTION_NAMES) == list(range(13))
    assert primitives.codes_of(("div", "add", "tanh")) == [-33, 0, -4]
    names = primitives.FUNCTION_NAMES + primitives.MORE_FUNCTION_NAMES
    assert len(primitives.functions_by_code()) == len(names)
