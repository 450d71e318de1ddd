"""Automatic ε-lexicase and the tournaments against their definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.support.twins import dominates, slow_passes

from vjmgp.engine.numerics.rng import below, stream
from vjmgp.engine.search.selection import SELECTIONS, Lexicase
from vjmgp.engine.search.selection.lexicase import case_sums, lexicase, mark_passes, median
from vjmgp.engine.search.selection.tournaments import dominance_tournament, pareto_tournament

pytestmark = pytest.mark.usefixtures("all_kernels")


@settings(max_examples=200, deadline=None)
@given(arrays(float, st.integers(1, 60), elements=st.floats(0, 1e6)))
def test_median(values):
    assert median(values.copy(), len(values)) == np.median(values)


def test_median_with_many_ties():
    for n in range(1, 80):
        values = np.random.default_rng(n).integers(0, 4, n).astype(float)
        assert median(values.copy(), n) == np.median(values)


def slow_lexicase(state, passes, count):
    """Make the same draws with lists instead of bits."""
    n, n_cases = passes.shape
    order = np.arange(n_cases)
    chosen = []
    for _ in range(count):
        running = list(range(n))
        for drawn in range(n_cases):
            other = drawn + below(state, n_cases - drawn)
            order[drawn], order[other] = order[other], order[drawn]
            kept = [i for i in running if passes[i, order[drawn]]]
            if kept:
                running = kept
                if len(running) == 1:
                    break
        chosen.append(running[below(state, len(running))])
    return chosen


@pytest.mark.parametrize("size", [1, 2, 63, 64, 65, 200])
def test_lexicase_equals_a_slow_version(size):
    rng = np.random.default_rng(size)
    errors = rng.normal(size=(2 * size, 37)) ** 2
    population = rng.permutation(2 * size)[:size]
    passes = np.empty((37, (size + 63) // 64), np.uint64)
    mark_passes(errors, population, passes)
    expected = slow_passes(errors[population])
    for k in range(size):
        bits = (passes[:, k // 64] >> np.uint64(k % 64)) & np.uint64(1)
        np.testing.assert_array_equal(bits.astype(bool), expected[k])
    parents = np.empty(50, np.int64)
    lexicase(stream(3, "evolution"), passes, case_sums(None), population, parents)
    slow = slow_lexicase(stream(3, "evolution"), expected, 50)
    np.testing.assert_array_equal(parents, population[slow])


def test_lexicase_selects_the_best_on_every_case():
    errors = np.random.default_rng(0).uniform(1, 2, (20, 15))
    errors[7] = 0.0
    passes = np.empty((15, 1), np.uint64)
    mark_passes(errors, np.arange(20), passes)
    if slow_passes(errors)[:, 0].sum() == 1:
        parents = np.empty(30, np.int64)
        lexicase(stream(0, "evolution"), passes, case_sums(None), np.arange(20), parents)
        assert (parents == 7).all()


def test_names_of_selections():
    assert list(SELECTIONS) == ["lexicase", "dominance_tournament", "pareto_tournament"]
    assert SELECTIONS["lexicase"] is Lexicase


def two_objectives(n=40, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random(n), rng.random(n)


def test_dominance_tournament_equals_a_slow_version():
    o1, o2 = two_objectives()
    population = np.arange(5, 35)
    parents = np.empty(200, np.int64)
    dominance_tournament(stream(1, "evolution"), o1, o2, population, parents)
    state = stream(1, "evolution")
    for parent in parents:
        a, b = (population[below(state, 30)] for _ in range(2))
        if dominates((o1[a], o2[a]), (o1[b], o2[b])):
            assert parent == a
        elif dominates((o1[b], o2[b]), (o1[a], o2[a])):
            assert parent == b
        else:
            assert parent == (b if below(state, 2) else a)


def test_pareto_tournament_equals_a_slow_version():
    o1, o2 = two_objectives()
    population = np.arange(40)
    parents = np.empty(101, np.int64)
    pareto_tournament(stream(1, "evolution"), o1, o2, population, np.int64(8), parents)
    state, order, expected = stream(1, "evolution"), population.copy(), []
    while len(expected) < 101:
        for k in range(8):
            other = k + below(state, 40 - k)
            order[[k, other]] = order[[other, k]]
        sample = order[:8]
        front = [
            a for a in sample if not any(dominates((o1[b], o2[b]), (o1[a], o2[a])) for b in sample)
        ]
        front = front * 2 if len(front) == 1 else front
        expected += front[: len(front) - len(front) % 2]
    assert parents.tolist() == expected[:101]


@pytest.mark.parametrize("name", ["dominance_tournament", "pareto_tournament"])
def test_tournaments_in_small_populations(name):
    from vjmgp.engine.search.population import make_individuals

    individuals = make_individuals(3, 2, 4)
    individuals.o1[:], individuals.o2[:] = [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]
    for size in (1, 2, 3):
        population = np.arange(size)
        chosen = SELECTIONS[name]().select(stream(0, "evolution"), individuals, population, 6, True)
        assert len(chosen) == 6
        assert set(chosen) <= set(population)
