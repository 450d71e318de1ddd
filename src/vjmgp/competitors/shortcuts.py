"""Work that grid points can share without changing a bit of their predictions.

A learner's class selects the shortcut. It receives points that differ only in its shared
parameters, and yields the predictions of each, which equal those of separate fits; a test compares
them with scikit-learn's `GridSearchCV`. Learners without a shortcut are fitted point by point. Some
have none because it would not be exact: libsvm's kernels are rounded differently from shared ones,
and warm starts end elsewhere within an elastic net's tolerance.
"""

import copy
import ctypes
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels

from ..core.arrays import Floats
from .lean import has_only_settings
from .lean_ensembles import inputs_tried, prefixes
from .lean_networks import trained

Point = dict[str, Any]
Make = Callable[[Point], Any]
"""Function that returns an unfitted learner for a grid point."""
Points = dict[int, Point]
"""Grid points by their number."""
Step = tuple[Iterable[int], Any]
"""Numbers of points, and their common predictions."""
Steps = Iterator[Step]
Fold = tuple[Floats, Floats, Floats]
"""Training rows, their labels, and new rows."""


@dataclass(frozen=True)
class Shortcut:
    """A way for grid points to share work."""

    shared: tuple[str, ...]
    """Parameters in which the points may differ."""
    predict: Callable[[Make, Points, Floats, Floats, Floats], Steps]
    """Function of learner, points, training rows, their labels, and new rows."""


def shortcut_for(learner: Any) -> Shortcut | None:
    """Return the shortcut of a learner's class, if it has one."""
    kind = type(learner)
    return SHORTCUTS.get((kind.__module__.split(".")[0], kind.__name__))


def one_by_one(make: Make, points: Points, x: Floats, y: Floats, new: Floats) -> Steps:
    """Fit each point separately."""
    for k, point in points.items():
        yield [k], make(point).fit(x, y).predict(new)


def _first(make: Make, points: Points) -> Any:
    """Return the learner of the first point."""
    return make(next(iter(points.values())))


def _by_value(make: Make, points: Points, name: str) -> dict[Any, Points]:
    """Group the points by the value of a parameter, in rising order."""
    return _grouped_by(points, lambda p: p[name] if name in p else make(p).get_params()[name])


def _require_valid(make: Make, points: Points) -> None:
    """Raise as scikit-learn would; points with invalid parameters are then fitted separately."""
    for point in points.values():
        make(point)._validate_params()


def _grouped_by(points: Points, key: Callable[[Point], Any]) -> dict[Any, Points]:
    """Group the points by a key, in rising order."""
    found: dict[Any, Points] = {}
    for k, point in points.items():
        found.setdefault(key(point), {})[k] = point
    return dict(sorted(found.items()))


XGBOOST_KNOWN = {
    *("n_estimators", "learning_rate", "gamma", "subsample", "colsample_bytree", "max_depth"),
    *("min_child_weight", "reg_alpha", "reg_lambda", "n_jobs", "random_state", "verbosity"),
}
LIGHTGBM_KNOWN = {
    *("n_estimators", "learning_rate", "subsample", "subsample_freq", "boosting_type", "max_depth"),
    *("num_leaves", "min_split_gain", "min_child_weight", "min_child_samples", "colsample_bytree"),
    *("subsample_for_bin", "reg_alpha", "reg_lambda", "n_jobs", "random_state", "verbosity"),
    *("deterministic", "force_row_wise"),
}
"""Parameters that only concern the booster."""


def xgboost_rounds(make: Make, points: Points, x: Floats, y: Floats, new: Floats) -> Steps:
    """Fit once with the most rounds; each point predicts with its first rounds."""
    rounds = _by_value(make, points, "n_estimators")
    # Other boosters change earlier rounds.
    if _first(make, points).booster not in (None, "gbtree") or min(rounds) < 1:
        yield from one_by_one(make, points, x, y, new)
        return
    longest = boosted(_first(make, rounds[max(rounds)]), x, y)
    for count, same in rounds.items():
        yield same, longest(new, iteration_range=(0, count))


def boosted(learner: Any, x: Floats, y: Floats) -> Callable[..., Any]:
    """Fit, and return a function that predicts.

    On few rows, callbacks and column names take up to half of each round. A learner without
    settings beyond `XGBOOST_KNOWN` is boosted through the library's C interface instead.
    """
    if not has_only_settings(learner, XGBOOST_KNOWN):
        return cast("Callable[..., Any]", learner.fit(x, y).predict)
    import xgboost

    rows = xgboost.QuantileDMatrix(x, y, nthread=learner.n_jobs)
    booster = xgboost.Booster(learner.get_xgb_params(), [rows])
    booster.update(rows, 0)
    library = ctypes.CDLL(xgboost.libpath.find_lib_path()[0])
    for k in range(1, learner.get_num_boosting_rounds()):
        if library.XGBoosterUpdateOneIter(booster.handle, ctypes.c_int(k), rows.handle):
            booster.update(rows, k)  # raises with the reason
    return cast("Callable[..., Any]", booster.inplace_predict)


def lightgbm_rounds(make: Make, points: Points, x: Floats, y: Floats, new: Floats) -> Steps:
    """Fit once with the most rounds, and predict when the number of rounds of a point is reached.

    This also serves dart, whose later rounds change earlier trees. `subsample` has no effect unless
    `subsample_freq` is above 0, which is not LightGBM's default.
    """
    fits = {None: points}
    if _first(make, points).subsample_freq > 0:
        fits = _by_value(make, points, "subsample")
    for own in fits.values():
        rounds = _by_value(make, own, "n_estimators")
        model = make(list(rounds[max(rounds)].values())[-1])
        if min(rounds) > 0 and has_only_settings(model, LIGHTGBM_KNOWN):
            yield from _lightgbm_staged(model, x, y, new, rounds)
        else:
            yield from one_by_one(make, own, x, y, new)


def _lightgbm_staged(
    learner: Any, x: Floats, y: Floats, new: Floats, rounds: dict[Any, Points]
) -> Steps:
    """Yield predictions between rounds without serialising and reloading the model."""
    import lightgbm

    unused = ("n_estimators", "importance_type")
    settings = {k: v for k, v in learner.get_params().items() if k not in unused and v is not None}
    settings["objective"] = "regression"
    booster = lightgbm.Booster(settings, lightgbm.Dataset(x, y, params=settings))
    for count in range(1, max(rounds) + 1):
        booster.update()
        if count in rounds:
            yield rounds[count], booster.predict(new)


def ensemble_prefixes(make: Make, points: Points, x: Floats, y: Floats, new: Floats) -> Steps:
    """Fit one ensemble with the most trees for all points with the same inputs per split."""
    _require_valid(make, points)
    for own in _grouped_by(points, lambda point: inputs_tried(make(point), x.shape[1])).values():
        sizes = _by_value(make, own, "n_estimators")
        largest = _first(make, sizes[max(sizes)])
        found = prefixes(largest, x, y, new, set(sizes))
        if found is None:
            largest.fit(x, y)
        for count, same in sizes.items():
            yield same, found[count] if found else _beginning(largest, count).predict(new)


def _beginning(ensemble: Any, count: int) -> Any:
    part = copy.copy(ensemble)
    part.estimators_ = ensemble.estimators_[:count]
    if hasattr(ensemble, "estimator_weights_"):
        part.estimator_weights_ = ensemble.estimator_weights_[:count]
    return part


def shared_kernels(make: Make, points: Points, x: Floats, y: Floats, new: Floats) -> Steps:
    """Compute one kernel matrix per kernel and γ, for all α; the linear kernel has no γ."""
    first = _first(make, points)
    if first.kernel not in ("linear", "poly", "rbf", "sigmoid"):
        yield from one_by_one(make, points, x, y, new)
        return
    widths = {first.gamma: points}
    if first.kernel != "linear":
        widths = _by_value(make, points, "gamma")
    for gamma, own in widths.items():
        options = {"gamma": gamma, "degree": first.degree, "coef0": first.coef0}
        options |= {"metric": first.kernel, "filter_params": True}
        inner, outer = pairwise_kernels(x, **options), pairwise_kernels(new, x, **options)
        for same in _by_value(make, own, "alpha").values():
            learner = _first(make, same).set_params(kernel="precomputed")
            yield same, learner.fit(inner, y).predict(outer)


def shared_neighbours(make: Make, points: Points, x: Floats, y: Floats, new: Floats) -> Steps:
    """Search once for the largest number of neighbours, if their order is unambiguous.

    For equal distances the order depends on the algorithm, whose default depends on the number of
    neighbours: then each number has its own search.
    """
    most = max(make(point).n_neighbors for point in points.values())
    clear = most + 1 < len(x) // 2
    if clear:
        found = _first(make, points).set_params(n_neighbors=most + 1).fit(x, y).kneighbors(new)
        clear = bool((np.diff(found[0], axis=1) > 0).all())
    for k, point in points.items():
        learner = make(point)
        if clear and learner.weights in ("uniform", "distance"):
            yield [k], _from_neighbours(learner, found, y)
        else:
            yield [k], learner.fit(x, y).predict(new)


def _from_neighbours(learner: Any, found: tuple[Floats, Any], y: Floats) -> Floats:
    # Shapes and memory layout are scikit-learn's; the order of its sums depends on them.
    distances, numbers = (np.ascontiguousarray(part[:, : learner.n_neighbors]) for part in found)
    if learner.weights == "uniform":
        return np.asarray(np.mean(y[:, None][numbers], axis=1)).ravel()
    with np.errstate(divide="ignore"):
        weights = 1.0 / distances
    exact = np.isinf(weights)
    hit = exact.any(axis=1)
    weights[hit] = exact[hit]  # a training row decides alone
    return np.asarray(np.sum(y[numbers] * weights, axis=1) / np.sum(weights, axis=1))


def network_schedules(make: Make, points: Points, x: Floats, y: Floats, new: Floats) -> Steps:
    """Fit schedules of the learning rate that are equivalent only once.

    Only stochastic gradient descent has one. There, "adaptive" is "constant" until progress stalls,
    so the model is the same if "constant" reaches its last epoch.
    """
    _require_valid(make, points)
    by_schedule = _by_value(make, points, "learning_rate")
    if _first(make, points).solver != "sgd":
        values, _ = _network(_first(make, next(iter(by_schedule.values()))), x, y, new)
        yield points, values
        return
    adaptive = by_schedule.pop("adaptive", {})
    for schedule, same in by_schedule.items():
        values, at_limit = _network(_first(make, same), x, y, new)
        if schedule == "constant" and at_limit:
            same, adaptive = same | adaptive, {}
        yield same, values
    for k, point in adaptive.items():
        yield [k], _network(make(point), x, y, new)[0]


def _network(learner: Any, x: Floats, y: Floats, new: Floats) -> tuple[Floats, bool]:
    """Return a network's predictions, and whether it used all its epochs."""
    network = trained(learner, x, y)
    if network is None:
        learner.fit(x, y)
        return learner.predict(new), learner.n_iter_ == learner.max_iter
    if network.at_limit:
        warnings.warn("the network has not converged", ConvergenceWarning, stacklevel=2)
    return network.predict(new), network.at_limit


ROUNDS = ("n_estimators",)
TREES = ("n_estimators", "max_features")
SHORTCUTS = {
    ("xgboost", "XGBRegressor"): Shortcut(ROUNDS, xgboost_rounds),
    ("lightgbm", "LGBMRegressor"): Shortcut((*ROUNDS, "subsample"), lightgbm_rounds),
    ("sklearn", "AdaBoostRegressor"): Shortcut(ROUNDS, ensemble_prefixes),
    ("sklearn", "RandomForestRegressor"): Shortcut(TREES, ensemble_prefixes),
    ("sklearn", "ExtraTreesRegressor"): Shortcut(TREES, ensemble_prefixes),
    ("sklearn", "KernelRidge"): Shortcut(("alpha", "gamma"), shared_kernels),
    ("sklearn", "KNeighborsRegressor"): Shortcut(("n_neighbors", "weights"), shared_neighbours),
    ("sklearn", "MLPRegressor"): Shortcut(("learning_rate",), network_schedules),
}
"""Shortcuts by package and class."""
