"""A model as an expression of SQL, for SQLite or PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..formulas.functions import ATOM, SUM
from ..formulas.printers.precedence import Part
from ..tables.preprocessing import Column
from .code_printer import CodePrinter
from .source import Source, levels_of

DIALECTS = ("sqlite", "postgres")


class SqlPrinter(CodePrinter):
    """SQLite from 3.35 on, which has the mathematical functions; undefined is NULL."""

    language = "sql"
    power, base_level = "power({}, {})", SUM

    def __init__(self, source: Source, digits: int | None, table: str | None) -> None:
        super().__init__(source, digits)
        prefix = "" if table is None else f"{table_name(table)}."
        self.columns = {name: prefix + quoted(name) for name in source.columns}

    def exponent(self, value: float) -> str:
        """Return an exponent as a float."""
        return self.number(value)

    def numerator(self, factors: str) -> str:
        """Return a numerator that is a float."""
        return f"1.0*{factors}" if factors else "1.0"  # whole numbers would be divided as such

    def _as_float(self, column: str) -> str:
        """A column of numbers."""
        return column

    def input(self, position: int) -> str:
        """Return a column, encoded or filled as the model needs it."""
        column = self.source.inputs[position]
        name = self.columns[column.name]
        if column.codes is not None:
            return self._encoded(name, column)
        if column.tells_missing:
            return f"CASE WHEN {name} IS NULL THEN 1.0 ELSE 0.0 END"
        if column.fill is not None:
            return f"COALESCE({self._as_float(name)}, {self.number(column.fill)})"
        return self._as_float(name)

    def _encoded(self, name: str, column: Column) -> str:
        levels = levels_of(column)
        cases = [
            f"WHEN {name} = {_literal(level)} THEN {self.number(code)}"
            for level, code in levels.cases
        ]
        if levels.missing is not None:
            cases.append(f"WHEN {name} IS NULL THEN {self.number(levels.missing)}")
        if not cases:
            return self.number(levels.other)
        return f"CASE {' '.join(cases)} ELSE {self.number(levels.other)} END"

    def result(self) -> str:
        """The expression, clipped, with the mean where it is undefined."""
        target, text = self.source.standardizer, self.expression()
        if target.clips:
            return f"max({self.low}, min({self.high}, COALESCE({text}, {self.mean})))"
        return f"CASE WHEN abs({text}) < 1e308 THEN {text} ELSE {self.mean} END"


class PostgresPrinter(SqlPrinter):
    """PostgreSQL from 12 on.

    There, what leaves the range of floats is an error, and GREATEST leaves NULL out. So undefined
    is NaN, which is greater than all numbers: the smaller of two is found by GREATEST, too.
    """

    language = "postgres"

    def _as_float(self, column: str) -> str:
        return f"CAST({column} AS double precision)"

    def guarded(self, part: Part) -> Part:
        """Return a divisor that is NaN when it is 0."""
        return Part(f"COALESCE(NULLIF({part.text}, 0.0), 'NaN')", ATOM)

    def call(self, name: str, texts: Sequence[str]) -> str:
        """Return the call of a function; the minimum is found among negated arguments."""
        return super().call(name, [f"-({text})" for text in texts] if name == "min" else texts)

    def result(self) -> str:
        """The same, where undefined is NaN."""
        target, text = self.source.standardizer, self.expression()
        text = f"COALESCE(NULLIF({text}, 'NaN'), {self.mean})"
        return f"GREATEST({self.low}, LEAST({self.high}, {text}))" if target.clips else text


def write(
    source: Source,
    digits: int | None = None,
    name: str = "prediction",
    table: str | None = None,
    dialect: str = "sqlite",
) -> str:
    """An expression, or with a table's name a query with one more column of that name."""
    if dialect not in DIALECTS:
        raise ValueError(f"The dialect {dialect!r} is none of {', '.join(DIALECTS)}.")
    kind = SqlPrinter if dialect == "sqlite" else PostgresPrinter
    printer = kind(source, digits, table)
    missing = [f"{printer.columns[column]} IS NULL" for column in source.needed_numbers]
    text = printer.result()
    if missing:
        text = f"CASE WHEN {' OR '.join(missing)} THEN NULL\n  ELSE {text} END"
    if table is not None:
        text = f"SELECT *,\n  {text} AS {quoted(name)}\nFROM {table_name(table)};"
    comment = source.comment({column: quoted(column) for column in source.columns})
    return "\n".join([*(f"-- {line}" for line in comment), text, ""])


def quoted(name: str) -> str:
    """An identifier."""
    return '"' + name.replace('"', '""') + '"'


def table_name(name: str) -> str:
    """A table, perhaps with its schema before a dot."""
    return ".".join(map(quoted, name.split(".")))


def _literal(level: Any) -> str:
    if isinstance(level, bool):
        return str(level).upper()
    return "'" + level.replace("'", "''") + "'" if isinstance(level, str) else repr(level)
