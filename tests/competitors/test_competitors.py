"""The sixteen competitors: one interface, sizes and formulas."""

import json
import warnings
from importlib.metadata import version

import numpy as np
import pandas as pd
import pytest
import sympy
from lightgbm import LGBMRegressor
from sklearn.ensemble import AdaBoostRegressor, RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import ElasticNet, Lasso, LinearRegression
from sklearn.metrics import r2_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.svm import SVR
from tests.support.competitors import CATALOGUE, COMPETITORS, one_point, problem_of, quietly
from tests.support.engine_runs import printed_by
from tests.support.workflow_runs import ROOT, TABLES, TARGET, snakemake
from xgboost import XGBRegressor

from vjmgp import load_dataset
from vjmgp.competitors.excelformer import ExcelFormerRegressor
from vjmgp.competitors.ffx import FFXRegressor, evaluate, front
from vjmgp.competitors.gaussian_process import GaussianProcess, _Process
from vjmgp.competitors.operon import OperonRegressor
from vjmgp.competitors.packages import versions_for
from vjmgp.competitors.sizes import model_size
from vjmgp.competitors.texts import model_text
from vjmgp.formulas.input_names import formula_inputs
from vjmgp.study.runs.baselines import TunedEstimator
from vjmgp.study.runs.block import run
from vjmgp.tables.preprocessing import fit_standardizer


@pytest.fixture(scope="module")
def rows():
    """Return training rows, labels and test rows of a simple function."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(90, 3))
    y = x[:, 0] * x[:, 1] + np.abs(x[:, 2]) + 0.1 * rng.normal(size=90)
    return x[:60], (y[:60] - y[:60].mean()) / y[:60].std(), x[60:]


@pytest.mark.parametrize("name", COMPETITORS)
def test_competitors_run_with_one_grid_point(name):
    first = quietly(run, TunedEstimator(one_point(name)), problem_of("192_vineyard"))
    assert np.isfinite([first["train_r2"], first["test_r2"]]).all()
    assert first["size"] >= (name not in ("LassoLars", "ElasticNet"))
    assert first["failed_candidates"] == 0
    json.dumps(first)
    with_formula = {"LinearRegression", "ElasticNet", "LassoLars", "SVR", "Operon", "FFX"}
    assert (first["formula"] is not None) == (name in with_formula)
    versions = versions_for(CATALOGUE[name]["estimator"])
    needed = {"LGBM": 1, "XGB": 1, "Operon": 1, "FFX": 1, "ExcelFormer": 2}
    assert len(versions) == needed.get(name, 0)


def test_versions_of_installed_packages():
    assert versions_for("yaml.X") == {"PyYAML": version("PyYAML")}
    assert versions_for("my_learners.X") == versions_for("") == {}


def test_results_do_not_depend_on_the_number_of_cores():
    """Each job uses one thread."""
    script = """
import warnings
from importlib.metadata import version
warnings.simplefilter("ignore")
from tests.support.competitors import one_point, problem_of
from vjmgp.study.runs.baselines import TunedEstimator
from vjmgp.study.runs.block import run
for name in ("LGBM", "XGB", "RandomForest", "ExcelFormer", "Operon", "KernelRidge", "MLP"):
    learner = TunedEstimator(one_point(name))
    record = run(learner, problem_of("547_no2"))
    assert learner.search.model.get_params().get("n_jobs", 1) == 1
    print(name, repr(record["test_r2"]), record["size"])
"""
    answers = [printed_by(script, OMP_NUM_THREADS=k, PYTHONPATH=str(ROOT)) for k in ("1", "2")]
    assert answers[0] == answers[1]
    assert len(answers[0].splitlines()) == 7


def test_competitors_run_in_the_workflow(tmp_path):
    methods = {name: one_point(name, {"seeds_per_job": 1}) for name in COMPETITORS}
    study = {
        "seeds": 1,
        "datasets": ["192_vineyard"],
        "methods": methods,
        "experiments": {"competitors": {"methods": COMPETITORS}},
    }
    said = snakemake(tmp_path, study, TARGET)
    runs = pd.read_csv(tmp_path / TABLES)
    assert set(runs["method"]) == set(COMPETITORS)
    assert (runs["status"] == "ok").all()
    assert runs["size"].notna().all()
    # FFX warns hundreds of times: in its log, not on the screen.
    assert runs.set_index("method")["warnings"]["FFX"] > 20
    assert "Warning" not in said
    assert len(said.splitlines()) < 60
    log = next(tmp_path.glob("results/logs/run_baseline/paper/192_vineyard/FFX-*/seeds_0-0.log"))
    assert "× ConvergenceWarning, first: Objective did not converge" in log.read_text()
    record = json.loads(
        next(tmp_path.glob("results/runs/paper/192_vineyard/LGBM-*/seeds_0-0.jsonl")).read_text()
    )
    assert "lightgbm" in record["versions"]


@pytest.mark.slow
def test_full_experiment_on_three_datasets(tmp_path):
    """Run every competitor on its full grid, 3 datasets × 3 seeds."""
    study = {
        "seeds": 3,
        "seeds_per_job": 3,
        "datasets": ["192_vineyard", "228_elusage", "210_cloud"],
        "experiments": {"competitors": {"methods": ["VJM", *COMPETITORS]}},
    }
    snakemake(tmp_path, study)
    runs = pd.read_csv(tmp_path / TABLES)
    assert len(runs) == 17 * 9
    assert (runs["status"] == "ok").all()
    assert (runs.groupby("method")["test_r2"].median() > 0.3).all()
    assert (tmp_path / "results/report.html").exists()
    seconds = runs.groupby("method")[["seconds", "cpu_seconds"]].mean().round(1)
    print(seconds.join(runs.groupby("method")["test_r2"].median().round(3)).to_string())


class Endless(LinearRegression):
    """A model with infinite predictions for some new rows."""

    def predict(self, x):
        values = super().predict(x)
        if len(x) > 30:
            values[:2] = -np.inf, np.inf
        return values


def test_infinite_predictions_are_clipped():
    problem = problem_of("192_vineyard")
    learner = TunedEstimator({"estimator": f"{__name__}.Endless"})
    learner.fit(problem)
    values = learner.predict(problem.table)
    assert values[:2] == pytest.approx([problem.labels.min(), problem.labels.max()])


def test_operon_predicts_the_mean_if_undefined(monkeypatch):
    x = np.random.default_rng(0).normal(size=(30, 2))
    model = OperonRegressor(max_evaluations=1000, random_state=0).fit(x, x[:, 0] + 3.0)
    monkeypatch.setattr(model.operon_, "predict", lambda x: np.array([np.nan, 2.0]))
    assert model.predict(x[:2]) == pytest.approx([np.mean(x[:, 0]) + 3.0, 2.0])


def test_sizes_follow_srbench():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    forest = RandomForestRegressor(5, random_state=0).fit(x, y)
    assert model_size(forest) == sum(tree.tree_.node_count for tree in forest.estimators_)
    assert model_size(forest.estimators_[0]) == forest.estimators_[0].tree_.node_count
    boosted = AdaBoostRegressor(n_estimators=4, random_state=0).fit(x, y)
    assert model_size(boosted) == sum(tree.tree_.node_count for tree in boosted.estimators_)
    xgb = XGBRegressor(n_estimators=3, n_jobs=1).fit(x, y)
    assert model_size(xgb) == len(xgb.get_booster().trees_to_dataframe())
    lgbm = LGBMRegressor(n_estimators=3, min_child_samples=5, verbosity=-1, n_jobs=1).fit(x, y)
    assert model_size(lgbm) == len(lgbm.booster_.trees_to_dataframe())
    assert model_size(LinearRegression().fit(x, y)) == 3
    assert model_size(Lasso(alpha=10.0).fit(x, y)) == 0
    assert model_size(KernelRidge().fit(x, y)) == 40
    assert model_size(GaussianProcess(random_state=0).fit(x, y)) == 40
    assert model_size(KNeighborsRegressor().fit(x, y)) == 40
    support = SVR(kernel="linear").fit(x, y)
    assert model_size(support) == len(support.support_)
    network = MLPRegressor(hidden_layer_sizes=(4,), solver="lbfgs", max_iter=5000).fit(x, y)
    assert model_size(network) == 3 * 4 + 4 + 4 + 1
    assert model_size(object()) is None


def value_of(text, names, table):
    """Evaluate a formula with SymPy."""
    symbols = {name: sympy.Symbol(name, real=True) for name in names}
    expression = sympy.sympify(text, locals=symbols)
    function = sympy.lambdify(list(symbols.values()), expression, "numpy")
    return np.broadcast_to(function(*table.T), len(table))


@pytest.mark.parametrize(
    "estimator",
    [
        LinearRegression(),
        ElasticNet(alpha=0.1),
        SVR(kernel="linear"),
        OperonRegressor(max_evaluations=20000, random_state=1),
        OperonRegressor(
            max_evaluations=20000, population_size=100, pool_size=100, random_state=2,
            allowed_symbols="add,mul,aq,exp,log,sin,tanh,constant,variable",
        ),
    ],
)  # fmt: skip
def test_formulas_equal_predictions(estimator):
    """Names and units are those of the columns; 210_cloud also has a nominal one."""
    data = load_dataset("210_cloud")
    names = list(data.inputs.columns)
    nominal = [names.index(name) for name in data.nominal]
    scales = fit_standardizer(data.inputs, data.target, names, nominal)
    x, y = scales.standardize(data.inputs), scales.standardize_target(data.target)
    model = quietly(estimator.fit, x, y)
    text = model_text(model, scales)
    words = [name for name, _, _ in formula_inputs(scales)]
    assert "encoded_season" in words
    values = value_of(text, words, scales.encode(data.inputs))
    expected = scales.restore_target(model.predict(x))
    np.testing.assert_allclose(values, expected, rtol=2e-5, atol=1e-5 * np.std(data.target))
    assert len(model_text(model, scales, digits=4)) < len(text)


def test_black_boxes_have_no_formula():
    x, y = np.random.default_rng(0).normal(size=(2, 30, 1))
    scales = fit_standardizer(x, y[:, 0], ["a"], [])
    for model in (KNeighborsRegressor(), SVR(), MLPRegressor(max_iter=5)):
        assert model_text(quietly(model.fit, x, y[:, 0]), scales) is None


def test_text_of_each_kind_of_ffx_term(rows):
    """Test all functions that FFX can choose."""
    from ffx.core import bases, constants, models

    *_, new = rows
    simple, square = bases.SimpleBase(0, 1), bases.SimpleBase(1, 2)
    codes = (constants.OP_ABS, constants.OP_MAX0, constants.OP_MIN0)
    terms = [simple, square, bases.ProductBase(simple, bases.SimpleBase(2, -1))]
    terms += [bases.OperatorBase(simple, code, None) for code in codes]
    terms += [bases.OperatorBase(square, constants.OP_LOG10, None)]
    terms += [
        bases.OperatorBase(simple, code, -0.3) for code in (constants.OP_GTH, constants.OP_LTH)
    ]
    below = [bases.OperatorBase(bases.SimpleBase(2, 1), constants.OP_ABS, None)]
    names = ["x0", "x1", "x2"]
    model = models.FFXModel(np.arange(len(terms) + 1) - 2.5, terms, [0.5], below, names)
    wrapped = FFXRegressor()
    wrapped.model_, wrapped.mean_, wrapped.n_features_in_ = model, 0.0, 3
    text = wrapped.model_text(["u", "v", "w"])
    np.testing.assert_allclose(value_of(text, ["u", "v", "w"], new), model.simulate(new))


def test_ffx_is_chosen_by_cross_validation():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 1))
    y = np.abs(x[:, 0]) + 0.4 * rng.normal(size=60)
    new = rng.normal(size=(20, 1))
    model = quietly(FFXRegressor(folds=3, random_state=0).fit, x, y)
    models = quietly(front, x, y)
    terms = [candidate.numBases() for candidate in models]
    assert terms == sorted(terms)
    assert model.terms_ < terms[-1] // 2  # FFX's default choice is the last, which overfits
    np.testing.assert_array_equal(
        model.predict(new), models[np.searchsorted(terms, model.terms_, "right") - 1].simulate(new)
    )
    assert model.model_size() == model.model_.complexity()
    text = model.model_text(["u"])
    np.testing.assert_allclose(value_of(text, ["u"], new), model.predict(new))


def test_ffx_fronts_equal_the_library():
    import ffx
    from ffx.core import model_factories

    usual = model_factories.ElasticNetWithTimeout
    rng = np.random.default_rng(1)
    x = rng.normal(size=(40, 2))
    y = x[:, 0] / (2 + x[:, 1] ** 2) + 0.1 * rng.normal(size=40)
    ours = quietly(front, x, y)
    assert model_factories.ElasticNetWithTimeout is usual
    own = quietly(ffx.run, x, y, x, y, ["x0", "x1"])
    assert len(ours) > 10
    assert [str(model) for model in ours] == [str(model) for model in own]
    for one, other in zip(ours[1:], own[1:], strict=True):  # the first is a constant
        assert [*one.coefs_n, *one.coefs_d] == [*other.coefs_n, *other.coefs_d]


def test_ffx_evaluates_defined_rows():
    """FFX fails on all rows if the logarithm of one is undefined."""
    from ffx.core import bases, constants, models

    logarithm = bases.OperatorBase(bases.SimpleBase(0, 1), constants.OP_LOG10, None)
    model = models.FFXModel([0.0, 1.0], [logarithm], [], [], ["x0"])
    x = np.array([[10.0], [-1.0], [100.0]])
    assert not np.isfinite(model.simulate(x)).any()
    np.testing.assert_allclose(evaluate(model, x, 7.0), [1.0, 7.0, 2.0])


def test_operon_has_six_settings(rows):
    x, y, _ = rows
    assert len(CATALOGUE["Operon"]["grid"]) == 6
    for setting in CATALOGUE["Operon"]["grid"]:
        fixed = CATALOGUE["Operon"]["settings"] | {"max_evaluations": 3000}
        model = OperonRegressor(**fixed, **setting, random_state=0).fit(x, y)
        operon = model.operon_
        assert operon.optimizer_iterations == 5
        for name, value in (fixed | setting).items():
            if name != "local_iterations":
                assert getattr(operon, name) == value
        assert len(operon.model_.Nodes) <= setting["max_length"] + 4  # plus a linear scaling
        assert model.model_size() == operon.stats_["model_complexity"]


def test_operon_uses_the_whole_budget(rows):
    """Its default of 1000 generations would end runs with small populations earlier."""
    x, y, _ = rows
    model = OperonRegressor(
        population_size=4, pool_size=2, local_iterations=0, max_evaluations=5000, random_state=0
    ).fit(x, y)
    assert model.operon_.stats_["generations"] > 1000


@pytest.mark.parametrize("mix_type", ["none", "feat_mix", "hidden_mix"])
def test_excelformer_learns_and_stops_early(mix_type):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 4))
    y = x[:, 2] + 0.5 * x[:, 0] ** 2
    settings = {"patience": 15, "max_epochs": 150, "learning_rate": 5e-3}
    model = ExcelFormerRegressor(mix_type, random_state=0, **settings).fit(x[:80], y[:80])
    assert r2_score(y[80:], model.predict(x[80:])) > 0.5
    assert model.n_iter_ == min(150, model.best_epoch_ + 15)
    assert {"none": None, "feat_mix": "feature", "hidden_mix": "hidden"}[mix_type] == (
        model.network_.mixup
    )
    assert model.sort_.mi_ranks[0] == 2  # the most informative input comes first
    assert model_size(model) == sum(part.numel() for part in model.network_.parameters())


def test_excelformer_has_the_weights_of_the_best_epoch():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(50, 3)), rng.normal(size=50)
    long = ExcelFormerRegressor(patience=10, max_epochs=60, random_state=0).fit(x, y)
    assert long.n_iter_ > long.best_epoch_
    short = ExcelFormerRegressor(max_epochs=long.best_epoch_, random_state=0).fit(x, y)
    np.testing.assert_array_equal(long.predict(x), short.predict(x))


def test_excelformer_restores_the_state_of_torch():
    import torch

    x, y = np.random.default_rng(2).normal(size=(2, 30, 1))
    threads, state = torch.get_num_threads(), torch.random.get_rng_state()
    ExcelFormerRegressor("feat_mix", max_epochs=2, random_state=0).fit(x, y[:, 0]).predict(x)
    assert torch.get_num_threads() == threads
    assert torch.equal(torch.random.get_rng_state(), state)
    with pytest.raises(ValueError, match="mix_type is 'feature'; known are none, feat_mix"):
        ExcelFormerRegressor("feature").fit(x, y[:, 0])


@pytest.mark.parametrize("kernel", ["rbf", "matern"])
@pytest.mark.parametrize("ard", [False, True])
def test_gaussian_process_fits_a_smooth_function(kernel, ard):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(140, 3))
    y = 5.0 + np.sin(2.0 * x[:, 0]) + 0.05 * rng.normal(size=140)
    model = GaussianProcess(kernel, ard, random_state=0).fit(x[:80], y[:80])
    assert r2_score(y[80:], model.predict(x[80:])) > 0.9 - 0.3 * (not ard)
    lengths = np.atleast_1d(model.process_.kernel_.get_params()["k1__k2__length_scale"])
    assert len(lengths) == (3 if ard else 1)
    assert lengths.argmin() == 0  # the relevant input
    again = GaussianProcess(kernel, ard, random_state=0).fit(x[:80], y[:80])
    np.testing.assert_array_equal(model.predict(x), again.predict(x))


@pytest.mark.parametrize("kernel", ["rbf", "matern"])
@pytest.mark.parametrize("ard", [False, True])
def test_likelihood_and_gradient_equal_scikit_learn(kernel, ard, monkeypatch):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(25, 3))
    seen = []
    quick = _Process.log_marginal_likelihood

    def both(process, theta=None, eval_gradient=False, clone_kernel=True):
        found = quick(process, theta, eval_gradient, clone_kernel)
        plain = GaussianProcessRegressor.log_marginal_likelihood
        if eval_gradient:
            seen.append((found, plain(process, theta, eval_gradient, clone_kernel)))
        return found

    monkeypatch.setattr(_Process, "log_marginal_likelihood", both)
    process = GaussianProcess(kernel, ard, random_state=0).fit(x, np.sin(x[:, 0])).process_
    assert len(seen) > 20
    theta = process.kernel_.theta
    assert np.isfinite(process.log_marginal_likelihood(theta, eval_gradient=True)[1]).all()
    for (value, gradient), (same_value, same_gradient) in seen:
        assert value == pytest.approx(same_value, rel=1e-7)
        np.testing.assert_allclose(gradient, same_gradient, rtol=1e-4, atol=1e-4)


ROWS = np.random.default_rng(4).normal(size=(20, 2))
AWKWARD = {
    "a constant column": (ROWS * [1.0, 0.0], ROWS[:, 0]),
    "a constant target": (ROWS, np.full(20, 3.0)),
    "duplicates": (np.repeat(ROWS[:5], 4, axis=0), np.repeat(ROWS[:5, 0], 4)),
    "duplicates that disagree": (np.repeat(ROWS[:5], 4, axis=0), ROWS[:, 1]),
    "two rows": (ROWS[:2], ROWS[:2, 0]),
}


@pytest.mark.parametrize("case", AWKWARD)
@pytest.mark.parametrize("kernel", ["rbf", "matern"])
def test_gaussian_process_on_degenerate_tables(case, kernel):
    x, y = AWKWARD[case]
    model = quietly(GaussianProcess(kernel, ard=True, random_state=0).fit, x, y)
    assert np.isfinite(model.predict(ROWS)).all()
    assert np.ptp(model.predict(ROWS)) <= 2.0 * np.ptp(y)


def test_length_scale_at_its_bound_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = GaussianProcess("rbf", ard=True, random_state=0).fit(ROWS, ROWS[:, 0])
    lengths = model.process_.kernel_.get_params()["k1__k2__length_scale"]
    assert lengths[1] == pytest.approx(1000.0)  # the irrelevant input


def test_unconverged_gaussian_processes_are_counted(monkeypatch):
    fit = GaussianProcessRegressor.fit

    def stopped(process, x, y):
        warnings.warn("lbfgs failed to converge", ConvergenceWarning, stacklevel=2)
        return fit(process, x, y)

    monkeypatch.setattr(GaussianProcessRegressor, "fit", stopped)
    learner = TunedEstimator(CATALOGUE["GaussianProcess"] | {"settings": {"restarts": 0}})
    quietly(learner.fit, problem_of("192_vineyard"))
    assert learner.details()["unconverged_candidates"] == 4
    assert learner.details()["failed_candidates"] == 0


def test_gaussian_process_samples_large_tables():
    rng = np.random.default_rng(6)
    x = rng.normal(size=(90, 2))
    settings = {"max_rows": 60, "restarts": 0}
    model = GaussianProcess(**settings, random_state=1).fit(x, x[:, 0])
    assert model.model_size() == 60
    kept = model.process_.X_train_
    assert len(np.unique(kept, axis=0)) == 60
    other = GaussianProcess(**settings, random_state=2).fit(x, x[:, 0])
    assert not np.array_equal(kept, other.process_.X_train_)
    with pytest.raises(ValueError, match="kernel is 'linear'; known are rbf, matern"):
        GaussianProcess("linear").fit(x, x[:, 0])
