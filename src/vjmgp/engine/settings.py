"""All settings of a run, with the paper's values as defaults."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal

from .functions import FUNCTION_NAMES


@dataclass(frozen=True)
class Settings:
    """Settings of the engine; `VJMRegressor` documents each."""

    regularizer: str = "jensen_gap"
    population_size: int = 200
    generations: int = 100
    functions: tuple[str, ...] = FUNCTION_NAMES
    max_trees: int = 10
    init_depth: tuple[int, int] = (0, 3)
    max_depth: int = 10
    selection: str = "lexicase"
    crossover_rate: float = 0.9
    mutation_rate: float = 0.1
    addition_rate: float = 0.5
    deletion_rate: float = 0.5
    ridge_alphas: tuple[float, ...] = (0.1, 1.0, 10.0)
    rounds: int = 10
    mixup_alpha: float = 10.0
    mixup_gamma: float = 0.5
    mixup_kernel: Literal["label", "joint"] = "label"
    fold_share: bool = True
    sigma: float = 0.5
    tau: float | Literal["adaptive"] = "adaptive"
    noise_score: Literal["mean", "pooled"] = "mean"
    intrusion_detection: bool | Literal["adaptive"] = "adaptive"
    intrusion_margin: float = 0.05
    final_rule: str = "auto"
    early_stopping: bool = False
    unscaled_clean_features: bool = False
    memory_limit: float = 4096.0
    """MiB for stored feature values."""

    def __post_init__(self) -> None:
        """Refuse values that make no sense, by name."""
        for name in ("population_size", "generations", "max_trees", "max_depth", "rounds"):
            _require(isinstance(getattr(self, name), Integral), name, self, "a whole number")
            object.__setattr__(self, name, int(getattr(self, name)))  # NumPy's are too narrow
        for name, least in (("population_size", 2), ("generations", 0), ("max_trees", 1)):
            _require(getattr(self, name) >= least, name, self, f"at least {least}")
        _require(self.rounds >= 1, "rounds", self, "at least 1")
        for name in ("crossover_rate", "mutation_rate", "addition_rate", "deletion_rate"):
            _require(0.0 <= getattr(self, name) <= 1.0, name, self, "between 0 and 1")
        for name in ("mixup_alpha", "mixup_gamma", "sigma"):
            _require(0.0 < getattr(self, name) < math.inf, name, self, "positive")
        for name in ("intrusion_margin", "memory_limit"):
            _require(0.0 <= getattr(self, name) < math.inf, name, self, "a number of 0 or more")
        _require(1 <= self.max_depth <= 14, "max_depth", self, "between 1 and 14")
        _require(
            len(self.init_depth) == 2 and all(isinstance(d, Integral) for d in self.init_depth),
            "init_depth",
            self,
            "two whole numbers",
        )
        low, high = self.init_depth
        _require(0 <= low <= high <= self.max_depth, "init_depth", self, "(low, high) ≤ max_depth")
        _require(
            len(self.ridge_alphas) > 0 and min(self.ridge_alphas) > 0.0,
            "ridge_alphas",
            self,
            "one or more positive numbers",
        )
        _require(len(self.functions) > 0, "functions", self, "one or more names")
        for function in self.functions:
            _require(function in FUNCTION_NAMES, "functions", self, _one_of(FUNCTION_NAMES))
        _require(
            self.mixup_kernel in ("label", "joint"), "mixup_kernel", self, "'label' or 'joint'"
        )
        _require(self.noise_score in ("mean", "pooled"), "noise_score", self, "'mean' or 'pooled'")
        _require(
            self.tau == "adaptive" or (isinstance(self.tau, Real) and 0.0 <= self.tau < math.inf),
            "tau",
            self,
            "'adaptive' or a number of 0 or more",
        )
        _require(
            self.intrusion_detection in ("adaptive", True, False),
            "intrusion_detection",
            self,
            "'adaptive', True or False",
        )


def _one_of(names: tuple[str, ...]) -> str:
    return "one of " + ", ".join(map(repr, names))


def _require(fulfilled: bool, name: str, settings: Settings, wanted: str) -> None:
    if not fulfilled:
        raise ValueError(f"{name} is {getattr(settings, name)!r}; it must be {wanted}.")
