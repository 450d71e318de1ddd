"""Run genetic programming under a study's protocol."""

import statistics
import time
from dataclasses import replace
from typing import Any

from ...core.arrays import Floats
from ...engine.compilation.warmup import load_kernels
from ...engine.regularizers import find_regularizer
from ...engine.regularizers.vicinal_gaps import JensenGap
from ...engine.trees.addresses import addresses_of_run
from ...models.extrapolation import extrapolation_ignored
from ...models.symbolic import SymbolicModel
from ...regressor import VJMRegressor
from ..names import NOISE_TIMES
from ..protocols import r2
from .model_description import features_of, legend_of
from .problems import Problem


class GeneticProgramming:
    """A method of the study: VJMRegressor with settings from the config."""

    def __init__(self, settings: dict[str, Any], noise: dict[int, dict[str, float]]) -> None:
        self.settings = settings
        self.noise = noise
        self._limited, self._times = settings, list[float]()
        names = ("regularizer", "selection")
        # Never counted as training time.
        load_kernels(**{name: settings[name] for name in names if name in settings})
        addresses_of_run(settings.get("functions", ()))

    def prepare(self, problem: Problem) -> None:
        """Measure what a relative time limit refers to; not counted as training time.

        The limit is a share of the median time of fits with other settings: one on the rows of each
        run so far, so that it holds for this machine and its load.
        """
        limit = self.settings.get("max_time")
        if isinstance(limit, dict):
            started = time.perf_counter()
            self._fitted(problem, limit["of"])
            self._times.append(time.perf_counter() - started)
            seconds = limit["share"] * statistics.median(self._times)
            self._limited = self.settings | {"max_time": seconds}

    def fit(self, problem: Problem) -> None:
        """Evolve, with the noise estimate of an earlier step."""
        self.problem = problem
        self.regressor = self._fitted(problem, self._limited)

    def _fitted(self, problem: Problem, settings: dict[str, Any]) -> VJMRegressor:
        regressor = VJMRegressor.paper(
            **settings,
            noise_r2=self.noise[problem.seed][settings.get("noise_score", "mean")],
            random_state=problem.seed,
            categorical_features=problem.nominal,
            missing=problem.missing,
        )
        fitted = regressor.fit(problem.train_table, problem.labels)
        if fitted.stopped_by_ == "interrupt":
            raise KeyboardInterrupt  # a part of a run is not a result
        return fitted

    def predict(self, table: Any) -> Floats:
        """Predict with the chosen model."""
        with extrapolation_ignored():
            return self.regressor.predict(table)

    @property
    def uses_noise(self) -> bool:
        """Whether its runs depend on the noise estimate: τ, detection, distillation or the mean."""
        chosen = self.settings.get
        regularizer = find_regularizer(chosen("regularizer", "jensen_gap"))
        rule, is_weighed = chosen("final_rule", "paper"), regularizer.final_rule == "tau"
        has_detection = issubclass(regularizer, JensenGap) and regularizer.uses_noise_estimate
        return (
            (chosen("tau", "adaptive") == "adaptive" and (is_weighed or rule == "tau"))
            or (chosen("intrusion_detection", "adaptive") == "adaptive" and has_detection)
            or (rule in ("auto", "short", "distil") and is_weighed)
            or chosen("predict_with", "model") != "model"
        )

    @property
    def formula(self) -> SymbolicModel | None:
        """The predictor, if it is one formula."""
        predictor = self.regressor.predictor_
        return predictor if isinstance(predictor, SymbolicModel) else None

    @property
    def size(self) -> int:
        """The number of nodes of all trees."""
        return self.regressor.predictor_.evolved_size

    @property
    def text(self) -> str | None:
        """The formula: intercept and weighted features."""
        return self.formula.text() if self.formula else None

    def details(self) -> dict[str, Any]:
        """Return the course of the search, and the model itself."""
        final = self.formula
        record: dict[str, Any] = {
            "noise_r2": self.regressor.noise_r2_,
            "tau": self.regressor.tau_,
            "generations": self.regressor.n_iter_,
            "engine": self.regressor.engine_version_,
            "curve": evolution_curve(self.regressor, self.problem),
        }
        if self.uses_noise:
            noise = self.noise[self.problem.seed]
            record |= {name: noise[time] for time, name in NOISE_TIMES.items()}
        if final is not None:
            record |= {
                "trees": len(final.features),
                "features": features_of(final),
                "legend": legend_of(final),
                "model": replace(final, error_quantiles=()).to_dict(),
            }
        return record


def evolution_curve(model: VJMRegressor, problem: Problem) -> list[list[float]]:
    """Return [generation, training R², test R²] of the chosen model whenever it changes."""
    train = problem.labels, model.staged_predict(problem.train_table)
    test = problem.target[problem.test], model.staged_predict(problem.test_table)
    curve: list[list[float]] = []
    previous = None
    for generation, (entry, on_train, on_test) in enumerate(
        zip(model.staged_choices(), train[1], test[1], strict=True)
    ):
        if entry in (previous, None):
            continue
        previous = entry
        scores = [round(r2(train[0], on_train), 4), round(r2(test[0], on_test), 4)]
        curve.append([generation, *scores])
    return curve
