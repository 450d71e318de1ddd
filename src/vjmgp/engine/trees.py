"""Trees as flat prefix arrays: growing them at random, finding subtrees, depth, hash."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .arrays import Codes, Floats, Integers, Whole, Words
from .compiling import kernel
from .functions import CONSTANT, FIRST_VARIABLE, arity
from .rng import below, uniform


class Grammar(NamedTuple):
    """What random trees may consist of."""

    functions: Codes
    n_inputs: int
    min_depth: int
    max_depth: int


@kernel
def random_terminal(state: Words, n_inputs: int) -> tuple[int, float]:
    """An input or a constant from U(−1, 1), each slot as likely as any other."""
    slot = below(state, n_inputs + 1)
    if slot == n_inputs:
        return CONSTANT, 2.0 * uniform(state) - 1.0
    return FIRST_VARIABLE + slot, 0.0


@kernel
def random_tree(state: Words, grammar: Grammar, codes: Codes, constants: Floats) -> int:
    """Ramped half-and-half: write a random tree at the start of the arrays, return its length.

    The depth is drawn evenly from the grammar's range; half of the trees are full, half may
    stop earlier, with the probability that a symbol picked from all is a terminal.
    """
    depth_limit = grammar.min_depth + below(state, grammar.max_depth - grammar.min_depth + 1)
    full = below(state, 2) == 0
    n_functions = len(grammar.functions)
    terminal_share = (grammar.n_inputs + 1) / (grammar.n_inputs + 1 + n_functions)
    depths = np.empty(grammar.max_depth + 2, np.int64)
    depths[0] = 0
    waiting = 1
    length = 0
    while waiting > 0:
        waiting -= 1
        depth = depths[waiting]
        stop = depth == depth_limit or (
            not full and depth >= grammar.min_depth and uniform(state) < terminal_share
        )
        if stop:
            codes[length], constants[length] = random_terminal(state, grammar.n_inputs)
        else:
            code = grammar.functions[below(state, n_functions)]
            codes[length], constants[length] = code, 0.0
            for _ in range(arity(code)):
                depths[waiting] = depth + 1
                waiting += 1
        length += 1
    return length


@kernel
def subtree_end(codes: Codes, start: int) -> int:
    """One past the last node of the subtree that starts at `start`."""
    missing = 1
    position = start
    while missing > 0:
        missing += arity(codes[position]) - 1
        position += 1
    return position


@kernel
def tree_depth(codes: Codes, length: int, open_children: Integers) -> int:
    """Depth of a tree; a lone terminal has depth 0. `open_children` is scratch."""
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
def mix(bits: Whole) -> Whole:
    """Scramble 64 bits (the finaliser of splitmix64)."""
    bits = np.uint64(bits)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@kernel
def tree_hash(codes: Codes, constants: Floats, length: int) -> Whole:
    """A hash of structure and constants."""
    value: Whole = np.uint64(0x9E3779B97F4A7C15)
    constant_bits = constants.view(np.uint64)
    for position in range(length):
        value = mix(value + np.uint64(codes[position]) + np.uint64(1))
        if codes[position] == CONSTANT:
            value = mix(value ^ constant_bits[position])
    return np.int64(value)
