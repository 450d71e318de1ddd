"""Revise the trees of a formula: insert constants that pay for their nodes, leave out the rest.

A change is judged by the mean squared leave-one-out error and the price of its nodes, with all
constants fitted again.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from ...core.arrays import Codes
from ..settings import Settings
from ..trees.primitives import ADD, CONSTANT, FIRST_VARIABLE, MUL, codes_of
from ..trees.structure import keeps_nesting, nesting_table, subtree_end, tree_depth
from .choice import description
from .constants import FittedTrees, Target, Tree, fit_constants, gains

MOST_NEW = 10
"""Largest number of constants that are inserted."""
ATTEMPTS = 2
"""Nodes that are tried before insertion ends."""
FEW_STEPS = 4
"""Steps of a fit that judges whether a node is needed."""
MOST_TRIALS = 200
"""Largest number of such fits."""


def polished(
    trees: Sequence[Tree], target: Target, node_price: float, settings: Settings
) -> FittedTrees | None:
    """Fit the constants of trees, and insert those that pay for their nodes.

    A new constant must lower the mean squared leave-one-out error by more than the price of its
    two nodes, and the trees must stay within the limits of the run.
    """
    best = fit_constants(trees, target)
    for _ in range(MOST_NEW if best is not None else 0):
        assert best is not None
        total = _total(best, node_price)
        for place, code in _promising(best, target, node_price):
            larger, changed = _inserted(best, place, code)
            if not is_within(settings, larger[changed][0], best.size + 2):
                continue
            attempt = fit_constants(larger, target)
            if attempt is not None and _total(attempt, node_price) < total:
                best = attempt
                break
        else:
            break
    return best


def is_within(settings: Settings, codes: Codes, size: int) -> bool:
    """Return whether a tree of a model of this size keeps the limits of a run."""
    scratch, other = np.zeros(len(codes) + 1, np.int64), np.zeros(len(codes) + 1, np.int64)
    nesting = nesting_table(settings.functions, settings.forbidden_inside)
    used = codes[codes < CONSTANT]
    return bool(
        np.isin(used, codes_of(settings.functions)).all()
        and (settings.max_size is None or size <= settings.max_size)
        and tree_depth(codes, len(codes), scratch) <= settings.max_depth
        and keeps_nesting(codes, len(codes), nesting, scratch, other)
    )


def _promising(fitted: FittedTrees, target: Target, node_price: float) -> list[tuple[int, int]]:
    """Return the nodes, and functions, at which a constant promises most."""
    offsets, factors = np.empty(fitted.size), np.empty(fitted.size)
    gains(fitted.forest, target, fitted.fit, offsets, factors)
    each = np.concatenate([offsets, factors]) / target.total
    order = np.argsort(-each, kind="stable")[:ATTEMPTS]
    return [
        (int(k) % fitted.size, ADD if k < fitted.size else MUL)
        for k in order
        if each[k] > 2.0 * node_price
    ]


def _inserted(fitted: FittedTrees, place: int, code: int) -> tuple[list[Tree], int]:
    """Return the trees with a constant added to a node or multiplied by it; and which changed."""
    trees = list(fitted.trees)
    t = int(fitted.forest.tree[place])
    codes, constants = trees[t]
    at = place - int(fitted.forest.root[t])
    trees[t] = (
        np.concatenate([codes[:at], [code, CONSTANT], codes[at:]]).astype(np.int32),
        np.concatenate([constants[:at], [0.0, float(code == MUL)], constants[at:]]),
    )
    return trees, t


def simplified(
    fitted: FittedTrees, target: Target, node_price: float, settings: Settings
) -> FittedTrees:
    """Leave out trees and nodes that are not worth their price, then insert constants again."""
    best, trials, is_better = fitted, 0, True
    while is_better:
        is_better = False
        for trees in _shorter(best.trees):
            trials += 1
            if trials > MOST_TRIALS:
                break
            attempt = fit_constants(trees, target, FEW_STEPS)
            if attempt is not None and _total(attempt, node_price) < _total(best, node_price):
                best, is_better = attempt, True
                break
    return polished(best.trees, target, node_price, settings) or fitted


def _shorter(trees: list[Tree]) -> Iterator[list[Tree]]:
    """Yield the formulas without one tree, or with an argument in the place of a function."""
    for t, (codes, constants) in enumerate(trees):
        before, after = trees[:t], trees[t + 1 :]
        if before or after:
            yield before + after
        for place in np.flatnonzero(codes < CONSTANT).tolist():
            end, start = subtree_end(codes, place), place + 1
            while start < end:
                stop = subtree_end(codes, start)
                parts = slice(0, place), slice(start, stop), slice(end, None)
                shorter = tuple(np.concatenate([a[p] for p in parts]) for a in (codes, constants))
                if (shorter[0] >= FIRST_VARIABLE).any():
                    yield [*before, (shorter[0], shorter[1]), *after]
                start = stop


def _total(fitted: FittedTrees, node_price: float) -> float:
    codes = np.concatenate([tree[0] for tree in fitted.trees])
    return fitted.error + node_price * description(codes)
