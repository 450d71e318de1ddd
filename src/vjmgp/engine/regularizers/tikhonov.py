"""TK: Tikhonov regularisation, the norm of the predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Floats, Integers
from ..compiling import kernel
from ..lanes import dot
from .base import Regularizer

if TYPE_CHECKING:
    from ..evolution import Evolution


class Tikhonov(Regularizer):
    """Tikhonov regularisation: predictions close to the target's mean."""

    name = "tikhonov"
    label = "TK"

    def score(self, run: Evolution, rows: Integers) -> None:
        """The L2 norm of the predictions on the training rows."""
        run.individuals.o2[rows] = norms(run.individuals.fitted, rows)


@kernel
def norms(fitted: Floats, rows: Integers) -> Floats:
    """The L2 norm of each of these rows."""
    found = np.empty(len(rows))
    for k in range(len(rows)):
        values = fitted[rows[k]]
        found[k] = np.sqrt(dot(values, values, len(values)))
    return found
