"""Ridge and its leave-one-out errors against explicit refits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.twins import loo_errors_by_refitting, ridge, standardised

from vjmgp.engine.numerics.lanes import dot
from vjmgp.engine.objectives.ridge import fit_ridge, make_ridge_scratch
from vjmgp.engine.objectives.row_weights import row_weights

ALPHAS = np.array([0.1, 1.0, 10.0])


def fit(z, y, weights=None):
    n, m = z.shape
    scratch = make_ridge_scratch(n, 10, len(ALPHAS), row_weights(n, weights))
    scratch.z[:m] = z.T
    best, error = fit_ridge(scratch, y, np.average(y, weights=weights), ALPHAS, m)
    return scratch, best, error


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(3, 40), st.integers(1, 10), st.booleans())
def test_loo_errors_equal_explicit_refits(seed, n, m, weighted):
    """Of a weighted row, one copy is left out."""
    rng = np.random.default_rng(seed)
    given = rng.choice([0.2, 0.7, 1.0, 2.0, 3.5], n) if weighted else None
    z = standardised(rng.normal(size=(n, m)), given)
    y = rng.normal(size=n)
    y = y if weighted else (y - y.mean()) / y.std()
    scratch, best, error = fit(z, y, given)
    means = []
    for a, alpha in enumerate(ALPHAS):
        expected = loo_errors_by_refitting(z, y, alpha, given)
        np.testing.assert_allclose(scratch.errors[a], expected, rtol=1e-7, atol=1e-10)
        weights, intercept = ridge(z, y, alpha, given)
        np.testing.assert_allclose(scratch.weights[a, :m], weights, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(scratch.values[a], z @ weights + intercept, atol=1e-9)
        means.append(np.average(expected, weights=given))
    assert error == pytest.approx(min(means), rel=1e-7)
    assert means[best] == pytest.approx(min(means), rel=1e-7)


def test_rows_beyond_one_block():
    rng = np.random.default_rng(0)
    z = standardised(rng.normal(size=(700, 3)))
    y = standardised((z @ [1.0, -2.0, 0.5] + rng.normal(size=700))[:, None])[:, 0]
    scratch, best, _ = fit(z, y)
    expected = loo_errors_by_refitting(z, y, ALPHAS[best])
    np.testing.assert_allclose(scratch.errors[best], expected, rtol=1e-8)


def test_constant_feature_has_weight_zero():
    rng = np.random.default_rng(0)
    z = standardised(rng.normal(size=(30, 2)))
    z = np.column_stack([z[:, 0], np.zeros(30), z[:, 1]])
    scratch, best, _ = fit(z, z[:, 0] + 0.1 * rng.normal(size=30))
    assert scratch.weights[best, 1] == 0.0
    assert np.isfinite(scratch.errors).all()


def test_equal_features_share_the_weight():
    rng = np.random.default_rng(0)
    z = standardised(rng.normal(size=(30, 1)))
    scratch, best, _ = fit(np.column_stack([z, z, z]), z[:, 0])
    np.testing.assert_allclose(scratch.weights[best, :3], scratch.weights[best, 0], rtol=1e-9)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 100))
def test_dot_product_in_lanes(seed, n):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, n + 3))
    assert dot(a, b, n) == pytest.approx(a[:n] @ b[:n], rel=1e-12, abs=1e-12)
