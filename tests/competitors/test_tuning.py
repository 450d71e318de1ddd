"""Shortcuts of the grid search against scikit-learn's: same choice, same predictions."""

import warnings

import numpy as np
import pytest
from lightgbm import LGBMRegressor
from sklearn.base import clone
from sklearn.ensemble import AdaBoostRegressor, ExtraTreesRegressor, RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import ElasticNet, LassoLars, LinearRegression
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor
from tests.support.competitors import CATALOGUE, quietly
from threadpoolctl import threadpool_limits
from xgboost import XGBRegressor

from vjmgp import load_dataset, paper_split
from vjmgp.competitors import lean_ensembles, lean_networks, tuning
from vjmgp.competitors.shortcuts import SHORTCUTS, XGBOOST_KNOWN, boosted, shortcut_for
from vjmgp.tables.preprocessing import fit_standardizer

QUIET = {"verbosity": -1, "n_jobs": 1, "deterministic": True, "force_row_wise": True}


def rows_of(dataset, seed):
    """Return standardised training rows, labels and test rows of a run."""
    data = load_dataset(dataset)
    train, test = paper_split(dataset, len(data), seed)
    names = list(data.inputs.columns)
    nominal = [names.index(name) for name in data.nominal]
    scales = fit_standardizer(data.inputs.iloc[train], data.target[train], names, nominal)
    x, new = (scales.standardize(data.inputs.iloc[part]) for part in (train, test))
    return x, scales.standardize_target(data.target[train]), new


def compare(estimator, grid, dataset, seed):
    """Compare the shortcut with the plain search, to the last bit of every score."""
    x, y, new = rows_of(dataset, seed)
    assert shortcut_for(estimator) is not None
    if "random_state" in estimator.get_params():
        estimator = clone(estimator).set_params(random_state=seed)
    folds = KFold(5, shuffle=True, random_state=seed)
    plain = quietly(GridSearchCV(estimator, grid, cv=folds, error_score=np.nan).fit, x, y)
    found = quietly(tuning.tune, estimator, grid, x, y, seed)
    points, scores = found.points, found.scores
    assert points == plain.cv_results_["params"]
    expected = np.column_stack([plain.cv_results_[f"split{k}_test_score"] for k in range(5)])
    np.testing.assert_array_equal(scores, expected)
    assert found.parameters == plain.best_params_
    np.testing.assert_array_equal(found.model.predict(new), plain.predict(new))
    return found


CASES = {
    "XGB": (
        XGBRegressor(n_jobs=1),
        {"n_estimators": [3, 10, 40], "learning_rate": [0.2], "gamma": [0, 0.3],
         "subsample": [0.5, 1]},
    ),
    "LGBM": (
        LGBMRegressor(**QUIET),
        {"n_estimators": [3, 10, 40], "learning_rate": [0.2], "subsample": [0.5, 1],
         "boosting_type": ["gbdt", "dart", "goss"]},
    ),
    "LGBM, other settings": (
        LGBMRegressor(subsample_freq=1, extra_trees=True, **QUIET),
        {"n_estimators": [3, 20], "subsample": [0.5, 1]},
    ),
    "LGBM, sampled": (
        LGBMRegressor(subsample_freq=1, **QUIET),
        {"n_estimators": [3, 20], "subsample": [0.5, 1], "boosting_type": ["gbdt", "dart"]},
    ),
    "XGB, linear": (XGBRegressor(n_jobs=1, booster="gblinear"), {"n_estimators": [2, 30]}),
    "XGB, no rounds": (XGBRegressor(n_jobs=1), {"n_estimators": [0, 5]}),
    "AdaBoost": (
        AdaBoostRegressor(),
        {"learning_rate": [0.01, 1.0, 10.0], "n_estimators": [3, 10, 40]},
    ),
    "RandomForest": (
        RandomForestRegressor(n_jobs=1),
        {"n_estimators": [3, 20], "min_weight_fraction_leaf": [0.0, 0.25, 0.5],
         "max_features": ["sqrt", "log2", None]},
    ),
    "ExtraTrees": (
        ExtraTreesRegressor(n_jobs=1),
        {"n_estimators": [3, 20], "min_weight_fraction_leaf": [0.0, 0.5],
         "max_features": ["sqrt", "log2", None, 1.0]},
    ),
    "KernelRidge": (KernelRidge(), CATALOGUE["KernelRidge"]["grid"]),
    "KNeighbors": (KNeighborsRegressor(), CATALOGUE["KNeighbors"]["grid"]),
    "MLP": (
        MLPRegressor(max_iter=30),
        {"activation": ["tanh", "relu"], "solver": ["lbfgs", "adam", "sgd"],
         "learning_rate": ["constant", "invscaling", "adaptive"]},
    ),
    "MLP that stalls": (
        MLPRegressor(max_iter=60, solver="sgd", learning_rate_init=0.5, n_iter_no_change=2),
        {"learning_rate": ["adaptive", "constant", "invscaling"], "alpha": [0.0001, 1]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(
    ("dataset", "seed"), [("547_no2", 0), ("1027_ESL", 1), ("192_vineyard", 2)]
)
def test_shortcuts_are_exact(name, dataset, seed):
    compare(*CASES[name], dataset, seed)


ENSEMBLES = [
    AdaBoostRegressor(n_estimators=200, learning_rate=1.0),
    AdaBoostRegressor(n_estimators=200, learning_rate=10.0),
    RandomForestRegressor(30, max_features="sqrt", min_weight_fraction_leaf=0.1, n_jobs=1),
    ExtraTreesRegressor(30, max_features=0.5, n_jobs=1),
]
UNKNOWN = [
    AdaBoostRegressor(DecisionTreeRegressor(max_depth=1), n_estimators=30),
    AdaBoostRegressor(loss="square", n_estimators=30),
    RandomForestRegressor(30, bootstrap=False, n_jobs=1),
    ExtraTreesRegressor(30, min_samples_leaf=2, n_jobs=1),
]


@pytest.mark.parametrize("ensemble", ENSEMBLES, ids=repr)
def test_lean_ensembles_equal_scikit_learn(ensemble):
    for dataset in ("192_vineyard", "1027_ESL"):
        x, y, new = rows_of(dataset, 0)
        ensemble.set_params(random_state=1)
        most = ensemble.n_estimators
        found = lean_ensembles.prefixes(ensemble, x, y, new, {most})
        np.testing.assert_array_equal(found[most], ensemble.fit(x, y).predict(new))


def test_lean_boosting_ends_like_scikit_learn():
    """Use small tables with ties, for which some tree is perfect or worse than chance."""
    ends = set()
    for seed in range(40):
        rng = np.random.default_rng(seed)
        rows = int(rng.integers(3, 16))
        x = np.round(rng.normal(size=(rows, 2)), int(rng.integers(0, 3)))
        y = np.round(rng.normal(size=rows), int(rng.integers(0, 2)))
        rate = float(rng.choice([0.01, 1.0, 10.0, 1e4]))
        ensemble = AdaBoostRegressor(n_estimators=25, learning_rate=rate, random_state=seed)
        found = lean_ensembles.prefixes(ensemble, x, y, x, {25})
        np.testing.assert_array_equal(found[25], ensemble.fit(x, y).predict(x))
        ends.add((len(ensemble.estimators_) == 1, bool((ensemble.estimator_errors_ == 0).any())))
    assert ends == {(True, True), (False, True), (True, False), (False, False)}


@pytest.mark.parametrize("ensemble", UNKNOWN, ids=repr)
def test_ensembles_with_unknown_settings_use_scikit_learn(ensemble):
    x, y, new = rows_of("192_vineyard", 0)
    ensemble.set_params(random_state=1)
    assert lean_ensembles.prefixes(ensemble, x, y, new, {30}) is None
    compare(ensemble, {"n_estimators": [5, 10]}, "192_vineyard", 1)


@pytest.mark.parametrize("kind", lean_ensembles.KINDS)
def test_unexpected_builder_is_not_used(kind, monkeypatch):
    def another(learner, x, y, new, counts):
        return {count: np.zeros(len(new)) for count in counts}

    monkeypatch.setitem(lean_ensembles.KINDS, kind, (another, lean_ensembles.KINDS[kind][1]))
    uncached = lean_ensembles.behaves_as_expected.__wrapped__
    monkeypatch.setattr(lean_ensembles, "behaves_as_expected", uncached)
    x, y, new = rows_of("192_vineyard", 0)
    assert lean_ensembles.prefixes(kind(n_estimators=5, random_state=1), x, y, new, {5}) is None


@pytest.mark.parametrize("activation", lean_networks.ACTIVATIONS)
@pytest.mark.parametrize(
    "settings",
    [
        {"solver": "adam"},
        {"solver": "adam", "max_iter": 400, "tol": 0.01},
        {"solver": "sgd", "learning_rate": "invscaling"},
        {"solver": "sgd", "learning_rate": "adaptive", "tol": 0.05, "alpha": 0.1},
    ],
    ids=str,
)
def test_lean_networks_equal_scikit_learn(settings, activation):
    x, y, new = rows_of("192_vineyard", 0)
    learner = MLPRegressor(activation=activation, random_state=1, **settings)
    with threadpool_limits(1):
        network = lean_networks.trained(learner, x, y)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            learner.fit(x, y)
        np.testing.assert_array_equal(network.predict(new), learner.predict(new))
    assert network.epochs == learner.n_iter_
    assert network.at_limit == any(w.category is ConvergenceWarning for w in caught)


@pytest.mark.parametrize(
    "settings", [{"solver": "lbfgs"}, {"hidden_layer_sizes": (5, 5)}, {"shuffle": False}], ids=str
)
def test_networks_with_unknown_settings_use_scikit_learn(settings):
    x, y, _ = rows_of("192_vineyard", 0)
    assert lean_networks.trained(MLPRegressor(random_state=1, **settings), x, y) is None
    grid = {"learning_rate": ["constant", "invscaling"]}
    compare(MLPRegressor(max_iter=5, **settings), grid, "192_vineyard", 1)


def test_network_with_infinite_weights_fails():
    x, y, _ = rows_of("192_vineyard", 0)
    learner = MLPRegressor(solver="sgd", learning_rate_init=1e300, max_iter=5, random_state=1)
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="not finite"):
        lean_networks.trained(learner, x, y)


def test_unexpected_network_is_not_used(monkeypatch):
    uncached = lean_networks.behaves_as_expected.__wrapped__
    monkeypatch.setattr(lean_networks, "behaves_as_expected", uncached)
    x, y, _ = rows_of("192_vineyard", 0)
    learner = MLPRegressor(max_iter=5, random_state=1)
    assert lean_networks.trained(learner, x, y) is not None
    monkeypatch.setitem(lean_networks.ACTIVATIONS, "tanh", lean_networks.ACTIVATIONS["relu"])
    assert lean_networks.trained(learner, x, y) is None


@pytest.mark.parametrize(
    "settings", [{}, {"max_depth": 2}, {"tree_method": "exact"}, {"max_bin": 8}]
)
def test_boosting_without_callbacks_equals_the_library(settings, monkeypatch):
    x, y, new = rows_of("192_vineyard", 0)
    learner = XGBRegressor(n_estimators=20, subsample=0.7, n_jobs=1, random_state=1, **settings)
    plain = clone(learner).fit(x, y)
    if settings.keys() <= XGBOOST_KNOWN:
        monkeypatch.setattr(XGBRegressor, "fit", None)  # the library's fit is not used
    for count in (5, 20):
        found = boosted(learner, x, y)(new, iteration_range=(0, count))
        np.testing.assert_array_equal(found, plain.predict(new, iteration_range=(0, count)))


@pytest.mark.parametrize(
    ("name", "libraries_way"),
    [
        ("LGBM", (LGBMRegressor, "fit")),
        ("XGB", (XGBRegressor, "fit")),
        ("MLP", (MLPRegressor, "_fit_stochastic")),
        ("RandomForest", (RandomForestRegressor, "fit")),
        ("ExtraTrees", (ExtraTreesRegressor, "fit")),
        ("AdaBoost", (AdaBoostRegressor, "fit")),
    ],
)
def test_shortcuts_avoid_the_loops_of_libraries(name, libraries_way, monkeypatch):
    estimator, grid = CASES[name]
    x, y, new = rows_of("192_vineyard", 0)
    estimator = clone(estimator).set_params(random_state=1)
    points = tuning.grid_points(grid)
    shortcut = shortcut_for(estimator)
    group = tuning.groups_of(points, shortcut.shared)[0]
    for kind in lean_ensembles.KINDS:
        assert lean_ensembles.behaves_as_expected(kind)
    assert lean_networks.behaves_as_expected()
    monkeypatch.setattr(*libraries_way, None)

    def make(point):
        return clone(estimator).set_params(**point)

    steps = quietly(list, shortcut.predict(make, group, x, y, new))
    assert sorted(k for same, _ in steps for k in same) == sorted(group)


@pytest.mark.parametrize(
    ("estimator", "grid", "refused"),
    [
        (RandomForestRegressor(5), {"max_features": [0.5, 2.5], "n_estimators": [2, 4]}, [2, 3]),
        (AdaBoostRegressor(n_estimators=5), {"n_estimators": [2, -4]}, [1]),
        (MLPRegressor(max_iter=3), {"learning_rate": ["constant", "slow"]}, [1]),
    ],
    ids=repr,
)
def test_invalid_parameters_are_recorded(estimator, grid, refused):
    x, y, _ = rows_of("192_vineyard", 0)
    estimator = clone(estimator).set_params(random_state=1)
    expected = GridSearchCV(estimator, grid, cv=KFold(5, shuffle=True, random_state=0), refit=False)
    failures = quietly(tuning.tune, estimator, grid, x, y, 0).failures
    scores = quietly(expected.fit, x, y).cv_results_["mean_test_score"]
    assert sorted(failures) == refused
    assert np.flatnonzero(np.isnan(scores)).tolist() == refused


def test_grid_without_valid_points_raises():
    x, y, _ = rows_of("192_vineyard", 0)
    estimator = MLPRegressor(max_iter=0, random_state=1)
    grid = {"learning_rate": ["constant", "adaptive"]}
    with pytest.raises(tuning.SearchFailedError, match=r"none of 2 grid points .* 'max_iter'"):
        tuning.tune(estimator, grid, x, y, 0)
    with pytest.raises(ValueError, match="All the 10 fits failed"):
        GridSearchCV(estimator, grid, cv=KFold(5, shuffle=True, random_state=0)).fit(x, y)


def test_non_finite_rows_use_scikit_learn():
    x, y, new = rows_of("192_vineyard", 0)
    x[::3, 0] = np.nan
    forest = RandomForestRegressor(4, random_state=1)
    assert lean_ensembles.prefixes(forest, x, y, new, {4}) is None
    assert lean_ensembles.prefixes(forest, new, y[: len(new)], x, {4}) is None


def test_folds_of_one_row_choose_the_first_point():
    x, y = np.arange(3.0)[:, None], np.array([0.0, 1.0, 3.0])
    found = quietly(tuning.tune, KernelRidge(), {"alpha": [0.1, 1.0]}, x, y, 0)
    assert found.parameters == {"alpha": 0.1}
    assert not found.failures


def test_every_shortcut_is_tested():
    tested = {shortcut_for(estimator) for estimator, _ in CASES.values()}
    assert tested == set(SHORTCUTS.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["XGB", "LGBM", "AdaBoost", "RandomForest", "ExtraTrees", "MLP"])
@pytest.mark.parametrize(("dataset", "seed"), [("547_no2", 0), ("690_visualizing_galaxy", 1)])
def test_shortcuts_are_exact_on_full_grids(name, dataset, seed):
    estimator = MLPRegressor() if name == "MLP" else CASES[name][0]
    compare(estimator, CATALOGUE[name]["grid"], dataset, seed)


@pytest.mark.parametrize(
    ("estimator", "grid"),
    [
        (ElasticNet(), {"alpha": [0.01, 1], "l1_ratio": [0.1, 1]}),
        (LassoLars(), {"alpha": [0.001, 0.1]}),
        (SVR(), [{"kernel": ["linear"], "C": [0.1, 1]}, {"kernel": "rbf", "epsilon": 0.5}]),
    ],
)
def test_search_without_a_shortcut(estimator, grid):
    assert shortcut_for(estimator) is None
    x, y, new = rows_of("547_no2", 4)
    found = tuning.tune(estimator, grid, x, y, 4)
    lists = grid if isinstance(grid, dict) else [grid[0], {"kernel": ["rbf"], "epsilon": [0.5]}]
    plain = GridSearchCV(estimator, lists, cv=KFold(5, shuffle=True, random_state=4)).fit(x, y)
    assert found.parameters == plain.best_params_
    np.testing.assert_array_equal(found.model.predict(new), plain.predict(new))


def test_first_of_equal_points_is_chosen():
    x, y, _ = rows_of("547_no2", 0)
    grid = {"gamma": [10, 0.1, 1], "kernel": ["linear"], "alpha": [1.0]}
    assert tuning.tune(KernelRidge(), grid, x, y, 0).parameters["gamma"] == 10
    points = tuning.grid_points([{"b": [1, 2], "a": "x"}, {"c": 3}])
    assert points == [{"a": "x", "b": 1}, {"a": "x", "b": 2}, {"c": 3}]


class Fussy(LinearRegression):
    """A learner that fails in a fold, on all rows only, or by its predictions."""

    def __init__(self, mood="good"):
        super().__init__()
        self.mood = mood

    def fit(self, x, y):
        if self.mood == "raises" and len(y) < 100:
            raise np.linalg.LinAlgError("singular")
        if self.mood == "fails late" and len(y) == 100:
            raise MemoryError("too many rows")
        return super().fit(x, y)

    def predict(self, x):
        values = super().predict(x)
        return values * {"infinite": np.inf, "weak": 0.5}.get(self.mood, 1)


def test_failed_points_are_recorded():
    x, y, _ = rows_of("547_no2", 0)
    grid = {"mood": ["raises", "infinite", "fails late", "weak", "good"]}
    found = tuning.tune(Fussy(), grid, x, y, 0)
    assert found.parameters == {"mood": "good"}
    assert found.failures == {
        0: "LinAlgError: singular",
        1: "ValueError: its predictions are not finite",
        2: "MemoryError: too many rows",
    }
    with pytest.raises(tuning.SearchFailedError, match=r"none of 2 grid points.*singular"):
        tuning.tune(Fussy(), {"mood": ["raises", "infinite"]}, x, y, 0)


def test_failed_shortcut_is_replaced_by_single_fits():
    """Use a kernel that overflows, and an invalid size of a forest."""
    x, y, _ = rows_of("547_no2", 0)
    grid = {"kernel": ["poly"], "alpha": [1.0], "gamma": [0.1, 1e200]}
    found = quietly(tuning.tune, KernelRidge(), grid, x, y, 0)
    assert found.parameters["gamma"] == 0.1
    assert list(found.failures) == [1]
    grid = {"n_estimators": [3, -1], "max_features": ["sqrt", "nonsense"]}
    found = tuning.tune(RandomForestRegressor(random_state=0), grid, x, y, 0)
    assert found.parameters == {"max_features": "sqrt", "n_estimators": 3}
    assert sorted(found.failures) == [1, 2, 3]


def test_unconverged_points_are_counted_and_compared():
    x, y, _ = rows_of("547_no2", 0)
    grid = {"solver": ["lbfgs", "adam"], "learning_rate": ["constant", "adaptive"]}
    with pytest.warns(Warning, match=r"has ?n[o']t converged|failed to converge"):
        found = tuning.tune(MLPRegressor(max_iter=5, random_state=0), grid, x, y, 0)
    assert found.unconverged == {0, 1, 2, 3}
    assert not found.failures
