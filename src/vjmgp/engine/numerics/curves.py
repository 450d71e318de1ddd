"""Hyperbolic tangent, logistic function, arctangent and cube root, as in `elementary`."""

import numpy as np

from ..compilation.kernels import kernel
from .elementary import from_bits, natural_exp, to_bits


@kernel
def hyperbolic_tangent(x: float) -> float:
    """Return the hyperbolic tangent."""
    size = abs(x)
    t = x * x
    p = -1.6925719888061585e-05
    p = p * t + 7.899912363092801e-05
    p = p * t - 0.00023029727919427495
    p = p * t + 0.0005872264191418522
    p = p * t - 0.0014552533620089917
    p = p * t + 0.0035920498263923854
    p = p * t - 0.008863228923119462
    p = p * t + 0.021869488209066645
    p = p * t - 0.053968253959920026
    p = p * t + 0.1333333333332503
    p = p * t - 0.3333333333333332
    near = x + x * t * p
    far = 1.0 - 2.0 / (natural_exp(2.0 * size) + 1.0)
    far = -far if x < 0.0 else far
    return near if size < 0.625 else far


@kernel
def logistic(x: float) -> float:
    """Return 1 / (1 + e^−x)."""
    e = natural_exp(-abs(x))
    return (e if x < 0.0 else 1.0) / (1.0 + e)


@kernel
def arctangent(x: float) -> float:
    """Return the angle between −π/2 and π/2 whose tangent is x."""
    size = abs(x)
    steep = size > 1.0
    u = 1.0 / size if steep else size
    middle = u > 0.41421356237309503  # tan π/8
    v = (u - 1.0) / (u + 1.0) if middle else u
    t = v * v
    p = -0.01917392228554793
    p = p * t + 0.03922923713835943
    p = p * t - 0.05085365922344248
    p = p * t + 0.05858132894427922
    p = p * t - 0.06664509603255386
    p = p * t + 0.07692183059894114
    p = p * t - 0.09090904572487347
    p = p * t + 0.11111111015117626
    p = p * t - 0.1428571428466482
    p = p * t + 0.19999999999995513
    p = p * t - 0.3333333333333333
    angle = (0.7853981633974483 if middle else 0.0) + (v + v * t * p)
    angle = 1.5707963267948966 - angle if steep else angle
    return -angle if x < 0.0 else angle


@kernel
def cube_root(x: float) -> float:
    """Return the real cube root."""
    size = abs(x)
    # The sums below overflow for the largest numbers and lose digits for the smallest.
    tiny, huge = size < 1e-290, size > 1e290
    size = size * 1e300 if tiny else (size * 1e-300 if huge else size)
    # A third of the exponent, as bits; three steps of Halley's method then give all digits.
    root = from_bits(to_bits(size) // np.uint64(3) + np.uint64(0x2A9F7893782DA1CE))
    for _ in range(3):
        cube = root * root * root
        root = root * ((cube + size + size) / (cube + cube + size))
    root = root * 1e-100 if tiny else (root * 1e100 if huge else root)
    root = root if 0.0 < size < np.inf else size
    return -root if x < 0.0 else root
