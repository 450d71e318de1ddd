"""VJMRegressor: VJM-GP behind scikit-learn's interface."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, Literal, NamedTuple, Self, overload

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin, TransformerMixin
from sklearn.metrics import r2_score
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from .core.arrays import Floats
from .core.atomic import whole_or_not_at_all
from .engine.compilation.warmup import compile_kernels
from .engine.distillation.distil import NODE_PRICE
from .engine.distillation.large_tables import entries_that_matter, prepare_all, refitted
from .engine.objectives.row_sample import sample_of_rows
from .engine.objectives.row_weights import row_weights
from .engine.parameters import (
    PARAMETERS,
    check_depths,
    check_final_rule,
    check_memory,
    checked,
    regularizer_class,
    shown,
)
from .engine.preparation import Prepared, prepare
from .engine.restarts import Search
from .engine.search.archive import O1, make_archive
from .engine.search.evolution import Evolution
from .engine.settings import Settings
from .engine.trees.addresses import addresses_of_run
from .engine.trees.primitives import FUNCTION_NAMES
from .engine.version import ENGINE_VERSION
from .formulas.user_function import UserFunction
from .inspection.plots import PlotMixin
from .models.intervals import ScoredRows
from .tables.preprocessing import fit_standardizer, nominal_columns
from .tables.validation import (
    as_frame,
    as_table,
    as_target,
    check_columns,
    check_sample_weight,
    column_names,
    name_of_target,
)

Record = dict[str, float]


MAY_CHANGE = {
    *("generations", "max_time", "patience", "restarts", "n_jobs", "warm_start", "memory_limit"),
    *("node_price", "predict_with", "clip_predictions", "callback", "progress", "random_state"),
}
"""Parameters that may differ between a fit and one that goes on from it."""


class ToGoOn(NamedTuple):
    """What another fit needs to go on where one has stopped."""

    runs: dict[int, Evolution]
    parameters: dict[str, Any]
    data: tuple[Floats, Floats, Floats | None]


def _same(a: Any, b: Any) -> bool:
    return np.array_equal(a, b) if isinstance(a, np.ndarray) else bool(a == b)


class VJMRegressor(PlotMixin, TransformerMixin, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Symbolic regression by evolutionary feature construction with a vicinal Jensen gap.

    Genetic programming evolves up to `max_trees` expression trees; a ridge model on them predicts
    the target. Evolution minimises the leave-one-out error and a regulariser, by default the
    vicinal Jensen gap: how far the model is from linear between nearby points. Everything that it
    has found is then distilled into one short formula. `VJMRegressor.paper()` chooses one of the
    evolved models instead, as the paper does.

    Parameters
    ----------
    regularizer : str, default="jensen_gap"
        The second objective, one of `vjmgp.REGULARIZERS` or the paper's name of the method:
        "jensen_gap" or "VJM", "finite_difference" (FDM), "vicinal_risk" (P-VRM), "parsimony" (PP),
        "tikhonov" (TK), "grand_complexity" (GC), "rademacher" (RC), "wcrv" (WCRV),
        "distance_correlation" (IODC), "none" (Standard GP); or the import path of your own.
    population_size, generations : int, default=200 and 100
        The budget: population_size × (generations + 1) evaluations.
    max_time : float or None, default=None
        Seconds after which no new generation starts, shared out among the restarts. Compiling,
        which only the first fit on a machine does, is not counted.
    patience : int or None, default=None
        Generations without progress after which a restart ends: neither its smallest leave-one-out
        error nor the model it would choose has changed.
    max_rows : int or None, default=3000
        Of a larger table evolution and the noise estimate see a sample of so many rows, which has
        the target's distribution. The models found are then fitted and scored on all rows (up to
        200,000) and the final one is chosen by these scores. None: all rows, always.
    restarts : int, default=1
        How many evolutions run on the same data, with other random numbers. Four take four times
        as long as one and give a better formula of the same size.
    n_jobs : int or None, default=None
        How many restarts run at the same time; what is left over helps each of them where rows
        are many. None is 1, −1 all cores. It changes no result.
    warm_start : bool, default=False
        Whether another `fit` to the same data goes on where the last one stopped: with more
        `generations`, more `restarts`, or after `max_time`, `patience` or an interrupt. The result
        is that of a run that never stopped.
    random_state : int, RandomState or None
        The same number gives the same model, to the last bit.
    functions : sequence of str or UserFunction
        Which functions trees may use: the paper's 13 by default (`vjmgp.FUNCTION_NAMES`), others by
        name (`vjmgp.MORE_FUNCTION_NAMES`) and your own; docs/own_function.md describes them. A
        model with a divisor of 0 ("div", "inv") on a training row is not taken.
    forbidden_inside : mapping or None, default=None
        Which functions a function may not hold, however deep: {"sin": ("sin", "cos")} forbids sin
        and cos inside a sin.
    max_size : int or None, default=None
        Largest number of nodes over all trees of a model.
    max_trees, max_depth : int, default=10 and 10
        Largest number of trees, and depth of a tree.
    init_depth : (int, int), default=(0, 3)
        Range of depths of new random trees.
    selection : str, default="lexicase"
        How parents are selected, one of `vjmgp.SELECTIONS`.
    crossover_rate, mutation_rate, addition_rate, deletion_rate : float
        Rates of the variation operators.
    ridge_alphas : sequence of float, default=(0.1, 1, 10)
        Ridge strengths; the one with the smallest leave-one-out error is taken per individual.
    rounds : int, default=10
        K: vicinal points per training row.
    mixup_alpha : float, default=10
        Parameter of the Beta distribution of mixup shares.
    mixup_gamma : float, default=0.5
        How strongly partners with a similar label are preferred.
    mixup_kernel : {"label", "joint"}, default="label"
        Similarity of labels (Mix_Y), or of inputs and labels (Mix_XY).
    fold_share : bool, default=True
        Whether the anchor always has the larger share of a mixed point.
    sigma : float, default=0.5
        Noise of the finite difference, on standardised inputs.
    tau : float or "adaptive", default="adaptive"
        Weight of the regulariser in the final choice. Adaptive: 1 where Extra Trees predict the
        training rows with a cross-validated R² of 0.5 or more, else 10.
    noise_r2 : float or None, default=None
        That R², where it is known already, for example from another run on the same rows.
    noise_score : {"mean", "pooled"}, default="mean"
        That R²: mean over the folds as in the paper, or over all rows at once, which is steadier
        with heavy-tailed targets.
    intrusion_detection : bool or "adaptive", default="adaptive"
        Whether mixed points that leave the data manifold are drawn again. Adaptive: where the
        R² above is 0.5 or more.
    intrusion_margin : float, default=0.05
        μ: how far a share may be off before a point counts as an intrusion.
    early_stopping : bool, default=False
        Stop measuring the gap of an individual once it cannot become the best under `tau`. Faster;
        the gaps of those that were stopped are too small, so another τ or rule chooses less well.
    unscaled_clean_features : bool, default=False
        Repeat a slip of the authors' program, which fed the clean side of the gap with unscaled
        features. Only for comparing with it.
    final_rule : {"auto", "short", "distil", "paper", "tau", "knee", "o1", "o2"}, default="auto"
        Where the final model comes from. "distil": a student that follows the weighted mean of all
        models found, for regularisers in units of the target's variance (VJM, FDM). "short": a
        shorter one of such students where that costs little, or a simple law (a few products of
        powers) where the labels follow one. "paper": one model of the front, by the regulariser's
        own rule. "auto": "short" where it is possible, else "paper". The other four are rules for
        choosing from the front.
    node_price : float, default=0.0025
        What a node of the student must gain: a higher price gives a shorter formula.
    predict_with : {"model", "front", "blend"}, default="model"
        What `predict` uses: the formula; the weighted mean of all models found; or that mean
        together with Extra Trees and a Gaussian process. The last two predict better and cannot be
        read.
    clip_predictions : bool, default=True
        Whether `predict` keeps to the range of the training target, as in the paper.
    categorical_features : "auto", None, or column names, positions or a mask
        Nominal columns, whose levels have no order. "auto": text and category columns of a
        DataFrame.
    encoding : {"auto", "onehot", "target"}, default="auto"
        How nominal columns become numbers. "onehot": an input for each level, 1 or 0, all of them
        0 for a level that training did not see; two levels make one input. "target": shrunken
        means of the target, as in the paper. "auto": "onehot" up to 5 levels, else "target".
    missing : {"error", "median", "indicator"}, default="error"
        Missing numbers in X: an error; the median of the training rows in their place; or that,
        and for each column with missing numbers an input that tells where. Missing levels of a
        nominal column are a level of their own, always.
    memory_limit : float, default=4096
        MiB for stored feature values. A smaller store costs time, never changes a result.
    callback : callable or None
        Called after each generation with a dict (restart, generation, seconds, o1, o2, train_r2,
        size, …); returning True stops the search.
    progress : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : SymbolicModel
        The chosen model: formulas, JSON, and its values before clipping.
    predictor_ : SymbolicModel, FrontModel or BlendModel
        What `predict` uses; `model_` itself unless `predict_with` says otherwise.
    pareto_front_ : DataFrame
        The non-dominated models of all restarts, by rising leave-one-out error, then the student.
    history_ : DataFrame
        One row per restart and generation; `chosen` is the archive entry that would have been
        chosen then, by the rule for the front and the run's own τ.
    archive_ : Archive
        Every model that was ever on the front of a restart.
    target_name_ : str
        The name of y where it is a Series, else "target": what plots call it.
    noise_r2_, tau_ : float
        The noise estimate (NaN where none was needed) and the weight it gave.
    engine_version_ : str
        The engine's version: the same version, data, parameters and seed give the same model.
    stopped_by_ : {"generations", "patience", "max_time", "callback", "interrupt", "constant"}
        Why the run ended.
    timings_ : dict
        Seconds of preparation, evolution and the final choice.

    See Also
    --------
    load_model : Read a model that was written by `model_.to_json`.
    paper_split : The rows to train and to test on that the paper's protocol gives.

    References
    ----------
    H. Zhang, Q. Chen, B. Xue, W. Banzhaf, M. Zhang: Enhancing Generalization in Evolutionary
    Feature Construction for Symbolic Regression through Vicinal Jensen Gap Minimization.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from vjmgp import VJMRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = pd.DataFrame(rng.uniform(1, 3, size=(80, 2)), columns=["a", "b"])
    >>> y = 3 * X["a"] / X["b"] + 5
    >>> model = VJMRegressor(generations=10, random_state=0).fit(X, y)
    >>> print(model.model_)
    3*a/b + 5
    >>> round(model.score(X, y), 3)
    1.0

    """

    def __init__(
        self,
        regularizer: str = "jensen_gap",
        *,
        population_size: int = 200,
        generations: int = 100,
        max_time: float | None = None,
        patience: int | None = None,
        max_rows: int | None = 3000,
        restarts: int = 1,
        n_jobs: int | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        functions: Sequence[str | UserFunction] = FUNCTION_NAMES,
        forbidden_inside: Mapping[str, Sequence[str]] | None = None,
        max_size: int | None = None,
        max_trees: int = 10,
        max_depth: int = 10,
        init_depth: tuple[int, int] = (0, 3),
        selection: str = "lexicase",
        crossover_rate: float = 0.9,
        mutation_rate: float = 0.1,
        addition_rate: float = 0.5,
        deletion_rate: float = 0.5,
        ridge_alphas: Sequence[float] = (0.1, 1.0, 10.0),
        rounds: int = 10,
        mixup_alpha: float = 10.0,
        mixup_gamma: float = 0.5,
        mixup_kernel: Literal["label", "joint"] = "label",
        fold_share: bool = True,
        sigma: float = 0.5,
        tau: float | Literal["adaptive"] = "adaptive",
        noise_r2: float | None = None,
        noise_score: Literal["mean", "pooled"] = "mean",
        intrusion_detection: bool | Literal["adaptive"] = "adaptive",
        intrusion_margin: float = 0.05,
        early_stopping: bool = False,
        unscaled_clean_features: bool = False,
        final_rule: str = "auto",
        node_price: float = NODE_PRICE,
        predict_with: Literal["model", "front", "blend"] = "model",
        clip_predictions: bool = True,
        categorical_features: Any = "auto",
        encoding: Literal["auto", "onehot", "target"] = "auto",
        missing: Literal["error", "median", "indicator"] = "error",
        memory_limit: float = 4096.0,
        callback: Callable[[Record], bool | None] | None = None,
        progress: bool = False,
    ) -> None:
        self.regularizer = regularizer
        self.population_size = population_size
        self.generations = generations
        self.max_time = max_time
        self.patience = patience
        self.max_rows = max_rows
        self.restarts = restarts
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.random_state = random_state
        self.functions = functions
        self.forbidden_inside = forbidden_inside
        self.max_size = max_size
        self.max_trees = max_trees
        self.max_depth = max_depth
        self.init_depth = init_depth
        self.selection = selection
        self.crossover_rate = crossover_rate
        self.mutation_rate = mutation_rate
        self.addition_rate = addition_rate
        self.deletion_rate = deletion_rate
        self.ridge_alphas = ridge_alphas
        self.rounds = rounds
        self.mixup_alpha = mixup_alpha
        self.mixup_gamma = mixup_gamma
        self.mixup_kernel = mixup_kernel
        self.fold_share = fold_share
        self.sigma = sigma
        self.tau = tau
        self.noise_r2 = noise_r2
        self.noise_score = noise_score
        self.intrusion_detection = intrusion_detection
        self.intrusion_margin = intrusion_margin
        self.early_stopping = early_stopping
        self.unscaled_clean_features = unscaled_clean_features
        self.final_rule = final_rule
        self.node_price = node_price
        self.predict_with = predict_with
        self.clip_predictions = clip_predictions
        self.categorical_features = categorical_features
        self.encoding = encoding
        self.missing = missing
        self.memory_limit = memory_limit
        self.callback = callback
        self.progress = progress

    @classmethod
    def paper(cls, regularizer: str = "jensen_gap", **settings: Any) -> Self:
        """The paper's method: one model of the front, by the regulariser's rule.

        Nominal columns become target means, and evolution sees all rows.
        """
        paper = {"final_rule": "paper", "encoding": "target", "max_rows": None}
        return cls(regularizer, **paper | settings)

    # -- fitting ------------------------------------------------------------------------------

    @whole_or_not_at_all
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> VJMRegressor:
        """Evolve a model of y from X (rows × columns; a DataFrame keeps its column names).

        `sample_weight` has a number of 0 or more for each row, and a row counts as so many copies
        of it: in scales, ridge, leave-one-out errors, selection, regulariser, noise estimate and
        student. Rows of weight 0 are left out. As with copies, larger weights make the
        `ridge_alphas` weaker: weights of mean 1 keep their strength.
        """
        parameters = self._parameters()
        settings = Settings(**{name: parameters[name] for name in Settings.__dataclass_fields__})
        self.target_name_ = name_of_target(y)
        table, y = self._check_training_data(X, y)
        table, y, weights = self._weighted_rows(table, y, sample_weight)
        names = column_names(table)
        nominal = nominal_columns(table, names, self.categorical_features)
        standardizer = fit_standardizer(
            table, y, names, nominal, parameters["encoding"], parameters["missing"], weights
        )
        standardizer = replace(standardizer, clips=parameters["clip_predictions"])
        self._standardizer = standardizer
        self._short_models, self._formulas, self._short_formulas = {}, {}, {}
        self.engine_version_ = ENGINE_VERSION
        if not standardizer.inputs or standardizer.target_range[0] == standardizer.target_range[1]:
            return self._fit_constant(settings, standardizer.standardize(table), y, weights)
        jobs = effective_n_jobs(parameters["n_jobs"])
        workers = min(parameters["restarts"], jobs)
        seen = min(len(y), parameters["max_rows"] or len(y))
        check_memory(settings, seen, len(standardizer.inputs), workers)
        compile_kernels(settings.regularizer, settings.selection)
        addresses_of_run(settings.functions)
        x, y = standardizer.standardize(table), standardizer.standardize_target(y)
        earlier = self._goes_on(parameters, (x, y, weights))
        if earlier is None:
            self._prepare(x, y, weights, settings, parameters)
        assert self._prepared is not None
        self._prepared = replace(self._prepared, settings=settings)
        names_of_search = ("restarts", "max_time", "patience", "callback", "progress")
        search = Search(
            self._prepared,
            jobs=jobs,
            continued=earlier,
            **{name: parameters[name] for name in names_of_search},
        )
        try:
            search.run()
        except BaseException:
            if earlier is not None:
                earlier.clear()  # they have gone on, the model that is kept has not
            raise
        self._to_go_on = None
        if parameters["warm_start"]:
            self._to_go_on = ToGoOn(search.runs, parameters, (x, y, weights))
        self.stopped_by_ = search.stopped_by
        started = time.perf_counter()
        self.archive_, history = search.result()
        if self._whole is not None:
            self._refit(self._whole, history, jobs)
        self.history_ = pd.DataFrame(history)
        self.noise_r2_, self.tau_ = self._prepared.noise_r2, self._prepared.tau
        self.n_iter_ = int(max(row["generation"] for row in history))
        self.student_ = None
        self.choose()
        self.timings_ = {
            "preparation": self._prepared.seconds,
            "evolution": search.seconds,
            "choice": time.perf_counter() - started,
        }
        return self

    def _prepare(
        self,
        x: Floats,
        y: Floats,
        weights: Floats | None,
        settings: Settings,
        parameters: dict[str, Any],
    ) -> None:
        """The rows that evolution sees, and all of them where these are a sample."""
        seed, noise_r2 = self._seed(), parameters["noise_r2"]
        rows = sample_of_rows(y, parameters["max_rows"] or len(y), seed)
        own = None if weights is None else weights[rows]
        self._prepared = prepare(x[rows], y[rows], settings, seed, noise_r2, own)
        self._whole, self._constant_rows = None, None
        if len(rows) < len(y):
            self._whole = prepare_all(x, y, self._prepared, weights)

    def _goes_on(
        self, parameters: dict[str, Any], data: tuple[Floats, Floats, Floats | None]
    ) -> dict[int, Evolution] | None:
        """The evolutions of the fit before, if this one is to continue them."""
        before: ToGoOn | None = getattr(self, "_to_go_on", None)
        if not parameters["warm_start"] or before is None or not before.runs:
            return None
        for name in parameters.keys() - MAY_CHANGE:
            if not _same(parameters[name], before.parameters[name]):
                raise ValueError(
                    f"{name} is not what it was in the fit that is to go on: set it to "
                    f"{shown(before.parameters[name])}, or warm_start to False."
                )
        if not all(map(_same, data, before.data)):
            raise ValueError(
                "The data are not those of the fit that is to go on: give the same, or set "
                "warm_start to False."
            )
        return before.runs

    def _refit(self, whole: Prepared, history: list[Record], jobs: int) -> None:
        """Weights and scores of the archive from all rows; `chosen` follows the entries."""
        assert self._prepared is not None
        chosen = np.unique([row["chosen"] for row in history if "chosen" in row]).astype(np.int64)
        kept = entries_that_matter(self.archive_, self._prepared.noise_r2, chosen)
        self.archive_ = refitted(self.archive_, kept, self._prepared, whole, jobs)
        for row in history:
            if "chosen" in row:
                row["chosen"] = int(np.searchsorted(kept, row["chosen"]))

    def _parameters(self) -> dict[str, Any]:
        """All parameters, checked, as plain Python values."""
        parameters = {name: checked(name, getattr(self, name)) for name in PARAMETERS}
        check_depths(parameters["init_depth"], parameters["max_depth"])
        check_final_rule(parameters["final_rule"], parameters["regularizer"])
        return parameters

    def _seed(self) -> int:
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _check_training_data(self, X: Any, y: Any) -> tuple[Any, Floats]:
        """X as a DataFrame or matrix, y as floats; scikit-learn keeps names and number."""
        table = as_table(X)
        wanted = self.categorical_features
        if not (wanted is None or (isinstance(wanted, str) and wanted == "auto")):
            table = as_frame(table)
        check_columns(table)
        target = as_target(y, len(table))
        if len(target) < 2:
            raise ValueError(f"VJMRegressor needs 2 rows or more; got n_samples = {len(target)}.")
        validate_data(self, table, skip_check_array=True)
        return table, target

    def _weighted_rows(
        self, table: Any, y: Floats, sample_weight: Any
    ) -> tuple[Any, Floats, Floats | None]:
        """The rows that count, and their weights; None where no weights are given."""
        weights = check_sample_weight(sample_weight, len(y))
        if weights is None:
            return table, y, None
        if not regularizer_class(self.regularizer).uses_sample_weight:
            raise ValueError(
                f"The regularizer {self.regularizer!r} takes no sample_weight: fit without weights "
                "or choose another one."
            )
        kept = np.flatnonzero(weights)
        if len(kept) < len(weights):
            table = table.iloc[kept] if hasattr(table, "iloc") else table[kept]
            y, weights = y[kept], weights[kept]
        return table, y, None if (weights == 1.0).all() else weights

    def _fit_constant(
        self, settings: Settings, x: Floats, y: Floats, weights: Floats | None
    ) -> VJMRegressor:
        """No input varies, or the target does not: the model is the target's mean."""
        self.archive_ = make_archive(settings.max_trees, 1, 1)
        if y.min() < y.max():
            self.archive_.scores[0, O1] = (len(y) / (len(y) - 1)) ** 2  # of the mean, left out
            if weights is not None:
                errors = self._standardizer.standardize_target(y)
                errors = errors / (1.0 - np.minimum(weights, 1.0) / weights.sum())
                self.archive_.scores[0, O1] = np.average(errors**2, weights=weights)
        self.archive_.counts[:] = 1, 0, 1
        self.history_ = pd.DataFrame()
        self.noise_r2_, self.tau_ = float("nan"), 1.0
        self.n_iter_ = 0
        self.timings_ = {"preparation": 0.0, "evolution": 0.0, "choice": 0.0}
        self.stopped_by_ = "constant"
        self._prepared, self._whole, self._to_go_on, self.student_ = None, None, None, None
        self._constant_rows = ScoredRows(
            x, self._standardizer.standardize_target(y), row_weights(len(y), weights)
        )
        self.choose()
        return self

    # -- using the model ----------------------------------------------------------------------

    def _check_new_data(self, X: Any) -> Any:
        check_is_fitted(self, "model_")
        table = as_table(X)
        check_columns(table)
        if len(table) == 0:
            raise ValueError("X has no rows (0 samples); give one row or more.")
        validate_data(self, table, skip_check_array=True, reset=False)
        if hasattr(table, "iloc") and not hasattr(self, "feature_names_in_"):
            return table.set_axis(self._standardizer.names, axis=1)  # positions count
        return table

    @overload
    def predict(self, X: Any, interval: None = None) -> Floats: ...

    @overload
    def predict(self, X: Any, interval: float) -> tuple[Floats, Floats]: ...

    def predict(self, X: Any, interval: float | None = None) -> Floats | tuple[Floats, Floats]:
        """Predictions, clipped to the range of the training target unless told otherwise.

        With `interval`, for example 0.9, it returns (predictions, intervals): intervals are rows
        × 2, lower and upper ends that hold this share of new targets. An `ExtrapolationWarning`
        tells of rows outside the training range of an input.
        """
        table = self._check_new_data(X)
        found: Floats | tuple[Floats, Floats] = self.predictor_.predict(table, interval)
        return found

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² of the predictions. It does not warn: the score itself tells how they extrapolate."""
        table = self._check_new_data(X)
        x = self._standardizer.standardize(table)
        return float(r2_score(y, self.predictor_.predict_rows(x), sample_weight=sample_weight))

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Predictions of the model of the front that would be chosen after each generation.

        A student exists only at the end: where the final model is distilled, the stages, the last
        one too, are those of the paper's rule.
        """
        table = self._check_new_data(X)
        x = self._standardizer.standardize(table)
        previous, values = None, np.full(len(x), self._standardizer.target_mean)
        for entry in self.staged_choices():
            if entry != previous and entry is not None:
                previous, values = entry, self._model(entry).predict_rows(x)
            yield values.copy()

    def transform(self, X: Any) -> Floats:
        """The constructed features, one column per tree of the model."""
        table = self._check_new_data(X)
        return self.model_.transform(table)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The constructed features as formulas."""
        check_is_fitted(self, "model_")
        if input_features is not None and hasattr(self, "feature_names_in_"):
            if list(input_features) != list(self.feature_names_in_):
                raise ValueError("input_features is not equal to feature_names_in_")
        elif input_features is not None and len(input_features) != self.n_features_in_:
            raise ValueError("input_features should have length equal to number of features")
        names: list[str] = []
        for text in self.model_.feature_texts(digits=4):
            name, count = text, 1
            while name in names:
                count += 1
                name = f"{text} [{count}]"
            names.append(name)
        return np.array(names, dtype=object)

    def __getstate__(self) -> Any:
        """What is saved and copied: a model cannot go on in another process."""
        state = super().__getstate__()
        return {**state, "_to_go_on": None} if "_to_go_on" in state else state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing in ("median", "indicator")
        tags.transformer_tags.preserves_dtype = []  # features are float64 whatever comes in
        return tags
