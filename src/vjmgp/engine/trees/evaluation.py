"""Evaluate trees on many rows at once.

A tree becomes a short list of instructions on registers, each a block of rows that fits the
first-level cache. Inputs are read in place, so leaves cost nothing. Registers and input columns
share one flat array, so an operand is just an offset.
"""

from typing import NamedTuple

import numpy as np

from ...core.arrays import Codes, Floats, Int, Integers
from ..compilation.kernels import kernel, part_of_kernel
from .addresses import addresses_of, call_address
from .primitives import CONSTANT, FIRST_VARIABLE, apply, arity

BLOCK = 384
"""Rows per register: 3 kB, so that a dozen registers and inputs stay in the first-level cache."""


class Workspace(NamedTuple):
    """Registers, input columns and the instructions of one tree."""

    memory: Floats
    """`n_registers` blocks of BLOCK rows, then the input columns, `n_rows` each."""
    program: Integers
    """One row per instruction: function, result, first and second operand."""
    stack: Integers
    sizes: Integers
    """n_registers, n_rows, and whether any function has an address."""
    addresses: Integers
    """Addresses of the functions with codes below 0."""


def make_workspace(
    columns: Floats, longest_tree: int, deepest_tree: int, addresses: Integers | None = None
) -> Workspace:
    """Return a workspace for the rows of `columns` (inputs × rows).

    Trees with codes below 0 need the table of `addresses_of`.
    """
    n_inputs, n_rows = columns.shape
    # Up to three registers per level for results, and one for every constant of a tree.
    n_registers = 3 * (deepest_tree + 1) + (longest_tree + 1) // 2
    memory = np.empty(n_registers * BLOCK + n_inputs * n_rows)
    memory[n_registers * BLOCK :] = np.ascontiguousarray(columns).ravel()
    addresses = addresses_of(()) if addresses is None else addresses
    return Workspace(
        memory,
        np.empty((longest_tree + 1, 4), np.int64),
        np.empty(longest_tree + 1, np.int64),
        np.array([n_registers, n_rows, np.count_nonzero(addresses)]),
        addresses,
    )


@kernel
def translate(
    codes: Codes, constants: Floats, start: int, length: int, workspace: Workspace
) -> int:
    """Write the instructions of the tree at `start` into the workspace; return their number.

    Operands are registers (0 and above) or input columns (below 0: −1 − v). Constants fill
    registers from the top down, results use them from the bottom up.
    """
    stack, program, memory = workspace.stack, workspace.program, workspace.memory
    top = 0
    count = 0
    constant = workspace.sizes[0]
    for position in range(start + length - 1, start - 1, -1):
        code = codes[position]
        if code >= FIRST_VARIABLE:
            stack[top] = FIRST_VARIABLE - 1 - code
            top += 1
        elif code == CONSTANT:
            constant -= 1
            register = memory[constant * BLOCK : (constant + 1) * BLOCK]
            for i in range(BLOCK):
                register[i] = constants[position]
            stack[top] = constant
            top += 1
        else:
            top -= 1
            first = stack[top]
            second = first
            if arity(code) == 2:
                top -= 1
                second = stack[top]
            # The lowest register above those still waiting on the stack. Not that of an operand:
            # writing in place would prevent vector code.
            target = 0
            for waiting in range(top - 1, -1, -1):
                if 0 <= stack[waiting] < constant:
                    target = stack[waiting] + 1
                    break
            while target == first or target == second:  # noqa: SIM109 (slower in numba)
                target += 1
            stack[top] = target
            top += 1
            program[count, 0] = code
            program[count, 1] = target
            program[count, 2] = first
            program[count, 3] = second
            count += 1
    if count == 0:  # a lone terminal
        program[0, 2] = stack[0]
    return count


@part_of_kernel
def _run(
    workspace: Workspace,
    count: int,
    first_row: Int,
    last_row: Int,
    out: Floats,
    through_addresses: bool,
) -> None:
    memory, program = workspace.memory, workspace.program
    n_rows = workspace.sizes[1]
    inputs = workspace.sizes[0] * BLOCK
    for start in range(first_row, last_row, BLOCK):
        n = min(BLOCK, last_row - start)
        place = out[start - first_row : start - first_row + n]
        operand = program[0, 2]
        for q in range(count):
            first, second = program[q, 2], program[q, 3]
            a = first * BLOCK if first >= 0 else inputs - (first + 1) * n_rows + start
            b = second * BLOCK if second >= 0 else inputs - (second + 1) * n_rows + start
            c = program[q, 1] * BLOCK
            target = place if q == count - 1 else memory[c : c + n]
            code = program[q, 0]
            if through_addresses and code < 0:
                address = workspace.addresses[-1 - code]
                call_address(address, code, memory[a : a + n], memory[b : b + n], target)
            else:
                apply(code, memory[a : a + n], memory[b : b + n], target)
        if count == 0:
            a = operand * BLOCK if operand >= 0 else inputs - (operand + 1) * n_rows + start
            for i in range(n):
                place[i] = memory[a + i]


@kernel
def _run_through_addresses(
    workspace: Workspace, count: int, first_row: Int, last_row: Int, out: Floats
) -> None:
    _run(workspace, count, first_row, last_row, out, True)


@kernel
def run(workspace: Workspace, count: int, first_row: Int, last_row: Int, out: Floats) -> None:
    """Run the translated instructions on rows first_row ≤ r < last_row; out[0] is first_row's.

    Calls through addresses are opaque to the compiler and would slow down other trees.
    """
    if workspace.sizes[2]:
        _run_through_addresses(workspace, count, first_row, last_row, out)
    else:
        _run(workspace, count, first_row, last_row, out, False)
