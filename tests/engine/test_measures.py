"""Complexity measures against slow versions of their definitions."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.engine_runs import evolved, features_of, inputs_of, model_of, vicinity_of
from tests.support.twins import front_numbers, worst_gap

from vjmgp import REGULARIZERS, mic
from vjmgp.engine.search.front_rules import knee
from vjmgp.engine.trees.pool import LENGTH

pytestmark = pytest.mark.usefixtures("all_kernels")

ORACLE = json.loads((Path(__file__).parents[1] / "data/mic.json").read_text())


def measured(problem, regularizer, generations=4):
    """Return a run, the rows of its population, their predictions and second objectives."""
    run = evolved(problem, 3, generations, regularizer=regularizer)
    rows = run.population
    return run, rows, run.individuals.fitted[rows], run.individuals.o2[rows]


def test_parsimony_counts_nodes(problem):
    run, rows, _, o2 = measured(problem, "parsimony")
    trees = [run.individuals.trees[row, : run.individuals.n_trees[row]] for row in rows]
    assert o2.tolist() == [run.pool.facts[t, LENGTH].sum() for t in trees]


def test_tikhonov_is_the_norm_of_the_predictions(problem):
    _, _, fitted, o2 = measured(problem, "tikhonov")
    np.testing.assert_allclose(o2, np.linalg.norm(fitted, axis=1), rtol=1e-12)


def test_grand_complexity_ranks_parents_and_offspring(problem):
    run = evolved(problem, 1, 0, population_size=30, regularizer="grand_complexity")
    pools = []
    score = run.regularizer.score

    def watched(evolution, rows):
        score(evolution, rows)
        pools.append(np.concatenate([evolution.population, rows]))
        nodes = evolution.individuals.size[pools[-1]].astype(float)
        norms = np.linalg.norm(evolution.individuals.fitted[pools[-1]], axis=1)
        found = evolution.individuals.o2[pools[-1]]
        np.testing.assert_array_equal(found, front_numbers(nodes, norms))

    run.regularizer.score = watched
    for _ in range(4):
        run.step()
    assert len(pools) == 4
    assert all(len(pool) > 30 for pool in pools)


def test_rademacher_refits_to_random_signs(problem):
    run, rows, _, o2 = measured(problem, "rademacher")
    signs = run.regularizer._signs.signs
    assert signs.shape == (20, len(run.y))
    assert set(np.unique(signs)) == {-1.0, 1.0}
    for row, found in zip(rows[:10], o2[:10], strict=True):
        z = features_of(run, row, problem[0])
        parts = []
        for sign in signs:
            target = -sign * run.y
            weights = np.linalg.solve(
                z.T @ z + run.individuals.alpha[row] * np.eye(z.shape[1]), z.T @ target
            )
            loss = (z @ weights + target.mean() - run.y) ** 2 / np.var(run.y)
            parts.append(max(0.0, np.mean(sign * loss)))
        assert found == pytest.approx(np.mean(parts), rel=1e-6)


def test_distance_correlation(problem):
    x = problem[0]
    _, _, fitted, o2 = measured(problem, "distance_correlation")
    i, j = np.triu_indices(len(x), 1)
    inputs = np.linalg.norm(x[i] - x[j], axis=1)
    for values, found in zip(fitted, o2, strict=True):
        outputs = np.abs(values[i] - values[j])
        assert found == pytest.approx(-np.corrcoef(inputs, outputs)[0, 1], abs=1e-9)


def test_vicinal_risk_equals_the_gap_to_mixed_labels(problem):
    run, rows, _, o2 = measured(problem, "vicinal_risk")
    points, partner, share = vicinity_of(run, problem[0])
    assert np.isnan(run.noise_r2)  # it does not depend on the noise
    for row, found in zip(rows[:10], o2[:10], strict=True):
        slow = worst_gap(model_of(run, row), run.y, points, partner, share, len(run.y))
        assert found == pytest.approx(slow, rel=1e-9)


def test_wcrv_equals_its_definition(problem):
    x, y = problem
    run, rows, fitted, o2 = measured(problem, "wcrv", generations=2)
    relevance = np.array([mic(column, y) for column in x.T])
    for row, values, found in zip(rows[:10], fitted, o2, strict=False):
        total = 0.0
        for k in inputs_of(run, row):
            if relevance[k] >= np.median(relevance):
                total += relevance[k] * mic(x[:, k], y - values)
            else:
                total += 1 - relevance[k]
        assert found == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("pair", ORACLE, ids=lambda p: f"{p['kind']}-{p['n']}-{p['seed']}")
def test_mic_agrees_with_minepy(pair):
    assert mic(pair["x"], pair["y"]) == pytest.approx(pair["mic"], abs=1e-9)


@pytest.mark.parametrize("pair", ORACLE[::4], ids=lambda p: f"{p['kind']}-{p['n']}-{p['seed']}")
def test_mic_without_the_table_of_pairs(pair, monkeypatch):
    monkeypatch.setattr("vjmgp.engine.objectives.mic.MOST_IN_PAIRS", 1)
    assert mic(pair["x"], pair["y"]) == pytest.approx(pair["mic"], abs=1e-9)


@settings(deadline=None, max_examples=50)
@given(st.integers(2, 60), st.integers(0, 2**31), st.booleans())
def test_mic_is_bounded_symmetric_and_scale_invariant(n, seed, ties):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=n), rng.normal(size=n)
    if ties:
        x = np.round(x)
    value = mic(x, y)
    assert 0.0 <= value <= 1.0 + 1e-12
    assert mic(y, x) == pytest.approx(value, abs=1e-12)
    assert mic(np.exp(x), 3 * y - 1) == pytest.approx(value, abs=1e-12)


def test_mic_of_constants_and_bad_input():
    assert mic(np.zeros(30), np.arange(30.0)) == 0.0
    assert mic(np.arange(30.0), np.arange(30.0)) == pytest.approx(1.0)
    for x, y, message in (
        ([1.0, 2.0], [1.0], "same length"),
        ([1.0, np.nan], [1.0, 2.0], "finite"),
    ):
        with pytest.raises(ValueError, match=message):
            mic(x, y)
    with pytest.raises(ValueError, match="alpha"):
        mic([1.0, 2.0], [1.0, 2.0], alpha=0.0)


@pytest.mark.parametrize(
    ("o1", "o2", "chosen"),
    [
        ([0.0, 0.1, 1.0], [1.0, 0.2, 0.0], 1),  # a clear knee
        ([0.0, 0.5, 1.0], [1.0, 0.5, 0.0], 0),  # all sums equal: the first
        ([0.3], [7.0], 0),  # one point
        ([0.3, 0.4], [5.0, 5.0], 0),  # O2 does not vary: O1 decides
        ([0.3, 0.1], [2.0, 2.0], 1),
        ([0.3, 0.3], [5.0, 4.0], 1),  # O1 does not vary: O2 decides
        ([0.2, 0.2, 0.9], [3.0, 3.0, 1.0], 0),  # ties
    ],
)
def test_knee(o1, o2, chosen):
    assert knee(np.array(o1), np.array(o2)) == chosen


def test_final_rules_match_the_paper():
    rules = {cls.label: cls.final_rule for cls in REGULARIZERS.values()}
    assert rules == {
        "VJM": "tau", "FDM": "tau", "P-VRM": "o2", "Standard GP": "o1",
        **dict.fromkeys(("PP", "TK", "GC", "RC", "WCRV", "IODC"), "knee"),
    }  # fmt: skip
