"""Nodes as text: what the languages have in common."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import ClassVar

from ..formulas.nodes import Node, in_order, is_not_negative
from ..tables.preprocessing import Column
from .source import Source, words

# How tightly text holds together: what must stand in brackets beside what.
SUM, PRODUCT, ATOM = range(3)
Part = tuple[str, int]


class Printer:
    """Writes an expression; a language changes what it writes in another way."""

    calls: ClassVar[dict[str, str]]
    """Functions of one argument as text with `{0}` in its place, one that needs no brackets."""
    extremes: ClassVar[dict[str, str]] = {"max": "MAX", "min": "MIN"}
    takes_many: ClassVar[bool] = True
    """Whether these take more than two arguments."""
    language: ClassVar[str]

    def __init__(self, source: Source, digits: int | None) -> None:
        self.source = source
        self.digits = digits
        target = source.standardizer
        self.mean = self.number(target.target_mean)
        self.low, self.high = map(self.number, target.target_range)

    def expression(self) -> str:
        """The whole expression."""
        nodes = in_order(self.source.root)
        uses = Counter(part for node in nodes for part in node.parts)
        known: dict[Node, Part] = {}
        for node in nodes:
            part = self._write(node, [known[below] for below in node.parts])
            known[node] = self.named(part) if uses[node] > 1 and node.parts else part
        return known[self.source.root][0]

    def named(self, part: Part) -> Part:
        """What is used more than once, where the language has variables."""
        return part

    def number(self, value: float) -> str:
        """A number that is not taken for a whole one."""
        return repr(float(value if self.digits is None else f"{value:.{self.digits}g}"))

    def _input(self, position: int) -> Part:
        """An input in original units."""
        raise NotImplementedError

    def _write(self, node: Node, parts: list[Part]) -> Part:
        if node.kind == "number":
            return self.number(node.number), ATOM if node.number >= 0 else SUM
        if node.kind == "input":
            return self._input(int(node.number))
        if node.kind == "sum":
            return self._sum(node, parts), SUM
        if node.kind == "product":
            return self._product(node, parts), PRODUCT
        texts = [text for text, _ in parts]
        if node.name in self.source.algebra.own:
            return self._own(node.name, texts), ATOM
        if node.name in self.extremes:
            return self._extreme(node.name, texts), ATOM
        return self.calls[node.name].format(*texts), ATOM

    def _sum(self, node: Node, parts: list[Part]) -> str:
        terms = [
            (weight, self._term(part, abs(weight)))
            for part, weight in zip(parts, node.numbers, strict=True)
        ]
        if node.number:
            terms.append((node.number, self.number(abs(node.number))))
        (weight, text), *rest = sorted(terms, key=lambda term: term[0] < 0)  # begins without sign
        text = self._negative(text) if weight < 0 else text
        return text + "".join(f" {'-' if weight < 0 else '+'} {term}" for weight, term in rest)

    def _negative(self, text: str) -> str:
        """A product with a minus sign."""
        return f"-{text}"

    def _term(self, part: Part, weight: float) -> str:
        text = bracketed(part, PRODUCT)
        return text if weight == 1.0 else f"{self.number(weight)}*{text}"

    def _product(self, node: Node, parts: list[Part]) -> str:
        above: list[Part] = []
        below: list[Part] = []
        for part, own, exponent in zip(parts, node.parts, node.numbers, strict=True):
            if exponent > 0:
                above.append(self.power(part, exponent))
            else:
                divisor = part if is_positive(own) else self._divisor(part)
                below.append(self.power(divisor, -exponent))
        if not below:
            return _times(above)
        divisor = (_times(below), PRODUCT) if len(below) > 1 else below[0]
        return f"{self._numerator(_times(above))}/{bracketed(divisor, ATOM)}"

    def _numerator(self, factors: str) -> str:
        """What stands above the line; there may be no factors."""
        return factors or self.number(1.0)

    def _divisor(self, part: Part) -> Part:
        """What may be 0, so that to divide by it gives something undefined and no infinity."""
        return part

    def power(self, base: Part, exponent: float) -> Part:
        """A power with a positive exponent."""
        text, level = base
        if exponent == 1.0:
            return base
        if exponent in (2.0, 3.0) and level == ATOM and "(" not in text:
            return "*".join([text] * int(exponent)), PRODUCT
        return self._call_of_power(base, exponent), ATOM

    def _call_of_power(self, base: Part, exponent: float) -> str:
        """Any other power."""
        if exponent == 0.5:
            return f"sqrt({base[0]})"
        return f"pow({base[0]}, {self.number(exponent)})"

    def _extreme(self, name: str, texts: Sequence[str]) -> str:
        """The largest or smallest of some."""
        name = self.extremes[name]
        if self.takes_many:
            return f"{name}({', '.join(texts)})"
        return functools.reduce(lambda a, b: f"{name}({a}, {b})", texts)

    def _own(self, name: str, texts: Sequence[str]) -> str:
        """A call of the user's function."""
        raise ValueError(
            f"The user's function {name!r} cannot be written in {self.language}: export to python "
            "or c."
        )


class StatementPrinter(Printer):
    """For languages with variables: inputs and what is used more than once have names.

    Inputs that are not columns as they are, and the rest, are made by `lines`.
    """

    reserved: ClassVar[Iterable[str]]
    """Words that are no names of columns or functions, in any case."""

    def __init__(self, source: Source, digits: int | None, name: str) -> None:
        super().__init__(source, digits)
        if name.lower() in self.reserved:
            raise ValueError(f"The name {name!r} means something else in {self.language}.")
        self.lines: list[str] = []
        self.helpers: dict[str, str] = {}
        self.count = 0
        made = {k: title for k, column in source.inputs.items() if (title := _made(column))}
        columns = list(source.columns)
        titles = [*columns, *made.values(), *(f"{column} missing" for column in columns)]
        names = iter(words(titles, [name, "value", *self.reserved]))
        self.words = {column: next(names) for column in columns}
        self.inputs = {k: self.words[column.name] for k, column in source.inputs.items()}
        self.inputs |= {k: next(names) for k in made}
        self.flags = dict(zip(columns, names, strict=True))
        """Names for what tells that a column has no value."""
        for k in made:
            column = source.inputs[k]
            make = self._make_filled if column.codes is None else self._make_nominal
            make(self.inputs[k], self.words[column.name], column)

    def _make_nominal(self, name: str, word: str, column: Column) -> None:
        """Write lines that make an input of a column's levels."""
        raise NotImplementedError

    def _make_filled(self, name: str, word: str, column: Column) -> None:
        """Write lines that make an input of a column that may miss numbers.

        Without `fill`, the input is 1 where they are missing, else 0.
        """
        raise NotImplementedError

    def _input(self, position: int) -> Part:
        """The name of a column or of what is made of it."""
        return self.inputs[position], ATOM

    def named(self, part: Part) -> Part:
        """A variable with this value."""
        self.count += 1
        self.assign(f"t{self.count}", part[0])
        return f"t{self.count}", ATOM

    def assign(self, name: str, text: str) -> None:
        """Write a line that makes a variable."""
        raise NotImplementedError


def _made(column: Column) -> str | None:
    """What an input is called that is not a column as it is."""
    if column.label is not None:
        return column.label.replace(" = ", " is ")
    if column.codes is not None:
        return f"encoded {column.name}"
    return f"{column.name} filled" if column.fill is not None else None


def bracketed(part: Part, least: int) -> str:
    """The text, in brackets unless it holds together as tightly as that."""
    text, level = part
    return text if level >= least else f"({text})"


def _times(factors: list[Part]) -> str:
    return "*".join(bracketed(part, PRODUCT) for part in factors)


def is_positive(node: Node) -> bool:
    """Whether the node is nowhere 0 or less."""
    if node.kind == "sum":
        return node.number > 0.0 and is_not_negative(node)
    if node.kind == "product":
        return all(map(is_positive, node.parts))
    return node.number > 0.0 if node.kind == "number" else node.name == "exp"
