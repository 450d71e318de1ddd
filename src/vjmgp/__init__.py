"""vjmgp: evolutionary feature construction by vicinal Jensen gap minimisation."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "1.0.0"

if TYPE_CHECKING:
    from .datasets import Dataset, load_file
    from .engine.functions import FUNCTION_NAMES, MORE_FUNCTION_NAMES
    from .engine.identity import ENGINE_VERSION
    from .engine.mic import mic
    from .engine.regularizers import REGULARIZERS
    from .engine.selection import SELECTIONS
    from .extrapolation import ExtrapolationWarning
    from .fetching import embedded_datasets, load_dataset
    from .model import SymbolicModel, load_model
    from .own_function import UserFunction
    from .protocol import add_label_noise, label_noise_split, paper_split, r2
    from .regressor import VJMRegressor
    from .results import load_results, load_run_model
    from .warmup import compile_kernels

_HOME = {
    "VJMRegressor": "regressor",
    "REGULARIZERS": "engine.regularizers",
    "SELECTIONS": "engine.selection",
    "FUNCTION_NAMES": "engine.functions",
    "ExtrapolationWarning": "extrapolation",
    "MORE_FUNCTION_NAMES": "engine.functions",
    "UserFunction": "own_function",
    "SymbolicModel": "model",
    "load_model": "model",
    "Dataset": "datasets",
    "embedded_datasets": "fetching",
    "load_dataset": "fetching",
    "load_file": "datasets",
    "paper_split": "protocol",
    "label_noise_split": "protocol",
    "add_label_noise": "protocol",
    "r2": "protocol",
    "load_results": "results",
    "load_run_model": "results",
    "ENGINE_VERSION": "engine.identity",
    "mic": "engine.mic",
    "compile_kernels": "warmup",
}

__all__ = [
    "ENGINE_VERSION",
    "FUNCTION_NAMES",
    "MORE_FUNCTION_NAMES",
    "REGULARIZERS",
    "SELECTIONS",
    "Dataset",
    "ExtrapolationWarning",
    "SymbolicModel",
    "UserFunction",
    "VJMRegressor",
    "add_label_noise",
    "compile_kernels",
    "embedded_datasets",
    "label_noise_split",
    "load_dataset",
    "load_file",
    "load_model",
    "load_results",
    "load_run_model",
    "mic",
    "paper_split",
    "r2",
]


def __getattr__(name: str) -> Any:
    """Load a part of the package when it is first asked for: `import vjmgp` stays light."""
    if name not in _HOME:
        raise AttributeError(f"module 'vjmgp' has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
