"""The displayed formula of a model: one short form for text, LaTeX, sympy and MathML."""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .input_names import formula_inputs, latex_inputs
from .nodes import Node, count_symbols
from .printers.sympy_object import sympy_of
from .printers.text import LatexPrinter, TextPrinter
from .rounding import exact_form, rounded_form
from .simplify import Lengths, feature_expression, shortest

if TYPE_CHECKING:
    from ..models.symbolic import SymbolicModel

Digits = int | Literal["auto"] | None
"""Significant digits of numbers: None for all, "auto" for those that predictions need."""


class DisplayedFormula:
    """The simplified formula of a model, exact and rounded."""

    def __init__(self, model: "SymbolicModel") -> None:
        self.names = model.variables
        self._model = model
        self._length = Lengths(self.names)
        self._rounding, box, self.exact = exact_form(model, self._length)
        """The form that computes the model's values."""
        self.algebra = self._rounding.algebra
        self.rounded = rounded_form(self._rounding, box, self.exact, self._length)
        """The form that predicts nearly the same."""

    @property
    def size(self) -> int:
        """Numbers, inputs, operations and functions of the rounded form."""
        return count_symbols(self.rounded)

    def text(self, digits: Digits) -> str:
        """Return the formula in sympy's syntax."""
        root, digits = self._form(digits)
        return TextPrinter(self.algebra, self.names, digits).write(root, self.spread)

    def latex(self, digits: Digits) -> str:
        """Return the formula as LaTeX, with the columns' own names."""
        root, digits = self._form(digits)
        names = latex_inputs(self._model.standardizer)
        return LatexPrinter(self.algebra, names, digits).write(root, self.spread)

    def sympy(self, digits: Digits) -> Any:
        """Return the formula as a sympy object of real symbols, whose text sympify reads."""
        root, digits = self._form(digits)
        names = [name for name, _, _ in formula_inputs(self._model.standardizer)]
        return sympy_of(root, self.algebra, names, digits)

    def feature_texts(self, digits: int | None) -> list[str]:
        """Return each constructed feature in sympy's syntax."""
        printer = TextPrinter(self.algebra, self.names, digits)
        trees = (feature_expression(self.algebra, f, self._model) for f in self._model.features)
        return [printer.write(shortest(self.algebra, tree, self._length)) for tree in trees]

    def _form(self, digits: Digits) -> tuple[Node, int | None]:
        return (self.rounded, None) if digits == "auto" else (self.exact, digits)

    def spread(self, node: Node) -> float:
        """Return the standard deviation of a term's values, by which terms are sorted."""
        with np.errstate(all="ignore"):
            values = self._rounding.value(node)
            values = values[~np.isnan(values)]
            spread = float(values.std()) if len(values) else 0.0
        return spread if np.isfinite(spread) else 0.0
