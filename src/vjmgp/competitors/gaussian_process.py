"""A Gaussian process whose kernel a grid can name; scikit-learn's asks for a kernel object."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, WhiteKernel
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

Floats = NDArray[np.float64]
SCALES, LENGTHS, NOISE = (1e-3, 1e3), (1e-2, 1e3), (1e-5, 10.0)
"""Bounds of the kernel's parameters, for standardised inputs and target."""
AT_A_BOUND = "The optimal value found for dimension"
"""A warning of scikit-learn's. A length at its bound is an answer: the input is of no use."""


class GaussianProcess(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A smooth kernel and noise; their parameters are those of the largest likelihood.

    `kernel` is "rbf" or "matern" (ν = 3/2); with `ard`, each input has a length of its own. The
    likelihood is climbed from one fixed start and `restarts` random ones. Of more than `max_rows`
    rows, a sample is taken.
    """

    def __init__(
        self,
        kernel: str = "matern",
        ard: bool = False,
        restarts: int = 2,
        max_rows: int = 2000,
        random_state: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.ard = ard
        self.restarts = restarts
        self.max_rows = max_rows
        self.random_state = random_state

    def fit(self, x: Any, y: Any) -> Self:
        """Fit rows × inputs."""
        x, y = validate_data(self, x, y, y_numeric=True)
        random = check_random_state(self.random_state)
        if len(y) > self.max_rows:
            sample = np.sort(random.permutation(len(y))[: self.max_rows])
            x, y = x[sample], y[sample]
        self.process_ = GaussianProcessRegressor(
            self._kernel(x.shape[1]),
            n_restarts_optimizer=self.restarts,
            normalize_y=True,
            random_state=random,
        )
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", AT_A_BOUND, ConvergenceWarning)
            self.process_.fit(x, y)
        return self

    def _kernel(self, inputs: int) -> Any:
        """The kernel before its parameters are fitted."""
        length = np.sqrt(inputs) * np.ones(inputs if self.ard else 1)
        kinds = {"rbf": RBF(length, LENGTHS), "matern": Matern(length, LENGTHS, nu=1.5)}
        if self.kernel not in kinds:
            raise ValueError(f"kernel is {self.kernel!r}; known are {', '.join(kinds)}.")
        return ConstantKernel(1.0, SCALES) * kinds[self.kernel] + WhiteKernel(0.3, NOISE)

    def predict(self, x: Any) -> Floats:
        """The mean of the process."""
        check_is_fitted(self)
        return np.asarray(self.process_.predict(validate_data(self, x, reset=False)))

    def model_size(self) -> int:
        """The training rows that it keeps."""
        return len(self.process_.X_train_)
