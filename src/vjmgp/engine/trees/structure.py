"""Trees as flat prefix arrays: random growth, subtrees, depth, nesting, hash."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...core.arrays import Codes, Floats, Int, Integers, Words
from ..compilation.kernels import kernel, part_of_kernel
from ..numerics.rng import below, uniform
from .primitives import (
    CONSTANT,
    FIRST_BINARY,
    FIRST_VARIABLE,
    UserFunctionLike,
    arity,
    codes_by_name,
    user_functions,
)

NO_LIMIT = 2**31
"""Size limit of unlimited trees."""
FIRST_CODE = -2 * FIRST_BINARY
"""The lowest code; tables by code start with it."""
BIT, FORBIDDEN = range(2)


def nesting_table(
    functions: Sequence[str | UserFunctionLike],
    forbidden_inside: Mapping[str, Sequence[str]] | None,
) -> Integers:
    """Return 2 × codes: the bit of each function, and those of functions forbidden inside it.

    Without rules the table has no columns.
    """
    if not forbidden_inside:
        return np.zeros((2, 0), np.int64)
    codes = codes_by_name(user_functions(functions))
    table = np.zeros((2, CONSTANT - FIRST_CODE), np.int64)
    bits = {name: 1 << bit for bit, name in enumerate(codes)}
    for name, code in codes.items():
        table[BIT, code - FIRST_CODE] = bits[name]
        for inner in forbidden_inside.get(name, ()):
            table[FORBIDDEN, code - FIRST_CODE] |= bits[inner]
    return table


class Grammar(NamedTuple):
    """Functions, inputs and limits of random trees."""

    functions: Codes
    n_inputs: int
    min_depth: int
    max_depth: int
    max_size: int = NO_LIMIT
    """Maximum number of nodes over all trees of an individual, and so of one tree."""
    nesting: Integers = nesting_table((), None)


@kernel
def random_terminal(state: Words, n_inputs: int) -> tuple[int, float]:
    """Return a random input or a constant from U(−1, 1), all equally likely."""
    slot = below(state, n_inputs + 1)
    if slot == n_inputs:
        return CONSTANT, 2.0 * uniform(state) - 1.0
    return FIRST_VARIABLE + slot, 0.0


@part_of_kernel
def _is_allowed(code: Int, nesting: Integers, forbidden: Int, room: Int) -> bool:
    if nesting.shape[1] > 0 and forbidden & nesting[BIT, code - FIRST_CODE] != 0:
        return False
    return arity(code) <= room


@kernel
def _function_within_limits(state: Words, grammar: Grammar, forbidden: Int, room: Int) -> Int:
    """Return a random function that is allowed here; CONSTANT if there is none."""
    count = 0
    for code in grammar.functions:
        count += _is_allowed(code, grammar.nesting, forbidden, room)
    if count > 0:
        chosen = below(state, count)
        for code in grammar.functions:
            chosen -= _is_allowed(code, grammar.nesting, forbidden, room)
            if chosen < 0:
                return np.int64(code)
    return np.int64(CONSTANT)


@kernel
def random_tree(state: Words, grammar: Grammar, codes: Codes, constants: Floats) -> int:
    """Write a random tree (ramped half-and-half) to the start of the arrays; return its length.

    The depth is uniform in the grammar's range; half of the trees are full, half may stop earlier,
    with the probability that a symbol picked from all is a terminal. If limits of size and nesting
    allow no function, a terminal is used.
    """
    depth_limit = grammar.min_depth + below(state, grammar.max_depth - grammar.min_depth + 1)
    full = below(state, 2) == 0
    n_functions = len(grammar.functions)
    terminal_share = (grammar.n_inputs + 1) / (grammar.n_inputs + 1 + n_functions)
    nesting = grammar.nesting
    limited = grammar.max_size < NO_LIMIT or nesting.shape[1] > 0
    stack = np.zeros((2, grammar.max_depth + 2), np.int64)
    depths, forbidden = stack[0], stack[1]
    waiting = 1
    length = 0
    while waiting > 0:
        waiting -= 1
        depth, forbidden_here = depths[waiting], forbidden[waiting]
        stop = depth == depth_limit or (
            not full and depth >= grammar.min_depth and uniform(state) < terminal_share
        )
        code = np.int64(CONSTANT)
        if not stop and limited:
            room = grammar.max_size - length - waiting - 1
            code = _function_within_limits(state, grammar, forbidden_here, room)
        elif not stop:
            code = np.int64(grammar.functions[below(state, n_functions)])
        if code == CONSTANT:
            codes[length], constants[length] = random_terminal(state, grammar.n_inputs)
        else:
            codes[length], constants[length] = code, 0.0
            if nesting.shape[1] > 0:
                forbidden_here |= nesting[FORBIDDEN, code - FIRST_CODE]
            for _ in range(arity(code)):
                depths[waiting], forbidden[waiting] = depth + 1, forbidden_here
                waiting += 1
        length += 1
    return length


@kernel
def subtree_end(codes: Codes, start: int) -> int:
    """Return the position after the last node of the subtree at `start`."""
    missing = 1
    position = start
    while missing > 0:
        missing += arity(codes[position]) - 1
        position += 1
    return position


@kernel
def tree_depth(codes: Codes, length: int, open_children: Integers) -> int:
    """Return the depth of a tree; a single terminal has depth 0. `open_children` is scratch."""
    deepest = 0
    level = 0
    for position in range(length):
        deepest = max(deepest, level)
        children = arity(codes[position])
        if children > 0:
            open_children[level] = children
            level += 1
        else:
            while level > 0:
                open_children[level - 1] -= 1
                if open_children[level - 1] > 0:
                    break
                level -= 1
    return deepest


@kernel
def keeps_nesting(
    codes: Codes, length: int, nesting: Integers, open_children: Integers, forbidden: Integers
) -> bool:
    """Return whether a tree keeps the rules of nesting. The last two arguments are scratch."""
    if nesting.shape[1] == 0:
        return True
    level = 0
    forbidden[0] = 0
    for position in range(length):
        code = codes[position]
        if code < CONSTANT:
            if forbidden[level] & nesting[BIT, code - FIRST_CODE] != 0:
                return False
            open_children[level] = arity(code)
            level += 1
            forbidden[level] = forbidden[level - 1] | nesting[FORBIDDEN, code - FIRST_CODE]
        else:
            while level > 0:
                open_children[level - 1] -= 1
                if open_children[level - 1] > 0:
                    break
                level -= 1
    return True


@kernel
def mix(bits: Int) -> Int:
    """Scramble 64 bits (the finaliser of splitmix64)."""
    bits = np.uint64(bits)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@kernel
def tree_hash(codes: Codes, constants: Floats, length: int) -> Int:
    """Return a hash of structure and constants."""
    value: Int = np.uint64(0x9E3779B97F4A7C15)
    constant_bits = constants.view(np.uint64)
    for position in range(length):
        value = mix(value + np.uint64(codes[position]) + np.uint64(1))
        if codes[position] == CONSTANT:
            value = mix(value ^ constant_bits[position])
    return np.int64(value)
