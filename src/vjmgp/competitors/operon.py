"""Operon, through its Python package pyoperon."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ..core.arrays import Floats
from ..formulas.numbers import number


@dataclass(eq=False, repr=False)
class OperonRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Genetic programming with local optimisation of constants, in single precision."""

    population_size: int = 500
    pool_size: int = 500
    max_length: int = 50
    tournament_size: int = 5
    allowed_symbols: str = "add,mul,aq,constant,variable"
    local_iterations: int = 5
    offspring_generator: str = "basic"
    reinserter: str = "keep-best"
    max_evaluations: int = 500_000
    generations: int = 1_000_000
    random_state: int | None = None
    n_jobs: int = 1

    def fit(self, x: Any, y: Any) -> Self:
        """Evolve until the budget of evaluations is used, including those of the optimiser."""
        from pyoperon.sklearn import SymbolicRegressor

        settings = self.get_params()
        settings["optimizer_iterations"] = settings.pop("local_iterations")  # its current name
        settings["n_threads"] = settings.pop("n_jobs")
        self.operon_ = SymbolicRegressor(**settings).fit(x, y)
        self.operon_.individuals_ = []  # the whole population, which is not needed
        self.n_features_in_ = self.operon_.n_features_in_
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, x: Any) -> Floats:
        """Evaluate the formula; where it is undefined, predict the mean of the training target."""
        check_is_fitted(self)
        values = np.asarray(self.operon_.predict(x), dtype=np.float64)
        return np.where(np.isnan(values), self.mean_, values)

    def model_size(self) -> int:
        """Return the number of nodes, as counted by Operon; a weighted variable counts as three."""
        return int(self.operon_.stats_["model_complexity"])

    def model_text(self, inputs: list[str], digits: int | None = None) -> str:
        """Return the formula in SymPy's syntax, with these texts for the inputs."""
        names = dict(zip(self.operon_.variables_, inputs, strict=True))
        stack: list[str] = []
        for node in self.operon_.model_.Nodes:  # postfix order, with the first argument last
            value = number(node.Value, digits)
            if node.IsVariable:
                stack.append(f"({value})*({names[node.HashValue]})")
            elif node.IsConstant:
                stack.append(f"({value})")
            else:
                arguments = [stack.pop() for _ in range(node.Arity)]
                stack.append(f"({TEXT[node.Name].format(*arguments)})")
        return stack.pop()


TEXT = {
    "+": "{0} + {1}",
    "-": "{0} - {1}",
    "*": "{0}*{1}",
    "/": "{0}/({1})",
    "aq": "{0}/sqrt(1 + ({1})**2)",
    **{name: f"{name}({{0}})" for name in ("exp", "log", "sin", "cos", "tanh", "sqrt")},
    "square": "({0})**2",
    "abs": "Abs({0})",
}
"""Operon's functions in SymPy's syntax."""
