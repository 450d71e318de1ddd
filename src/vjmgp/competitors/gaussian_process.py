"""A Gaussian process whose kernel is a string, so that a grid can have it."""

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.linalg import lapack
from scipy.spatial.distance import pdist
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, WhiteKernel
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ..core.arrays import Floats

SCALES, LENGTHS, NOISE = (1e-3, 1e3), (1e-2, 1e3), (1e-5, 10.0)
"""Bounds of the kernel's parameters, for standardised inputs and target."""
AT_A_BOUND = "The optimal value found for dimension"
"""scikit-learn's warning. A length at its bound is a result: the input is irrelevant."""


class _Process(GaussianProcessRegressor):  # type: ignore[misc]
    """A process with a kernel of `GaussianProcess`, whose likelihood takes a fifth of the time.

    The likelihood is evaluated thousands of times on the same rows. Everything that depends only on
    these is computed once, and the gradient needs no matrix for each parameter.
    """

    def fit(self, X: Floats, y: Floats) -> Self:
        """Fit, keeping the squared differences of all pairs of rows for the optimiser."""
        self.pairs_ = np.triu_indices(len(X), 1)
        if np.size(self.kernel.k1.k2.length_scale) == 1:
            self.squares_ = pdist(X, "sqeuclidean")[:, None]
        else:
            self.squares_ = (X[self.pairs_[0]] - X[self.pairs_[1]]) ** 2
        try:
            super().fit(X, y)
        finally:
            del self.pairs_, self.squares_
        return self

    def log_marginal_likelihood(
        self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True
    ) -> Any:
        """Return the likelihood and its gradient for the optimiser; otherwise as scikit-learn."""
        if theta is None or not eval_gradient or not hasattr(self, "squares_"):
            return super().log_marginal_likelihood(theta, eval_gradient, clone_kernel)
        scale, noise, per_length = np.exp(theta[0]), np.exp(theta[-1]), np.exp(-2 * theta[1:-1])
        distances = self.squares_ @ per_length
        if isinstance(self.kernel.k1.k2, Matern):  # first, because it is an RBF, too
            steps = np.sqrt(3 * distances)
            fall = scale * np.exp(-steps)
            smooth, slope = (1 + steps) * fall, 3 * fall
        else:
            smooth = slope = scale * np.exp(-0.5 * distances)
        rows, labels = len(self.y_train_), self.y_train_
        matrix = np.zeros((rows, rows), order="F")
        matrix[self.pairs_] = smooth
        np.fill_diagonal(matrix, scale + noise + self.alpha)
        root, failed = lapack.dpotrf(matrix, lower=False, overwrite_a=True)
        if failed:
            return -np.inf, np.zeros_like(theta)
        dual, _ = lapack.dpotrs(root, labels, lower=False)
        logs = np.log(np.diagonal(root)).sum()
        likelihood = -0.5 * labels @ dual - logs - 0.5 * rows * np.log(2 * np.pi)
        inverse, _ = lapack.dpotri(root, lower=False, overwrite_c=True)
        pull = dual[self.pairs_[0]] * dual[self.pairs_[1]] - inverse[self.pairs_]
        trace = dual @ dual - np.trace(inverse)
        gradient = np.empty_like(theta)
        gradient[0] = pull @ smooth + 0.5 * scale * trace
        gradient[1:-1] = ((pull * slope) @ self.squares_) * per_length
        gradient[-1] = 0.5 * noise * trace
        return likelihood, gradient


@dataclass(eq=False, repr=False)
class GaussianProcess(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A smooth kernel plus noise, with maximum-likelihood parameters.

    `kernel` is "rbf" or "matern" (ν = 3/2); with `ard`, each input has its own length scale. The
    likelihood is maximised from one fixed start and `restarts` random ones. Tables with more than
    `max_rows` rows are subsampled.
    """

    kernel: str = "matern"
    ard: bool = False
    restarts: int = 2
    max_rows: int = 2000
    random_state: int | None = None

    def fit(self, x: Any, y: Any) -> Self:
        """Fit rows × inputs."""
        x, y = validate_data(self, x, y, y_numeric=True)
        random = check_random_state(self.random_state)
        if len(y) > self.max_rows:
            sample = np.sort(random.permutation(len(y))[: self.max_rows])
            x, y = x[sample], y[sample]
        self.process_ = _Process(
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
        length = np.sqrt(inputs) * np.ones(inputs if self.ard else 1)
        kinds = {"rbf": RBF(length, LENGTHS), "matern": Matern(length, LENGTHS, nu=1.5)}
        if self.kernel not in kinds:
            raise ValueError(f"kernel is {self.kernel!r}; known are {', '.join(kinds)}.")
        return ConstantKernel(1.0, SCALES) * kinds[self.kernel] + WhiteKernel(0.3, NOISE)

    def predict(self, x: Any) -> Floats:
        """Return the mean of the process."""
        check_is_fitted(self)
        return np.asarray(self.process_.predict(validate_data(self, x, reset=False)))

    def model_size(self) -> int:
        """Return the number of training rows."""
        return len(self.process_.X_train_)
