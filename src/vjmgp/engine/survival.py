"""Who survives: NSGA-II on both objectives, or plain replacement with one elite."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .compiling import kernel

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@kernel
def front_numbers(o1: Floats, o2: Floats) -> Integers:
    """The non-dominated front of each point, 0 being the best (both objectives minimised).

    In order of (o1, o2) a point belongs to the first front whose smallest o2 so far does not
    dominate it; those minima rise from front to front, so a binary search finds it.
    """
    n = len(o1)
    by_second = np.argsort(o2, kind="mergesort")
    order = by_second[np.argsort(o1[by_second], kind="mergesort")]
    fronts = np.empty(n, np.int64)
    least = np.empty(n)
    at = np.empty(n)
    count = 0
    for point in order:
        low, high = 0, count
        while low < high:
            middle = (low + high) // 2
            # Equal points do not dominate each other.
            dominated = least[middle] < o2[point] or (
                least[middle] == o2[point] and at[middle] < o1[point]
            )
            if dominated:
                low = middle + 1
            else:
                high = middle
        fronts[point] = low
        if low == count:
            count += 1
        least[low] = o2[point]
        at[low] = o1[point]
    return fronts


@kernel
def crowding_distance(o1: Floats, o2: Floats) -> Floats:
    """NSGA-II's crowding distance within one front."""
    n = len(o1)
    distance = np.zeros(n)
    for values in (o1, o2):
        order = np.argsort(values, kind="mergesort")
        span = values[order[n - 1]] - values[order[0]]
        distance[order[0]] = np.inf
        distance[order[n - 1]] = np.inf
        if span > 0.0:
            for k in range(1, n - 1):
                distance[order[k]] += (values[order[k + 1]] - values[order[k - 1]]) / span
    return distance


@kernel
def nsga2(o1: Floats, o2: Floats, count: int) -> Integers:
    """Indices of the `count` survivors: best fronts first, the last one by crowding distance."""
    n = len(o1)
    if n <= count:
        return np.arange(n)
    fronts = front_numbers(o1, o2)
    chosen = np.empty(count, np.int64)
    taken = 0
    number = 0
    while taken < count:
        members = np.flatnonzero(fronts == number)
        if taken + len(members) > count:
            distance = crowding_distance(o1[members], o2[members])
            members = members[np.argsort(-distance, kind="mergesort")[: count - taken]]
        chosen[taken : taken + len(members)] = members
        taken += len(members)
        number += 1
    return chosen
