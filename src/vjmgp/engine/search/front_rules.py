"""Rules that choose the final model from a front."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...core.arrays import Floats


def _scaled(values: Floats) -> Floats:
    span = float(np.max(values) - np.min(values))
    return (values - np.min(values)) / span if span > 0 else np.zeros_like(values)


def smallest_sum(o1: Floats, o2: Floats, tau: float) -> int:
    """The smallest o1 + τ·o2: both are in units of the target's variance."""
    return int(np.argmin(o1 + tau * o2))


def knee(o1: Floats, o2: Floats, tau: float = 1.0) -> int:
    """The minimum-Manhattan-distance knee: both objectives scaled to [0, 1], smallest sum.

    An objective that does not vary on the front leaves the choice to the other.
    """
    return int(np.argmin(_scaled(o1) + _scaled(o2)))


def smallest_o1(o1: Floats, o2: Floats, tau: float = 1.0) -> int:
    """The most accurate by leave-one-out error; of equals the one with the smaller o2."""
    return int(np.lexsort((o2, o1))[0])


def smallest_o2(o1: Floats, o2: Floats, tau: float = 1.0) -> int:
    """The most regular; of equals the one with the smaller o1."""
    return int(np.lexsort((o1, o2))[0])


Rule = Callable[[Floats, Floats, float], int]

RULES: dict[str, Rule] = {
    "tau": smallest_sum,
    "knee": knee,
    "o1": smallest_o1,
    "o2": smallest_o2,
}

FINAL_RULES = ("auto", "short", "distil", "paper", *RULES)
"""What `final_rule` may be. "paper" is the regulariser's own rule, "auto" "short" where it can."""


def front_rule(name: str, own: str) -> Rule:
    """The rule by which a run picks one model of its front.

    A run that distils has a student only at its end; until then it follows the paper.
    """
    return RULES.get(name, RULES[own])
