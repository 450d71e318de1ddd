"""Expressions as people read them: text in sympy's syntax, and LaTeX.

`sympy.sympify` reads the text, given symbols of the names as `locals`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..functions import ATOM, SUM
from ..nodes import Algebra, Node, Term, in_order
from ..numbers import NamedNumber, half, named, number_text
from ..user_function import UserFunction
from .precedence import Part, Printer

FAR = 2.0
"""Orders of magnitude from 1 at which a number beside an exponential moves into it."""
EXACT_DIGITS = 8
"""A number with more digits is not rounded."""
MOST_DIGITS, LARGEST_SIMPLE = 13, 16
ENOUGH_DIGITS = 5
"""Digits from which a number can be recognised as a named one."""


def _digits_of(number: float) -> int:
    """Return the number of significant digits, at most twelve."""
    return len(f"{abs(number):.11e}".split("e")[0].replace(".", "").rstrip("0"))


def _near(value: float, digits: int) -> float:
    """Return the named number that agrees in all but the last digit, else five digits or more."""
    one = named(abs(value), 10.0 ** (1 - digits)) if digits >= ENOUGH_DIGITS else None
    rounded = float(f"{value:.{max(digits, ENOUGH_DIGITS)}g}")
    return math.copysign(one.value, value) if one else rounded


def _is_simple(number: float) -> bool:
    """Return whether a number is small and whole, a half or quarter, or has a name."""
    size = abs(number)
    is_whole = size == int(size) and size <= LARGEST_SIMPLE
    return is_whole or half(size) is not None or named(size) is not None


def _with_digits(value: float, *origins: float) -> float:
    """Return a number with one digit more than the numbers that it is computed from, or five."""
    digits = max(map(_digits_of, origins))
    return value if digits > EXACT_DIGITS else float(f"{value:.{max(digits + 1, 5)}g}")


class TextPrinter(Printer):
    """Sympy's syntax."""

    language = "text"
    pi, fraction = "pi", "({}/{})"

    def __init__(self, algebra: Algebra, names: Sequence[str], digits: int | None = None) -> None:
        super().__init__(algebra, digits)
        self.names = names
        self._ranked: Node | None = None
        self._arguments = set[Node]()
        self._importance: Callable[[Node], float] = lambda node: 0.0

    def write(self, root: Node, importance: Callable[[Node], float] | None = None) -> str:
        """Return the expression; with `importance`, the terms of its sum are sorted by it."""
        self._ranked = root if importance is not None else None
        arguments = (part for node in in_order(root) if node.kind == "call" for part in node.parts)
        self._arguments = {
            p for a in arguments if a.kind == "sum" and not a.number for p in a.parts
        }
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

    def _signed_terms(self, node: Node) -> list[tuple[float, str]]:
        """Return the terms; a positive constant comes before negative terms."""
        terms = super()._signed_terms(node)
        if terms[0][0] > 0.0:
            return terms
        if node.number > 0.0:
            return [terms[-1], *terms[:-1]]
        part, weight = self._terms(node)[0]
        for factor, exponent in part.factors():  # -x*(y - 1) is x*(1 - y)
            numbers = factor.number, *factor.numbers
            if factor.kind == "sum" and exponent % 2.0 == 1.0 and min(numbers) < 0.0:
                known, (constant, *weights) = self._known, (-number for number in numbers)
                opposite = self._part(replace(factor, number=constant, numbers=tuple(weights)))
                self._known = known | {factor: opposite}
                self._known[part] = self._part(part)
                terms[0] = -weight, self._term(part, -weight)
                self._known = known
                break
        return terms

    def _term(self, node: Node, weight: float) -> str:
        """Return weight·node; a quotient takes the weight as its numerator."""
        for factor, exponent in node.factors():
            logistic = self._logistic(factor)
            if logistic is not None:
                known, self._known = self._known, self._known | {factor: logistic}
                scaled = _with_digits(weight * factor.number**exponent, weight, factor.number)
                above = [] if self._rounded(scaled) == 1.0 else [self._number_part(scaled)]
                text = self._product(node, above).text
                self._known = known
                return text
        text = self._term_with_number(node, weight)
        inside = self._term_in_root(node, weight) if weight != 1.0 else None
        return inside if inside is not None and len(inside) < len(text) else text

    def _term_in_root(self, node: Node, weight: float) -> str | None:
        """Return w·√(a + b) as √(w²·a + w²·b), if all numbers are simple then."""
        digits = MOST_DIGITS if named(weight) else _digits_of(weight)
        if EXACT_DIGITS < digits < MOST_DIGITS:
            return None
        for factor, exponent in node.factors():
            if factor.kind == "sum" and abs(exponent) == 0.5:
                scale = weight ** (1.0 / exponent)
                numbers = [_near(n * scale, digits) for n in (factor.number, *factor.numbers)]
                if not all(map(_is_simple, numbers)):
                    return None
                known = self._known
                scaled = self._part(replace(factor, number=numbers[0], numbers=tuple(numbers[1:])))
                self._known = known | {factor: scaled}
                text = self._product(node).text
                self._known = known
                return text
        return None

    def _term_with_number(self, node: Node, weight: float) -> str:
        one = named(weight) or (half(weight) if self._takes_fractions(node) else None)
        if one:
            return self._product(node, *self._parts_of(one)).text
        if node.kind == "product" and self._rounded(weight) != 1.0:
            return self._product(node, [self._number_part(weight)]).text
        return super()._term(node, weight)

    def _takes_fractions(self, node: Node) -> bool:
        """Return whether people would write x/2 rather than 0.5*x: in quotients and functions."""
        return node in self._arguments or any(exponent < 0.0 for _, exponent in node.factors())

    def _powers(self, node: Node) -> list[tuple[Part, float]]:
        """Return bases and exponents; roots of several factors and divisors become one."""
        powers = super()._powers(node)
        roots = [(base, exponent) for base, exponent in powers if abs(exponent) == 0.5]
        if len(roots) < 2:
            return powers
        above, below = ([base for base, e in roots if e == side] for side in (0.5, -0.5))
        joined = (self._quotient(above, below), 0.5) if above else (self._times(below), -0.5)
        first = powers.index(roots[0])
        others = [power for power in powers if power not in roots]
        return [*others[:first], joined, *others[first:]]

    def _logistic(self, node: Node) -> Part | None:
        """Return exp(p) + c as c·(exp(p − log(c)) + 1), without c, if c is far from 1."""
        if node.kind != "sum" or len(node.parts) != 1 or node.numbers[0] != 1.0:
            return None
        (part,), constant = node.parts, node.number
        if part.name != "exp" or not constant > 0.0 or abs(math.log10(constant)) < FAR:
            return None
        shift = _with_digits(-math.log(constant), constant)
        inner = self._part(self.algebra.sum([(part.parts[0], 1.0)], shift))
        return Part(f"{self._call('exp', [inner.text])}{self.plus}{self._number(1.0)}", SUM)

    def _number_part(self, value: float) -> Part:
        """Return a number, perhaps as a fraction or a multiple of π."""
        one = named(abs(value))
        if one is None:
            return super()._number_part(value)
        text, level = self._quotient(*self._parts_of(one))
        return Part(text, level) if value > 0.0 else Part(self._negative(text), SUM)

    def _parts_of(self, one: NamedNumber) -> tuple[list[Part], list[Part]]:
        """Return the factors above and below the line of a named number."""
        numbers = one.above, one.below
        above, below = ([Part(self._number(n), ATOM)] if n > 1 else [] for n in numbers)
        if one.power:
            twice = [Part(self._number(2.0), ATOM)] if one.power % 1.0 else []
            pi = self._times([*twice, Part(self.pi, ATOM)])
            (above if one.power > 0.0 else below).append(self._power(pi, abs(one.power)))
        return above, below

    def _exponent_text(self, value: float) -> str:
        one = named(value) if value % 0.5 else None
        if one and not one.power:
            return self.fraction.format(one.above, one.below)
        return number_text(self._rounded(value) if value % 0.5 else value)

    def _user_call(self, function: UserFunction, parts: Sequence[Part]) -> str:
        return function.text_of([self._bracketed(part, ATOM) for part in parts])


class LatexPrinter(TextPrinter):
    """LaTeX of mathematics."""

    language = "latex"
    pi, fraction = r"\pi", "{}/{}"
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
