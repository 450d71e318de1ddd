"""Friedman's test and Nemenyi's critical difference."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import friedmanchisquare

from vjmgp.study.statistics.critical_difference import critical_difference, nemenyi_difference


def test_nemenyi_difference_matches_the_table_of_demsar():
    """Critical values q of the two-tailed Nemenyi test, table 5a."""
    for methods, q05, q10 in ((3, 2.343, 2.052), (5, 2.728, 2.459), (10, 3.164, 2.920)):
        scale = np.sqrt(methods * (methods + 1) / (6 * 14))
        assert nemenyi_difference(methods, 14, 0.05) == pytest.approx(q05 * scale, abs=2e-3)
        assert nemenyi_difference(methods, 14, 0.10) == pytest.approx(q10 * scale, abs=2e-3)


def test_critical_difference_by_hand():
    ranks = {"A": 1, "B": 2, "C": 3, "D": 4}
    scores = pd.DataFrame([{name: -rank for name, rank in ranks.items()}] * 10)
    scores.loc[10] = [1.0, np.nan, 0.0, 0.0]  # missing for one method
    found = critical_difference(scores, 0.05)
    assert found.ranks == {"A": 1.0, "B": 2.0, "C": 3.0, "D": 4.0}
    assert found.datasets == 10
    assert found.difference == pytest.approx(2.569 * np.sqrt(20 / 60), abs=2e-3)  # 1.483
    assert found.groups == [["A", "B"], ["B", "C"], ["C", "D"]]
    assert found.p == friedmanchisquare(*scores.iloc[:10].to_numpy().T).pvalue
    assert critical_difference(scores[["A", "B"]], 0.05) is None
    assert critical_difference(scores.iloc[:1], 0.05) is None
    equal = critical_difference(scores.iloc[:10] * 0, 0.05)
    assert (equal.groups, equal.p) == ([["A", "B", "C", "D"]], 1.0)
