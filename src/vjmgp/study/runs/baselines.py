"""Run a learner with scikit-learn's interface, tuned by cross-validation on standardised rows."""

import logging
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from ...competitors.packages import import_all, load_class
from ...competitors.sizes import model_size
from ...competitors.texts import model_text
from ...competitors.tuning import tune
from ...core.arrays import Floats
from ...formulas.input_names import legend
from ...models.extrapolation import extrapolation_ignored
from .problems import Problem

log = logging.getLogger(__name__)


class TunedEstimator:
    """A method of the study: a class and a grid from the config."""

    def __init__(self, definition: dict[str, Any]) -> None:
        import_all(definition["estimator"])  # never counted as training time
        self.kind = load_class(definition["estimator"])
        self.settings = definition.get("settings", {})
        self.grid = definition.get("grid", {})

    def unfitted(self, seed: int) -> Any:
        """Return the estimator with its settings, the run's seed, and one thread."""
        estimator = self.kind(**self.settings)
        fixed = {"random_state": seed, "n_jobs": 1}
        known = estimator.get_params()
        return estimator.set_params(**{key: fixed[key] for key in fixed if key in known})

    def prepare(self, problem: Problem) -> None:
        """Do nothing: there are no time limits."""

    def fit(self, problem: Problem) -> None:
        """Tune and fit, in one thread."""
        self.standardizer = problem.standardizer
        x = self.standardizer.standardize(problem.train_table)
        y = self.standardizer.standardize_target(problem.labels)
        with threadpool_limits(1), extrapolation_ignored():
            self.search = tune(self.unfitted(problem.seed), self.grid, x, y, problem.seed)
        for k, reason in self.search.failures.items():
            log.info("grid point %s failed: %s", self.search.points[k], reason)

    def predict(self, table: Any) -> Floats:
        """Predict within the training target's range, as all methods do; NaN makes a run fail."""
        with threadpool_limits(1), extrapolation_ignored():
            values = self.search.model.predict(self.standardizer.standardize(table))
        values = self.standardizer.restore_target(np.asarray(values, dtype=np.float64).ravel())
        return self.standardizer.clip_target(values)

    @property
    def size(self) -> int | None:
        """The size of the model by SRBench's conventions."""
        return model_size(self.search.model)

    @property
    def text(self) -> str | None:
        """The formula of a linear model, or of a model that can write one."""
        return model_text(self.search.model, self.standardizer, digits=4)

    def details(self) -> dict[str, Any]:
        """Return the chosen parameters and the failed candidates of the search."""
        failures, inputs = (
            sorted(self.search.failures.items()),
            range(len(self.standardizer.inputs)),
        )
        reasons = [[self.search.points[k], reason] for k, reason in failures]
        return {
            "trees": None,
            "parameters": self.search.parameters,
            "failed_candidates": len(reasons),
            "failures": reasons,
            "unconverged_candidates": len(self.search.unconverged),
            "legend": legend(self.standardizer, inputs if self.text else ()),
        }
