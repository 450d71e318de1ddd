"""Fit the constants inside trees to the labels, together with the linear weights.

Levenberg–Marquardt with variable projection: after each step of the constants, the weights of the
trees are solved anew by ridge regression. Derivatives come from one backward pass over a tree,
which also gives those of constants that a tree does not have yet: an offset or a factor at any of
its nodes. Such a constant enters if it pays for its nodes.

All sums have a fixed order, so that results are the same to the bit on every machine.
"""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...core.arrays import Codes, Floats, Integers
from ..compilation.kernels import kernel, part_of_kernel
from ..numerics.elementary import cos_pi, sin_pi
from ..numerics.lanes import dot
from ..objectives.row_weights import RowWeights
from ..preparation import ScoredRows
from ..scorer import leave_one_out_errors
from ..trees import primitives as known
from ..trees.addresses import call_address
from ..trees.pool import SAME
from ..trees.primitives import ADD, CONSTANT, COS, FIRST_VARIABLE, SIN, apply, arity

STEPS = 30
"""Largest number of steps, successful or not."""
ENOUGH = 1e-5
"""A smaller relative fall of the squared error ends the fit."""
DAMPING = 1e-2
"""Share of the diagonal that is added at first."""
REDUNDANT = 1e-7
"""A derivative with a smaller share unexplained by the others counts as redundant."""
FRESH = 1e-4
"""The same for that of a new one."""
LARGEST_LEVERAGE = 1.0 - 1e-9
DIGITS = 12
"""Significant digits of constants."""
Tree = tuple[Codes, Floats]


class FlatTrees(NamedTuple):
    """Trees in one array, in prefix order, with the places of their nodes."""

    codes: Codes
    constants: Floats
    first: Integers
    """Place of each node's first child …"""
    second: Integers
    """… and of its second; the first again if there is none."""
    tree: Integers
    """The tree of each node."""
    root: Integers
    """The root of each tree."""
    free: Integers
    """The nodes that are constants."""


class Target(NamedTuple):
    """The rows to fit."""

    columns: Floats
    """Inputs × rows."""
    y: Floats
    weights: Floats
    """One for each row; their mean may be anything."""
    copy: Floats
    """The part of each row that is left out: min(1, weight)."""
    total: float
    alpha: float
    """Strength of the ridge on standardised trees."""
    addresses: Integers


class Fit(NamedTuple):
    """What a fit works on, and its result."""

    values: Floats
    """Nodes × rows."""
    slopes: Floats
    """Nodes × rows: derivatives of a tree's value by those of its nodes."""
    design: Floats
    """(trees, constants) × rows: standardised trees and derivatives, times the weights' roots."""
    gram: Floats
    factor: Floats
    """Its Cholesky factor, with the reciprocals of the diagonal; 0 for redundant columns."""
    scale: Floats
    """Factor that standardises each tree."""
    weights: Floats
    """Weights of standardised trees."""
    rest: Floats
    """Residuals times the weights' roots."""
    roots: Floats


def target_of(
    columns: Floats, y: Floats, weights: RowWeights, alpha: float, addresses: Integers
) -> Target:
    """Return the rows to fit; `columns` may have further ones at its end."""
    columns, y = np.ascontiguousarray(columns[:, : len(y)]), np.ascontiguousarray(y)
    each = np.ascontiguousarray(weights.each)  # another layout would be compiled again
    return Target(columns, y, each, np.minimum(1.0, each), weights.total, alpha, addresses)


def plant(trees: Sequence[Tree]) -> FlatTrees:
    """Return trees as one forest."""
    codes = np.concatenate([np.asarray(tree[0], np.int32) for tree in trees])
    constants = np.concatenate([np.asarray(tree[1], np.float64) for tree in trees])
    root = np.cumsum([0, *(len(tree[0]) for tree in trees)])
    first, second = np.empty((2, len(codes)), np.int64)
    _link(codes, first, second)
    tree = np.repeat(np.arange(len(trees)), np.diff(root))
    return FlatTrees(
        codes, constants, first, second, tree, root[:-1], np.flatnonzero(codes == CONSTANT)
    )


@kernel
def _link(codes: Codes, first: Integers, second: Integers) -> None:
    """Find the children of each node, from the last node to the first."""
    stack, height = np.empty(len(codes), np.int64), 0
    for place in range(len(codes) - 1, -1, -1):
        children = arity(codes[place])
        first[place] = second[place] = place
        if children:
            height -= 1
            first[place] = second[place] = stack[height]
        if children == 2:
            height -= 1
            second[place] = stack[height]
        stack[height] = place
        height += 1


@kernel
def _evaluate(forest: FlatTrees, target: Target, values: Floats) -> None:
    for place in range(len(forest.codes) - 1, -1, -1):
        code, out = forest.codes[place], values[place]
        a, b = values[forest.first[place]], values[forest.second[place]]
        if code >= FIRST_VARIABLE:
            out[:] = target.columns[code - FIRST_VARIABLE]
        elif code == CONSTANT:
            out[:] = forest.constants[place]
        elif code < 0:
            call_address(target.addresses[-1 - code], code, a, b, out)
        else:
            apply(code, a, b, out)


@kernel
def slope_of(code: int, a: float, b: float, v: float) -> tuple[float, float]:
    """Return the derivatives of v = function(a, b); 0 for functions of the user."""
    if code == known.ADD:
        return 1.0, 1.0
    if code == known.SUB:
        return 1.0, -1.0
    if code == known.MUL:
        return b, a
    if code == known.AQ:
        square = 1.0 + b * b
        return 1.0 / np.sqrt(square), -v * b / square
    if code == known.MAX:
        return (1.0, 0.0) if a > b else (0.0, 1.0)
    if code == known.MIN:
        return (1.0, 0.0) if a < b else (0.0, 1.0)
    if code == known.SQUARE:
        return 2.0 * a, 0.0
    if code == known.LOG:
        return a / (1.0 + a * a), 0.0
    if code == known.SQRT:
        return 0.5 * v / a if a != 0.0 else 0.0, 0.0
    if code == known.SIN:
        return np.pi * cos_pi(a), 0.0
    if code == known.COS:
        return -np.pi * sin_pi(a), 0.0
    if code == known.ABS:
        return 1.0 if a > 0.0 else -1.0, 0.0
    if code == known.NEG:
        return -1.0, 0.0
    if code == known.DIV:
        return 1.0 / b, -v / b
    if code == known.INV:
        return -v * v, 0.0
    if code == known.EXP:
        return v if a < known.LARGEST_EXPONENT else 0.0, 0.0
    if code == known.GAUSS:
        return -2.0 * a * v, 0.0
    if code == known.TANH:
        return 1.0 - v * v, 0.0
    if code == known.SIGMOID:
        return v * (1.0 - v), 0.0
    if code == known.CUBE:
        return 3.0 * a * a, 0.0
    if code == known.CBRT:
        return v / (3.0 * a) if a != 0.0 else 0.0, 0.0
    if code == known.ATAN:
        return 1.0 / (1.0 + a * a), 0.0
    if code == known.LN:
        return 1.0 / a, 0.0
    if code == known.EXPONENTIAL:
        return v, 0.0
    return 0.0, 0.0


@kernel
def _differentiate(forest: FlatTrees, fit: Fit) -> None:
    """Compute the derivatives of each tree's value by those of its nodes."""
    for place in forest.root:
        fit.slopes[place] = 1.0
    for place in range(len(forest.codes)):
        code, first, second = forest.codes[place], forest.first[place], forest.second[place]
        if code >= CONSTANT:
            continue
        a, b, v, own = fit.values[first], fit.values[second], fit.values[place], fit.slopes[place]
        to_first, to_second = fit.slopes[first], fit.slopes[second]
        is_binary = second != first
        for i in range(len(v)):
            by_a, by_b = slope_of(code, a[i], b[i], v[i])
            to_first[i] = own[i] * by_a
            if is_binary:
                to_second[i] = own[i] * by_b


@part_of_kernel
def _centre(values: Floats, target: Target, roots: Floats, out: Floats) -> float:
    """Write the centred values times the roots of the weights; return the sum of squares."""
    n = len(values)
    mean, square = 0.0, 0.0
    for i in range(n):
        mean += target.weights[i] * values[i]
    mean /= target.total
    for i in range(n):
        out[i] = (values[i] - mean) * roots[i]
        square += out[i] * out[i]
    return square


@part_of_kernel
def _factorise(fit: Fit, first: int, count: int, alpha: float, trees: int, damping: float) -> None:
    """Continue the Cholesky factor of gram + ridge with the columns first ≤ i < count."""
    gram, factor = fit.gram, fit.factor
    for i in range(first, count):
        diagonal = gram[i, i] + alpha if i < trees else gram[i, i] * (1.0 + damping)
        for j in range(i):
            share = gram[i, j]
            for k in range(j):
                share -= factor[i, k] * factor[j, k]
            share *= factor[j, j]
            factor[i, j] = share
        left = diagonal
        for j in range(i):
            left -= factor[i, j] * factor[i, j]
        factor[i, i] = 1.0 / np.sqrt(left) if left > REDUNDANT * diagonal else 0.0


@part_of_kernel
def _solve(factor: Floats, moments: Floats, count: int, solution: Floats) -> None:
    for i in range(count):
        share = moments[i]
        for k in range(i):
            share -= factor[i, k] * solution[k]
        solution[i] = share * factor[i, i]
    for i in range(count - 1, -1, -1):
        share = solution[i]
        for k in range(i + 1, count):
            share -= factor[k, i] * solution[k]
        solution[i] = share * factor[i, i]


@kernel
def _solve_weights(forest: FlatTrees, target: Target, goal: Floats, fit: Fit) -> float:
    """Evaluate the trees and fit their weights; return the penalised squared error."""
    n, m = len(goal), len(forest.root)
    _evaluate(forest, target, fit.values)
    moments = np.empty(m)
    for t in range(m):
        values, out = fit.values[forest.root[t]], fit.design[t]
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(values[i]))
        deviation = np.sqrt(_centre(values, target, fit.roots, out) / target.total)
        if not np.isfinite(deviation) or not deviation > SAME * largest:
            return np.inf
        fit.scale[t] = 1.0 / deviation
        for i in range(n):
            out[i] *= fit.scale[t]
        for s in range(t + 1):
            fit.gram[t, s] = dot(out, fit.design[s], n)
        moments[t] = dot(out, goal, n)
    _factorise(fit, 0, m, target.alpha, m, 0.0)
    _solve(fit.factor, moments, m, fit.weights)
    fit.rest[:] = goal
    for t in range(m):
        for i in range(n):
            fit.rest[i] -= fit.weights[t] * fit.design[t, i]
    error = dot(fit.rest, fit.rest, n)
    return error + target.alpha * dot(fit.weights, fit.weights, m)


@kernel
def _linearise(forest: FlatTrees, target: Target, fit: Fit, moments: Floats) -> None:
    """Compute the derivatives of the model by its constants, and their part of the gram matrix."""
    n, m = len(fit.rest), len(forest.root)
    _differentiate(forest, fit)
    moments[:m] = 0.0  # the weights are solved
    for j in range(len(forest.free)):
        place = forest.free[j]
        t, out = forest.tree[place], fit.design[m + j]
        factor = fit.weights[t] * fit.scale[t]
        square = _centre(fit.slopes[place], target, fit.roots, out)
        if not (np.isfinite(square) and square > 0.0):
            factor = 0.0
        for i in range(n):
            out[i] = factor * out[i] if factor != 0.0 else 0.0
        for s in range(m + j + 1):
            fit.gram[m + j, s] = dot(out, fit.design[s], n)
        moments[m + j] = dot(out, fit.rest, n)


@kernel
def _fit(forest: FlatTrees, target: Target, goal: Floats, fit: Fit, steps: int) -> float:
    """Fit the forest's constants in place; return the penalised squared error."""
    m, k = len(forest.root), len(forest.free)
    moments, step, before = np.zeros(m + k), np.zeros(m + k), np.empty(k)
    error = _solve_weights(forest, target, goal, fit)
    if not np.isfinite(error):
        return error
    damping, is_known = DAMPING, False
    for _ in range(steps if k else 0):
        if not is_known:
            _linearise(forest, target, fit, moments)
            is_known = True
        _factorise(fit, m, m + k, target.alpha, m, damping)
        _solve(fit.factor, moments, m + k, step)
        for j in range(k):
            before[j] = forest.constants[forest.free[j]]
            forest.constants[forest.free[j]] += step[m + j]
        # The derivatives and the gram matrix of constants stay as they are in a failed attempt.
        attempt = _solve_weights(forest, target, goal, fit)
        if attempt < error:
            fall = error - attempt
            error, is_known, damping = attempt, False, max(0.2 * damping, 1e-9)
            if fall < ENOUGH * error:
                break
        else:
            for j in range(k):
                forest.constants[forest.free[j]] = before[j]
            _solve_weights(forest, target, goal, fit)
            damping *= 8.0
            if damping > 1e6:
                break
    return error


@kernel
def _leave_one_out(forest: FlatTrees, target: Target, fit: Fit, errors: Floats) -> None:
    """Compute leave-one-out errors with the leverages of weights and constants together."""
    n, m, k = len(errors), len(forest.root), len(forest.free)
    _linearise(forest, target, fit, np.empty(m + k))
    _factorise(fit, m, m + k, target.alpha, m, 0.0)
    solved = np.empty(m + k)
    for i in range(n):
        leverage, weight = 0.0, target.weights[i]
        for j in range(m + k):
            share = fit.design[j, i]
            for h in range(j):
                share -= fit.factor[j, h] * solved[h]
            solved[j] = share * fit.factor[j, j]
            leverage += solved[j] * solved[j]
        leverage = target.copy[i] * (leverage / weight + 1.0 / target.total)
        errors[i] = fit.rest[i] / fit.roots[i] / (1.0 - min(leverage, LARGEST_LEVERAGE))


@kernel
def gains(forest: FlatTrees, target: Target, fit: Fit, offsets: Floats, factors: Floats) -> None:
    """Compute how much a new constant at each node lowers the squared error, to first order.

    It follows `_leave_one_out`, whose derivatives and factor it uses.
    """
    n, m, k = len(fit.rest), len(forest.root), len(forest.free)
    column, other, solved = np.empty(n), np.empty(n), np.empty(m + k)
    for place in range(len(forest.codes)):
        offsets[place] = factors[place] = 0.0
        t = forest.tree[place]
        if place == forest.root[t] or forest.codes[place] == CONSTANT:
            continue
        scale = fit.weights[t] * fit.scale[t]
        for kind in range(2):
            for i in range(n):
                other[i] = scale * fit.slopes[place, i]
                if kind == 1:
                    other[i] *= fit.values[place, i]
            square = _centre(other, target, fit.roots, column)
            moment, left = dot(column, fit.rest, n), square
            for j in range(m + k):
                share = dot(column, fit.design[j], n)
                for h in range(j):
                    share -= fit.factor[j, h] * solved[h]
                solved[j] = share * fit.factor[j, j]
                left -= solved[j] * solved[j]
            if np.isfinite(square) and left > FRESH * square:
                gain = moment * moment / left
                if kind == 0:
                    offsets[place] = gain
                else:
                    factors[place] = gain


class FittedTrees(NamedTuple):
    """Trees with fitted constants, and how well they predict."""

    trees: list[Tree]
    coefficients: Floats
    """Weights of the trees' values."""
    errors: Floats
    """Leave-one-out error of each row, with its sign."""
    error: float
    """Mean of their squares."""
    size: int
    forest: FlatTrees
    fit: Fit


def fit_constants(trees: Sequence[Tree], target: Target, steps: int = STEPS) -> FittedTrees | None:
    """Fit weights and constants of trees; None if a tree is constant or not finite on a row."""
    forest, n = plant(trees), len(target.y)
    nodes, count = len(forest.codes), len(forest.root) + len(forest.free)
    roots = np.sqrt(target.weights)
    goal = (target.y - np.average(target.y, weights=target.weights)) * roots
    fit = Fit(
        values=np.empty((nodes, n)),
        slopes=np.empty((nodes, n)),
        design=np.empty((count, n)),
        gram=np.empty((count, count)),
        factor=np.zeros((count, count)),
        scale=np.empty(len(forest.root)),
        weights=np.zeros(len(forest.root)),
        rest=np.empty(n),
        roots=roots,
    )
    if not np.isfinite(_fit(forest, target, goal, fit, steps)):
        return None
    _turn_back(forest)
    forest.constants[:] = tidy(forest.constants)
    errors = np.empty(n)
    if not np.isfinite(_solve_weights(forest, target, goal, fit)):
        return None
    _leave_one_out(forest, target, fit, errors)
    error = dot(errors, target.weights * errors, n) / target.total
    if not np.isfinite(error):
        return None
    ends = [*forest.root.tolist(), nodes]
    places = [slice(a, b) for a, b in itertools.pairwise(ends)]
    found = [(forest.codes[place], forest.constants[place]) for place in places]
    return FittedTrees(found, tidy(fit.weights * fit.scale), errors, error, nodes, forest, fit)


def errors_of(fitted: FittedTrees, coefficients: Floats, alpha: float, rows: ScoredRows) -> Floats:
    """Return the leave-one-out errors if the trees have other weights, and constants are given."""
    values, scale = fitted.fit.values[fitted.forest.root], fitted.fit.scale
    centre = np.average(values, axis=1, weights=rows.weights.each)
    linear = np.array([coefficients / scale, centre, scale])
    return leave_one_out_errors(np.ascontiguousarray(values.T), linear, alpha, rows)


def _turn_back(forest: FlatTrees) -> None:
    """Take whole turns out of sines and cosines of a constant plus something."""
    for place in forest.free.tolist():
        parents = forest.codes[max(place - 2, 0) : place].tolist()
        if parents in ([SIN, ADD], [COS, ADD]):
            forest.constants[place] -= 2.0 * np.rint(0.5 * forest.constants[place])


def tidy(numbers: Floats) -> Floats:
    """Round off the last digits."""
    return np.array([float(f"{number:.{DIGITS}g}") for number in numbers])
