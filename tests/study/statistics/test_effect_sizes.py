"""Effect sizes and bootstrap intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vjmgp.study.statistics.effect_sizes import (
    bootstrap_medians,
    bootstrap_rank_biserial,
    paired_mean_interval,
    rank_biserial,
    resamples,
)


def test_rank_biserial_by_hand():
    # |d| = 1, 2, 3 with ranks 1, 2, 3; 3 is against: (1 + 2 − 3) / 6
    assert rank_biserial(np.array([1.0, 2.0, -3.0])) == 0.0
    assert rank_biserial(np.array([1.0, -2.0, 3.0, 0.0, np.nan])) == pytest.approx(2 / 6)
    assert rank_biserial(np.zeros(4)) == 0.0
    assert np.isnan(rank_biserial(np.array([np.nan])))
    assert rank_biserial(np.array([2.0, 2.0, -2.0])) == pytest.approx(1 / 3)  # tied ranks


@given(st.integers(0, 2**31))
def test_bootstrap_medians_are_those_of_resampled_rows(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(3, 9))
    rows[1, 4] = np.nan
    low, high = bootstrap_medians(rows, draws=50)
    for k, row in enumerate(rows):
        kept = np.sort(row[np.isfinite(row)])
        medians = np.median(kept[resamples(len(kept), 50)], axis=1)
        assert [low[k], high[k]] == pytest.approx(np.quantile(medians, [0.025, 0.975]))
    again = bootstrap_medians(rows, draws=50)
    np.testing.assert_array_equal(again, (low, high))


def test_bootstrap_intervals_have_their_nominal_coverage():
    rng = np.random.default_rng(0)
    low, high = bootstrap_medians(rng.normal(0.3, 1.0, (2000, 30)))
    assert 0.90 < np.mean((low <= 0.3) & (high >= 0.3)) < 0.98
    low, high = bootstrap_rank_biserial(rng.normal(0.0, 1.0, 200))
    assert -0.3 < low < 0.0 < high < 0.3
    assert np.isnan(bootstrap_rank_biserial(np.array([]))).all()


def test_paired_mean_interval_of_difference_and_ratio():
    rng = np.random.default_rng(0)
    reference = rng.uniform(0.1, 0.9, 40)  # datasets differ much more than methods do
    mean = reference.mean()
    low, high = paired_mean_interval(reference - 0.02 + rng.normal(0, 0.01, 40), reference)
    assert mean - 0.026 < low < mean - 0.02 < high < mean - 0.01
    assert paired_mean_interval(reference + 0.1, reference) == pytest.approx([mean + 0.1] * 2)
    twice = paired_mean_interval(2 * reference, reference, is_ratio=True)
    assert twice == pytest.approx([2 * mean] * 2)
