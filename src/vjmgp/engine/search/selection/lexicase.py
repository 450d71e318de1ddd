"""Automatic ε-lexicase selection on the leave-one-out errors.

An individual passes a case if its error is within ε of the smallest one in the population, ε being
the median absolute deviation over the population. Neither depends on which individuals are left, so
a table of bits is made once per generation, and a selection is a chain of ANDs.

Cases come in random order. If rows have weights, the next case is drawn by the weights of those
left, which is the order of first copies when all copies of the rows are shuffled.
"""

import numpy as np

from ....core.arrays import Floats, Integers, Words
from ...compilation.kernels import kernel, part_of_kernel
from ...numerics.elementary import from_bits
from ...numerics.rng import below, uniform

TILE = 64
"""Cases read together: a few cache lines of each individual's errors."""


def case_sums(weights: Floats | None) -> Floats:
    """Return a binary tree of sums of the cases' weights, its root at 1; empty without weights."""
    if weights is None:
        return np.empty(0)
    leaves = 1 << (len(weights) - 1).bit_length()
    sums = np.zeros(2 * leaves)
    sums[leaves : leaves + len(weights)] = weights
    for k in range(leaves - 1, 0, -1):
        sums[k] = sums[2 * k] + sums[2 * k + 1]
    return sums


@part_of_kernel
def _set_weight(sums: Floats, case: int, weight: float) -> None:
    k = len(sums) // 2 + case
    sums[k] = weight
    k //= 2
    while k > 0:  # sums of both children, so that a part without cases has exactly 0
        sums[k] = sums[2 * k] + sums[2 * k + 1]
        k //= 2


@part_of_kernel
def _draw_case(state: Words, sums: Floats) -> int:
    """Draw one of the remaining cases by weight."""
    mark = uniform(state) * sums[1]
    k = 1
    while k < len(sums) // 2:
        k *= 2
        if mark >= sums[k] and sums[k + 1] > 0.0:
            mark -= sums[k]
            k += 1
    return k - len(sums) // 2


@kernel
def _count_up_to(keys: Integers, n: int, limit: int) -> int:
    count = 0
    for i in range(n):
        count += keys[i] <= limit
    return count


@kernel
def median(values: Floats, n: int) -> float:
    """Return the median of the first n values, none of them negative.

    The bits of such floats are ordered like integers, so the median is found by bisection of an
    interval of integers and counting. There are no branches that depend on the data, which make the
    usual algorithm slow for a few hundred values.
    """
    keys = values.view(np.int64)
    below_all, top = keys[0], keys[0]
    for i in range(n):
        below_all, top = min(below_all, keys[i]), max(top, keys[i])
    low, high = below_all - 1, top  # the key of rank n // 2 is in (low, high]
    rank = n // 2
    while high - low > 1:
        middle = low + (high - low) // 2
        count = _count_up_to(keys, n, middle)
        if count > rank:
            high = middle
            if count == rank + 1:
                break
        else:
            low = middle
    # The largest key up to `high` has the rank, or equals the one that has.
    upper = below_all
    for i in range(n):
        key = keys[i]
        upper = max(upper, key if key <= high else below_all)
    if n % 2 == 1:
        return from_bits(np.uint64(upper))
    if _count_up_to(keys, n, upper - 1) < rank:
        return from_bits(np.uint64(upper))
    lower = below_all
    for i in range(n):
        key = keys[i]
        lower = max(lower, key if key < upper else below_all)
    return 0.5 * (from_bits(np.uint64(lower)) + from_bits(np.uint64(upper)))


@kernel
def mark_passes(errors: Floats, population: Integers, passes: Words) -> None:
    """Set bit k of passes[case] if population[k] passes the case."""
    n_cases, size = errors.shape[1], len(population)
    tile = np.empty((TILE, size))
    work = np.empty(size)
    for first in range(0, n_cases, TILE):
        width = min(TILE, n_cases - first)
        for k in range(size):
            row = population[k]
            for c in range(width):
                tile[c, k] = errors[row, first + c]
        for c in range(width):
            values = tile[c]
            least = np.inf
            for k in range(size):
                work[k] = values[k]
                least = min(least, values[k])
            middle = median(work, size)
            for k in range(size):
                work[k] = abs(values[k] - middle)
            limit = least + median(work, size)
            passes[first + c, :] = 0
            for k in range(size):
                if values[k] <= limit:
                    passes[first + c, k >> 6] |= np.uint64(1) << np.uint64(k & 63)


@part_of_kernel
def _members(words: Words) -> int:
    count = 0
    for word in words:
        while word != 0:
            word &= word - np.uint64(1)
            count += 1
    return count


@part_of_kernel
def _random_member(state: Words, words: Words) -> int:
    skip = below(state, _members(words))
    for w in range(len(words)):
        word = words[w]
        while word != 0:
            if skip == 0:
                bit = 0
                while not (word >> np.uint64(bit)) & np.uint64(1):
                    bit += 1
                return w * 64 + bit
            word &= word - np.uint64(1)
            skip -= 1
    return 0


@kernel
def lexicase(
    state: Words, passes: Words, sums: Floats, population: Integers, parents: Integers
) -> None:
    """Draw parents: each case, in random order, keeps those that pass it unless none does."""
    n_cases, words = passes.shape
    weighted = len(sums) > 0
    order, weights = np.arange(n_cases), np.empty(n_cases)
    tried = 0
    running = np.empty(words, np.uint64)
    kept = np.empty(words, np.uint64)
    for p in range(len(parents)):
        for w in range(words):
            running[w] = np.uint64(0xFFFFFFFFFFFFFFFF)
        if len(population) & 63:
            last = np.uint64(len(population) & 63)
            running[words - 1] = (np.uint64(1) << last) - np.uint64(1)
        for drawn in range(n_cases):
            tried = drawn + 1
            if weighted:
                case = _draw_case(state, sums)
                order[drawn], weights[drawn] = case, sums[len(sums) // 2 + case]
                _set_weight(sums, case, 0.0)
            else:
                # One step of a shuffle: the rest of the order is only drawn if it is needed.
                other = drawn + below(state, n_cases - drawn)
                order[drawn], order[other] = order[other], order[drawn]
                case = order[drawn]
            anyone = np.uint64(0)
            several = np.uint64(0)
            for w in range(words):
                word = running[w] & passes[case, w]
                kept[w] = word
                several |= word & (word - np.uint64(1))
                if anyone != 0:
                    several |= word
                anyone |= word
            if anyone != 0:
                for w in range(words):
                    running[w] = kept[w]
                if several == 0:
                    break
        if weighted:
            for k in range(tried):
                _set_weight(sums, order[k], weights[k])
        parents[p] = population[_random_member(state, running)]
