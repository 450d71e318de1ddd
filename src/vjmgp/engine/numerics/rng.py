"""Random numbers for kernels: xoshiro256++, with its state passed in explicitly.

Each part of a run (folds, forest, vicinal data, evolution) has a separate stream, so switching one
off does not shift the numbers of another. Logarithms and powers are those of the engine, because
the C library's differ in their last bits between systems.
"""

import math

import numpy as np

from ...core.arrays import Floats, Int, Integers, Words
from ..compilation.kernels import kernel
from .elementary import natural_exp, natural_log

STREAMS = (
    "folds",
    "noise_forest",
    "detector",
    "vicinal",
    "initialisation",
    "evolution",
    "rademacher",
    "distillation",
    "rows",
)


def stream(seed: int, name: str, restart: int = 0) -> Words:
    """Return the state of a named stream for a seed and a restart."""
    words = [seed, STREAMS.index(name), restart]
    entropy = np.random.SeedSequence(words if restart else words[:2])
    return entropy.generate_state(4, np.uint64).astype(np.uint64)


@kernel
def next_bits(state: Words) -> Int:
    """Return 64 random bits."""
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    total = s0 + s3
    result = ((total << np.uint64(23)) | (total >> np.uint64(41))) + s0
    shifted = s1 << np.uint64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = (s3 << np.uint64(45)) | (s3 >> np.uint64(19))
    state[0], state[1], state[2], state[3] = s0, s1, s2, s3
    return result


@kernel
def uniform(state: Words) -> float:
    """Return a number in [0, 1)."""
    return np.float64(next_bits(state) >> np.uint64(11)) * 2.0**-53


@kernel
def below(state: Words, bound: Int) -> Int:
    """Return an integer in [0, bound), bound ≤ 2**31; the bias is below bound / 2**32."""
    return np.int64(((next_bits(state) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@kernel
def normal(state: Words) -> float:
    """Return a standard normal number (Marsaglia's polar method; one of the pair is used)."""
    while True:
        a = 2.0 * uniform(state) - 1.0
        b = 2.0 * uniform(state) - 1.0
        square = a * a + b * b
        if 0.0 < square < 1.0:
            return a * math.sqrt(-2.0 * natural_log(square) / square)


@kernel
def fill_normal(state: Words, out: Floats) -> None:
    """Fill an array with standard normal numbers."""
    for i in range(len(out)):
        out[i] = normal(state)


@kernel
def gamma(state: Words, shape: float) -> float:
    """Return a Gamma(shape, 1) number by Marsaglia and Tsang's squeeze."""
    boost = 1.0
    if shape < 1.0:
        boost = natural_exp(natural_log(1.0 - uniform(state)) / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = normal(state)
        v = 1.0 + c * x
        if v <= 0.0:
            continue
        v = v * v * v
        u = 1.0 - uniform(state)
        if natural_log(u) < 0.5 * x * x + d - d * v + d * natural_log(v):
            return boost * d * v


@kernel
def beta(state: Words, a: float, b: float) -> float:
    """Return a Beta(a, b) number."""
    first = gamma(state, a)
    total = first + gamma(state, b)
    if total == 0.0:
        return 0.5
    return first / total


@kernel
def shuffle(state: Words, items: Integers) -> None:
    """Shuffle in place (Fisher and Yates)."""
    for last in range(len(items) - 1, 0, -1):
        other = below(state, last + 1)
        items[last], items[other] = items[other], items[last]
