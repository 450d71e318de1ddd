"""Invariants of variation and the pool."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.engine_runs import advanced, evolved, new_run, nodes_of
from tests.support.twins import depth_of

from vjmgp.engine.search.population import individual_hash, remember
from vjmgp.engine.trees import pool as pools
from vjmgp.engine.trees.pool import compact, intern_tree, make_pool, sweep


def check_pool(run):
    """Check that trees are complete, within depth, stored once, with the right users."""
    pool, individuals = run.pool, run.individuals
    users = np.zeros(len(pool.facts), np.int64)
    for row in range(len(individuals.n_trees)):
        trees = individuals.trees[row, : individuals.n_trees[row]]
        np.add.at(users, trees, 1)
        if row in run.population:
            assert 1 <= len(trees) <= run.settings.max_trees
            assert individuals.size[row] == sum(pool.facts[t, pools.LENGTH] for t in trees)
    np.testing.assert_array_equal(users, pool.facts[:, pools.USERS])
    live = np.flatnonzero(users)
    stored = set()
    for tree in live:
        codes, constants = nodes_of(pool, tree)
        assert depth_of(codes) <= run.settings.max_depth
        stored.add((tuple(codes), tuple(constants)))
    assert len(stored) == len(live)
    assert pool.counts[pools.FREE_TREES] == len(pool.facts) - len(live)
    slots = pool.facts[live, pools.SLOT]
    slots = slots[slots >= 0]
    assert len(set(slots)) == len(slots)
    assert pool.counts[pools.FREE_SLOTS] == len(pool.features) - len(slots)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"max_trees": 1},
        {"max_depth": 3, "init_depth": (0, 3)},
        {"crossover_rate": 1.0, "mutation_rate": 1.0, "addition_rate": 1.0, "deletion_rate": 0.0},
        {"memory_limit": 0.05},
        {"memory_limit": 0.0},
        {"regularizer": "none"},
    ],
)
def test_pool_stays_consistent(problem, changes):
    run = evolved(problem, 1, 0, population_size=30, **changes)
    check_pool(run)
    for _ in range(12):
        run.step()
        check_pool(run)
    run.pool = compact(run.pool, room=10)
    check_pool(run)
    run.step()
    check_pool(run)


def test_no_structure_is_evaluated_twice(problem):
    run = new_run(problem, 2)
    seen = set()
    evaluate = run._evaluate

    def record(rows):
        for row in rows:
            trees = run.individuals.trees[row, : run.individuals.n_trees[row]]
            key = tuple(
                sorted((tuple(c), tuple(k)) for c, k in (nodes_of(run.pool, t) for t in trees))
            )
            assert key not in seen
            seen.add(key)
        return evaluate(rows)

    run._evaluate = record
    advanced(run, 10)
    assert len(seen) == run.evaluations == 440


def test_no_children_without_variation(problem):
    still = {f"{name}_rate": 0.0 for name in ("crossover", "mutation", "addition", "deletion")}
    run = evolved(problem, 0, 0, population_size=10, **still)
    before = set(run.population.tolist())
    run.step()
    assert run.evaluations == 10  # every child is a copy, which is not evaluated again
    assert set(run.population.tolist()) == before


def test_deletion_leaves_one_tree(problem):
    rates = {"crossover_rate": 0.0, "mutation_rate": 1.0, "addition_rate": 0.0}
    run = evolved(problem, 0, 3, population_size=10, deletion_rate=1.0, **rates)
    assert (run.individuals.n_trees[run.population] == 1).all()


def test_equal_trees_are_stored_once():
    pool = make_pool(8, 2, 16, 100)
    codes, constants = np.array([0, 14, 15], np.int32), np.zeros(3)
    first = intern_tree(pool, codes, constants, 3)
    assert intern_tree(pool, codes, constants, 3) == first
    other = intern_tree(pool, np.array([1, 14, 15], np.int32), constants, 3)
    assert other != first
    assert pool.facts[first, pools.USERS] == 2
    pool.facts[first, pools.USERS] = 0
    sweep(pool)
    assert pool.counts[pools.FREE_TREES] == 7
    assert intern_tree(pool, np.array([1, 14, 15], np.int32), constants, 3) == other


def test_hash_ignores_the_order_of_trees():
    pool = make_pool(8, 2, 16, 100)
    trees = np.array(
        [intern_tree(pool, np.array([14 + k], np.int32), np.zeros(1), 1) for k in range(3)]
    )
    assert len(set(pool.facts[trees, pools.HASH])) == 3
    a = individual_hash(pool, trees, 3)
    assert a == individual_hash(pool, trees[::-1].copy(), 3)
    assert a != individual_hash(pool, trees, 2)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 50), max_size=100))
def test_set_of_hashes(values):
    seen, twin = np.zeros(256, np.uint64), set()
    for value in values:
        assert remember(seen, np.uint64(value)) == ((value or 1) not in twin)
        twin.add(value or 1)
