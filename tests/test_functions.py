"""The 13 functions and the polynomial kernels against NumPy and mpmath."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vjmgp.engine.elementary import analytic_log, cos_pi, natural_exp, natural_log, sin_pi
from vjmgp.engine.functions import PRIMITIVES, apply, arity

mpmath.mp.dps = 40
ordinary = st.floats(-1e6, 1e6, allow_nan=False)


@settings(max_examples=300, deadline=None)
@given(ordinary)
def test_sine_and_cosine_agree_with_mpmath(x):
    assert sin_pi(x) == pytest.approx(float(mpmath.sinpi(x)), rel=0, abs=4e-16)
    assert cos_pi(x) == pytest.approx(float(mpmath.cospi(x)), rel=0, abs=4e-16)


@settings(max_examples=300, deadline=None)
@given(st.floats(-1e150, 1e150, allow_nan=False))
def test_log_agrees_with_mpmath(x):
    exact = float(mpmath.log(mpmath.sqrt(1 + mpmath.mpf(x) ** 2)))
    assert analytic_log(x) == pytest.approx(exact, rel=4e-16, abs=2.3e-16)


@settings(max_examples=300, deadline=None)
@given(st.floats(1e-300, 1e300))
def test_natural_log_agrees_with_mpmath(x):
    assert natural_log(x) == pytest.approx(float(mpmath.log(x)), rel=4e-16, abs=2.3e-16)


@settings(max_examples=300, deadline=None)
@given(st.floats(-800.0, 800.0))
def test_exp_agrees_with_mpmath(x):
    exact = float(mpmath.exp(x))
    assert natural_exp(x) == pytest.approx(exact, rel=4e-16, abs=5e-324)


def test_exp_at_its_ends():
    assert natural_exp(0.0) == 1.0
    assert natural_exp(-1e300) == natural_exp(-np.inf) == 0.0
    assert natural_exp(1e300) == natural_exp(np.inf) == np.inf
    assert np.isnan(natural_exp(np.nan))


def test_log_and_sine_of_the_non_finite():
    assert analytic_log(np.inf) == np.inf
    assert analytic_log(1e200) == np.inf  # x² overflows, as in the definition
    assert np.isnan(analytic_log(np.nan))
    assert np.isnan(sin_pi(np.inf))
    assert np.isnan(cos_pi(np.nan))


@pytest.mark.parametrize("code", range(13), ids=[p.name for p in PRIMITIVES])
def test_each_function_is_its_numpy_definition(code):
    rng = np.random.default_rng(code)
    a = np.concatenate([rng.normal(size=400) * 3, [0.0, -0.0, 1e30, -1e30, np.inf, np.nan, 0.5]])
    b = np.concatenate([rng.permutation(a[:400]), [np.nan, 1.0, 2.0, -1.0, -np.inf, 0.0, np.inf]])
    out = np.empty_like(a)
    apply(code, a, b, out)
    primitive = PRIMITIVES[code]
    assert arity(code) == primitive.arity
    # 1e30 is a whole number of turns to our sine; NumPy's product with π is not.
    rows = np.abs(a) < 1e29 if primitive.name in ("sin", "cos") else np.ones(len(a), bool)
    with np.errstate(all="ignore"):
        expected = primitive.numpy(*(a, b)[: primitive.arity])
    np.testing.assert_allclose(out[rows], expected[rows], rtol=1e-14, atol=1e-14)
