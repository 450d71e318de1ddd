"""Evolve models of standardised data: sample and prepare the rows, run, refit on all rows."""

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs

from ..core.arrays import Floats
from .compilation.warmup import compile_kernels
from .distillation.large_tables import prepare_all, refitted
from .objectives.row_sample import sample_of_rows
from .parameters import check_memory, short_repr
from .preparation import Prepared, prepare
from .restarts import INTERRUPTED, Record, Restarts
from .search.archive import O1, Archive, make_archive
from .search.evolution import Evolution
from .settings import Settings
from .trees.addresses import addresses_of_run

Parameters = dict[str, Any]
MAY_CHANGE = {
    *("generations", "max_time", "patience", "restarts", "n_jobs", "warm_start", "memory_limit"),
    *("node_price", "predict_with", "clip_predictions", "callback", "progress", "random_state"),
}
"""Parameters that may differ between a fit and its continuation."""


class TrainingData(NamedTuple):
    """Standardised rows × inputs, standardised target, and weights of the rows, if any."""

    x: Floats
    y: Floats
    weights: Floats | None


class WarmStartState(NamedTuple):
    """The evolutions of a fit, and what a continuation must not change."""

    runs: dict[int, Evolution]
    parameters: Parameters
    data: TrainingData
    prepared: Prepared
    whole: Prepared | None


class Outcome(NamedTuple):
    """The models that the restarts have found, and how their search went."""

    archive: Archive
    stopped_by: str
    ended: float
    """When the search ended, by `time.perf_counter`."""
    seconds: float = 0.0
    """Time of the restarts."""
    history: Sequence[Record] = ()
    prepared: Prepared | None = None
    """The rows that evolution saw; None if there was nothing to learn."""
    whole: Prepared | None = None
    """All rows, if `prepared` is a sample of them."""
    state: WarmStartState | None = None
    """For a continuation, if the parameters ask for one."""


def evolve(
    data: TrainingData,
    settings: Settings,
    parameters: Parameters,
    draw_seed: Callable[[], int],
    previous: WarmStartState | None,
) -> Outcome:
    """Run the restarts, or continue those of the previous fit."""
    if not data.x.shape[1] or data.y.min() == data.y.max():
        return _constant(data, settings.max_trees)
    jobs = effective_n_jobs(parameters["n_jobs"])
    seen = min(len(data.y), parameters["max_rows"] or len(data.y))
    check_memory(settings, seen, data.x.shape[1], min(parameters["restarts"], jobs))
    compile_kernels(settings.regularizer, settings.selection)
    addresses_of_run(settings.functions)
    runs: dict[int, Evolution] = {}
    if previous is not None and _is_continued(previous, parameters, data):
        runs, prepared, whole = previous.runs, previous.prepared, previous.whole
    else:
        prepared, whole = _prepare(data, settings, parameters, draw_seed())
    prepared = replace(prepared, settings=settings)
    names = ("restarts", "max_time", "patience", "callback", "progress")
    restarts = Restarts(
        prepared, jobs=jobs, continued=runs, **{name: parameters[name] for name in names}
    )
    try:
        restarts.run()
    except BaseException:
        runs.clear()  # they no longer match the model that is kept
        raise
    ended = time.perf_counter()
    state = None
    if parameters["warm_start"]:
        state = WarmStartState(restarts.runs, parameters, data, prepared, whole)
    archive, history = restarts.result()
    reason, seconds = restarts.stopped_by, restarts.seconds
    try:
        if whole is not None:
            archive = refitted(archive, history, prepared, whole, jobs)
    except KeyboardInterrupt:
        if reason == "interrupt":  # the second one
            raise
        reason, whole = "interrupt", None
        archive, history = restarts.result()  # of the sample
        warnings.warn(INTERRUPTED.format(history[-1]["generation"]), stacklevel=4)
    return Outcome(archive, reason, ended, seconds, history, prepared, whole, state)


def _constant(data: TrainingData, max_trees: int) -> Outcome:
    """Return the target's mean as the only model, because no input or no target varies."""
    y, weights = data.y, data.weights
    archive = make_archive(max_trees, 1, 1)
    if y.min() < y.max():
        archive.scores[0, O1] = (len(y) / (len(y) - 1)) ** 2  # of the mean, left out
        if weights is not None:
            errors = y / (1.0 - np.minimum(weights, 1.0) / weights.sum())
            archive.scores[0, O1] = np.average(errors**2, weights=weights)
    archive.counts[:] = 1, 0, 1
    return Outcome(archive, "constant", time.perf_counter())


def _prepare(
    data: TrainingData, settings: Settings, parameters: Parameters, seed: int
) -> tuple[Prepared, Prepared | None]:
    """Prepare the rows that evolution sees and, if these are a sample, all rows."""
    x, y, weights = data
    rows = sample_of_rows(y, parameters["max_rows"] or len(y), seed)
    of_rows = None if weights is None else weights[rows]
    prepared = prepare(x[rows], y[rows], settings, seed, parameters["noise_r2"], of_rows)
    return prepared, prepare_all(x, y, prepared, weights) if len(rows) < len(y) else None


def _is_continued(previous: WarmStartState, parameters: Parameters, data: TrainingData) -> bool:
    """Return whether this fit continues the previous one; raise if it may not."""
    if not parameters["warm_start"] or not previous.runs:
        return False
    for name in parameters.keys() - MAY_CHANGE:
        value = previous.parameters[name]
        if not _same(parameters[name], value):
            raise ValueError(
                f"{name} has changed since the previous fit: set it to {short_repr(value)} again, "
                "or set warm_start to False."
            )
    if not all(map(_same, data, previous.data)):
        raise ValueError(
            "The data have changed since the previous fit: give the same data, or set warm_start "
            "to False."
        )
    return True


def _same(a: Any, b: Any) -> bool:
    return np.array_equal(a, b) if isinstance(a, np.ndarray) else bool(a == b)
