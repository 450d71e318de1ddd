"""Judge the whole procedure of a fit by repeated cross-validation, beside simpler learners."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import RepeatedKFold

from ..core.arrays import Floats, Integers
from ..engine.numerics.rng import stream
from ..engine.objectives.forest import fit_forest, predict_forest
from ..engine.preparation import ScoredRows
from ..engine.search.archive import LAW, RESTART
from ..engine.trees.primitives import FIRST_VARIABLE
from ..inspection.shorter import SIZES, models_by_size
from ..models.extrapolation import extrapolation_ignored
from ..models.intervals import leave_one_out, with_errors
from ..models.symbolic import Feature, SymbolicModel
from ..pages.formats import count
from ..regressor import VJMRegressor
from ..tables.preprocessing import Standardizer
from .fit_settings import FitSettings
from .fits import FOLDS, TEST_ERRORS, Rows, Versions, fit_to, planned_repeats

FORMULA, LINEAR, TREES, MEAN = "formula", "linear model", "Extra Trees", "mean"
"""Procedures that are compared, besides the best formulas of limited size."""
ALPHAS = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)
"""Ridge strengths of the linear model."""
AS_GOOD = 1.02
"""Largest ratio of root mean squared errors at which a shorter formula is as good."""
OTHERS = {FORMULA: "the search's own choice", LINEAR: "a linear model", TREES: "Extra Trees"}
OTHERS |= {MEAN: "the mean"}
CLEARLY = 1.1
"""Ratio at which Extra Trees are clearly better."""
RESAMPLES, ENDS = 500, (0.05, 0.95)
"""Number of resamples of the rows, and the quantiles of their errors that are reported."""
SAME = 1e-12
"""Share of the variance below which the targets of a resample are the same."""
MOST_STRUCTURES = 3
Structure = tuple[tuple[int, ...], ...]


def at_most(size: int) -> str:
    """Return the name of the procedure that chooses the best formula of limited size."""
    return f"at most size {size}"


class Fold(NamedTuple):
    """What the fit to the rest of the rows gives for a fold."""

    rows: Integers
    models: dict[str, SymbolicModel]
    """The formulas of the procedures that give one."""
    predictions: dict[str, Floats]
    inside: dict[str, Any]
    """Whether intervals contain the targets; NaN without intervals."""
    form: str


@dataclass(frozen=True)
class Validation:
    """The result of a cross-validation."""

    folds: int
    repeats: int
    fits: list[Fold]
    scores: dict[str, dict[str, Any]]
    """R², RMSE and MAE of each procedure, each with its range over resampled rows."""
    linear: SymbolicModel
    """The linear model of all rows."""
    interrupted: bool

    def procedures_of(self, limits: Sequence[float], chosen: int) -> list[str | None]:
        """Return the procedure that found each model, None for the rest of the front.

        `limits` are largest sizes of models, NaN if they have none; the last is the linear model.
        """
        names = [None if np.isnan(limit) else at_most(int(limit)) for limit in limits]
        names[chosen], names[-1] = FORMULA, LINEAR
        return [name if name in self.scores else None for name in names]

    def errors(self, name: str | None) -> dict[str, float]:
        """Return the errors of a procedure as a row of models has them."""
        score = self.scores.get(name or "", {})
        return {key: score.get(key.removeprefix("test_"), np.nan) for key in TEST_ERRORS}

    def shortest_as_good(
        self,
        models: Sequence[SymbolicModel],
        procedures: Sequence[str | None],
        chosen: int,
        max_size: float | None = None,
    ) -> int:
        """Return the shortest model whose error is at most slightly larger."""
        worst, most = AS_GOOD * self.scores[FORMULA]["rmse"], max_size or np.inf
        good = (
            row
            for row, (model, name) in enumerate(zip(models, procedures, strict=True))
            if row == chosen
            or (name is not None and model.size <= most and self.scores[name]["rmse"] <= worst)
        )
        return min(good, key=lambda row: (models[row].size, row != chosen))

    def describe(self, versions: Versions) -> dict[str, Any]:
        """Return plain data.

        For each procedure that gives a formula: the share of the fits that use each input, the
        structures that came out most often, and how many fits have the structure of its formula.
        """
        names = versions.table["procedure"]
        models = {name: versions.models[row] for row, name in enumerate(names) if name}
        described = {
            name: score | (_agreement(self.fits, name, models[name]) if name in models else {})
            for name, score in self.scores.items()
            if name in (*models, *OTHERS)
        }
        forms = dict(Counter(fold.form for fold in self.fits).most_common())
        return {
            "folds": self.folds,
            "repeats": self.repeats,
            "planned": self.folds * self.repeats,
            "fits": len(self.fits),
            "chosen": names[versions.chosen],
            "forms": forms,
            "procedures": described,
        }


def cross_validate(
    settings: FitSettings, rows: Rows, final: VJMRegressor, progress: bool
) -> Validation | None:
    """Fit the procedure to the rest of each fold; return None if that is not asked for or possible.

    Ctrl-C ends it; the fits so far count.
    """
    weights = np.ones(len(rows.data)) if rows.weights is None else np.asarray(rows.weights)
    counted, repeats = np.flatnonzero(weights), planned_repeats(settings, len(rows.data))
    folds = min(settings.folds or FOLDS, len(counted))
    if not repeats or len(counted) < 3 or final.stopped_by_ in ("constant", "interrupt"):
        return None
    fits: list[Fold] = []
    interrupted = False
    try:
        for fold in _folds(settings, rows, counted, folds, repeats, progress):
            fits.append(fold)
    except KeyboardInterrupt:
        interrupted = True
    scores = _scores(fits, rows.data.target, weights, settings.seed) if fits else {}
    linear = linear_model(_unlimited(final.model_.standardizer, settings), final.fitted_.rows)
    return Validation(folds, repeats, fits, scores, linear, interrupted)


def _folds(
    settings: FitSettings, rows: Rows, counted: Integers, folds: int, repeats: int, progress: bool
) -> Iterator[Fold]:
    splits = RepeatedKFold(n_splits=folds, n_repeats=repeats, random_state=settings.seed)
    seconds = settings.seconds and settings.seconds / (1 + folds * repeats)
    with _bar(folds * repeats, progress) as bar:
        for train, test in splits.split(counted):
            try:
                model = fit_to(settings, rows, counted[train], seconds, progress=False)
            except (ValueError, RuntimeError):  # a column may have no number outside of the fold
                continue
            if model.stopped_by_ == "interrupt":
                raise KeyboardInterrupt
            yield _fold(settings, rows, model, counted[train], counted[test])
            bar.update()


def _bar(fits: int, progress: bool) -> Any:
    from tqdm.auto import tqdm

    return tqdm(total=fits, desc="Cross-validation", unit="fit", disable=not progress)


def _fold(
    settings: FitSettings, rows: Rows, model: VJMRegressor, train: Integers, test: Integers
) -> Fold:
    standardizer, fitted = model.model_.standardizer, model.fitted_.rows
    models = _formulas(model, settings.max_size)
    models[LINEAR] = linear_model(_unlimited(standardizer, settings), fitted)
    inputs, target = rows.inputs.iloc[test], rows.data.target[test]
    predictions, inside = {}, {}
    with extrapolation_ignored():
        for name, formula in models.items():
            predictions[name], ends = formula.predict(inputs, interval=settings.interval)
            within = (target >= ends[:, 0]) & (target <= ends[:, 1])
            inside[name] = np.where(np.isfinite(ends).all(axis=1), within, np.nan)
        points = np.ascontiguousarray(standardizer.standardize(inputs))
    weights = None if rows.weights is None else fitted.weights.each
    state = stream(settings.seed, "noise_forest")
    forest = fit_forest(state, np.ascontiguousarray(fitted.x.T), fitted.y, weights=weights)
    guess = np.empty(len(test))
    predict_forest(forest, points, guess)
    predictions[TREES] = standardizer.restore_target(guess)
    predictions[MEAN] = np.full(len(test), standardizer.target_mean)
    return Fold(test, models, predictions, inside, _form(model))


def _formulas(model: VJMRegressor, max_size: int | None) -> dict[str, SymbolicModel]:
    """Return the formula of a fit, and the best ones of limited size."""
    sizes, found = sorted({*SIZES, max_size or SIZES[0]}), {}
    by_size = models_by_size(model.fitted_, sizes)
    for size in sizes:
        within = [formula for limit, formula in by_size.items() if limit <= size]
        if within:
            found[at_most(size)] = within[-1]
    chosen = model.model_ if max_size is None else found.get(at_most(max_size), model.model_)
    return {FORMULA: chosen} | found


def _form(model: VJMRegressor) -> str:
    """Return the form of the formula that a fit has chosen."""
    if all(len(feature.codes) == 1 for feature in model.model_.features):
        return "line"
    if model.student_ is None:
        return "evolved model"
    return "law" if model.student_.facts[0, RESTART] == LAW else "student"


def _unlimited(standardizer: Standardizer, settings: FitSettings) -> Standardizer:
    """Return the standardizer without what a law has changed."""
    return replace(standardizer, clips=settings.clip, reach=0.0)


def linear_model(standardizer: Standardizer, rows: ScoredRows) -> SymbolicModel:
    """Return the ridge model of all inputs with the smallest leave-one-out error."""
    models = [_ridge(standardizer, rows, alpha) for alpha in ALPHAS]
    return with_errors(min(models, key=lambda model: model.scores["o1"]), rows)


def _ridge(standardizer: Standardizer, rows: ScoredRows, alpha: float) -> SymbolicModel:
    x, weights = rows.x, rows.weights
    weighted = weights.each[:, None] * x
    slopes = np.linalg.solve(x.T @ weighted + alpha * np.eye(x.shape[1]), weighted.T @ rows.y)
    features = tuple(
        Feature((FIRST_VARIABLE + k,), (0.0,), float(slope), 0.0, 1.0)
        for k, slope in enumerate(slopes)
    )
    model = SymbolicModel(standardizer, features, scores={"alpha": alpha})
    variance = weights.mean((rows.y - weights.mean(rows.y)) ** 2)
    explained = 1.0 - weights.mean((rows.y - x @ slopes) ** 2) / variance
    o1 = weights.mean(leave_one_out(model, rows) ** 2)
    return replace(model, scores={"alpha": alpha, "o1": o1, "train_r2": explained})


def _scores(fits: list[Fold], target: Floats, weights: Floats, seed: int) -> dict[str, Any]:
    """Score out-of-fold predictions of all rows together; a row counts once, whatever the repeats.

    Procedures that some fit does not have, such as very short formulas, are left out.
    """
    times = np.bincount(np.concatenate([fold.rows for fold in fits]), minlength=len(target))
    seen = np.flatnonzero(times)
    draws = np.random.default_rng(seed).multinomial(
        len(seen), np.full(len(seen), 1.0 / len(seen)), RESAMPLES
    )
    counts = weights[seen] * np.vstack([np.ones(len(seen)), draws])
    found = {}
    for name in fits[0].predictions:
        if all(name in fold.predictions for fold in fits):
            sums = np.zeros((2, len(target)))
            for fold in fits:
                errors = fold.predictions[name] - target[fold.rows]
                sums[:, fold.rows] += errors**2, np.abs(errors)
            squares, sizes = (sums / np.maximum(times, 1))[:, seen]
            found[name] = _measures(target[seen], squares, sizes, counts)
            within = [fold.inside[name] for fold in fits if name in fold.inside]
            found[name]["inside"] = _number(np.concatenate(within).mean()) if within else None
    return found


def _measures(target: Floats, squares: Floats, sizes: Floats, counts: Floats) -> dict[str, Any]:
    """Return R², RMSE and MAE, and their ranges; the first row of `counts` has all rows."""
    counts, target = counts / counts.sum(axis=1, keepdims=True), target - target.mean()
    error, variance = counts @ squares, counts @ target**2 - (counts @ target) ** 2
    variance[variance <= SAME * variance[0]] = np.nan
    found = {"r2": 1.0 - error / variance, "rmse": np.sqrt(error), "mae": counts @ sizes}
    measures: dict[str, Any] = {name: _number(values[0]) for name, values in found.items()}
    for name, values in found.items():
        measures[f"{name}_range"] = [_number(end) for end in np.nanquantile(values[1:], ENDS)]
    return measures


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


def _agreement(fits: list[Fold], name: str, model: SymbolicModel) -> dict[str, Any]:
    formulas = [fold.models[name] for fold in fits]
    standardizer = model.standardizer
    used = Counter(
        column
        for formula in formulas
        for column in {formula.standardizer.inputs[k].name for k in formula.inputs_used}
    )
    shares = {column: used[column] / len(fits) for column in standardizer.names}
    counts = Counter(map(_structure, formulas))
    first = {_structure(formula): formula for formula in reversed(formulas)}
    common = counts.most_common(MOST_STRUCTURES)
    return {
        "inputs": dict(sorted(shares.items(), key=lambda share: -share[1])),
        "structures": [[str(first[structure]), count] for structure, count in common],
        "same": counts[_structure(model)],
    }


def _structure(model: SymbolicModel) -> Structure:
    """Return what remains of a formula without its numbers."""
    return tuple(sorted(feature.codes for feature in model.features))


def summary_of_validation(validation: Any, procedure: str) -> list[str]:
    """Say in words how good a procedure is, and what simpler ones give; from plain data."""
    scores, plan = (
        validation["procedures"],
        f"{validation['repeats']} × {validation['folds']} folds",
    )
    own, (low, high) = scores[procedure], scores[procedure]["r2_range"]
    others = (
        f"of {OTHERS[name]} {scores[name]['rmse']:.4g}" for name in OTHERS if name != procedure
    )
    lines = [
        f"Cross-validation of the whole procedure ({count(validation['fits'], 'fit')}, {plan}): R² "
        f"{own['r2']:.4f} ({low:.4f} to {high:.4f}), RMSE {own['rmse']:.4g}, MAE {own['mae']:.4g}.",
        f"For comparison, RMSE {', '.join(others)}.",
    ]
    if procedure == LINEAR:
        lines.append("The formula is a linear model, because it is shorter and as good.")
    elif procedure != FORMULA:
        lines.append(f"The formula is the best of {procedure}, because longer ones are no better.")
    return lines


def validation_cautions(validation: Any) -> Iterator[str]:
    """Yield what the plain data of a validation say against the formula."""
    scores = validation["procedures"]
    names = (validation["chosen"], MEAN, TREES)
    error, mean, trees = (scores[name]["rmse"] for name in names)
    if error >= mean:
        yield "Cross-validation finds the formula no better than the mean of the target."
    elif error > CLEARLY * trees:
        yield (
            f"Extra Trees predict clearly better (cross-validated RMSE {trees:.4g}, the formula "
            f"{error:.4g}): inputs matter in ways that the formula lacks."
        )
