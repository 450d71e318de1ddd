"""Expressions as people read them: text in sympy's syntax, and LaTeX.

`sympy.sympify` reads the text, whatever the columns are called.
"""

from collections.abc import Callable, Sequence

from ..functions import ATOM, SUM
from ..nodes import Algebra, Node, Term
from ..user_function import UserFunction
from .precedence import Part, Printer


class TextPrinter(Printer):
    """Sympy's syntax."""

    language = "text"

    def __init__(self, algebra: Algebra, names: Sequence[str], digits: int | None = None) -> None:
        super().__init__(algebra, digits)
        self.names = names
        self._ranked: Node | None = None
        self._importance: Callable[[Node], float] = lambda node: 0.0

    def write(self, root: Node, importance: Callable[[Node], float] | None = None) -> str:
        """Return the expression; with `importance`, the terms of its sum are sorted by it."""
        self._ranked = root if importance is not None else None
        self._importance = importance or self._importance
        return super().write(root)

    def _input(self, position: int) -> str:
        return self.names[position]

    def _terms(self, node: Node) -> list[Term]:
        """Return the terms, a positive one first: a minus is easier to read behind something."""
        terms = node.terms()
        if node is self._ranked:
            terms.sort(key=lambda term: (-abs(term[1]) * self._importance(term[0]), term[0].place))
        first = next((k for k, (_, weight) in enumerate(terms) if weight > 0.0), 0)
        return [terms.pop(first), *terms]

    def _term(self, node: Node, weight: float) -> str:
        """Return weight·node; a quotient takes the weight as its numerator."""
        if node.kind == "product" and weight != 1.0:
            return self._product(node, self._number(weight)).text
        return super()._term(node, weight)

    def _user_call(self, function: UserFunction, parts: Sequence[Part]) -> str:
        return function.text_of([self._bracketed(part, ATOM) for part in parts])


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

    def _number(self, value: float) -> str:
        text, _, exponent = super()._number(value).partition("e")
        return rf"{text} \cdot 10^{{{exponent}}}" if exponent else text

    def _user_call(self, function: UserFunction, parts: Sequence[Part]) -> str:
        """Return the user's formula as sympy sets it."""
        import sympy

        texts = [self._bracketed(part, ATOM) for part in parts]
        given = dict(zip(function.arguments, texts, strict=True))
        names = {symbol: given[symbol.name] for symbol in function.sympy.free_symbols}
        return self.brackets.format(sympy.latex(function.sympy, symbol_names=names))
