"""Tests of the paper's protocol: splits, label noise and R²."""

import numpy as np
import pytest

from vjmgp import add_label_noise, label_noise_split, paper_split, r2


def test_split_sizes():
    for rows, train in ((47, 23), (199, 99), (200, 100), (500, 100), (100000, 100)):
        a, b = paper_split("any", rows, 0)
        assert len(a) == train
        assert sorted(np.concatenate([a, b])) == list(range(rows))
    a, b = label_noise_split("any", 500, 0)
    assert (len(a), len(b)) == (400, 100)
    with pytest.raises(
        ValueError, match=r"'tiny' has 8 rows: too few to train and test on \(4 and"
    ):
        paper_split("tiny", 8, 0)


def test_splits_are_stable():
    """Fixed values: a change here would make old and new results incomparable."""
    train, _ = paper_split("547_no2", 500, 0)
    assert train[:5].tolist() == SPLIT_OF_SEED_0
    again, _ = paper_split("547_no2", 500, 0)
    np.testing.assert_array_equal(train, again)
    other, _ = paper_split("547_no2", 500, 1)
    assert not np.array_equal(train, other)
    elsewhere, _ = paper_split("522_pm10", 500, 0)
    assert not np.array_equal(train, elsewhere)


SPLIT_OF_SEED_0 = [461, 412, 391, 75, 334]


def test_label_noise_has_the_deviation_of_the_target():
    y = np.random.default_rng(0).normal(10, 3, 4000)
    noise = add_label_noise(y, "any", 0) - y
    assert noise.std() == pytest.approx(3.0, rel=0.05)
    np.testing.assert_array_equal(add_label_noise(y, "any", 0) - y, noise)


def test_r2():
    y = np.array([1.0, 2.0, 4.0])
    assert r2(y, y) == 1.0
    assert r2(y, np.full(3, y.mean())) == 0.0
    assert r2(np.ones(3), y) == 0.0
