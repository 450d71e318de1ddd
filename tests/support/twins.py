"""Slow NumPy versions of the kernels, written from the definitions."""

import numpy as np

from vjmgp.engine.objectives.forest import predict_forest
from vjmgp.engine.trees.primitives import CONSTANT, FIRST_VARIABLE, functions_by_code
from vjmgp.formulas.functions import FUNCTIONS as ROWS

FUNCTIONS = functions_by_code()


def evaluate_tree(codes, constants, columns):
    """Evaluate a prefix tree on inputs × rows, by recursion."""

    def walk(position):
        code = int(codes[position])
        if code == CONSTANT:
            return np.full(columns.shape[1], constants[position]), position + 1
        if code >= FIRST_VARIABLE:
            return columns[code - FIRST_VARIABLE].copy(), position + 1
        position += 1
        arguments = []
        for _ in range(FUNCTIONS[code].arity):
            value, position = walk(position)
            arguments.append(value)
        return ROWS[FUNCTIONS[code].name].numpy(*arguments), position

    with np.errstate(all="ignore"):
        return walk(0)[0]


def nested(codes, position=0):
    """Return a prefix tree as its code and a list of children, and the position after it."""
    code, children, position = int(codes[position]), [], position + 1
    for _ in range(0 if code >= CONSTANT else FUNCTIONS[code].arity):
        child, position = nested(codes, position)
        children.append(child)
    return (code, children), position


def depth_of(codes):
    """Return the depth of a prefix tree, by recursion."""

    def depth(tree):
        return max((1 + depth(child) for child in tree[1]), default=0)

    tree, end = nested(codes)
    assert end == len(codes)
    return depth(tree)


def holds(codes, outer, inner):
    """Return whether function `inner` occurs inside a function `outer`, by recursion."""

    def found(tree, inside):
        code, children = tree
        inside_here = inside or code == outer
        return (inside and code == inner) or any(found(child, inside_here) for child in children)

    return found(nested(codes)[0], False)


def random_tree(rng, depth, n_inputs, functions=range(13)):
    """Return a random prefix tree."""
    if depth == 0 or rng.random() < 0.15:
        if rng.random() < 0.25:
            return [CONSTANT], [rng.uniform(-1, 1)]
        return [FIRST_VARIABLE + int(rng.integers(n_inputs))], [0.0]
    function = int(rng.choice(list(functions)))
    codes, constants = [function], [0.0]
    for _ in range(FUNCTIONS[function].arity):
        a, b = random_tree(rng, depth - 1, n_inputs, functions)
        codes += a
        constants += b
    return codes, constants


def standardised(features, row_weights=None):
    """Return columns with mean 0 and deviation 1; zeros for a constant one."""
    mean = np.average(features, axis=0, weights=row_weights)
    deviation = np.sqrt(np.average((features - mean) ** 2, axis=0, weights=row_weights))
    usable = deviation > 1e-8 * np.abs(features).max(axis=0)
    scale = np.where(usable, deviation, 1.0)
    return np.where(usable, (features - mean) / scale, 0.0)


def ridge(z, y, alpha, row_weights=None):
    """Return weights and unpenalised intercept from the normal equations."""
    w = np.ones(len(y)) if row_weights is None else row_weights
    centre, mean = np.average(z, axis=0, weights=w), np.average(y, weights=w)
    centred = z - centre
    weights = np.linalg.solve(
        centred.T @ (w[:, None] * centred) + alpha * np.eye(z.shape[1]),
        centred.T @ (w * (y - mean)),
    )
    return weights, mean - centre @ weights


def loo_errors_by_refitting(z, y, alpha, row_weights=None):
    """Return squared leave-one-out errors from n explicit refits on given features.

    One copy of a row is left out: a third of a row with weight 3, all of one with weight 0.5.
    """
    errors = np.empty(len(y))
    for i in range(len(y)):
        left = np.ones(len(y)) if row_weights is None else row_weights.copy()
        left[i] = max(left[i] - 1.0, 0.0)
        weights, intercept = ridge(z, y, alpha, left)
        errors[i] = (y[i] - intercept - z[i] @ weights) ** 2
    return errors


def dominates(a, b):
    """Return whether point a dominates point b."""
    pairs = list(zip(a, b, strict=True))
    return all(x <= y for x, y in pairs) and any(x < y for x, y in pairs)


def front_numbers(*objectives):
    """Peel off non-dominated points, front by front."""
    points = list(zip(*objectives, strict=True))
    numbers = np.full(len(points), -1)
    number = 0
    while (numbers < 0).any():
        left = np.flatnonzero(numbers < 0)
        front = [
            i for i in left if not any(dominates(points[j], points[i]) for j in left if j != i)
        ]
        numbers[front] = number
        number += 1
    return numbers


def worst_gap(model, clean, x_vicinal, partner, share, n, row_weights=None):
    """Return O2: the mean over instances of the worst squared gap over the rounds."""
    worst = np.zeros(n)
    values = model(x_vicinal)
    for r in range(len(values)):
        i, j = r % n, partner[r]
        gap = values[r] - (share[r] * clean[i] + (1 - share[r]) * clean[j])
        worst[i] = max(worst[i], gap**2)
    return np.average(worst, weights=row_weights)


def slow_passes(errors):
    """Return individuals × cases: whether errors are within ε of the smallest one."""
    deviation = np.median(np.abs(errors - np.median(errors, axis=0)), axis=0)
    return errors <= errors.min(axis=0) + deviation


def kernel_probabilities(x, y, rule, i):
    """Return the probability of each row to be the partner of row i."""
    distance = (y - y[i]) ** 2
    if rule.joint:
        distance = distance + ((x - x[i]) ** 2).sum(axis=1)
    distance[i] = np.inf
    weights = np.exp(-rule.gamma * (distance - distance.min()))
    return weights / weights.sum()


def predictions(forest, points):
    """Predict points (rows × columns) with a forest."""
    out = np.empty(len(points))
    predict_forest(forest, np.ascontiguousarray(points), out)
    return out
