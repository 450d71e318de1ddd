"""FFX (fast function extraction), with one model chosen from its front by cross-validation.

FFX returns a front of models, from a constant to hundreds of terms, with falling training error.
Its `FFXRegressor` takes the last. Here the number of terms is chosen like the parameters of other
learners: by 5-fold cross-validation on the training rows.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import enet_path
from sklearn.model_selection import KFold
from sklearn.utils.validation import check_is_fitted, validate_data

from ..core.arrays import Floats
from ..formulas.numbers import number


@dataclass(eq=False, repr=False)
class FFXRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """The model of FFX's front whose number of terms has the best cross-validation score."""

    folds: int = 5
    random_state: int | None = None

    def fit(self, x: Any, y: Any) -> Self:
        """Choose the number of terms, then take that model from the front on all rows."""
        x, y = validate_data(self, x, y, y_numeric=True)
        self.mean_ = float(np.mean(y))
        self.terms_ = self._best_number_of_terms(x, y)
        self.model_ = [model for model in front(x, y) if model.numBases() <= self.terms_][-1]
        return self

    def _best_number_of_terms(self, x: Floats, y: Floats) -> int:
        folds = KFold(min(self.folds, len(y)), shuffle=True, random_state=self.random_state)
        curves = []
        for train, test in folds.split(x):
            models = front(x[train], y[train])
            values = [evaluate(model, x[test], self.mean_) for model in models]
            errors = [float(np.mean((value - y[test]) ** 2)) for value in values]
            curves.append(([model.numBases() for model in models], errors))
        numbers = sorted({number for terms, _ in curves for number in terms})
        # In a fold, a number of terms is represented by the model with the most terms up to it.
        totals = [
            sum(errors[np.searchsorted(terms, number, "right") - 1] for terms, errors in curves)
            for number in numbers
        ]
        return int(numbers[int(np.argmin(totals))])

    def predict(self, x: Any) -> Floats:
        """Evaluate the formula; where it is undefined, predict the mean of the training target."""
        check_is_fitted(self)
        return evaluate(self.model_, validate_data(self, x, reset=False), self.mean_)

    def model_size(self) -> int:
        """Return the number of nodes, as counted by FFX."""
        return int(self.model_.complexity())

    def model_text(self, inputs: list[str], digits: int | None = None) -> str:
        """Return the formula in SymPy's syntax, with these texts for the inputs."""
        model = self.model_
        if not model.numBases():
            return number(evaluate(model, np.zeros((1, len(inputs))), self.mean_)[0], digits)

        def weighted(coefficients: Any, bases: Any) -> str:
            return "".join(
                f" + ({number(coefficient, digits)})*{_text(base, inputs, digits)}"
                for coefficient, base in zip(coefficients, bases, strict=True)
            )

        text = number(model.coefs_n[0], digits) + weighted(model.coefs_n[1:], model.bases_n)
        if model.bases_d:
            text = f"({text})/(1{weighted(model.coefs_d, model.bases_d)})"
        return text


def front(x: Floats, y: Floats) -> list[Any]:
    """Return FFX's models by number of terms; none has both more terms and a larger error."""
    import ffx

    with _elastic_nets_without_checks():
        models: list[Any] = ffx.run(x, y, x, y, [f"x{k}" for k in range(x.shape[1])])
    return models


@contextmanager
def _elastic_nets_without_checks() -> Iterator[None]:
    """Fit thousands of elastic nets on the same rows without checking these each time.

    FFX also ends a path of models if one of its fits takes five seconds. Without that limit results
    do not depend on the load of the machine.
    """
    from ffx.core import model_factories

    usual = model_factories.ElasticNetWithTimeout
    model_factories.ElasticNetWithTimeout = ElasticNetOfRows
    try:
        with config_context(skip_parameter_validation=True):
            yield
    finally:
        model_factories.ElasticNetWithTimeout = usual


class ElasticNetOfRows:
    """The part of scikit-learn's ElasticNet that FFX uses, with the same bits."""

    def __init__(
        self, alpha: float, l1_ratio: float, fit_intercept: bool, max_iter: int, precompute: Floats
    ) -> None:
        if fit_intercept:
            raise ValueError("FFX centres its columns")
        self.settings = {"l1_ratio": l1_ratio, "max_iter": max_iter, "precompute": precompute}
        self.alpha = alpha

    def fit(self, x: Floats, y: Floats) -> None:
        """Fit coefficients at one strength, starting from zero; x is in Fortran order."""
        _, coefficients, _ = enet_path(
            x, y, alphas=[self.alpha], check_input=False, **self.settings
        )
        self.coef_ = coefficients[:, 0]


def evaluate(model: Any, x: Floats, substitute: float) -> Floats:
    """Evaluate a model, row by row if FFX fails on all rows because one is undefined."""
    with np.errstate(all="ignore"):
        values = np.asarray(model.simulate(x), dtype=np.float64)
        if not np.isfinite(values).all():
            values = np.array([float(model.simulate(row[None])[0]) for row in x])
    return np.where(np.isfinite(values), values, substitute)


def _text(base: Any, inputs: list[str], digits: int | None) -> str:
    """Write one term: a power of an input, a function of one, or a product of two terms."""
    from ffx.core import bases, constants

    if isinstance(base, bases.ProductBase):
        return f"{_text(base.base1, inputs, digits)}*{_text(base.base2, inputs, digits)}"
    if isinstance(base, bases.SimpleBase):
        text = f"({inputs[base.var]})"
        return text if base.exponent == 1 else f"{text}**({base.exponent:g})"
    inner = _text(base.simple_base, inputs, digits)
    threshold = number(base.thr, digits) if base.thr is not None else ""
    return {
        constants.OP_ABS: f"Abs({inner})",
        constants.OP_MAX0: f"Max(0, {inner})",
        constants.OP_MIN0: f"Min(0, {inner})",
        constants.OP_LOG10: f"(log({inner})/log(10))",
        constants.OP_GTH: f"Max(0, ({threshold}) - {inner})",
        constants.OP_LTH: f"Max(0, {inner} - ({threshold}))",
    }[base.nonlin_op]
