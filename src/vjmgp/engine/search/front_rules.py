"""Rules that choose the final model from a front."""

from collections.abc import Callable

import numpy as np

from ...core.arrays import Floats


def scaled(values: Floats) -> Floats:
    """Return an objective scaled to [0, 1] on the front; 0 if it does not vary."""
    span = float(np.max(values) - np.min(values))
    return (values - np.min(values)) / span if span > 0 else np.zeros_like(values)


def smallest_sum(o1: Floats, o2: Floats, tau: float) -> int:
    """Return the smallest o1 + τ·o2; both are in units of the target's variance."""
    return int(np.argmin(o1 + tau * o2))


def knee(o1: Floats, o2: Floats, tau: float = 1.0) -> int:
    """Return the knee: the smallest sum of both objectives scaled to [0, 1].

    An objective that does not vary on the front has no influence.
    """
    return int(np.argmin(scaled(o1) + scaled(o2)))


def smallest_o1(o1: Floats, o2: Floats, tau: float = 1.0) -> int:
    """Return the most accurate by leave-one-out error; of equals the one with the smaller o2."""
    return int(np.lexsort((o2, o1))[0])


def smallest_o2(o1: Floats, o2: Floats, tau: float = 1.0) -> int:
    """Return the smallest o2; of equals the one with the smaller o1."""
    return int(np.lexsort((o1, o2))[0])


Rule = Callable[[Floats, Floats, float], int]

RULES: dict[str, Rule] = {"tau": smallest_sum, "knee": knee, "o1": smallest_o1, "o2": smallest_o2}

FINAL_RULES = ("auto", "short", "distil", "paper", *RULES)
"""Values of `final_rule`. "paper" is the regulariser's rule, "auto" is "short" if possible."""


def front_rule(name: str, own: str) -> Rule:
    """Return the rule by which a run picks one model of its front.

    A run that distils has a student only at its end; until then it follows the paper.
    """
    return RULES.get(name, RULES[own])
