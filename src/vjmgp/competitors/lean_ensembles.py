"""Ensembles of scikit-learn's trees that predict while they grow, without its checks.

For a thousand trees on a hundred rows, scikit-learn spends most of the time checking the same rows
and parameters for every tree. Here its compiled builder is called directly. The builder is not
public, so each process first compares small ensembles; if they differ, or if a learner has unknown
settings, the result is `None` and scikit-learn does the work.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
from sklearn.ensemble import AdaBoostRegressor, ExtraTreesRegressor, RandomForestRegressor

from ..core.arrays import Floats
from .lean import OTHER_VERSION, has_only_settings

Prefixes = dict[int, Floats]
"""Predictions of an ensemble's first trees, by their number."""

FOREST = {"n_estimators", "max_features", "min_weight_fraction_leaf", "random_state", "n_jobs"}
BOOSTING = {"n_estimators", "learning_rate", "random_state"}
WEAK_DEPTH = 3
"""Default depth of AdaBoost's trees."""
LARGEST = int(np.iinfo(np.int32).max)
"""Largest seed, and the depth without a limit."""


def prefixes(learner: Any, x: Floats, y: Floats, new: Floats, counts: set[int]) -> Prefixes | None:
    """Predict with an ensemble's first trees, for each number; `None` means: use scikit-learn.

    If boosting ends early, a number may exceed that of the trees.
    """
    kind: Any = type(learner)
    grow, known = KINDS[kind]
    can = (
        isinstance(learner.random_state, int)
        and has_only_settings(learner, known)
        and all(np.isfinite(part.astype(np.float32)).all() for part in (x, new))
    )
    return grow(learner, x, y, new, counts) if can and behaves_as_expected(kind) else None


@cache
def behaves_as_expected(kind: Any) -> bool:
    """Return whether scikit-learn's ensembles grow as they do here."""
    with suppress(*OTHER_VERSION):
        for seed, (rows, digits) in enumerate([(30, 3), (12, 0), (7, 0), (6, 1)]):
            random = np.random.default_rng(seed)
            x, new = (np.round(random.normal(size=(n, 3)), digits) for n in (rows, 9))
            y = np.round(random.normal(size=rows), digits)
            learner = kind(n_estimators=12, random_state=seed)
            if kind is not AdaBoostRegressor:
                learner.set_params(max_features="sqrt", min_weight_fraction_leaf=0.1 * seed)
            found = KINDS[kind][0](learner, x, y, new, {12})[12]
            if not np.array_equal(found, learner.fit(x, y).predict(new)):
                return False
        return True
    return False


class _Grower:
    """A builder of trees with a minimum weight per leaf."""

    def __init__(
        self, splitter: str, rows: int, max_features: int, min_weight: float, depth: int = LARGEST
    ) -> None:
        from sklearn.tree import _criterion, _splitter, _tree

        self.random = np.random.RandomState()
        criterion = _criterion.MSE(1, rows)
        self.builder = _tree.DepthFirstTreeBuilder(
            getattr(_splitter, splitter)(
                criterion, max_features, 1, min_weight, self.random, None
            ),
            2, 1, min_weight, depth, 0.0,
        )  # fmt: skip
        self.tree_class = _tree.Tree
        self.outputs = np.array([1], dtype=np.intp)

    def grow(self, seed: int, x: Any, y: Floats, weights: Floats | None) -> Any:
        """Grow a tree on these rows (float32), labels (one column) and weights."""
        self.random.seed(seed)
        tree = self.tree_class(x.shape[1], self.outputs, 1)
        self.builder.build(tree, x, y, weights, None)
        return tree


def inputs_tried(learner: Any, inputs: int) -> int:
    """Return `max_features` as a number; AdaBoost's trees try all inputs."""
    wanted = getattr(learner, "max_features", None)
    if wanted == "sqrt":
        return max(1, int(np.sqrt(inputs)))
    if wanted == "log2":
        return max(1, int(np.log2(inputs)))
    if isinstance(wanted, float):
        return max(1, int(wanted * inputs))
    return inputs if wanted is None else int(wanted)


def _forest(learner: Any, x: Floats, y: Floats, new: Floats, counts: set[int]) -> Prefixes:
    """Average trees, each fitted to a bootstrap sample or to all rows."""
    rows, fresh = (np.ascontiguousarray(part, dtype=np.float32) for part in (x, new))
    labels = np.ascontiguousarray(y, dtype=np.float64).reshape(-1, 1)
    samples = isinstance(learner, RandomForestRegressor)
    grower = _Grower(
        "BestSplitter" if samples else "RandomSplitter",
        len(y),
        inputs_tried(learner, x.shape[1]),
        learner.min_weight_fraction_leaf * float(len(y)),
    )
    seeds = np.random.RandomState(learner.random_state)
    total = np.zeros(len(new))
    found = {}
    for count in range(1, max(counts) + 1):
        seed = seeds.randint(LARGEST)
        weights = None
        if samples:
            grower.random.seed(seed)
            drawn = grower.random.randint(0, len(y), len(y))
            weights = np.bincount(drawn, minlength=len(y)).astype(np.float64)
        total += grower.grow(seed, rows, labels, weights).predict(fresh)[:, 0]
        if count in counts:
            found[count] = total / count
    return found


def _boosting(learner: Any, x: Floats, y: Floats, new: Floats, counts: set[int]) -> Prefixes:
    """Take the weighted median of boosted trees."""
    fresh = np.ascontiguousarray(new, dtype=np.float32)
    trees = list(_boosted_trees(learner, x, y, max(counts)))
    values = np.array([tree.predict(fresh)[:, 0] for tree, _ in trees])
    weights = np.array([weight for _, weight in trees])
    return {count: _weighted_median(values[:count].T, weights[:count]) for count in counts}


def _boosted_trees(learner: Any, x: Floats, y: Floats, rounds: int) -> Iterator[tuple[Any, float]]:
    """Yield trees and their weights until one is perfect or worse than chance."""
    rate = learner.learning_rate
    rows = np.ascontiguousarray(x, dtype=np.float32)
    grower = _Grower("BestSplitter", len(y), x.shape[1], 0.0, WEAK_DEPTH)
    random = np.random.RandomState(learner.random_state)
    numbers, least = np.arange(len(y)), np.finfo(np.float64).eps
    weights = np.ones(len(y)) / np.ones(len(y)).sum()
    for k in range(rounds):
        weights = np.maximum(weights, least)
        seed = random.randint(LARGEST)
        drawn = random.choice(numbers, size=len(y), replace=True, p=weights)
        tree = grower.grow(seed, rows[drawn], y[drawn].reshape(-1, 1), None)
        errors = np.abs(tree.predict(rows)[:, 0] - y)
        largest = errors.max()
        if largest != 0:
            errors /= largest
        error = (weights * errors).sum()
        if error <= 0:
            yield tree, 1.0
            return
        if error >= 0.5:
            if k == 0:  # scikit-learn keeps the first, without a weight
                yield tree, 0.0
            return
        beta = error / (1.0 - error)
        yield tree, rate * np.log(1.0 / beta)
        weights *= np.power(beta, (1.0 - errors) * rate)
        total = np.sum(weights)
        if not np.isfinite(total) or total <= 0:
            return
        weights /= total


def _weighted_median(values: Floats, weights: Floats) -> Floats:
    """Return the smallest value of each row at which the cumulative weight reaches half."""
    order = np.argsort(values, axis=1)
    reached = np.cumsum(weights[order], axis=1)
    first = (reached >= 0.5 * reached[:, -1][:, None]).argmax(axis=1)
    rows = np.arange(len(values))
    return np.asarray(values[rows, order[rows, first]])


Grow = Callable[[Any, Floats, Floats, Floats, set[int]], Prefixes]
KINDS: dict[Any, tuple[Grow, set[str]]] = {
    RandomForestRegressor: (_forest, FOREST),
    ExtraTreesRegressor: (_forest, FOREST),
    AdaBoostRegressor: (_boosting, BOOSTING),
}
"""Function that grows each kind, and its supported parameters."""
