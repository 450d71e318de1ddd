"""NSGA-II against brute force."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.twins import front_numbers as slow_fronts

from vjmgp.engine.search.survival import (
    crowding_distance,
    front_numbers,
    front_numbers_of_many,
    nsga2,
)

points = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda p: (p[0] / 3, p[1] / 7)),
    min_size=1,
    max_size=60,
)


@settings(max_examples=300, deadline=None)
@given(points)
def test_fronts_equal_brute_force(values):
    o1, o2 = np.array(values).T
    np.testing.assert_array_equal(front_numbers(o1, o2), slow_fronts(o1, o2))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=40))
def test_fronts_of_three_objectives_equal_brute_force(values):
    found = front_numbers_of_many(np.array(values, float))
    np.testing.assert_array_equal(found, slow_fronts(*np.transpose(values)))


def slow_crowding(*objectives):
    distance = np.zeros(len(objectives[0]))
    for values in objectives:
        order = sorted(range(len(values)), key=lambda i: values[i])
        distance[order[0]] = distance[order[-1]] = np.inf
        span = values[order[-1]] - values[order[0]]
        for k in range(1, len(order) - 1):
            if span > 0:
                distance[order[k]] += (values[order[k + 1]] - values[order[k - 1]]) / span
    return distance


@settings(max_examples=200, deadline=None)
@given(points)
def test_crowding_distance(values):
    o1, o2 = np.array(values).T
    np.testing.assert_allclose(crowding_distance(o1, o2), slow_crowding(o1, o2))


@settings(max_examples=200, deadline=None)
@given(points, st.integers(1, 40))
def test_survivors_come_from_the_best_fronts(values, count):
    o1, o2 = np.array(values).T
    chosen = nsga2(o1, o2, count)
    assert len(set(chosen.tolist())) == len(chosen) == min(count, len(o1))
    fronts = slow_fronts(o1, o2)
    left = np.setdiff1d(np.arange(len(o1)), chosen)
    if len(left):
        assert fronts[chosen].max() <= fronts[left].min()
        last = fronts[chosen].max()
        members = np.flatnonzero(fronts == last)
        distance = dict(zip(members, slow_crowding(o1[members], o2[members]), strict=True))
        kept = [distance[i] for i in chosen if fronts[i] == last]
        lost = [distance[i] for i in left if fronts[i] == last]
        assert not lost or min(kept) >= max(lost) - 1e-12
