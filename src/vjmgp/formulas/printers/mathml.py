"""A model's formula as MathML, which browsers set without any help."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

from ..nodes import Node
from .notation import ATOM, POWER, PRODUCT, Notation, Part, number_text

if TYPE_CHECKING:
    from ...models.symbolic import SymbolicModel
    from ...tables.preprocessing import Column
    from ..user_function import UserFunction

MINUS, PLUS = "<mo form='infix'>−</mo>", "<mo form='infix'>+</mo>"
NEXT = "</math> <math>"
"""Lines break between formulas, not within one: each term is one of its own."""


def formula_mathml(model: SymbolicModel) -> str:
    """The formula in the short form that people read: an element of MathML for each term."""
    shown = model.shown
    names = [_name(column) for column in model.standardizer.inputs]
    return f"<math>{MathML(shown.algebra, names).write(shown.rounded, shown.spread)}</math>"


def _name(column: Column) -> str:
    """An input; one of ones and zeros as the condition that it stands for."""
    if column.label is None:
        return f"<mi>{escape(column.title)}</mi>"
    return f"<mrow><mo>[</mo><mtext>{escape(column.title)}</mtext><mo>]</mo></mrow>"


class MathML(Notation):
    """Presentation MathML."""

    times, minus, plus = "<mo>⋅</mo>", MINUS, PLUS

    def _sum(self, node: Node, order: Callable[[Node], float] | None = None) -> Part:
        """Terms; those of the whole formula, which alone has an order, may stand on new lines."""
        self.plus, self.minus = (NEXT + PLUS, NEXT + MINUS) if order else (PLUS, MINUS)
        text, level = super()._sum(node, order)
        return f"<mo>−</mo>{text[1:]}" if text.startswith("-") else text, level

    def _term(self, part: Node, weight: float) -> str:
        breaks = self.plus, self.minus
        text = super()._term(part, weight)
        self.plus, self.minus = breaks  # sums within have none
        return text

    def number(self, value: float) -> str:
        """A number; powers of ten are written as such."""
        text, _, exponent = number_text(value).replace("-", "−").partition("e")
        if not exponent:
            return f"<mn>{text}</mn>"
        ten = f"<msup><mn>10</mn><mn>{exponent}</mn></msup>"
        return f"<mn>{text}</mn><mo>⋅</mo>{ten}"

    def in_brackets(self, text: str) -> str:
        """(text)."""
        return f"<mrow><mo>(</mo>{text}<mo>)</mo></mrow>"

    def root(self, text: str) -> str:
        """√text."""
        return f"<msqrt>{text}</msqrt>"

    def power(self, base: str, exponent: float) -> str:
        """base^exponent."""
        return f"<msup><mrow>{base}</mrow><mn>{number_text(exponent)}</mn></msup>"

    def quotient(self, top: list[str], bottom: list[Part]) -> Part:
        """A fraction."""
        above = self.times.join(top) or "<mn>1</mn>"
        below = bottom[0][0]
        if len(bottom) > 1:
            below = self.times.join(self._at_least(part, PRODUCT) for part in bottom)
        return f"<mfrac><mrow>{above}</mrow><mrow>{below}</mrow></mfrac>", PRODUCT

    def call(self, name: str, texts: list[str]) -> Part:
        """A function of the package."""
        inside = "<mo>,</mo>".join(texts)
        if name == "abs":
            return f"<mrow><mo>|</mo>{inside}<mo>|</mo></mrow>", ATOM
        if name == "cbrt":
            return f"<mroot><mrow>{inside}</mrow><mn>3</mn></mroot>", ATOM
        if name == "exp":
            return f"<msup><mi>e</mi><mrow>{inside}</mrow></msup>", POWER
        return f"<mrow><mi>{name}</mi>{self.in_brackets(inside)}</mrow>", ATOM

    def own(self, function: UserFunction, parts: list[Part]) -> Part:
        """A function of the user, by its name."""
        return self.call(escape(function.name), [text for text, _ in parts])
