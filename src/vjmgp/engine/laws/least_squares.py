"""Fit the constants of an expression by Levenberg–Marquardt, compiled.

An expression becomes a program: a list of nodes, operands before the node that uses them. One pass
forward computes values, one backward the derivatives by all constants.
"""

from typing import Any, NamedTuple

import numpy as np

from ...core.arrays import Floats, Integers
from ..compilation.kernels import kernel, part_of_kernel
from ..numerics.lanes import dot
from .expressions import Expression

INPUT, NUMBER, FREE, SUM, PRODUCT, POWER, EXP, LOG, SIN, COS, TANH = range(11)
KINDS = {"+": SUM, "*": PRODUCT, "exp": EXP, "log": LOG, "sin": SIN, "cos": COS, "tanh": TANH}
ATTEMPTS = 6
"""Number of times that damping is raised for a step."""
START, LEAST = 1e-4, 1e-14
"""Damping at first, and at least."""


class Program(NamedTuple):
    """The nodes of an expression; the last one is the whole."""

    kinds: Integers
    first: Integers
    """Operand of each node, or the number of its input …"""
    second: Integers
    """… and the other operand."""
    numbers: Floats
    """Value of numbers and constants, exponent of powers."""
    free: Integers
    """The nodes that are constants to be fitted, from left to right."""


def program_of(expression: Expression) -> Program:
    """Translate an expression; sums and products of several operands become nodes of two."""
    nodes: list[tuple[int, int, int, float]] = []

    def add(kind: int, first: int = 0, second: int = 0, number: float = 0.0) -> int:
        nodes.append((kind, first, second, number))
        return len(nodes) - 1

    def visit(part: Expression) -> int:
        match part:
            case ("x", place):
                return add(INPUT, first=place)
            case ("n" | "k" as kind, number):
                return add(NUMBER if kind == "n" else FREE, number=number)
            case ("^", base, exponent):
                return add(POWER, visit(base), number=exponent)
            case ("+" | "*" as kind, *operands):
                node = visit(operands[0])
                for operand in operands[1:]:
                    node = add(KINDS[kind], node, visit(operand))
                return node
        return add(KINDS[part[0]], visit(part[1]))

    visit(expression)
    columns: list[Any] = [np.array(column) for column in zip(*nodes, strict=True)]
    kinds, first, second, numbers = columns
    return Program(kinds, first, second, numbers.astype(float), np.flatnonzero(kinds == FREE))


def with_slopes(expression: Expression, columns: Floats) -> tuple[Floats, Floats]:
    """Return the values, and their derivatives by each constant, constants × rows."""
    program = program_of(expression)
    values, slopes = np.empty((2, len(program.kinds), columns.shape[1]))
    evaluate(program, np.ascontiguousarray(columns), values)
    differentiate(program, values, slopes)
    return values[-1], slopes[program.free]


@part_of_kernel
def _raise(base: float, exponent: float) -> float:
    if exponent == 2.0:
        return base * base
    if exponent == -1.0:
        return 1.0 / base
    return np.sqrt(base) if exponent == 0.5 else base**exponent


@kernel
def evaluate(program: Program, columns: Floats, values: Floats) -> None:
    """Compute the values of all nodes, nodes × rows."""
    for node in range(len(program.kinds)):
        kind, number, out = program.kinds[node], program.numbers[node], values[node]
        if kind == INPUT:
            out[:] = columns[program.first[node]]
            continue
        a, b = values[program.first[node]], values[program.second[node]]
        for i in range(len(out)):
            if kind == SUM:
                out[i] = a[i] + b[i]
            elif kind == PRODUCT:
                out[i] = a[i] * b[i]
            elif kind == POWER:
                out[i] = _raise(a[i], number)
            elif kind == EXP:
                out[i] = np.exp(a[i])
            elif kind == LOG:
                out[i] = np.log(a[i])
            elif kind == SIN:
                out[i] = np.sin(a[i])
            elif kind == COS:
                out[i] = np.cos(a[i])
            elif kind == TANH:
                out[i] = np.tanh(a[i])
            else:
                out[i] = number


@kernel
def differentiate(program: Program, values: Floats, slopes: Floats) -> None:
    """Compute the derivatives of the whole by all nodes, nodes × rows."""
    last = len(program.kinds) - 1
    slopes[last] = 1.0
    for node in range(last, -1, -1):
        kind, number = program.kinds[node], program.numbers[node]
        if kind < SUM:
            continue
        first, second = program.first[node], program.second[node]
        a, b, v, own = values[first], values[second], values[node], slopes[node]
        to_first, to_second = slopes[first], slopes[second]
        for i in range(len(v)):
            if kind == SUM:
                to_first[i] = to_second[i] = own[i]
            elif kind == PRODUCT:
                to_first[i] = own[i] * b[i]
                to_second[i] = own[i] * a[i]
            elif kind == POWER:
                to_first[i] = own[i] * number * _raise(a[i], number - 1.0)
            elif kind == EXP:
                to_first[i] = own[i] * v[i]
            elif kind == LOG:
                to_first[i] = own[i] / a[i]
            elif kind == SIN:
                to_first[i] = own[i] * np.cos(a[i])
            elif kind == COS:
                to_first[i] = -own[i] * np.sin(a[i])
            else:
                to_first[i] = own[i] * (1.0 - v[i] * v[i])


@part_of_kernel
def _solved(normal: Floats, moment: Floats, damping: float, factor: Floats, step: Floats) -> bool:
    """Solve (normal + damping)·step = moment by Cholesky; return False if that is singular."""
    count = len(moment)
    for i in range(count):
        for j in range(i + 1):
            share = normal[i, j] + (damping if i == j else 0.0)
            for k in range(j):
                share -= factor[i, k] * factor[j, k]
            if i != j:
                factor[i, j] = share / factor[j, j]
            elif share > 0.0:
                factor[i, i] = np.sqrt(share)
            else:
                return False
    for i in range(count):
        share = moment[i]
        for k in range(i):
            share -= factor[i, k] * step[k]
        step[i] = share / factor[i, i]
    for i in range(count - 1, -1, -1):
        share = step[i]
        for k in range(i + 1, count):
            share -= factor[k, i] * step[k]
        step[i] = share / factor[i, i]
    return True


@kernel
def _rest(program: Program, columns: Floats, goal: Floats, roots: Floats, work: Floats) -> float:
    """Evaluate the program; write the weighted residuals to the row behind; return their square."""
    nodes = len(program.kinds)
    evaluate(program, columns, work)
    rest = work[nodes]
    for i in range(len(goal)):
        rest[i] = goal[i] - roots[i] * work[nodes - 1, i]
    return dot(rest, rest, len(goal))


@kernel
def fit_program(
    program: Program,
    columns: Floats,
    goal: Floats,
    roots: Floats,
    steps: int,
    enough: float,
    exact: float,
    jacobian: Floats,
) -> float:
    """Fit the program's constants in place; return the squared error, NaN if undefined.

    `goal` are labels times `roots`, those of the weights. The fit ends if a step lowers the error
    by a share below `enough`, or to `exact`. `jacobian`, constants × rows, receives the
    derivatives times the roots.
    """
    nodes, n, count = len(program.kinds), len(goal), len(program.free)
    work, slopes = np.empty((nodes + 1, n)), np.empty((nodes, n))
    lengths, moment, step = np.empty(count), np.empty(count), np.zeros(count)
    before, normal, factor = np.empty(count), np.empty((count, count)), np.zeros((count, count))
    error = _rest(program, columns, goal, roots, work)
    if not np.isfinite(error):
        return np.nan
    damping = START
    for taken in range(steps + 1):
        differentiate(program, work[:nodes], slopes)
        for j in range(count):
            for i in range(n):
                jacobian[j, i] = roots[i] * slopes[program.free[j], i]
        if taken == steps or count == 0:
            break
        is_finite = True
        for j in range(count):
            square = dot(jacobian[j], jacobian[j], n)
            is_finite = is_finite and np.isfinite(square)
            lengths[j] = np.sqrt(square) if square > 0.0 else 1.0
            moment[j] = dot(jacobian[j], work[nodes], n) / lengths[j]
            for k in range(j + 1):
                share = dot(jacobian[j], jacobian[k], n) / lengths[j] / lengths[k]
                normal[j, k] = normal[k, j] = share
        if not is_finite:
            break
        least = np.inf
        for j in range(count):
            before[j] = program.numbers[program.free[j]]
        for _ in range(ATTEMPTS):
            if not _solved(normal, moment, damping, factor, step):
                damping = max(damping, 1e-8) * 10.0
                continue
            for j in range(count):
                program.numbers[program.free[j]] = before[j] + step[j] / lengths[j]
            least = _rest(program, columns, goal, roots, work)
            if least < error:
                break
            damping *= 8.0
        if not least < error:
            for j in range(count):
                program.numbers[program.free[j]] = before[j]
            _rest(program, columns, goal, roots, work)
            break
        gain = 1.0 - least / error
        error, damping = least, max(damping * 0.1, LEAST)
        if gain < enough or error < exact:
            steps = taken + 1
    return error
