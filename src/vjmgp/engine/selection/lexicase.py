"""Automatic ε-lexicase selection on the leave-one-out errors.

A case is passed by those within ε of the population's smallest error on it, ε being the median
absolute deviation over the population. Minimum and ε do not depend on who is still in the
running, so "who passes" is a table of bits made once per generation, and a selection is a chain
of ANDs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..compiling import kernel
from ..population import Individuals
from ..rng import below

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Bits = NDArray[np.uint64]

TILE = 16
"""Cases read together: a cache line or two of each individual's errors."""


class Lexicase:
    """Automatic ε-lexicase selection."""

    name = "lexicase"

    def __init__(self) -> None:
        self._passes: Bits = np.empty((0, 0), np.uint64)

    def select(
        self,
        state: NDArray[np.uint64],
        individuals: Individuals,
        population: Integers,
        count: int,
        new_generation: bool,
    ) -> Integers:
        """Rows of `count` parents."""
        n_cases = individuals.loo.shape[1]
        if new_generation:
            words = (len(population) + 63) // 64
            if self._passes.shape != (n_cases, words):
                self._passes = np.empty((n_cases, words), np.uint64)
            mark_passes(individuals.loo, population, self._passes)
        parents = np.empty(count, np.int64)
        lexicase(state, self._passes, population, parents)
        return parents


@kernel
def _smallest(values: Floats, n: int, rank: int) -> float:
    """The value of this rank (0 is the smallest); reorders the values (Hoare's selection)."""
    low, high = 0, n - 1
    while low < high:
        pivot = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if rank <= j:
            high = j
        elif rank >= i:
            low = i
        else:
            break
    return values[rank]


@kernel
def median(values: Floats, n: int) -> float:
    """Median of the first n values, which it reorders."""
    upper = _smallest(values, n, n // 2)
    if n % 2 == 1:
        return upper
    lower = values[0]
    for i in range(1, n // 2):
        lower = max(lower, values[i])
    return 0.5 * (lower + upper)


@kernel
def mark_passes(errors: Floats, population: Integers, passes: Bits) -> None:
    """Bit k of passes[case] tells whether population[k] passes the case."""
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


@kernel
def _members(words: Bits) -> int:
    count = 0
    for word in words:
        while word != 0:
            word &= word - np.uint64(1)
            count += 1
    return count


@kernel
def _random_member(state: NDArray[np.uint64], words: Bits) -> int:
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
    state: NDArray[np.uint64], passes: Bits, population: Integers, parents: Integers
) -> None:
    """Draw parents: cases in random order, each keeps those who pass it unless nobody does."""
    n_cases, words = passes.shape
    order = np.arange(n_cases)
    running = np.empty(words, np.uint64)
    kept = np.empty(words, np.uint64)
    for p in range(len(parents)):
        for w in range(words):
            running[w] = np.uint64(0xFFFFFFFFFFFFFFFF)
        if len(population) & 63:
            last = np.uint64(len(population) & 63)
            running[words - 1] = (np.uint64(1) << last) - np.uint64(1)
        for drawn in range(n_cases):
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
        parents[p] = population[_random_member(state, running)]
