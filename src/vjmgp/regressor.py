"""VJMRegressor: VJM-GP as a scikit-learn estimator."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, Self, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin, TransformerMixin
from sklearn.metrics import r2_score
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from . import model_selection
from .core.arrays import Floats
from .core.atomic import atomic
from .core.user_warnings import warn_user
from .engine import parameters as parameter_checks
from .engine.distillation.distil import NODE_PRICE
from .engine.evolve import TrainingData, evolve
from .engine.objectives.row_weights import row_weights
from .engine.parameters import CHOICES, PARAMETERS, checked
from .engine.preparation import ScoredRows
from .engine.restarts import INTERRUPTED, Record
from .engine.search.archive import Archive
from .engine.settings import Settings
from .engine.trees.primitives import FUNCTION_NAMES
from .engine.version import ENGINE_VERSION
from .formulas.input_names import unused
from .formulas.user_function import UserFunction
from .inspection import importance, plots, residuals, response, shorter
from .inspection.fitted import Fitted
from .inspection.importance import Stability
from .models.symbolic import SymbolicModel
from .tables import validation
from .tables.preprocessing import fit_standardizer, inputs_left_out, named_columns, nominal_columns
from .tables.row_labels import RowLabelWarning, describe_row_labels, row_labels_to_drop
from .tables.table_cautions import Caution, table_cautions

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class VJMRegressor(TransformerMixin, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Symbolic regression by evolutionary feature construction with a vicinal Jensen gap.

    Genetic programming evolves up to `max_trees` expression trees; a ridge model on them predicts
    the target. Evolution minimises the leave-one-out error and a regulariser, by default the
    vicinal Jensen gap, which measures how far the model is from linear between nearby points. All
    models found are then distilled into short formulas, which compete with laws that are searched
    for in the inputs' own units. `VJMRegressor.paper()` chooses one of the evolved models instead,
    as the paper does.

    Parameters
    ----------
    regularizer : str, default="jensen_gap"
        The second objective, one of `vjmgp.REGULARIZERS` or the paper's name of the method:
        "jensen_gap" or "VJM", "finite_difference" (FDM), "vicinal_risk" (P-VRM), "parsimony" (PP),
        "tikhonov" (TK), "grand_complexity" (GC), "rademacher" (RC), "wcrv" (WCRV),
        "distance_correlation" (IODC), "none" (Standard GP); or the import path of a custom one.
    population_size, generations : int, default=200 and 100
        The budget: population_size × (generations + 1) evaluations.
    max_time : float or None, default=None
        Seconds after which no new generation starts, divided among the restarts. Compilation,
        which only the first fit on a machine needs, is not counted.
    patience : int or None, default=None
        Generations without progress after which a restart ends: neither its smallest leave-one-out
        error nor the model that it would choose has changed.
    max_rows : int or None, default=1500
        Tables with more rows are subsampled to this size for evolution and the noise estimate; the
        sample keeps the target's distribution. The models found are then fitted to and scored on
        all rows (up to 200,000), and the final one is chosen by these scores. None: no sampling.
    restarts : int, default=1
        Number of evolutions on the same data with different random numbers. Four take four times
        as long as one and give a better formula of the same size.
    n_jobs : int or None, default=None
        Number of restarts that run in parallel; with many rows, remaining cores speed up each of
        them. None means 1, −1 all cores. Results do not depend on it.
    warm_start : bool, default=False
        Whether another `fit` to the same data continues the previous one: with more `generations`,
        more `restarts`, or after `max_time`, `patience` or an interrupt. The result is that of an
        uninterrupted run.
    random_state : int, RandomState or None
        The seed. The same seed gives the same model to the last bit.
    functions : sequence of str or UserFunction
        Functions that trees may use: by default the paper's 13 (`vjmgp.FUNCTION_NAMES`), more by
        name (`vjmgp.MORE_FUNCTION_NAMES`), and custom ones (docs/own_function.md). "-sin" stands
        for the default ones without sin. Laws are searched with what these functions allow. Models
        that divide by 0 ("div", "inv") on a training row are rejected.
    forbidden_inside : mapping or None, default=None
        Functions that may not occur inside a function, at any depth: {"sin": ("sin", "cos")}
        forbids sin and cos inside sin.
    max_size : int or None, default=None
        Largest number of nodes over all trees of a model as evolution counts them, `evolved_size`;
        `choose(max_size=)` limits the size of the written formula.
    max_trees, max_depth : int, default=10 and 10
        Largest number of trees, and depth of a tree. With many rows, the rule "short" may use up to
        20 trees, unless `max_trees` is below 10.
    init_depth : (int, int), default=(0, 3)
        Range of depths of new random trees.
    selection : str, default="lexicase"
        Parent selection, one of `vjmgp.SELECTIONS`.
    crossover_rate, mutation_rate, addition_rate, deletion_rate : float
        Rates of the variation operators.
    ridge_alphas : sequence of float, default=(0.1, 1, 10)
        Ridge strengths; each individual uses the one with the smallest leave-one-out error.
    rounds : int, default=10
        K: vicinal points per training row.
    mixup_alpha : float, default=10
        Parameter of the Beta distribution of mixup shares.
    mixup_gamma : float, default=0.5
        Strength of the preference for partners with a similar label.
    mixup_kernel : {"label", "joint"}, default="label"
        Similarity of labels (Mix_Y), or of inputs and labels (Mix_XY).
    fold_share : bool, default=True
        Whether the anchor always has the larger share of a mixed point.
    sigma : float, default=0.5
        Noise of the finite difference, on standardised inputs.
    tau : float or "adaptive", default="adaptive"
        Weight of the regulariser in the final choice. Adaptive: 1 if Extra Trees predict the
        training rows with a cross-validated R² of 0.5 or more, else 10.
    noise_r2 : float or None, default=None
        That R², if it is already known, for example from another run on the same rows.
    noise_score : {"mean", "pooled"}, default="mean"
        Computation of that R²: mean over the folds as in the paper, or over all rows at once,
        which is more stable with heavy-tailed targets.
    intrusion_detection : bool or "adaptive", default="adaptive"
        Whether mixed points that leave the data manifold are drawn again. Adaptive: if the R²
        above is 0.5 or more.
    intrusion_margin : float, default=0.05
        μ: tolerance on the share of a point before it counts as an intrusion.
    early_stopping : bool, default=False
        Stop measuring the gap of an individual once it cannot become the best under `tau`. This is
        faster, but gaps of stopped individuals are too small, so choices by another τ or rule are
        less reliable.
    unscaled_clean_features : bool, default=False
        Reproduce an error of the authors' program, which fed unscaled features to the clean side of
        the gap. Only for comparisons with it.
    final_rule : {"auto", "short", "distil", "paper", "tau", "knee", "o1", "o2"}, default="auto"
        Origin of the final model. "distil": a student that follows the weighted mean of all models
        found, for regularisers in units of the target's variance (VJM, FDM). "short": the best by
        leave-one-out errors and length of such students, with or without fitted constants, of laws
        in the inputs' own units, and of a linear model (docs/short_formula.md). "paper": one model
        of the front, by the regulariser's rule. "auto": "short" if possible, else "paper". The
        remaining four are rules for the front.
    node_price : float, default=0.0025
        Gain that each node of the student requires: a higher price gives a shorter formula.
    predict_with : {"model", "front", "blend"}, default="model"
        The predictor: the formula; the weighted mean of all models found; or that mean combined
        with Extra Trees and a Gaussian process. The last two are more accurate but not readable.
    clip_predictions : bool or "auto", default="auto"
        Whether predictions are clipped to the range of the training target, as in the paper.
        "auto": a law may leave that range, the farther the more of the variance it explains.
    categorical_features : "auto", None, or column names, positions or a mask
        Nominal columns, whose levels have no order. "auto": text and category columns of a
        DataFrame.
    encoding : {"auto", "onehot", "target"}, default="auto"
        Encoding of nominal columns. "onehot": a 0/1 input for each level, all 0 for unseen levels;
        two levels share one input. "target": shrunken means of the target, as in the paper.
        "auto": "onehot" up to 5 levels, else "target".
    missing : {"error", "median", "indicator"}, default="error"
        Missing numbers in X: an error; replaced by the median of the training rows; or that, with
        a 0/1 input for each column that has missing numbers. Missing values of a nominal column
        are always a level.
    row_labels : {"drop", "keep"}, default="drop"
        Columns of a DataFrame that name or count its rows (identifiers, an unnamed index, text with
        more levels than half of the rows) teach nothing about new rows. "drop": leave them out with
        a `RowLabelWarning`, except those named in `categorical_features`, and never all inputs.
        "keep": use them; `cautions_` names them.
    memory_limit : float, default=4096
        MiB for stored feature values. Less memory costs time but does not change results.
    callback : callable or None
        Called after each generation with a dict (restart, generation, seconds, o1, o2, train_r2,
        size, …); if it returns True, the search stops.
    progress : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : SymbolicModel
        The chosen model: formula, JSON, and values before clipping.
    predictor_ : SymbolicModel, FrontModel or BlendModel
        The model that `predict` uses: `model_`, unless `predict_with` says otherwise.
    pareto_front_ : DataFrame
        The non-dominated models of all restarts, by ascending leave-one-out error, then the
        student.
    history_ : DataFrame
        One row per restart and generation; `chosen` is the archive entry that the rule for the
        front would have chosen, with the run's τ.
    archive_ : Archive
        Every model that was ever on the front of a restart.
    target_name_ : str
        The name of y if it is a Series, else "target"; plots use it.
    noise_r2_, tau_ : float
        The noise estimate (NaN if none was needed) and the resulting weight.
    engine_version_ : str
        The same engine version, data, parameters and seed give the same model.
    stopped_by_ : {"generations", "patience", "max_time", "callback", "interrupt", "constant"}
        Why the run ended.
    row_labels_ : list of str
        The columns that `row_labels` has left out; `predict` ignores them.
    cautions_ : list of str
        Reasons to be careful with the fit, each with a `kind`: "few rows", "few levels" (of the
        target), "leak" (an input nearly is the target), "ID" (an input names the rows), "time
        order" (neighbouring rows are alike).
    timings_ : dict
        Seconds of preparation, evolution and the final choice.
    fitted_ : Fitted
        The model as the functions of `vjmgp.inspection` take it.

    See Also
    --------
    load_model : Read a model written by `model_.to_json`.
    paper_split : Training and test rows of the paper's protocol.

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
        max_rows: int | None = 1500,
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
        clip_predictions: bool | Literal["auto"] = "auto",
        categorical_features: Any = "auto",
        encoding: Literal["auto", "onehot", "target"] = "auto",
        missing: Literal["error", "median", "indicator"] = "error",
        row_labels: Literal["drop", "keep"] = "drop",
        memory_limit: float = 4096.0,
        callback: Callable[[Record], bool | None] | None = None,
        progress: bool = False,
    ) -> None:
        given = locals()
        for name in PARAMETERS:
            setattr(self, name, given[name])

    @classmethod
    def paper(cls, regularizer: str = "jensen_gap", **settings: Any) -> Self:
        """Return a regressor with the paper's settings.

        One model of the front is chosen by the regulariser's rule, nominal columns become target
        means, evolution sees all rows, and all columns are used.
        """
        paper = {"final_rule": "paper", "encoding": "target", "max_rows": None}
        paper |= {"row_labels": "keep"}
        return cls(regularizer, **paper | settings)

    @atomic
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> VJMRegressor:
        """Evolve a model of y from X (rows × columns; a DataFrame keeps its column names).

        `sample_weight` has a number of 0 or more for each row, which counts like as many copies of
        it: in scales, ridge, leave-one-out errors, selection, regulariser, noise estimate and
        student. Rows of weight 0 are left out. As with copies, larger weights make the
        `ridge_alphas` weaker; weights of mean 1 keep their strength.
        """
        parameters = {name: checked(name, getattr(self, name)) for name in PARAMETERS}
        parameter_checks.check_depths(parameters["init_depth"], parameters["max_depth"])
        parameter_checks.check_final_rule(parameters["final_rule"], parameters["regularizer"])
        settings = Settings(**{name: parameters[name] for name in Settings.__dataclass_fields__})
        self.target_name_ = validation.name_of_target(y)
        table, nominal, target, weights = self._check_training_data(X, y, sample_weight)
        names = validation.column_names(table)
        standardizer = fit_standardizer(
            table, target, names, nominal, parameters["encoding"], parameters["missing"], weights
        )
        clips = parameters["clip_predictions"]
        standardizer = replace(standardizer, clips=bool(clips))
        x, y = standardizer.standardize(table), standardizer.standardize_target(target)
        self.engine_version_ = ENGINE_VERSION
        previous = getattr(self, "_warm_start_state", None)
        data = TrainingData(x, y, weights)
        outcome = evolve(data, settings, parameters, self._draw_seed, previous)
        prepared = outcome.prepared
        self.archive_, self.stopped_by_ = outcome.archive, outcome.stopped_by
        self.noise_r2_ = float("nan") if prepared is None else prepared.noise_r2
        self.tau_ = 1.0 if prepared is None else prepared.tau
        self.history_ = pd.DataFrame(outcome.history)
        self.n_iter_ = int(max((row["generation"] for row in outcome.history), default=0))
        self.student_: Archive | None = None
        self._warm_start_state = outcome.state
        rows = ScoredRows(x, y, row_weights(len(y), weights)) if prepared is None else None
        left_out = inputs_left_out(standardizer, table, x, y, weights)
        self._found = model_selection.SearchResult(
            self.archive_,
            standardizer,
            self.tau_,
            prepared,
            outcome.whole,
            rows,
            clips is True,
            None if left_out is None else (y, left_out),
        )
        self._choose_or_keep_best()
        residuals = target - self.model_.predict_rows(x)
        levels = [names[k] for k in nominal]
        self.cautions_: list[Caution] = list(table_cautions(table, target, residuals, levels))
        self.timings_ = {
            "preparation": 0.0 if prepared is None else prepared.seconds,
            "evolution": outcome.seconds,
            "choice": time.perf_counter() - outcome.ended,
        }
        return self

    def _choose_or_keep_best(self) -> None:
        """Choose the final model; an interrupt, unless it is the second, leaves one of the front.

        That one takes no time: the choice of the paper.
        """
        try:
            self.choose()
        except KeyboardInterrupt:
            if self.stopped_by_ == "interrupt":
                raise
            self.stopped_by_ = "interrupt"
            self.choose(rule="paper", predict_with="model")
            warnings.warn(INTERRUPTED.format(self.n_iter_), stacklevel=4)

    def _draw_seed(self) -> int:
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _check_training_data(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Any, list[int], Floats, Floats | None]:
        """Return the rows of positive weight: table, its nominal columns, targets, weights if any.

        The table is a DataFrame or matrix without row labels; weights of 1 are None.
        """
        table = validation.as_table(X)
        wanted = self.categorical_features
        if not (wanted is None or (isinstance(wanted, str) and wanted == "auto")):
            table = validation.as_frame(table)
        validation.check_columns(table)
        target = validation.as_target(y, len(table))
        if len(target) < 2:
            raise ValueError(f"VJMRegressor needs 2 rows or more; got n_samples = {len(target)}.")
        wanted = named_columns(validation.column_names(table), wanted)
        table = self._without_row_labels(table, wanted)
        nominal = nominal_columns(table, validation.column_names(table), wanted)
        validate_data(self, table, skip_check_array=True)
        weights = validation.check_sample_weight(sample_weight, len(target))
        if weights is None:
            return table, nominal, target, None
        if not parameter_checks.regularizer_class(self.regularizer).uses_sample_weight:
            raise ValueError(
                f"The regularizer {self.regularizer!r} takes no sample_weight: fit without weights "
                "or choose another one."
            )
        kept = np.flatnonzero(weights)
        if len(kept) < len(weights):
            table = table.iloc[kept] if hasattr(table, "iloc") else table[kept]
        weights = None if (weights[kept] == 1.0).all() else weights[kept]
        return table, nominal, target[kept], weights

    def _without_row_labels(self, table: Any, nominal: Any) -> Any:
        """Leave out columns that name rows; `nominal` are columns that the user wants as levels."""
        self.row_labels_: list[str] = []
        if self.row_labels == "keep" or not validation.has_names(table):
            return table
        found = row_labels_to_drop(table, nominal if isinstance(nominal, list) else ())
        remedy = "They tell nothing about new rows; row_labels='keep' keeps them."
        warn_user(describe_row_labels(found, remedy), RowLabelWarning)
        self.row_labels_ = list(found)
        return table.drop(columns=self.row_labels_) if found else table

    @atomic
    def choose(
        self,
        index: int | None = None,
        *,
        tau: float | None = None,
        rule: str | None = None,
        node_price: float | None = None,
        predict_with: str | None = None,
        max_size: int | None = None,
    ) -> Self:
        """Choose another model of the same fit.

        Parameters
        ----------
        index : int, optional
            A row of `pareto_front_`.
        tau : float, optional
            Another weight of the regulariser: in the rule "tau", or in the teacher with "distil".
        rule : str, optional
            Another `final_rule`; by default that of the constructor.
        node_price : float, optional
            Another price of the student's nodes: higher for a shorter formula.
        predict_with : {"model", "front", "blend"}, optional
            The predictor to use from now on; by default that of the constructor.
        max_size : int, optional
            Largest size of the written formula: choose the best model within it, a student or an
            evolved one.

        """
        check_is_fitted(self, "archive_")
        given = checked("predict_with", predict_with, CHOICES)
        predict_with = given or checked("predict_with", self.predict_with)
        self._chosen, self.student_, self.model_ = model_selection.choose_model(
            self._found, self._defaults, self.student_, index, tau, rule, node_price, max_size
        )
        self.predictor_ = model_selection.make_predictor(self._found, self.model_, predict_with)
        return self

    @property
    def _defaults(self) -> model_selection.Defaults:
        return model_selection.Defaults(self.final_rule, self.regularizer, self.node_price)

    @property
    def fitted_(self) -> Fitted:
        """The model as the functions of `vjmgp.inspection` take it."""
        check_is_fitted(self, "archive_")
        return Fitted(
            self.model_,
            self.predictor_,
            self._found.rows,
            self.target_name_,
            self.student_ is not None,
            self.front_models,
            partial(model_selection.restart_models, self._found, self._defaults),
            partial(model_selection.short_model, self._found, self._defaults),
        )

    @property
    def pareto_front_(self) -> pd.DataFrame:
        """The non-dominated models and the student: objectives, size and formula."""
        check_is_fitted(self, "archive_")
        return model_selection.front_table(self._found, self.student_, self._chosen)

    def front_models(self) -> list[SymbolicModel]:
        """Return the models of `pareto_front_`, in its order."""
        check_is_fitted(self, "archive_")
        return model_selection.front_models(self._found, self.student_)

    def staged_choices(self) -> list[int | None]:
        """Return the archive entry that the rule for the front would choose in each generation.

        None if no individual was valid yet.
        """
        check_is_fitted(self, "archive_")
        if self._found.prepared is None:
            return [self._chosen]
        return model_selection.choices_by_generation(self._found, self._defaults, self.n_iter_)

    def shorter_models(self, sizes: Sequence[int] = shorter.SIZES) -> list[SymbolicModel]:
        """Return the models of `shorter_versions`, in its order."""
        return list(shorter.models_by_size(self.fitted_, sizes).values())

    def shorter_versions(self, sizes: Sequence[int] = shorter.SIZES) -> pd.DataFrame:
        """Return the best models of limited size, each more accurate than all smaller ones.

        `max_size` is the argument of `choose` that selects a model, `o1` its leave-one-out error in
        units of the target's variance and `rmse` the root of it in the target's units. Models are
        kept, so that a second call takes no time.
        """
        return shorter.shorter_versions(self.fitted_, sizes)

    def score_front(self, X: Any, y: Any, sample_weight: Any = None) -> pd.DataFrame:
        """Return `pareto_front_` and the shorter versions with R², RMSE and MAE on these rows.

        `max_size` is missing in rows of the front: `choose` takes their number. Use rows that were
        not used for training; errors on training rows favour long formulas.
        """
        front, table = self.pareto_front_, self._check_new_data(X)
        return shorter.score_front(self.fitted_, front, table, y, sample_weight)

    def _check_new_data(self, X: Any, optional: bool = False) -> Any:
        """Return X as a DataFrame or matrix with the training columns; None if that is allowed."""
        check_is_fitted(self, "model_")
        if optional and X is None:
            return None
        table = validation.as_table(X)
        if self.row_labels_ and hasattr(table, "iloc"):
            table = table.drop(columns=self.row_labels_, errors="ignore")
        validation.check_columns(table)
        if len(table) == 0:
            raise ValueError("X has no rows (0 samples); give one row or more.")
        validate_data(self, table, skip_check_array=True, reset=False)
        if hasattr(table, "iloc") and not hasattr(self, "feature_names_in_"):
            return table.set_axis(self.model_.standardizer.names, axis=1)  # by position
        return table

    def _standardized(self, X: Any) -> Floats:
        table = self._check_new_data(X)
        return self.model_.standardizer.standardize(table)

    @overload
    def predict(self, X: Any, interval: None = None) -> Floats: ...

    @overload
    def predict(self, X: Any, interval: float) -> tuple[Floats, Floats]: ...

    def predict(self, X: Any, interval: float | None = None) -> Floats | tuple[Floats, Floats]:
        """Predict; values are clipped to the range of the training target if the model clips.

        With `interval`, for example 0.9, return (predictions, intervals): intervals are rows × 2,
        lower and upper ends that contain this share of new targets. An `ExtrapolationWarning`
        reports rows outside the training range of an input, and how many predictions are clipped.
        """
        table = self._check_new_data(X)
        return self.predictor_.predict(table, interval)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return R² of the predictions, without a warning about extrapolation."""
        x = self._standardized(X)
        return float(r2_score(y, self.predictor_.predict_rows(x), sample_weight=sample_weight))

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Predict with the model of the front that would be chosen after each generation.

        A student exists only at the end: if the final model is distilled, all stages, including the
        last, follow the paper's rule.
        """
        x = self._standardized(X)
        previous, values = None, np.full(len(x), self.model_.standardizer.target_mean)
        for entry in self.staged_choices():
            if entry != previous and entry is not None:
                model = model_selection.model_of(self._found, entry)
                previous, values = entry, model.predict_rows(x)
            yield values.copy()

    def transform(self, X: Any) -> Floats:
        """Return the constructed features, one column per tree of the model."""
        table = self._check_new_data(X)
        return self.model_.transform(table)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the formulas of the constructed features."""
        check_is_fitted(self, "model_")
        if input_features is not None and hasattr(self, "feature_names_in_"):
            inputs = [name for name in input_features if name not in self.row_labels_]
            if inputs != list(self.feature_names_in_):
                raise ValueError("input_features is not equal to feature_names_in_")
        elif input_features is not None and len(input_features) != self.n_features_in_:
            raise ValueError("input_features should have length equal to number of features")
        names: list[str] = []
        for text in self.model_.feature_texts(digits=4):
            names.append(unused(text, names, "{} [{}]"))
        return np.array(names, dtype=object)

    def errors(self, X: Any, y: Any, sample_weight: Any = None) -> dict[str, float]:
        """Return R² ("r2"), and "rmse" and "mae" in the target's units, of the predictions."""
        return residuals.errors(self.fitted_, self._check_new_data(X), y, sample_weight)

    def residuals(self, X: Any, y: Any) -> pd.DataFrame:
        """Return the columns observed, predicted and residual (observed − predicted)."""
        return residuals.residuals(self.fitted_, self._check_new_data(X), y)

    def importance(
        self, X: Any, y: Any, *, repeats: int = 10, random_state: int = 0
    ) -> pd.DataFrame:
        """Return the fall of R² when a column is shuffled: mean and deviation, largest first."""
        return importance.importance(
            self.fitted_, self._check_new_data(X), y, repeats=repeats, random_state=random_state
        )

    def stability(self, X: Any = None) -> Stability:
        """Compare the models of the restarts: their columns, and their predictions for X.

        Without X, predictions are for the training rows.
        """
        return importance.stability(self.fitted_, self._check_new_data(X, optional=True))

    def response(self, column: str | int, X: Any = None) -> pd.DataFrame:
        """Return predictions along a column (name or position), within its training range.

        The other columns stay at the mean or most frequent level of the training rows. With X,
        predictions are averaged over its rows, with their values in all other columns: the partial
        dependence.
        """
        return response.response(self.fitted_, column, self._check_new_data(X, optional=True))

    def plot_front(self, ax: Axes | None = None) -> Axes:
        """Plot leave-one-out error against size: all models, shorter versions, the chosen one."""
        return plots.plot_front(self.fitted_, ax)

    def plot_prediction(
        self, X: Any, y: Any, interval: float | None = 0.9, ax: Axes | None = None
    ) -> Axes:
        """Plot observed against predicted values, with intervals unless `interval` is None."""
        return plots.plot_prediction(self.fitted_, self._check_new_data(X), y, interval, ax)

    def plot_residuals(self, X: Any, y: Any, ax: Axes | None = None) -> Axes:
        """Plot residuals, observed − predicted, against predicted values."""
        return plots.plot_residuals(self.fitted_, self._check_new_data(X), y, ax)

    def plot_response(self, column: str | int, X: Any = None, ax: Axes | None = None) -> Axes:
        """Plot the response along a column: a curve and its training rows, or a point per level."""
        return plots.plot_response(self.fitted_, column, self._check_new_data(X, optional=True), ax)

    def plot_importance(self, X: Any, y: Any, ax: Axes | None = None) -> Axes:
        """Plot the fall of R² when a column is shuffled."""
        return plots.plot_importance(self.fitted_, self._check_new_data(X), y, ax)

    def plot_stability(self, ax: Axes | None = None) -> Axes:
        """Plot the share of the restarts whose model uses a column."""
        return plots.plot_stability(self.fitted_, ax)

    def __getstate__(self) -> Any:
        """Leave out the evolutions: another process cannot continue them."""
        state = super().__getstate__()
        return {**state, "_warm_start_state": None} if "_warm_start_state" in state else state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing in ("median", "indicator")
        tags.transformer_tags.preserves_dtype = []  # features are always float64
        return tags
