"""Trees for ensembles that have checked their rows and parameters already.

In an ensemble of a thousand trees on a hundred rows, scikit-learn spends a quarter to a half of the
time on copying unfitted trees and on checking the same rows again. These trees grow exactly as its
own do.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.ensemble import AdaBoostRegressor, ExtraTreesRegressor
from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor

WEAK_DEPTH = 3
"""Of AdaBoost's trees, unless it is given others."""


class _Light:
    """Ways of a tree that ask less than scikit-learn's."""

    random_state: Any

    def __sklearn_clone__(self) -> Any:
        return copy.copy(self)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """What an ensemble asks for: the parameter that it will set to a seed."""
        return {"random_state": self.random_state}

    def set_params(self, **parameters: Any) -> Any:
        """Without asking whether there are such parameters."""
        vars(self).update(parameters)
        return self


class LightTree(_Light, DecisionTreeRegressor):  # type: ignore[misc]
    """A tree, which takes rows as they are."""

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **_: Any
    ) -> Any:
        """Grow, from numbers that are known to be finite."""
        return super().fit(np.asarray(X, dtype=np.float32), y, sample_weight, check_input=False)

    def predict(self, X: ArrayLike, **_: Any) -> NDArray[np.float64]:
        """From numbers that are known to be finite."""
        values: NDArray[np.float64] = super().predict(
            np.asarray(X, dtype=np.float32), check_input=False
        )
        return values


class LightExtraTree(_Light, ExtraTreeRegressor):  # type: ignore[misc]
    """A tree with cuts at random."""


def lightened(ensemble: Any) -> Any:
    """An unfitted ensemble of scikit-learn's, with light trees where it would take its own."""
    if isinstance(ensemble, AdaBoostRegressor):
        if ensemble.estimator is None:
            ensemble.estimator = LightTree(max_depth=WEAK_DEPTH)
    elif isinstance(ensemble, ExtraTreesRegressor):
        ensemble.estimator = LightExtraTree()
    else:
        ensemble.estimator = LightTree()
    return ensemble
