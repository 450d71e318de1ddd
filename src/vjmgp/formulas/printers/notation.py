"""Expressions as text in sympy's syntax, as LaTeX and as sympy's own objects.

`sympy.sympify` reads the text, whatever the columns are called.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.optional import need
from ..nodes import Algebra, Node, in_order

if TYPE_CHECKING:
    from ..user_function import UserFunction

# How tightly a text holds together: what must stand in brackets beside what.
SUM, PRODUCT, POWER, ATOM = range(4)
Part = tuple[str, int]
WORDS = {
    "abs": "Abs({})",
    "atan": "atan({})",
    "cbrt": "real_root({}, 3)",
    "cos": "cos({})",
    "exp": "exp({})",
    "log": "log({})",
    "max": "Max({})",
    "min": "Min({})",
    "sin": "sin({})",
    "step": "Heaviside({}, 0)",
    "tanh": "tanh({})",
}
LATEX_WORDS = {
    "abs": r"\left|{}\right|",
    "atan": r"\operatorname{{atan}}{{\left({}\right)}}",
    "cbrt": r"\sqrt[3]{{{}}}",
    "cos": r"\cos{{\left({}\right)}}",
    "exp": r"e^{{{}}}",
    "log": r"\log{{\left({}\right)}}",
    "max": r"\max\left({}\right)",
    "min": r"\min\left({}\right)",
    "sin": r"\sin{{\left({}\right)}}",
    "step": r"\theta\left({}\right)",
    "tanh": r"\tanh{{\left({}\right)}}",
}


def number_text(value: float) -> str:
    """The shortest text that is this number: 3, 0.00025, 1.5e-7."""
    plain = np.format_float_positional(value, trim="-")
    power = np.format_float_scientific(value, trim="-", exp_digits=1).replace("e+", "e")
    return power if len(power) + 2 < len(plain) else plain


class Notation:
    """Writes nodes; a subclass says how."""

    times, minus, plus = "*", " - ", " + "

    def __init__(self, algebra: Algebra, names: Sequence[str], digits: int | None = None) -> None:
        self.algebra, self.names, self.digits = algebra, names, digits

    def write(self, root: Node, order: Callable[[Node], float] | None = None) -> str:
        """The expression; `order` sorts the terms of its sum, if it is one."""
        return self._sum(root, order)[0] if root.kind == "sum" else self._part(root)[0]

    def number(self, value: float) -> str:
        """A number, in full or with so many significant digits."""
        return number_text(value if self.digits is None else float(f"{value:.{self.digits}g}"))

    def _part(self, node: Node) -> Part:
        if node.kind == "number":
            return self.number(node.number), ATOM if node.number >= 0.0 else SUM
        if node.kind == "input":
            return self.names[int(node.number)], ATOM
        if node.kind == "sum":
            return self._sum(node)
        return self._product(node) if node.kind == "product" else self._call(node)

    def _sum(self, node: Node, order: Callable[[Node], float] | None = None) -> Part:
        terms = node.terms()
        if order is not None:
            terms.sort(key=lambda term: (-abs(term[1]) * order(term[0]), term[0].place))
        ahead = next((k for k, (_, weight) in enumerate(terms) if weight > 0.0), 0)
        terms.insert(0, terms.pop(ahead))  # a minus is easier to read behind something
        text = ""
        for part, weight in terms:
            sign = self.minus if weight < 0.0 else self.plus
            text += (sign if text else "-" if weight < 0.0 else "") + self._term(part, abs(weight))
        if node.number:
            sign = self.minus if node.number < 0.0 else self.plus
            text += f"{sign}{self.number(abs(node.number))}"
        return text, SUM if len(terms) > 1 or node.number or text.startswith("-") else PRODUCT

    def _term(self, part: Node, weight: float) -> str:
        """weight·part; a quotient takes the weight as its numerator."""
        if weight == 1.0:
            return self._bracketed(part, PRODUCT)
        if part.kind == "product":
            return self._product(part, self.number(weight))[0]
        return f"{self.number(weight)}{self.times}{self._bracketed(part, PRODUCT)}"

    def _bracketed(self, node: Node, least: int) -> str:
        text, level = self._part(node)
        return text if level >= least else self.in_brackets(text)

    def _product(self, node: Node, first: str = "") -> Part:
        top = [first] if first else []
        bottom: list[Part] = []
        for part, exponent in node.factors():
            if exponent > 0.0:
                top.append(self._at_least(self._power(part, exponent), PRODUCT))
            else:
                bottom.append(self._power(part, -exponent))
        alone = len(top) == 1 and not bottom and not first
        if alone:
            return self._power(*node.factors()[0])
        return self.quotient(top, bottom) if bottom else (self.times.join(top), PRODUCT)

    def _at_least(self, part: Part, least: int) -> str:
        return part[0] if part[1] >= least else self.in_brackets(part[0])

    def _power(self, part: Node, exponent: float) -> Part:
        if exponent == 1.0:
            return self._part(part)
        if exponent == 0.5:
            return self.root(self._part(part)[0]), ATOM
        return self.power(self._bracketed(part, ATOM), exponent), POWER

    def _call(self, node: Node) -> Part:
        if node.name in self.algebra.own:
            return self.own(self.algebra.own[node.name], [self._part(part) for part in node.parts])
        return self.call(node.name, [self._part(part)[0] for part in node.parts])

    # -- what differs --

    def in_brackets(self, text: str) -> str:
        """(text)."""
        return f"({text})"

    def root(self, text: str) -> str:
        """√text."""
        return f"sqrt({text})"

    def power(self, base: str, exponent: float) -> str:
        """base^exponent."""
        return f"{base}**{number_text(exponent)}"

    def quotient(self, top: list[str], bottom: list[Part]) -> Part:
        """top/bottom."""
        above = self.times.join(top) or "1"
        texts = [self._at_least(part, POWER) for part in bottom]
        below = texts[0] if len(texts) == 1 else self.in_brackets(self.times.join(texts))
        return f"{above}/{below}", PRODUCT

    def call(self, name: str, texts: list[str]) -> Part:
        """A function of the package."""
        return WORDS[name].format(", ".join(texts)), ATOM

    def own(self, function: UserFunction, parts: list[Part]) -> Part:
        """The user's formula with texts in place of its arguments."""
        texts = dict(zip(function.arguments, parts, strict=True))

        def replaced(word: re.Match[str]) -> str:
            return self._at_least(texts[word[0]], ATOM) if word[0] in texts else word[0]

        text = re.sub(r"(?<![\w.])[^\W\d]\w*", replaced, str(function.sympy))
        return text if function.sympy.is_Function else f"({text})", ATOM


class Latex(Notation):
    """LaTeX of mathematics."""

    times = r" \, "

    def number(self, value: float) -> str:
        """A number; powers of ten are written as such."""
        text, _, exponent = super().number(value).partition("e")
        return rf"{text} \cdot 10^{{{exponent}}}" if exponent else text

    def in_brackets(self, text: str) -> str:
        """(text), as high as the text."""
        return rf"\left({text}\right)"

    def root(self, text: str) -> str:
        """√text."""
        return rf"\sqrt{{{text}}}"

    def power(self, base: str, exponent: float) -> str:
        """base^exponent."""
        return f"{base}^{{{number_text(exponent)}}}"

    def quotient(self, top: list[str], bottom: list[Part]) -> Part:
        """A fraction."""
        below = (
            bottom[0][0]
            if len(bottom) == 1
            else self.times.join(self._at_least(part, PRODUCT) for part in bottom)
        )
        return rf"\frac{{{self.times.join(top) or '1'}}}{{{below}}}", PRODUCT

    def call(self, name: str, texts: list[str]) -> Part:
        """A function of the package."""
        level = POWER if name == "exp" else ATOM
        return LATEX_WORDS[name].format(", ".join(texts)), level

    def own(self, function: UserFunction, parts: list[Part]) -> Part:
        """The user's formula as sympy sets it."""
        import sympy

        names = {
            sympy.Symbol(symbol.name, **symbol.assumptions0): self.in_brackets(part[0])
            if part[1] < ATOM
            else part[0]
            for name, part in zip(function.arguments, parts, strict=True)
            for symbol in function.sympy.free_symbols
            if symbol.name == name
        }
        return self.in_brackets(str(sympy.latex(function.sympy, symbol_names=names))), ATOM


def sympy_of(root: Node, algebra: Algebra, names: Sequence[str], digits: int | None) -> Any:
    """The expression as sympy's object, of real symbols."""
    need("sympy")
    import sympy  # slow to import

    from ..names import own_sympy

    def real(value: float) -> Any:
        if float(value).is_integer() and abs(value) < 1e15:
            return sympy.Integer(int(value))
        return sympy.Float(value if digits is None else float(f"{value:.{digits}g}"))

    calls: dict[str, Callable[..., Any]] = {
        "abs": sympy.Abs,
        "atan": sympy.atan,
        "cbrt": lambda a: sympy.real_root(a, 3),
        "cos": sympy.cos,
        "exp": sympy.exp,
        "log": sympy.log,
        # Unevaluated: sympy compares the arguments of Max otherwise, which can take minutes.
        "max": lambda *parts: sympy.Max(*parts, evaluate=False),
        "min": lambda *parts: sympy.Min(*parts, evaluate=False),
        "sin": sympy.sin,
        "step": lambda a: sympy.Heaviside(a, 0),
        "tanh": sympy.tanh,
    }
    known: dict[Node, Any] = {}
    for node in in_order(root):
        parts = [known[part] for part in node.parts]
        pairs = list(zip(parts, node.numbers, strict=False))
        if node.kind == "number":
            known[node] = real(node.number)
        elif node.kind == "input":
            known[node] = sympy.Symbol(names[int(node.number)], real=True)
        elif node.kind == "sum":
            known[node] = sympy.Add(*(real(w) * p for p, w in pairs), real(node.number))
        elif node.kind == "product":
            known[node] = sympy.Mul(*(p ** sympy.Rational(e) for p, e in pairs))
        elif node.name in algebra.own:
            known[node] = own_sympy(algebra.own[node.name], parts)
        else:
            known[node] = calls[node.name](*parts)
    return known[root]


def nodes_of(root: Node) -> int:
    """Numbers, inputs, operations and functions of the expression as written."""
    if root.kind in ("number", "input"):
        return 1
    if root.kind == "sum":
        terms = [nodes_of(part) + (2 if abs(weight) != 1.0 else 0) for part, weight in root.terms()]
        return sum(terms) + len(terms) - 1 + (2 if root.number else 0)
    if root.kind == "product":
        powers = [
            nodes_of(part) + (0 if abs(power) == 1.0 else 1 if abs(power) == 0.5 else 2)
            for part, power in root.factors()
        ]
        return sum(powers) + len(powers) - 1
    return 1 + sum(nodes_of(part) for part in root.parts)
