"""The regularisers. To add one, see docs/own_regularizer.md."""

import importlib

from ...core.import_policy import refuse_import
from .base import NoRegularizer, Regularizer
from .distance_correlation import DistanceCorrelation
from .rademacher import Rademacher
from .size_and_norm import GrandComplexity, Parsimony, Tikhonov
from .vicinal_gaps import FiniteDifference, JensenGap, VicinalRisk
from .wcrv import Wcrv

REGULARIZERS: dict[str, type[Regularizer]] = {
    regularizer.name: regularizer
    for regularizer in (
        *(JensenGap, FiniteDifference, VicinalRisk, Parsimony, Tikhonov, GrandComplexity),
        *(Rademacher, Wcrv, DistanceCorrelation, NoRegularizer),
    )
}


def find_regularizer(name: str) -> type[Regularizer]:
    """Return a regulariser by its name, or a user-defined one by its import path."""
    if name in REGULARIZERS:
        return REGULARIZERS[name]
    known = f"it must be one of {', '.join(map(repr, REGULARIZERS))}, or the path of a class."
    module, _, attribute = name.rpartition(".")
    if not module:
        raise ValueError(f"regularizer is {name!r}; {known}")
    try:
        refuse_import(name)
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"regularizer is {name!r} ({str(error).rstrip('.')}); {known}") from None
    if not (isinstance(found, type) and issubclass(found, Regularizer)):
        raise ValueError(f"regularizer is {name!r}, which is not a Regularizer; {known}")
    return found


__all__ = ["REGULARIZERS", "Regularizer", "find_regularizer"]
