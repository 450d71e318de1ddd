"""Export to SQL, for SQLite or PostgreSQL."""

from collections.abc import Sequence

from ..tables.preprocessing import Column
from .code_printer import CodePrinter
from .source import Exportable, literal


class SqlPrinter(CodePrinter):
    """SQLite from 3.35 on, which has the mathematical functions; undefined is NULL."""

    language = "sql"
    power_function = "power"
    largest_whole = 2**63 - 1
    indicator = "CASE WHEN {} IS NULL THEN 1.0 ELSE 0.0 END"
    filled = "COALESCE({}, {})"

    def _numerator(self, factors: str) -> str:
        return f"1.0*{factors}" if factors else "1.0"  # integers would be divided as such

    def _encoded(self, word: str, column: Column) -> str:
        levels = self._levels(column)
        known = [(literal(level, "'"), self._number(code)) for level, code in levels.cases]
        cases = [f"WHEN {word} = {level} THEN {code}" for level, code in known]
        if levels.missing is not None:
            cases.append(f"WHEN {word} IS NULL THEN {self._number(levels.missing)}")
        other = self._number(levels.other)
        return f"CASE {' '.join(cases)} ELSE {other} END" if cases else other

    def result(self) -> str:
        """Return the expression, clipped, with the mean in place of undefined values."""
        target, text = self.source.standardizer, self.expression()
        if target.clips:
            return f"max({self.low}, min({self.high}, COALESCE({text}, {self.mean})))"
        return f"CASE WHEN abs({text}) < 1e308 THEN {text} ELSE {self.mean} END"


class PostgresPrinter(SqlPrinter):
    """PostgreSQL from 12 on.

    There, what leaves the range of floats is an error, and GREATEST ignores NULL. So undefined is
    NaN, which is greater than all numbers: minima are found by GREATEST, too.
    """

    language = "postgres"
    column = "CAST({} AS double precision)"
    filled = "COALESCE(CAST({} AS double precision), {})"
    guard, at_least_zero = "COALESCE(NULLIF({}, 0.0), 'NaN')", "GREATEST({}, 0.0)"

    def _call(self, name: str, texts: Sequence[str]) -> str:
        return super()._call(name, [f"-({text})" for text in texts] if name == "min" else texts)

    def result(self) -> str:
        """Return the expression, clipped, with the mean in place of NaN."""
        target, text = self.source.standardizer, self.expression()
        text = f"COALESCE(NULLIF({text}, 'NaN'), {self.mean})"
        return f"GREATEST({self.low}, LEAST({self.high}, {text}))" if target.clips else text


PRINTERS = {"sqlite": SqlPrinter, "postgres": PostgresPrinter}


def write(
    source: Exportable,
    digits: int | None = None,
    name: str = "prediction",
    table: str | None = None,
    dialect: str = "sqlite",
) -> str:
    """Return an expression, or for a table a query that adds a column of that name."""
    if dialect not in PRINTERS:
        raise ValueError(f"Unknown dialect {dialect!r}; use 'sqlite' or 'postgres'.")
    prefix = "" if table is None else f"{table_name(table)}."
    names = {column: prefix + quoted(column) for column in source.columns}
    printer = PRINTERS[dialect](source, digits, names)
    missing = [f"{names[column]} IS NULL" for column in source.needed_numbers]
    text = printer.result()
    if missing:
        text = f"CASE WHEN {' OR '.join(missing)} THEN NULL\n  ELSE {text} END"
    if table is not None:
        text = f"SELECT *,\n  {text} AS {quoted(name)}\nFROM {table_name(table)};"
    comment = source.comment({column: quoted(column) for column in source.columns})
    return "\n".join([*(f"-- {line}" for line in comment), text, ""])


def quoted(name: str) -> str:
    """Return an identifier."""
    if "\0" in name:
        raise ValueError(f"The name {name!r} cannot be written in sql: rename the column.")
    return literal(name, '"')


def table_name(name: str) -> str:
    """Return a table's name, which may have a schema before a dot."""
    return ".".join(map(quoted, name.split(".")))
