"""Sizes of models by SRBench's conventions.

The size is the number of nodes for symbolic models and trees, of non-zero coefficients for linear
models, of stored training rows for kernel machines and neighbours, and of weights for networks.
User-defined classes may have a method `model_size()`.
"""

from typing import Any

import numpy as np


def model_size(model: Any) -> int | None:
    """Return the size of a fitted model; None for an unknown kind."""
    if hasattr(model, "model_size"):
        return int(model.model_size())
    if hasattr(model, "booster_"):  # LightGBM; a tree with n leaves has n - 1 nodes above them
        trees = model.booster_.dump_model()["tree_info"]
        return sum(2 * int(tree["num_leaves"]) - 1 for tree in trees)
    if hasattr(model, "get_booster"):  # XGBoost: one line and one colon per node
        return int(sum(tree.count(":") for tree in model.get_booster().get_dump()))
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
