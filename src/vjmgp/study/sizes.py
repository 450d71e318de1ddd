"""How large a model is, by SRBench's conventions: so that learners can be compared.

Symbolic models count their nodes (in `gp`). Here: trees count the nodes of all trees, linear models
their coefficients that are not zero, kernel machines and neighbours the training rows they keep,
networks their weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def model_size(model: Any) -> int | None:
    """The size of a fitted scikit-learn model; None for a kind that is not known."""
    if hasattr(model, "estimators_"):
        trees = np.ravel(np.asarray(model.estimators_, dtype=object))
        return int(sum(tree.tree_.node_count for tree in trees))
    if hasattr(model, "tree_"):
        return int(model.tree_.node_count)
    if hasattr(model, "dual_coef_"):  # before coef_: a linear SVR has both
        return int(np.size(model.dual_coef_))
    if hasattr(model, "coefs_"):
        return int(sum(np.size(part) for part in [*model.coefs_, *model.intercepts_]))
    if hasattr(model, "coef_"):
        return int(np.count_nonzero(model.coef_))
    if hasattr(model, "n_samples_fit_"):
        return int(model.n_samples_fit_)
    return None
