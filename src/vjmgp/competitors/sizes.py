"""How large a model is, by SRBench's conventions: so that learners can be compared.

Symbolic models count their nodes, trees the nodes of all trees, linear models their coefficients
that are not zero, kernel machines and neighbours the training rows they keep, networks their
weights. A class of one's own may have a method `model_size()`.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def model_size(model: Any) -> int | None:
    """The size of a fitted model; None for a kind that is not known."""
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
