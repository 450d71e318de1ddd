"""Evolutionary feature construction for symbolic regression by vicinal Jensen gap minimisation."""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "1.0.0"

if TYPE_CHECKING:
    from .engine.compilation.warmup import compile_kernels
    from .engine.objectives.mic import mic
    from .engine.regularizers import REGULARIZERS
    from .engine.search.selection import SELECTIONS
    from .engine.trees.primitives import FUNCTION_NAMES, MORE_FUNCTION_NAMES
    from .engine.version import ENGINE_VERSION
    from .fit_reports.fit_report import fit_report
    from .formulas.user_function import UserFunction
    from .models.extrapolation import ExtrapolationWarning
    from .models.loading import load_model
    from .models.symbolic import SymbolicModel
    from .regressor import VJMRegressor
    from .study.protocols import add_label_noise, label_noise_split, paper_split, r2
    from .study.published.load import load_results, load_run_model
    from .tables.dataset import Dataset, load_file
    from .tables.pmlb import embedded_datasets, load_dataset
    from .tables.row_labels import RowLabelWarning

_HOME = {
    "VJMRegressor": "regressor",
    "REGULARIZERS": "engine.regularizers",
    "SELECTIONS": "engine.search.selection",
    "FUNCTION_NAMES": "engine.trees.primitives",
    "ExtrapolationWarning": "models.extrapolation",
    "RowLabelWarning": "tables.row_labels",
    "MORE_FUNCTION_NAMES": "engine.trees.primitives",
    "fit_report": "fit_reports.fit_report",
    "UserFunction": "formulas.user_function",
    "SymbolicModel": "models.symbolic",
    "load_model": "models.loading",
    "Dataset": "tables.dataset",
    "embedded_datasets": "tables.pmlb",
    "load_dataset": "tables.pmlb",
    "load_file": "tables.dataset",
    "paper_split": "study.protocols",
    "label_noise_split": "study.protocols",
    "add_label_noise": "study.protocols",
    "r2": "study.protocols",
    "load_results": "study.published.load",
    "load_run_model": "study.published.load",
    "ENGINE_VERSION": "engine.version",
    "mic": "engine.objectives.mic",
    "compile_kernels": "engine.compilation.warmup",
}

__all__ = [
    "ENGINE_VERSION",
    "FUNCTION_NAMES",
    "MORE_FUNCTION_NAMES",
    "REGULARIZERS",
    "SELECTIONS",
    "Dataset",
    "ExtrapolationWarning",
    "RowLabelWarning",
    "SymbolicModel",
    "UserFunction",
    "VJMRegressor",
    "add_label_noise",
    "compile_kernels",
    "embedded_datasets",
    "fit_report",
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
    """Import a public name on first use, which keeps `import vjmgp` light."""
    if name not in _HOME:
        raise AttributeError(f"module 'vjmgp' has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    """List the public names before they are imported, for tab completion."""
    return sorted({*globals(), *__all__})
