"""Tests of the axes of small charts."""

import numpy as np
import pytest

from vjmgp.fit_reports.charts import Axis


def labels_of(axis):
    return " ".join(label for _, label in axis.ticks)


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0.0, 1.0, "0 0.2 0.4 0.6 0.8 1"),
        (-13.0, 42.0, "−10 0 10 20 30 40"),
        (-0.3, 10.0, "0 2 4 6 8 10"),
        (1e-7, 3e-7, "1e−07 1.5e−07 2e−07 2.5e−07 3e−07"),
        (-3e300, 3e300, "−3e+300 −2e+300 −1e+300 0 1e+300 2e+300 3e+300"),
    ],
)
def test_ticks_are_round_numbers(low, high, labels):
    assert labels_of(Axis(low, high, 0.0, 100.0)) == labels


def test_an_axis_is_logarithmic_if_values_differ_by_orders_of_magnitude():
    linear = Axis.around([1.0, 19.0], 0.0, 100.0)
    assert linear.logarithmic([1.0, 19.0]) == linear
    assert linear.logarithmic([0.0, 1000.0]) == linear
    axis = linear.logarithmic([1.0, 1000.0])
    assert labels_of(axis) == "1 10 100 1000"
    steps = np.diff([place for place, _ in axis.ticks])
    assert steps == pytest.approx(steps[0], abs=0.2)
    assert labels_of(linear.logarithmic([1.0, 30.0])) == "1 2 5 10 20"
    assert labels_of(linear.logarithmic([1e-9, 1e9])) == "1e−09 1e−05 0.1 1000 1e+07"


@pytest.mark.parametrize("values", [[5.0], [0.0, 0.0], [-2.0, -2.0]])
def test_equal_values_are_in_the_middle(values):
    axis = Axis.around(values, 0.0, 100.0)
    assert axis.at(values[0]) == 50.0
    assert axis.low < axis.high
