"""The regularisers, each in a file of its own. To add one, see `base.Regularizer`."""

from __future__ import annotations

from .base import Regularizer
from .finite_difference import FiniteDifference
from .jensen_gap import JensenGap
from .none import NoRegularizer

REGULARIZERS: dict[str, type[Regularizer]] = {
    regularizer.name: regularizer for regularizer in (JensenGap, FiniteDifference, NoRegularizer)
}

__all__ = ["REGULARIZERS", "Regularizer"]
