"""Kriging for blends: a small Gaussian process with a smooth kernel, a linear one and noise."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct, Matern, WhiteKernel
from threadpoolctl import threadpool_limits

from ..core.arrays import Floats


class Kriging(NamedTuple):
    """A fitted process: Σ dual·k(x, row), k(x, z) = smooth·Matérn(|x − z|/length) + linear."""

    rows: Floats
    dual: Floats
    smooth: float
    length: float
    slope: float
    """The linear kernel is slope·(offset² + x·z)."""
    offset: float


class RowNoise(WhiteKernel):  # type: ignore[misc]
    """White noise with per-row variance noise_level / weight."""

    def __init__(
        self,
        noise_level: float = 1.0,
        noise_level_bounds: Any = (1e-5, 1e5),
        weights: Floats | None = None,
    ) -> None:
        super().__init__(noise_level, noise_level_bounds)
        self.weights = weights

    def __call__(self, X: Any, Y: Any = None, eval_gradient: bool = False) -> Any:
        """Return the noise of the training rows; between them and other rows there is none."""
        found = super().__call__(X, Y, eval_gradient)
        if self.weights is None or Y is not None:
            return found
        if not eval_gradient:
            return found / self.weights
        return found[0] / self.weights, found[1] / self.weights[:, None, None]


def initial_kernel(n_inputs: int, weights: Floats | None = None) -> Any:
    """Return the kernel before its parameters are fitted, for standardised data."""
    smooth = ConstantKernel(1.0, (1e-3, 1e3)) * Matern(np.sqrt(n_inputs), (1e-2, 1e3), nu=1.5)
    linear = ConstantKernel(0.1, (1e-6, 1e3)) * DotProduct(1.0, (1e-3, 1e3))
    return smooth + linear + RowNoise(0.3, (1e-4, 10.0), weights)


def fit_kriging(x: Floats, y: Floats, weights: Floats | None = None) -> Kriging:
    """Fit rows × inputs by maximum likelihood."""
    process = GaussianProcessRegressor(initial_kernel(x.shape[1], weights), random_state=0)
    # More threads would change the order of sums; a parameter at its bound is a useless input.
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", ConvergenceWarning)
        process.fit(x, y)
    values = process.kernel_.get_params()
    return Kriging(
        np.ascontiguousarray(x, dtype=np.float64),
        np.asarray(process.alpha_, dtype=np.float64).ravel(),
        float(values["k1__k1__k1__constant_value"]),
        float(values["k1__k1__k2__length_scale"]),
        float(values["k1__k2__k1__constant_value"]),
        float(values["k1__k2__k2__sigma_0"]),
    )


def predict_kriging(process: Kriging, x: Floats) -> Floats:
    """Return the mean of the process at rows × inputs."""
    rows = process.rows
    squares = (x**2).sum(1)[:, None] + (rows**2).sum(1) - 2.0 * (x @ rows.T)
    distance = np.sqrt(3.0 * np.maximum(squares, 0.0)) / process.length
    values = process.smooth * (1.0 + distance) * np.exp(-distance)
    values += process.slope * (process.offset**2 + x @ rows.T)
    return np.asarray(values @ process.dual)
