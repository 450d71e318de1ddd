"""Estimate the noise of the labels by the cross-validated R² of Extra Trees.

The score decides how strongly the regulariser counts in the final choice (τ) and whether intrusion
detection is used: trees that cannot predict cannot judge a mixed point.
"""

import numpy as np

from ...core.arrays import Floats, Integers
from ..numerics.rng import shuffle, stream
from ..numerics.scores import r2
from .forest import fit_forest, predict_forest
from .row_sample import MOST_FOREST_ROWS, sample_of_rows

FOLDS = 5
THRESHOLD = 0.5
TAU_CLEAN, TAU_NOISY = 1.0, 10.0


def out_of_fold_predictions(
    x: Floats, y: Floats, seed: int, weights: Floats | None = None
) -> tuple[Floats, list[Integers]]:
    """Return out-of-fold predictions of Extra Trees, and the rows of each fold."""
    n = len(y)
    order = np.arange(n)
    shuffle(stream(seed, "folds"), order)
    folds = np.array_split(order, min(FOLDS, n))
    state = stream(seed, "noise_forest")
    columns, points = np.ascontiguousarray(x.T), np.ascontiguousarray(x)
    predictions = np.empty(n)
    for fold in folds:
        rest = np.setdiff1d(order, fold)
        own = None if weights is None else weights[rest]
        forest = fit_forest(state, np.ascontiguousarray(columns[:, rest]), y[rest], weights=own)
        guess = np.empty(len(fold))
        predict_forest(forest, np.ascontiguousarray(points[fold]), guess)
        predictions[fold] = guess
    return predictions, folds


def noise_scores(
    x: Floats, y: Floats, seed: int, weights: Floats | None = None
) -> dict[str, float]:
    """Return two versions of the cross-validated R² on standardised `x` (rows × columns) and `y`.

    "mean" is the mean over the folds, as in the paper. It varies widely if there are outliers in
    the target; "pooled" scores all out-of-fold predictions together. Large tables are subsampled.
    """
    if len(y) > MOST_FOREST_ROWS:
        rows = sample_of_rows(y, MOST_FOREST_ROWS, seed)
        x, y, weights = x[rows], y[rows], None if weights is None else weights[rows]
    predictions, folds = out_of_fold_predictions(x, y, seed, weights)

    def score(rows: Integers) -> float:
        return r2(y[rows], predictions[rows], None if weights is None else weights[rows])

    pooled = score(np.arange(len(y)))
    defined = min(map(len, folds)) > 1  # R² of a single row is not
    mean = float(np.mean([score(fold) for fold in folds])) if defined else pooled
    return {"mean": mean, "pooled": pooled}


def adaptive_tau(noise_r2: float) -> float:
    """Return the weight of the regulariser."""
    return TAU_CLEAN if noise_r2 >= THRESHOLD else TAU_NOISY
