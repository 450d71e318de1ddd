"""Selection by dominance: the dominance tournament (DTS) and the Pareto tournament (PTS).

Row weights only enter through the objectives.
"""

import numpy as np

from ....core.arrays import Floats, Int, Integers, Words
from ...compilation.kernels import kernel, part_of_kernel
from ...numerics.rng import below


@part_of_kernel
def _dominates(o1: Floats, o2: Floats, a: Int, b: Int) -> Int:
    return o1[a] <= o1[b] and o2[a] <= o2[b] and (o1[a] < o1[b] or o2[a] < o2[b])


@kernel
def dominance_tournament(
    state: Words, o1: Floats, o2: Floats, population: Integers, parents: Integers
) -> None:
    """Fill `parents` with the winners of binary tournaments."""
    for k in range(len(parents)):
        a = population[below(state, len(population))]
        b = population[below(state, len(population))]
        if _dominates(o1, o2, b, a) or (not _dominates(o1, o2, a, b) and below(state, 2) == 1):
            a = b
        parents[k] = a


@kernel
def pareto_tournament(
    state: Words, o1: Floats, o2: Floats, population: Integers, size: int, parents: Integers
) -> None:
    """Fill `parents` with first fronts of random samples of `size`.

    Parents mate in pairs, so an odd front loses its last member; a single one mates with itself.
    """
    order = population.copy()
    front = np.empty(size + 1, np.int64)
    filled = 0
    while filled < len(parents):
        for k in range(size):  # the first places of a shuffle
            other = k + below(state, len(order) - k)
            order[k], order[other] = order[other], order[k]
        count = 0
        for k in range(size):
            beaten = False
            for j in range(size):
                if _dominates(o1, o2, order[j], order[k]):
                    beaten = True
                    break
            if not beaten:
                front[count] = order[k]
                count += 1
        if count == 1:
            front[1] = front[0]
            count = 2
        for k in range(count - count % 2):
            if filled < len(parents):
                parents[filled] = front[k]
                filled += 1
