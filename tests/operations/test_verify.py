"""Verification: what counts as the same run."""

import pytest

from vjmgp.operations import verify
from vjmgp.study.plan.study import Method

RUN = {"train_r2": 0.8, "test_r2": 0.6, "settings": "a", "seconds": 1.0}
GP, LEARNER = (Method("x", {kind: {}}) for kind in ("gp", "estimator"))


@pytest.mark.parametrize(
    ("method", "changes", "is_right", "text"),
    [
        (GP, {"seconds": 2.0}, True, "the same to the bit"),
        (LEARNER, {"seconds": 2.0}, True, "the same to the bit"),
        (GP, {"test_r2": 0.6 + 1e-15}, False, "test_r2 differ"),
        (LEARNER, {"test_r2": 0.6 + 2e-5, "settings": "b"}, True, "R² differs by 2e-05"),
        (LEARNER, {"test_r2": 0.62}, False, "test_r2 differ"),
        (LEARNER, {"train_r2": float("nan")}, False, "train_r2 differ"),
        (LEARNER, {"settings": "b"}, True, "R² differs by 0"),
    ],
)
def test_learners_may_differ_by_rounding(method, changes, is_right, text):
    found = verify._compared("a run", RUN, RUN | changes, method)
    assert found.ok is is_right
    assert text in found.text
