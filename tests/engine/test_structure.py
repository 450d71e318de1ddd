"""Random trees, subtrees, depth, hash, and their evaluation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.twins import depth_of, evaluate_tree
from tests.support.twins import random_tree as any_tree

from vjmgp.engine.numerics.rng import stream
from vjmgp.engine.trees.evaluation import BLOCK, make_workspace, run, translate
from vjmgp.engine.trees.primitives import CONSTANT, FIRST_VARIABLE, PRIMITIVES
from vjmgp.engine.trees.structure import Grammar, random_tree, subtree_end, tree_depth, tree_hash

ALL = np.arange(13, dtype=np.int32)
SCRATCH = np.empty(64, np.int64)


def draw(count, n_inputs=3, low=0, high=3, seed=0):
    state = stream(seed, "evolution")
    grammar = Grammar(ALL, n_inputs, low, high)
    codes, constants = np.empty(64, np.int32), np.empty(64)
    for _ in range(count):
        length = random_tree(state, grammar, codes, constants)
        yield codes[:length].copy(), constants[:length].copy()


def test_random_trees_are_complete_and_within_depth():
    depths = []
    for codes, constants in draw(2000):
        depths.append(depth_of(codes))
        assert tree_depth(codes, len(codes), SCRATCH) == depths[-1]
        assert subtree_end(codes, 0) == len(codes)
        assert codes.max() < FIRST_VARIABLE + 3
        assert (np.abs(constants) <= 1).all()
    assert set(depths) == {0, 1, 2, 3}


def test_terminals_are_equally_likely():
    leaves = np.concatenate([codes[codes >= CONSTANT] for codes, _ in draw(4000)])
    shares = np.bincount(leaves - CONSTANT) / len(leaves)
    np.testing.assert_allclose(shares, 0.25, atol=0.015)


def test_half_of_the_trees_are_full():
    # A full tree of depth 3 has all leaves on level 3; at least a quarter are grown differently.
    full = sum(len(c) >= 4 for c, _ in draw(1000, low=3, high=3))
    assert full == 1000  # min depth = max depth: every tree is full
    sizes = [len(c) for c, _ in draw(4000)]
    assert np.mean(np.array(sizes) == 1) > 0.25  # depth 0, or stopped at once


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 6))
def test_subtrees_and_depth(seed, depth):
    codes, _ = any_tree(np.random.default_rng(seed), depth, 3)
    codes = np.array(codes, np.int32)
    assert tree_depth(codes, len(codes), SCRATCH) == depth_of(codes)
    for start in range(len(codes)):
        depth_of(codes[start : subtree_end(codes, start)])  # asserts that the tree is complete


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(0, 8),
    st.sampled_from([1, 7, 100, BLOCK, BLOCK + 1, 3 * BLOCK + 17]),
)
def test_evaluation_equals_the_recursive_definition(seed, depth, rows):
    """Bit for bit, except for log, sin and cos, which are polynomials."""
    rng = np.random.default_rng(seed)
    exact = tuple(c for c, p in enumerate(PRIMITIVES) if p.name not in ("log", "sin", "cos"))
    codes, constants = any_tree(rng, depth, 4, exact if depth > 2 else range(13))
    codes, constants = np.array(codes, np.int32), np.array(constants)
    columns = rng.normal(size=(4, rows))
    workspace = make_workspace(columns, len(codes), depth)
    out = np.empty(rows)
    run(workspace, translate(codes, constants, 0, len(codes), workspace), 0, rows, out)
    expected = evaluate_tree(codes, constants, columns)
    if depth > 2:
        np.testing.assert_array_equal(out, expected)
    else:
        np.testing.assert_allclose(out, expected, rtol=1e-6, atol=1e-6)


def test_evaluation_of_some_rows():
    rng = np.random.default_rng(3)
    columns = rng.normal(size=(2, 1000))
    codes, constants = np.array([0, FIRST_VARIABLE, FIRST_VARIABLE + 1], np.int32), np.zeros(3)
    workspace = make_workspace(columns, 3, 1)
    out = np.empty(333)
    run(workspace, translate(codes, constants, 0, 3, workspace), 400, 733, out)
    np.testing.assert_array_equal(out, columns.sum(axis=0)[400:733])


def test_hash_depends_on_structure_and_constants():
    rng = np.random.default_rng(0)
    seen = {}
    for _ in range(3000):
        codes, constants = any_tree(rng, int(rng.integers(0, 4)), 3)
        key = (tuple(codes), tuple(constants))
        value = int(tree_hash(np.array(codes, np.int32), np.array(constants), len(codes)))
        assert seen.setdefault(value, key) == key
    a = tree_hash(np.array([CONSTANT], np.int32), np.array([0.5]), 1)
    b = tree_hash(np.array([CONSTANT], np.int32), np.array([0.25]), 1)
    assert a != b


@pytest.mark.parametrize("n_inputs", [1, 5])
def test_functions_can_be_restricted(n_inputs):
    state = stream(1, "evolution")
    grammar = Grammar(np.array([0, 2], np.int32), n_inputs, 0, 3)
    codes, constants = np.empty(64, np.int32), np.empty(64)
    for _ in range(200):
        length = random_tree(state, grammar, codes, constants)
        used = codes[:length]
        assert set(used[used < CONSTANT]) <= {0, 2}
