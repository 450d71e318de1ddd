"""Fitted constants, compared with slow reference implementations."""

import numpy as np
import pytest
from scipy.optimize import least_squares
from tests.support.twins import evaluate_tree

from vjmgp.engine.distillation.constants import (
    fit_constants,
    plant,
    slope_of,
    target_of,
)
from vjmgp.engine.distillation.revision import is_within, polished, simplified
from vjmgp.engine.objectives.row_weights import row_weights
from vjmgp.engine.settings import Settings
from vjmgp.engine.trees import primitives
from vjmgp.engine.trees.addresses import addresses_of
from vjmgp.engine.trees.primitives import (
    ADD,
    AQ,
    CONSTANT,
    EXPONENTIAL,
    FIRST_VARIABLE,
    MAX,
    MUL,
    SIN,
    SQUARE,
    STEP,
    arity,
    functions_by_code,
)
from vjmgp.formulas.functions import FUNCTIONS

X0, X1 = FIRST_VARIABLE, FIRST_VARIABLE + 1
ALPHA = 0.1
TREES = [
    # sin(π·c₁·(x₀ + c₂)), max(x₁, c₃) / √(1 + (c₄·x₀)²), x₁
    (np.array([SIN, MUL, CONSTANT, ADD, CONSTANT, X0]), np.array([0, 0, 0.6, 0, 0.1, 0])),
    (np.array([AQ, MAX, X1, CONSTANT, MUL, CONSTANT, X0]), np.array([0, 0, 0, 0.2, 0, 0.8, 0])),
    (np.array([X1]), np.array([0.0])),
]


@pytest.fixture
def rows():
    rng = np.random.default_rng(4)
    columns = rng.normal(size=(2, 60))
    y = np.sin(2.2 * (columns[0] + 0.3)) + columns[1] ** 2 / 3 + 0.2 * rng.normal(size=60)
    weights = rng.uniform(0.3, 3.0, size=60)
    return columns, y - y.mean(), weights


def target(columns, y, weights=None, codes=()):
    return target_of(columns, y, row_weights(len(y), weights), ALPHA, addresses_of(codes))


def standardised(trees, constants, columns, weights):
    """Return trees × rows with mean 0 and deviation 1; constants are those of all trees."""
    place, found = 0, []
    for codes, own in trees:
        own = own.copy()
        here = np.flatnonzero(codes == CONSTANT)
        own[here] = constants[place : place + len(here)]
        place += len(here)
        values = evaluate_tree(codes, own, columns)
        values = values - np.average(values, weights=weights)
        found.append(values / np.sqrt(np.average(values**2, weights=weights)))
    return np.array(found)


def constants_of(trees):
    return np.concatenate([constants[codes == CONSTANT] for codes, constants in trees])


@pytest.mark.parametrize("code", [c for c in functions_by_code() if c != STEP])
def test_slopes_of_functions(code):
    name = functions_by_code()[code].name
    function = FUNCTIONS[name].numpy
    for a, b in [(0.7, 1.3), (1.9, 0.4), (-0.6, 0.9), (0.8, -1.1)]:
        if name == "ln" and a < 0:
            continue
        arguments = np.array([a, b][: arity(code)])
        found = slope_of(code, a, b, function(*arguments[:, None])[0])
        for k in range(len(arguments)):
            step = np.zeros(len(arguments))
            step[k] = 1e-6
            low, high = (function(*(arguments + s * step)[:, None])[0] for s in (-1.0, 1.0))
            assert found[k] == pytest.approx((high - low) / 2e-6, rel=1e-5, abs=1e-8), name


@pytest.mark.parametrize("weighted", [False, True])
def test_fit_finds_what_scipy_finds(rows, weighted):
    columns, y, weights = rows
    weights = weights if weighted else np.ones(len(y))
    goal = y - np.average(y, weights=weights)

    def rest(parameters):
        outer, inner = parameters[: len(TREES)], parameters[len(TREES) :]
        z = standardised(TREES, inner, columns, weights)
        return np.append(np.sqrt(weights) * (goal - outer @ z), np.sqrt(ALPHA) * outer)

    start = np.append(np.zeros(len(TREES)), constants_of(TREES))
    best = least_squares(rest, start, xtol=1e-12, ftol=1e-12)
    fitted = fit_constants(TREES, target(columns, y, weights if weighted else None))
    z = standardised(fitted.trees, constants_of(fitted.trees), columns, weights)
    outer = fitted.fit.weights
    np.testing.assert_allclose(
        fitted.fit.rest, np.sqrt(weights) * (goal - outer @ z), rtol=0, atol=1e-9
    )
    error = fitted.fit.rest @ fitted.fit.rest + ALPHA * outer @ outer
    assert error == pytest.approx(2 * best.cost, rel=1e-4)
    assert not np.array_equal(constants_of(fitted.trees), constants_of(TREES))


def test_errors_count_fitted_constants(rows):
    """The leverages are those of the linear model of trees and derivatives together."""
    columns, y, weights = rows
    fitted = fit_constants(TREES, target(columns, y, weights))
    inner = constants_of(fitted.trees)
    z = standardised(fitted.trees, inner, columns, weights)
    outer = fitted.fit.weights
    slopes = []
    for k in range(len(inner)):
        step = np.zeros(len(inner))
        step[k] = 1e-6
        low, high = (
            standardised(fitted.trees, inner + s * step, columns, weights) for s in (-1, 1)
        )
        slopes.append(outer @ (high - low) / 2e-6)
    design = np.vstack([z, slopes])
    penalty = np.diag([ALPHA] * len(z) + [0.0] * len(inner))
    gram = (design * weights) @ design.T + penalty
    leverage = np.einsum("in,ij,jn->n", design, np.linalg.inv(gram), design) + 1 / weights.sum()
    leverage *= np.minimum(1.0, weights)
    rest = y - np.average(y, weights=weights) - outer @ z
    np.testing.assert_allclose(fitted.errors, rest / (1 - leverage), rtol=0.02, atol=1e-4)
    plain = fit_constants(TREES, target(columns, y, weights), steps=0)
    assert fitted.error < plain.error


def test_whole_weights_are_copies(rows):
    columns, y, _ = rows
    copies = np.random.default_rng(1).integers(1, 4, size=len(y))
    weighted = fit_constants(TREES, target(columns, y, copies.astype(float)))
    repeated = fit_constants(
        TREES, target(np.repeat(columns, copies, axis=1), np.repeat(y, copies))
    )
    np.testing.assert_allclose(weighted.coefficients, repeated.coefficients, rtol=1e-6)
    np.testing.assert_allclose(np.repeat(weighted.errors, copies), repeated.errors, rtol=1e-6)


def test_inserted_constants_find_shift_and_scale():
    columns = np.random.default_rng(0).uniform(-1.5, 1.5, size=(2, 80))
    y = np.sin(np.pi * (0.4 * columns[0] + 0.15)) + 0.02 * np.random.default_rng(1).normal(size=80)
    trees = [(np.array([SIN, X0]), np.zeros(2))]
    found = polished(trees, target(columns, y - y.mean()), 1e-5, Settings())
    assert found.error < 6e-4
    assert found.size == 6
    assert constants_of(found.trees).round(1).tolist() in ([0.1, 0.4], [-0.9, 0.4])
    dear = polished(trees, target(columns, y - y.mean()), 10.0, Settings())
    assert dear.size == 2


def test_inserted_constants_keep_the_limits_of_the_run():
    columns = np.random.default_rng(0).uniform(-1.5, 1.5, size=(2, 80))
    y = np.sin(np.pi * (0.4 * columns[0] + 0.15))
    trees = [(np.array([SIN, X0]), np.zeros(2))]
    for settings in (
        Settings(functions=("sin", "square")),
        Settings(init_depth=(0, 1), max_depth=1),
        Settings(max_size=3),
        Settings(forbidden_inside={"sin": ["add", "mul"]}),
    ):
        found = polished(trees, target(columns, y - y.mean()), 1e-5, settings)
        assert found.size == 2
    assert is_within(Settings(), np.array([SIN, ADD, CONSTANT, X0]), 4)


def test_formula_is_simplified_unless_that_costs_accuracy():
    rng = np.random.default_rng(0)
    columns = rng.uniform(-1.5, 1.5, size=(2, 150))
    y = 2.0 * columns[0] ** 2 + columns[1] + 0.1 * rng.normal(size=150)
    y -= y.mean()
    # x₀² inside a maximum that never counts; x₁; and a tree of noise
    trees = [
        (np.array([MAX, SQUARE, X0, CONSTANT]), np.array([0, 0, 0, -1.0])),
        (np.array([X1]), np.zeros(1)),
        (np.array([SIN, MUL, CONSTANT, X1]), np.array([0, 0, 2.7, 0])),
    ]
    goal = target(columns, y)
    found = simplified(fit_constants(trees, goal), goal, 1e-3, Settings())
    assert [tree[0].tolist() for tree in found.trees] == [[SQUARE, X0], [X1]]
    same = simplified(found, goal, 1e-3, Settings())
    assert [tree[0].tolist() for tree in same.trees] == [[SQUARE, X0], [X1]]


def test_constants_of_unknown_or_flat_functions_stay(rows):
    """A step has no slope; nor have the user's functions any that is known."""
    columns, y, _ = rows
    trees = [(np.array([STEP, ADD, CONSTANT, X0]), np.array([0, 0, 0.25, 0]))]
    fitted = fit_constants(trees, target(columns, y, codes=[STEP]))
    assert constants_of(fitted.trees).tolist() == [0.25]
    assert np.isfinite(fitted.error)


def test_undefined_and_constant_trees_have_no_fit(rows):
    columns, y, _ = rows
    for tree in (
        (np.array([primitives.LN, X0]), np.zeros(2)),
        (np.array([SQUARE, CONSTANT]), np.array([0.0, 2.0])),
        (np.array([EXPONENTIAL, MUL, CONSTANT, X0]), np.array([0.0, 0.0, 1e4, 0.0])),
    ):
        assert fit_constants([tree], target(columns, y, codes=tree[0])) is None


def test_forest_knows_its_children():
    forest = plant(TREES)
    assert forest.root.tolist() == [0, 6, 13]
    assert forest.first[:4].tolist() == [1, 2, 2, 4]
    assert forest.second[:4].tolist() == [1, 3, 2, 5]
    assert forest.free.tolist() == [2, 4, 9, 11]
