"""A fitted model as the functions of this package take it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..core.arrays import Floats
from ..engine.preparation import ScoredRows
from ..models.symbolic import SymbolicModel, TableModel
from ..tables.preprocessing import Standardizer


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model with its training rows and, if known, the other models of its fit.

    `VJMRegressor.fitted_` is one; a model that was read from a file and a table make another.
    """

    model: SymbolicModel
    """The formula."""
    predictor: TableModel
    """The formula or a mean of many models, for predictions."""
    rows: ScoredRows
    """The training rows, standardised."""
    target_name: str = "target"
    has_student: bool = False
    """Whether the last model of the front is a student."""
    front_models: Callable[[], list[SymbolicModel]] = list
    """Return the models of the front."""
    restart_models: Callable[[], list[SymbolicModel]] = list
    """Return the model that each of several restarts would give alone."""
    short_model: Callable[[int], SymbolicModel | None] = lambda max_size: None
    """Return the best model of at most this size, if there is one."""

    @property
    def standardizer(self) -> Standardizer:
        """The columns and the scale of the target."""
        return self.model.standardizer

    def predict(self, table: Any) -> Floats:
        """Predict the rows of a table, without a warning if they lie outside the training range."""
        return self.predictor.predict_rows(self.standardizer.standardize(table))
