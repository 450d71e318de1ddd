"""Expressions as code: what the languages of `vjmgp.export` have in common."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from ..formulas.functions import ATOM, PRODUCT
from ..formulas.nodes import Node, is_not_negative
from ..formulas.printers.precedence import Part, Printer
from ..formulas.user_function import UserFunction
from ..tables.preprocessing import Column
from .source import Exportable, Levels, levels_of, words

ARGUMENTS = ("a", "b")
"""Names of the arguments of a user's function."""


class CodePrinter(Printer):
    """Writes a model's expression; numbers are floats, and divisors are guarded against 0."""

    power_function: ClassVar[str] = ""
    """The function for powers, if the language has no operator."""
    guard: ClassVar[str] = ""
    """A template for divisors: undefined, not infinite, if they are 0."""
    at_least_zero: ClassVar[str] = "{}"
    """A template for a number, or 0 if it is negative, where its logarithm would be an error."""
    column: ClassVar[str] = "{}"
    """A template for a column of numbers."""
    indicator: ClassVar[str]
    """A template for 1 if a number is missing, else 0."""
    filled: ClassVar[str]
    """A template for a number, or another one if it is missing."""

    largest_whole: ClassVar[int]
    """The largest whole number that the language tells from its neighbours."""

    def __init__(self, source: Exportable, digits: int | None, names: dict[str, str]) -> None:
        super().__init__(source.algebra, digits)
        self.source, self.names = source, names
        target = source.standardizer
        self.mean = self._number(target.target_mean)
        self.low, self.high = map(self._number, target.limits)

    def expression(self) -> str:
        """Return the whole expression."""
        return self.write(self.source.root)

    def _number(self, value: float) -> str:
        """Return a number that is not taken for an integer."""
        return repr(float(self._rounded(value)))

    def _signed_terms(self, node: Node) -> list[tuple[float, str]]:
        return sorted(super()._signed_terms(node), key=lambda term: term[0] < 0.0)

    def _base(self, node: Node, exponent: float) -> Part:
        if exponent % 1.0 and not is_not_negative(node):
            return self._positive(node)
        part = self._known[node]
        return part if exponent > 0.0 or is_positive(node) else self._guarded(part)

    def _positive(self, node: Node) -> Part:
        """Return a number that is undefined unless it is positive."""
        part = self._known[node]
        if is_positive(node):
            return part
        return self._guarded(Part(self.at_least_zero.format(part.text), part.level))

    def _part(self, node: Node) -> Part:
        if node.name == "log":
            return Part(self._call("log", [self._positive(node.parts[0]).text]), ATOM)
        return super()._part(node)

    def _guarded(self, part: Part) -> Part:
        return Part(self.guard.format(part.text), ATOM) if self.guard else part

    def _power(self, base: Part, exponent: float) -> Part:
        if exponent in (2.0, 3.0) and base.level == ATOM and "(" not in base.text:
            return Part("*".join([base.text] * int(exponent)), PRODUCT)
        if self.power_function and exponent not in (0.5, 1.0):
            return Part(f"{self.power_function}({base.text}, {self._exponent(exponent)})", ATOM)
        return super()._power(base, exponent)

    def _exponent(self, value: float) -> str:
        return self._number(value)

    def _input(self, position: int) -> str:
        column = self.source.inputs[position]
        name = self.names[column.name]
        return self._derived(name, column) if derived_title(column) else self.column.format(name)

    def _derived(self, word: str, column: Column) -> str:
        """Return an input that is derived from a column."""
        if column.codes is not None:
            return self._encoded(word, column)
        if column.fill is None:
            return self.indicator.format(word)
        return self.filled.format(word, self._number(column.fill))

    def _encoded(self, word: str, column: Column) -> str:
        """Return the code of a nominal column's level."""
        raise NotImplementedError

    def _levels(self, column: Column) -> Levels:
        """Return the levels of a column; raise if the language cannot tell them apart."""
        levels = levels_of(column)
        for level in levels.names if levels.kind == "number" else ():
            if isinstance(level, int) and abs(level) > self.largest_whole:
                raise ValueError(
                    f"The column {column.name!r} has the level {level}, too large a number for "
                    f"{self.language}: make the column text before the fit."
                )
        return levels

    def _user_call(self, function: UserFunction, parts: Sequence[Part]) -> str:
        raise self._not_written(function)

    def _user_formula(self, function: UserFunction, printer: Any) -> str:
        """Return a user's formula of `ARGUMENTS` as a printer of sympy writes it."""
        import sympy
        from sympy.printing.codeprinter import PrintMethodNotImplementedError

        symbols = sympy.symbols(ARGUMENTS[: function.arity], real=True)
        try:
            return str(printer.doprint(function.sympy_of(symbols)))
        except PrintMethodNotImplementedError:
            raise self._not_written(function) from None

    def _not_written(self, function: UserFunction) -> ValueError:
        message = f"The user's function {function.name!r} cannot be written in {self.language}"
        return ValueError(f"{message}; python and c support the most functions.")


class StatementPrinter(CodePrinter):
    """For languages with variables, for derived inputs and for parts that are used repeatedly."""

    reserved: ClassVar[Iterable[str]]
    """Words that cannot name columns or functions, in lower case."""
    reserved_form: ClassVar[str] = r"[tT]\d+"
    """The form of other such words: those of repeated parts."""
    assignment: ClassVar[str]

    def __init__(self, source: Exportable, digits: int | None, name: str) -> None:
        own = [f"own_{function}" for function in source.algebra.user_functions]
        taken = {"value", *self.reserved, *map(str.lower, own)}
        if name.lower() in taken or re.fullmatch(self.reserved_form, name):
            raise ValueError(f"The name {name!r} means something else in {self.language}.")
        self.lines: list[str] = []
        self.variables: list[str] = []
        self.helpers: dict[str, str] = {}
        self.count = 0
        derived = {k: title for k, c in source.inputs.items() if (title := derived_title(c))}
        columns = list(source.columns)
        titles = [*columns, *derived.values(), *(f"{column} missing" for column in columns)]
        found = iter(words(titles, [name, *taken], self.reserved_form))
        super().__init__(source, digits, {column: next(found) for column in columns})
        self.inputs = {k: self.names[column.name] for k, column in source.inputs.items()}
        self.inputs |= {k: next(found) for k in derived}
        self.flags = dict(zip(columns, found, strict=True))
        """Names of flags for columns without a value."""
        for k in derived:
            self._assign_derived(self.inputs[k], source.inputs[k])

    def statements(self) -> list[str]:
        """Return the lines that compute the variable `value`."""
        self._assign("value", self.expression())
        return self.lines

    def _assign_derived(self, name: str, column: Column) -> None:
        self._assign(name, self._derived(self.names[column.name], column))

    def _assign(self, name: str, text: str) -> None:
        self.variables.append(name)
        self.lines.append(self.assignment.format(name, text))

    def _input(self, position: int) -> str:
        return self.inputs[position]

    def _named(self, part: Part) -> Part:
        self.count += 1
        self._assign(f"t{self.count}", part.text)
        return Part(f"t{self.count}", ATOM)


def derived_title(column: Column) -> str | None:
    """Return the title of a derived input; None for a column that is used unchanged."""
    if column.label is not None:
        return column.label.replace(" = ", " is ")
    if column.codes is not None:
        return f"encoded {column.name}"
    return f"{column.name} filled" if column.fill is not None else None


def is_positive(node: Node) -> bool:
    """Return whether the rules know that the node is positive everywhere."""
    if node.kind == "sum":
        return node.number > 0.0 and is_not_negative(node)
    if node.kind == "product":
        return all(map(is_positive, node.parts))
    return node.number > 0.0 if node.kind == "number" else node.name == "exp"
