"""Expressions as code: what the languages of `vjmgp.export` have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from ..formulas.functions import ATOM, PRODUCT
from ..formulas.nodes import Node, is_not_negative
from ..formulas.printers.precedence import Part, Printer
from ..tables.preprocessing import Column
from .source import Source, words

if TYPE_CHECKING:
    from ..formulas.user_function import UserFunction

ARGUMENTS = ("a", "b")
"""Names of the arguments of a user's function."""


class CodePrinter(Printer):
    """Writes a model's expression; numbers are floats, and 0 as a divisor is guarded."""

    def __init__(self, source: Source, digits: int | None) -> None:
        super().__init__(source.algebra, digits)
        self.source = source
        target = source.standardizer
        self.mean = self.number(target.target_mean)
        self.low, self.high = map(self.number, target.target_range)

    def expression(self) -> str:
        """Return the whole expression."""
        return self.write(self.source.root)

    def number(self, value: float) -> str:
        """Return a number that is not taken for a whole one."""
        return repr(float(self.rounded(value)))

    def _terms(self, node: Node) -> list[tuple[float, str]]:
        return sorted(super()._terms(node), key=lambda term: term[0] < 0.0)

    def divisor(self, node: Node) -> Part:
        """Return a factor of a divisor, guarded if it may be 0."""
        part = self._known[node]
        return part if is_positive(node) else self.guarded(part)

    def guarded(self, part: Part) -> Part:
        """Return a divisor that is undefined, not infinite, when it is 0."""
        return part

    def _power(self, base: Part, exponent: float) -> Part:
        if exponent in (2.0, 3.0) and base.level == ATOM and "(" not in base.text:
            return Part("*".join([base.text] * int(exponent)), PRODUCT)
        return super()._power(base, exponent)

    def user_call(self, function: UserFunction, parts: Sequence[Part]) -> str:
        """Return the call of a user's function, or raise if the language has none."""
        raise ValueError(
            f"The user's function {function.name!r} cannot be written in {self.language}: export "
            "to python or c."
        )

    def user_formula(self, function: UserFunction, printer: Any) -> str:
        """Return a user's formula of `ARGUMENTS` as a printer of sympy writes it."""
        import sympy
        from sympy.printing.codeprinter import PrintMethodNotImplementedError

        symbols = sympy.symbols(ARGUMENTS[: function.arity], real=True)
        try:
            return str(printer.doprint(function.sympy_of(symbols)))
        except PrintMethodNotImplementedError:
            raise self.not_written(function) from None

    def not_written(self, function: UserFunction) -> ValueError:
        """Return the error for a user's formula that the language cannot express."""
        return ValueError(
            f"The formula of the user's function {function.name!r} cannot be written in "
            f"{self.language}."
        )


class StatementPrinter(CodePrinter):
    """For languages with variables: `lines` assign derived inputs and what is used repeatedly."""

    reserved: ClassVar[Iterable[str]]
    """Words that cannot name columns or functions, in lower case."""

    def __init__(self, source: Source, digits: int | None, name: str) -> None:
        super().__init__(source, digits)
        if name.lower() in self.reserved:
            raise ValueError(f"The name {name!r} means something else in {self.language}.")
        self.lines: list[str] = []
        self.helpers: dict[str, str] = {}
        self.count = 0
        derived = {k: title for k, column in source.inputs.items() if (title := _title(column))}
        columns = list(source.columns)
        titles = [*columns, *derived.values(), *(f"{column} missing" for column in columns)]
        names = iter(words(titles, [name, "value", *self.reserved]))
        self.words = {column: next(names) for column in columns}
        self.inputs = {k: self.words[column.name] for k, column in source.inputs.items()}
        self.inputs |= {k: next(names) for k in derived}
        self.flags = dict(zip(columns, names, strict=True))
        """Names of flags for columns without a value."""
        for k in derived:
            column = source.inputs[k]
            make = self.assign_filled if column.codes is None else self.assign_encoded
            make(self.inputs[k], self.words[column.name], column)

    def assign_encoded(self, name: str, word: str, column: Column) -> None:
        """Write lines that encode the levels of a nominal column."""
        raise NotImplementedError

    def assign_filled(self, name: str, word: str, column: Column) -> None:
        """Write lines that fill a column's missing numbers.

        Without `fill`, the input is 1 for a missing number, else 0.
        """
        raise NotImplementedError

    def assign(self, name: str, text: str) -> None:
        """Write a line that assigns a variable."""
        raise NotImplementedError

    def input(self, position: int) -> str:
        """Return the name of a column or of the input derived from it."""
        return self.inputs[position]

    def named(self, part: Part) -> Part:
        """Return a new variable with this value."""
        self.count += 1
        self.assign(f"t{self.count}", part.text)
        return Part(f"t{self.count}", ATOM)


def _title(column: Column) -> str | None:
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
