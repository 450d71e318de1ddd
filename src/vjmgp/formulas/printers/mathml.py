"""A model's formula as MathML, which browsers set without any help."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from ...tables.preprocessing import Column
from ..functions import SUM, USUAL_CALLS
from ..nodes import Node
from ..numbers import number_text
from ..user_function import UserFunction
from .precedence import Part
from .text import TextPrinter

if TYPE_CHECKING:
    from ...models.symbolic import SymbolicModel

NEXT = "</math> <math>"
"""Browsers break lines between elements, not within one: each term has its own."""


def formula_mathml(model: "SymbolicModel") -> str:
    """Return the displayed formula: a MathML element for each term."""
    formula = model.shown
    names = [_name(column) for column in model.standardizer.inputs]
    printer = MathMLPrinter(formula.algebra, names)
    return f"<math>{printer.write(formula.rounded, formula.spread)}</math>"


def _name(column: Column) -> str:
    """Return the name of an input; for an indicator, the condition that it stands for."""
    if column.label is None:
        return f"<mi>{escape(column.title)}</mi>"
    return f"<mrow><mo>[</mo><mtext>{escape(column.title)}</mtext><mo>]</mo></mrow>"


class MathMLPrinter(TextPrinter):
    """Presentation MathML."""

    language = "mathml"
    pi, fraction = "<mi>π</mi>", "{}/{}"
    times, comma = "<mo>⋅</mo>", "<mo>,</mo>"
    brackets = "<mrow><mo>(</mo>{}<mo>)</mo></mrow>"
    root = "<msqrt>{}</msqrt>"
    power = "<msup><mrow>{}</mrow><mn>{}</mn></msup>"
    quotient = "<mfrac><mrow>{}</mrow><mrow>{}</mrow></mfrac>"
    divisor_level = SUM
    calls_as_powers = ("exp",)

    def _sum(self, node: Node) -> str:
        """Return a sum; the terms of the whole formula are elements of their own."""
        between = NEXT if node is self._ranked else ""
        self.plus = f"{between}<mo form='infix'>+</mo>"
        self.minus = f"{between}<mo form='infix'>−</mo>"
        return super()._sum(node)

    def _negative(self, text: str) -> str:
        return f"<mo>−</mo>{text}"

    def _number(self, value: float) -> str:
        text, _, exponent = number_text(value).replace("-", "−").partition("e")
        power = f"<mo>⋅</mo><msup><mn>10</mn><mn>{exponent}</mn></msup>" if exponent else ""
        return f"<mn>{text}</mn>{power}"

    def _user_call(self, function: UserFunction, parts: Sequence[Part]) -> str:
        template = USUAL_CALLS["mathml"](escape(function.name))
        return template.format(self.comma.join(part.text for part in parts))
