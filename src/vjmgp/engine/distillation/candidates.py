"""The candidates for a student: the trees of its teacher, their subtrees and the inputs.

A subtree is a contiguous part of a tree in prefix order, so a candidate is a position in the
archive's nodes, and nothing is copied.
"""

from typing import NamedTuple

import numpy as np

from ...core.arrays import Codes, Floats, Integers
from ..compilation.kernels import kernel, part_of_kernel
from ..search.archive import CENTRE, FACTOR, FIRST_NODE, N_TREES, NODES, SIZE, WEIGHT, Archive
from ..trees.evaluation import Workspace, make_workspace, run, translate
from ..trees.primitives import FIRST_VARIABLE
from ..trees.structure import subtree_end, tree_hash
from .teacher import Teacher

LEAST_WEIGHT = 0.3
"""Subtrees are taken from models above this share of the largest weight."""


class Candidates(NamedTuple):
    """Distinct trees, and the teacher as a linear model of them."""

    codes: Codes
    constants: Floats
    start: Integers
    length: Integers
    coefficient: Floats
    """The teacher's weight of each; 0 for subtrees."""
    intercept: float


def collect(archive: Archive, teacher: Teacher, n_inputs: int, mean: float) -> Candidates:
    """Collect the distinct candidates of a teacher whose models predict `mean` on average."""
    nodes = int(archive.counts[NODES])
    inputs = np.arange(FIRST_VARIABLE, FIRST_VARIABLE + n_inputs, dtype=np.int32)
    codes = np.concatenate([archive.codes[:nodes], inputs])
    constants = np.concatenate([archive.constants[:nodes], np.zeros(n_inputs)])
    facts = archive.facts[teacher.entries]
    most = int(facts[:, SIZE].sum()) + n_inputs
    start, length = np.empty(most, np.int64), np.empty(most, np.int64)
    found = Candidates(codes, constants, start, length, np.zeros(most), mean)
    table = np.full(1 << (2 * most).bit_length(), -1, np.int64)
    trees, linear = archive.tree_length[teacher.entries], archive.linear[teacher.entries]
    least = LEAST_WEIGHT * float(teacher.weights.max())
    count, intercept = _collect(
        found, facts, trees, linear, teacher.weights, least, n_inputs, table
    )
    weights = found.coefficient[:count]
    return Candidates(codes, constants, start[:count], length[:count], weights, intercept)


@part_of_kernel
def _enter(found: Candidates, first: int, end: int, table: Integers, count: int) -> int:
    """Return the number of the candidate with these nodes; `count` if it is new."""
    codes, constants, start, length = found.codes, found.constants, found.start, found.length
    size = end - first
    mask = len(table) - 1
    place = tree_hash(codes[first:end], constants[first:end], size) & mask
    number = -1
    while number < 0:
        number = table[place]
        if number < 0:
            table[place] = number = count
            start[count], length[count] = first, size
        else:
            same = length[number] == size
            i = 0
            while same and i < size:
                other = start[number] + i
                same = codes[other] == codes[first + i] and constants[other] == constants[first + i]
                i += 1
            if not same:
                number = -1
                place = (place + 1) & mask
    return number


@kernel
def _collect(
    found: Candidates,
    facts: Integers,
    tree_length: Integers,
    linear: Floats,
    weights: Floats,
    least_weight: float,
    n_inputs: int,
    table: Integers,
) -> tuple[int, float]:
    """Enter the candidates with the teacher's weights; return their number and the intercept."""
    codes, intercept = found.codes, found.intercept
    count = 0
    for v in range(n_inputs):
        first = len(codes) - n_inputs + v
        _enter(found, first, first + 1, table, count)
        count += 1
    for model in range(len(weights)):
        root = facts[model, FIRST_NODE]
        for t in range(facts[model, N_TREES]):
            last = root + tree_length[model, t]
            share = weights[model] * linear[model, WEIGHT, t] * linear[model, FACTOR, t]
            for first in range(root, last):
                end = subtree_end(codes, first)
                is_part = first > root
                if is_part and (end - first == 1 or weights[model] < least_weight):
                    continue
                number = _enter(found, first, end, table, count)
                count += number == count
                if first == root:
                    found.coefficient[number] += share
                    intercept -= share * linear[model, CENTRE, t]
            root = last
    return count, intercept


@kernel
def _evaluate(candidates: Candidates, workspace: Workspace, out: Floats) -> None:
    start, length = candidates.start, candidates.length
    for c in range(len(start)):
        count = translate(candidates.codes, candidates.constants, start[c], length[c], workspace)
        run(workspace, count, np.int64(0), out.shape[1], out[c])


def values_of(candidates: Candidates, points: Floats, addresses: Integers | None = None) -> Floats:
    """Evaluate candidates × points; functions with codes below 0 need their addresses."""
    longest = int(candidates.length.max())
    columns = np.ascontiguousarray(points.T)
    workspace = make_workspace(columns, longest, longest // 2 + 1, addresses)
    out = np.empty((len(candidates.start), len(points)))
    _evaluate(candidates, workspace, out)
    return out
