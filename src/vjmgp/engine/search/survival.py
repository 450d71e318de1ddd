"""Survival by NSGA-II."""

import numpy as np

from ...core.arrays import Floats, Integers
from ..compilation.kernels import kernel


@kernel
def _assign_fronts(o1: Floats, o2: Floats, order: Integers, fronts: Integers) -> None:
    """Assign points in order of (o1, o2) to fronts.

    A point belongs to the first front whose last member does not dominate it. The o2 of these
    members rise from front to front, so a binary search finds it.
    """
    last = np.empty(len(o1), np.int64)
    count = 0
    for point in order:
        low, high = 0, count
        while low < high:
            middle = (low + high) // 2
            rival = last[middle]
            # Equal points do not dominate each other.
            if o2[rival] < o2[point] or (o2[rival] == o2[point] and o1[rival] < o1[point]):
                low = middle + 1
            else:
                high = middle
        fronts[point] = low
        count = max(count, low + 1)
        last[low] = point


def front_numbers(o1: Floats, o2: Floats) -> Integers:
    """Return the number of each point's front, 0 being the best (both objectives minimised)."""
    fronts = np.empty(len(o1), np.int64)
    _assign_fronts(o1, o2, np.lexsort((o2, o1)), fronts)
    return fronts


def front_numbers_of_many(objectives: Floats) -> Integers:
    """Return the number of each point's front; `objectives` are points × objectives, minimised."""
    no_worse = np.asarray((objectives[:, None] <= objectives).all(axis=2))
    dominates = no_worse & ~no_worse.T
    fronts, left = np.zeros(len(objectives), np.int64), np.ones(len(objectives), bool)
    while left.any():
        best = left & ~dominates[left].any(axis=0)
        left &= ~best
        fronts[left] += 1
    return fronts


def crowding_distance(*objectives: Floats) -> Floats:
    """Return NSGA-II's crowding distance within one front."""
    distance = np.zeros(len(objectives[0]))
    for values in objectives:
        order = np.argsort(values, kind="stable")
        ranked = values[order]
        if ranked[-1] > ranked[0]:
            distance[order[1:-1]] += (ranked[2:] - ranked[:-2]) / (ranked[-1] - ranked[0])
        distance[order[[0, -1]]] = np.inf
    return distance


def nsga2(o1: Floats, o2: Floats, count: int, *more: Floats) -> Integers:
    """Return the indices of `count` survivors: best fronts first, then by crowding distance.

    `more` are further objectives.
    """
    if len(o1) <= count:
        return np.arange(len(o1))
    objectives = (o1, o2, *more)
    fronts = front_numbers_of_many(np.transpose(objectives)) if more else front_numbers(o1, o2)
    order = np.argsort(fronts, kind="stable")
    last = fronts[order[count - 1]]
    chosen = order[fronts[order] < last]
    candidates = np.flatnonzero(fronts == last)
    distance = crowding_distance(*(values[candidates] for values in objectives))
    farthest = np.argsort(-distance, kind="stable")[: count - len(chosen)]
    return np.concatenate([chosen, candidates[farthest]])
