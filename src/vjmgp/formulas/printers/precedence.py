"""The printer of expressions: sums, products, powers, quotients and calls by precedence.

A language is a subclass: it names its column in the table of functions, sets templates, and
overrides the few methods in which it differs.
"""

import functools
from collections import Counter
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from ..functions import ATOM, CALLS, POWER, PRODUCT, SUM
from ..nodes import Algebra, Node, Term, in_order
from ..numbers import number_text
from ..user_function import UserFunction


class Part(NamedTuple):
    """The text of a node with its precedence."""

    text: str
    level: int


class Printer:
    """Writes an expression with the brackets that precedence requires."""

    language: ClassVar[str]
    """The language's key in the table of functions."""
    times, comma, plus, minus = "*", ", ", " + ", " - "
    brackets: ClassVar[str] = "({})"
    root: ClassVar[str] = "sqrt({})"
    power: ClassVar[str] = "{}**{}"
    quotient: ClassVar[str] = "{}/{}"
    divisor_level: ClassVar[int] = POWER
    """A divisor stands in brackets below this level."""
    calls_as_powers: ClassVar[Sequence[str]] = ()
    """Functions that the language writes as powers."""

    def __init__(self, algebra: Algebra, digits: int | None = None) -> None:
        self.algebra, self.digits = algebra, digits
        self._known: dict[Node, Part] = {}

    def write(self, root: Node) -> str:
        """Return the expression as text."""
        nodes = in_order(root)
        uses = Counter(part for node in nodes for part in node.parts)
        for node in nodes:
            part = self._part(node)
            self._known[node] = self._named(part) if uses[node] > 1 and node.parts else part
        return self._known[root].text

    def _part(self, node: Node) -> Part:
        match node.kind:
            case "number":
                return self._number_part(node.number)
            case "input":
                return Part(self._input(int(node.number)), ATOM)
            case "sum":
                return Part(self._sum(node), SUM)
            case "product":
                return self._product(node)
        parts = [self._known[part] for part in node.parts]
        if node.name in self.algebra.user_functions:
            return Part(self._user_call(self.algebra.user_functions[node.name], parts), ATOM)
        text = self._call(node.name, [part.text for part in parts])
        return Part(text, POWER if node.name in self.calls_as_powers else ATOM)

    def _bracketed(self, part: Part, least: int) -> str:
        """Return the text, in brackets if its precedence is below `least`."""
        return part.text if part.level >= least else self.brackets.format(part.text)

    def _sum(self, node: Node) -> str:
        (weight, text), *rest = self._signed_terms(node)
        text = self._negative(text) if weight < 0.0 else text
        return text + "".join((self.minus if w < 0.0 else self.plus) + term for w, term in rest)

    def _signed_terms(self, node: Node) -> list[tuple[float, str]]:
        """Return weight and text without sign of each term, the constant last."""
        terms = [(weight, self._term(part, abs(weight))) for part, weight in self._terms(node)]
        constant = (node.number, self._number_part(abs(node.number)).text)
        return [*terms, constant] if node.number else terms

    def _term(self, node: Node, weight: float) -> str:
        text = self._bracketed(self._known[node], PRODUCT)
        is_one = self._rounded(weight) == 1.0
        return text if is_one else f"{self._number(weight)}{self.times}{text}"

    def _product(self, node: Node, above: Sequence[Part] = (), below: Sequence[Part] = ()) -> Part:
        above, below = [*above], [*below]
        for base, exponent in self._powers(node):
            factors = above if exponent > 0.0 else below
            factors.append(self._power(base, abs(exponent)))
        return self._quotient(above, below)

    def _powers(self, node: Node) -> list[tuple[Part, float]]:
        """Return bases and exponents of a product."""
        return [(self._base(part, exponent), exponent) for part, exponent in node.factors()]

    def _quotient(self, above: Sequence[Part], below: Sequence[Part]) -> Part:
        if not below:
            return self._times(above)
        divisor = self._bracketed(self._times(below), self.divisor_level)
        numerator = self._numerator(self._bracketed(self._times(above), PRODUCT))
        return Part(self.quotient.format(numerator, divisor), PRODUCT)

    def _times(self, factors: Sequence[Part]) -> Part:
        if len(factors) == 1:
            return factors[0]
        return Part(self.times.join(self._bracketed(part, PRODUCT) for part in factors), PRODUCT)

    def _power(self, base: Part, exponent: float) -> Part:
        """Return a power with a positive exponent."""
        if exponent == 1.0:
            return base
        if exponent == 0.5:
            return Part(self.root.format(base.text), ATOM)
        text = self._bracketed(base, ATOM)
        return Part(self.power.format(text, self._exponent_text(exponent)), POWER)

    # -- what languages override --------------------------------------------------------------

    def _number(self, value: float) -> str:
        return number_text(self._rounded(value))

    def _number_part(self, value: float) -> Part:
        return Part(self._number(value), ATOM if value >= 0.0 else SUM)

    def _exponent_text(self, value: float) -> str:
        return number_text(value)

    def _rounded(self, value: float) -> float:
        return value if self.digits is None else float(f"{value:.{self.digits}g}")

    def _input(self, position: int) -> str:
        raise NotImplementedError

    def _named(self, part: Part) -> Part:
        """Return a part that is used more than once, as a variable if the language has them."""
        return part

    def _terms(self, node: Node) -> list[Term]:
        """Return the terms of a sum in the order in which they are written."""
        return node.terms()

    def _negative(self, text: str) -> str:
        return f"-{text}"

    def _numerator(self, factors: str) -> str:
        """Return the numerator of a quotient; there may be no factors."""
        return factors or self._number(1.0)

    def _base(self, node: Node, exponent: float) -> Part:
        """Return the base of a power."""
        return self._known[node]

    def _call(self, name: str, texts: Sequence[str]) -> str:
        template = CALLS[name].template(name, self.language)
        if "{1}" in template:
            return functools.reduce(template.format, texts)
        return template.format(self.comma.join(texts))

    def _user_call(self, function: UserFunction, parts: Sequence[Part]) -> str:
        raise NotImplementedError
