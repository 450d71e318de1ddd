"""Settings of a run, with the paper's values as defaults."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from .parameters import check_depths, check_functions, checked
from .trees.primitives import FUNCTION_NAMES, UserFunctionLike


@dataclass(frozen=True)
class Settings:
    """Settings of the engine; `VJMRegressor` documents each."""

    regularizer: str = "jensen_gap"
    population_size: int = 200
    generations: int = 100
    functions: tuple[str | UserFunctionLike, ...] = FUNCTION_NAMES
    forbidden_inside: Mapping[str, Sequence[str]] | None = None
    max_size: int | None = None
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
        """Raise ValueError for an invalid value."""
        for name in self.__dataclass_fields__:
            object.__setattr__(self, name, checked(name, getattr(self, name)))
        check_depths(self.init_depth, self.max_depth)
        check_functions(self.functions, self.forbidden_inside)
