"""Expressions as people read them: text in sympy's syntax, and LaTeX.

`sympy.sympify` reads the text, whatever the columns are called.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..functions import ATOM, SUM
from ..nodes import Algebra, Node, Term
from .precedence import Part, Printer

if TYPE_CHECKING:
    from ..user_function import UserFunction


class TextPrinter(Printer):
    """Sympy's syntax."""

    language = "text"

    def __init__(self, algebra: Algebra, names: Sequence[str], digits: int | None = None) -> None:
        super().__init__(algebra, digits)
        self.names = names
        self._ordered: Node | None = None
        self._importance: Callable[[Node], float] | None = None

    def write(self, root: Node, importance: Callable[[Node], float] | None = None) -> str:
        """Return the expression; with `importance`, the terms of its sum are sorted by it."""
        self._ordered, self._importance = root if importance else None, importance
        return super().write(root)

    def input(self, position: int) -> str:
        """Return the name of an input."""
        return self.names[position]

    def ordered_terms(self, node: Node) -> list[Term]:
        """Return the terms of a sum, a positive one first."""
        terms = node.terms()
        if node is self._ordered and (importance := self._importance):
            terms.sort(key=lambda term: (-abs(term[1]) * importance(term[0]), term[0].place))
        first = next((k for k, (_, weight) in enumerate(terms) if weight > 0.0), 0)
        terms.insert(0, terms.pop(first))
        return terms

    def _term(self, node: Node, weight: float) -> str:
        """Return weight·node; a quotient takes the weight as its numerator."""
        if node.kind == "product" and weight != 1.0:
            return self._product(node, self.number(weight)).text
        return super()._term(node, weight)

    def user_call(self, function: UserFunction, parts: Sequence[Part]) -> str:
        """Return the user's formula with texts in place of its arguments."""
        return function.text_of([self.bracketed(part, ATOM) for part in parts])


class LatexPrinter(TextPrinter):
    """LaTeX of mathematics."""

    language = "latex"
    times = r" \, "
    brackets = r"\left({}\right)"
    root = r"\sqrt{{{}}}"
    power = "{}^{{{}}}"
    quotient = r"\frac{{{}}}{{{}}}"
    divisor_level = SUM
    calls_as_powers = ("exp",)

    def number(self, value: float) -> str:
        """Return a number; powers of ten are written as such."""
        text, _, exponent = super().number(value).partition("e")
        return rf"{text} \cdot 10^{{{exponent}}}" if exponent else text

    def user_call(self, function: UserFunction, parts: Sequence[Part]) -> str:
        """Return the user's formula as sympy sets it."""
        import sympy

        texts = [self.bracketed(part, ATOM) for part in parts]
        given = dict(zip(function.arguments, texts, strict=True))
        names = {symbol: given[symbol.name] for symbol in function.sympy.free_symbols}
        return self.brackets.format(sympy.latex(function.sympy, symbol_names=names))
