"""A model's formula as MathML, which browsers set without any help."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from ..functions import SUM, USUAL_CALLS
from ..nodes import Node
from ..numbers import number_text
from .precedence import Part
from .text import TextPrinter

if TYPE_CHECKING:
    from ...models.symbolic import SymbolicModel
    from ...tables.preprocessing import Column
    from ..user_function import UserFunction

NEXT = "</math> <math>"
"""Lines break between elements, not within one: each term has its own."""


def formula_mathml(model: SymbolicModel) -> str:
    """Return the displayed formula: a MathML element for each term."""
    formula = model.shown
    names = [_name(column) for column in model.standardizer.inputs]
    printer = MathMLPrinter(formula.algebra, names)
    return f"<math>{printer.write(formula.rounded, formula.spread)}</math>"


def _name(column: Column) -> str:
    """Return the name of an input, for an indicator the condition that it stands for."""
    if column.label is None:
        return f"<mi>{escape(column.title)}</mi>"
    return f"<mrow><mo>[</mo><mtext>{escape(column.title)}</mtext><mo>]</mo></mrow>"


class MathMLPrinter(TextPrinter):
    """Presentation MathML."""

    language = "mathml"
    times, comma = "<mo>⋅</mo>", "<mo>,</mo>"
    brackets = "<mrow><mo>(</mo>{}<mo>)</mo></mrow>"
    root = "<msqrt>{}</msqrt>"
    power = "<msup><mrow>{}</mrow><mn>{}</mn></msup>"
    quotient = "<mfrac><mrow>{}</mrow><mrow>{}</mrow></mfrac>"
    divisor_level = SUM
    calls_as_powers = ("exp",)

    def _sum(self, node: Node) -> str:
        """Return a sum; the terms of the whole formula may stand on lines of their own."""
        between = NEXT if node is self._ordered else ""
        self.plus = f"{between}<mo form='infix'>+</mo>"
        self.minus = f"{between}<mo form='infix'>−</mo>"
        return super()._sum(node)

    def negative(self, text: str) -> str:
        """Return a product with a minus sign in front."""
        return f"<mo>−</mo>{text}"

    def number(self, value: float) -> str:
        """Return a number; powers of ten are written as such."""
        text, _, exponent = number_text(value).replace("-", "−").partition("e")
        power = f"<mo>⋅</mo><msup><mn>10</mn><mn>{exponent}</mn></msup>" if exponent else ""
        return f"<mn>{text}</mn>{power}"

    def user_call(self, function: UserFunction, parts: Sequence[Part]) -> str:
        """Return the call of a user's function, by its name."""
        template = USUAL_CALLS["mathml"](escape(function.name))
        return template.format(self.comma.join(part.text for part in parts))
