"""Ensembles of trees that predict as they grow: the work of scikit-learn's, without its checks.

In an ensemble of a thousand trees on a hundred rows, scikit-learn spends most of the time on
checking the same rows and parameters again for every tree. Here its own compiled builder is called
directly. That builder is no public interface, so the first ensemble of a kind in a process is also
grown by scikit-learn on a small table: where the two differ, or where a learner has settings
that are not known here, `None` is returned and scikit-learn does the work.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import AdaBoostRegressor, ExtraTreesRegressor, RandomForestRegressor

Floats = NDArray[np.float64]
Prefixes = dict[int, Floats]
"""What an ensemble's first trees predict, by their number."""

FOREST = {"n_estimators", "max_features", "min_weight_fraction_leaf", "random_state", "n_jobs"}
BOOSTING = {"n_estimators", "learning_rate", "random_state"}
WEAK_DEPTH = 3
"""Of AdaBoost's trees, unless it is given others."""
SEEDS = int(np.iinfo(np.int32).max)
DEEPEST = int(np.iinfo(np.int32).max)


def asks_only(learner: Any, known: Collection[str]) -> bool:
    """Whether all other parameters of a learner have their default values."""
    usual = type(learner)().get_params()
    return all(
        name in known or repr(value) == repr(usual.get(name))
        for name, value in learner.get_params(deep=False).items()
    )


def prefixes(learner: Any, x: Floats, y: Floats, new: Floats, counts: set[int]) -> Prefixes | None:
    """Predictions of an ensemble's first trees, for each number of them; `None`: ask scikit-learn.

    Where boosting ended early, a number may be above that of the trees.
    """
    kind: Any = type(learner)
    grow, known = KINDS[kind]
    if not isinstance(learner.random_state, int) or not asks_only(learner, known):
        return None
    return grow(learner, x, y, new, counts) if is_as_known(kind) else None


@cache
def is_as_known(kind: Any) -> bool:
    """Whether scikit-learn's ensembles grow as they do here."""
    random = np.random.default_rng(0)
    x, y, new = random.normal(size=(30, 3)), random.normal(size=30), random.normal(size=(9, 3))
    learner = kind(n_estimators=4, random_state=7)
    try:
        found = KINDS[kind][0](learner, x, y, new, {4})[4]
    except (AttributeError, TypeError, ValueError):  # another version of the builder
        return False
    return np.array_equal(found, learner.fit(x, y).predict(new))


class _Grower:
    """Trees of one kind."""

    def __init__(self, splitter: str, max_features: int, depth: int = DEEPEST) -> None:
        self.splitter = splitter
        self.max_features = max_features
        self.depth = depth
        self.random = np.random.RandomState()

    def prepare(self, rows: int, least_weight: float) -> None:
        """Set up the builder for so many rows and the least weight of a leaf."""
        from sklearn.tree import _criterion, _splitter, _tree

        splitter = getattr(_splitter, self.splitter)(
            _criterion.MSE(1, rows), self.max_features, 1, least_weight, self.random, None
        )
        self.builder = _tree.DepthFirstTreeBuilder(splitter, 2, 1, least_weight, self.depth, 0.0)
        self.empty = _tree.Tree
        self.outputs = np.array([1], dtype=np.intp)

    def grow(self, seed: int, x: Any, y: Floats, weights: Floats | None) -> Any:
        """A tree of these rows (float32), labels (one column) and weights."""
        self.random.seed(seed)
        tree = self.empty(x.shape[1], self.outputs, 1)
        self.builder.build(tree, x, y, weights, None)
        return tree


def inputs_tried(wanted: Any, inputs: int) -> int:
    """`max_features` as a number."""
    if wanted == "sqrt":
        return max(1, int(np.sqrt(inputs)))
    if wanted == "log2":
        return max(1, int(np.log2(inputs)))
    if isinstance(wanted, float):
        return max(1, int(wanted * inputs))
    return inputs if wanted is None else int(wanted)


def _forest(learner: Any, x: Floats, y: Floats, new: Floats, counts: set[int]) -> Prefixes:
    """The mean of trees, each of a sample of the rows or of all."""
    rows, fresh = (np.ascontiguousarray(part, dtype=np.float32) for part in (x, new))
    labels = np.ascontiguousarray(y, dtype=np.float64).reshape(-1, 1)
    samples = isinstance(learner, RandomForestRegressor)
    grower = _Grower(
        "BestSplitter" if samples else "RandomSplitter",
        inputs_tried(learner.max_features, x.shape[1]),
    )
    grower.prepare(len(y), learner.min_weight_fraction_leaf * float(len(y)))
    seeds = np.random.RandomState(learner.random_state)
    total = np.zeros(len(new))
    found = {}
    for count in range(1, max(counts) + 1):
        seed = seeds.randint(SEEDS)
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
    """The weighted median of trees, of rows drawn the more often the worse they are predicted."""
    fresh = np.ascontiguousarray(new, dtype=np.float32)
    values, weights = [], []
    for tree, weight in _boosted_trees(learner, x, y, max(counts)):
        values.append(tree.predict(fresh)[:, 0])
        weights.append(weight)
    return {
        count: _weighted_median(np.array(values[:count]).T, np.array(weights[:count]))
        for count in counts
    }


def _boosted_trees(learner: Any, x: Floats, y: Floats, rounds: int) -> Iterator[tuple[Any, float]]:
    """Trees and their weights, until one is perfect or worse than chance."""
    rate = learner.learning_rate
    rows = np.ascontiguousarray(x, dtype=np.float32)
    grower = _Grower("BestSplitter", x.shape[1], WEAK_DEPTH)
    grower.prepare(len(y), 0.0)
    random = np.random.RandomState(learner.random_state)
    numbers, least = np.arange(len(y)), np.finfo(np.float64).eps
    weights = np.ones(len(y)) / np.ones(len(y)).sum()
    for k in range(rounds):
        weights = np.maximum(weights, least)
        seed = random.randint(SEEDS)
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
    """Of each row, the first value by size that has half of the weight up to it."""
    order = np.argsort(values, axis=1)
    reached = np.cumsum(weights[order], axis=1)
    first = (reached >= 0.5 * reached[:, -1][:, None]).argmax(axis=1)
    rows = np.arange(len(values))
    chosen: Floats = values[rows, order[rows, first]]
    return chosen


Grow = Callable[[Any, Floats, Floats, Floats, set[int]], Prefixes]
KINDS: dict[Any, tuple[Grow, set[str]]] = {
    RandomForestRegressor: (_forest, FOREST),
    ExtraTreesRegressor: (_forest, FOREST),
    AdaBoostRegressor: (_boosting, BOOSTING),
}
"""How each grows, and the parameters that it may be given."""
