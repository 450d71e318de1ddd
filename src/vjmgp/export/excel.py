"""A model as a formula for Excel and other spreadsheets, as English versions write it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ..tables.preprocessing import Column
from .code_printer import CodePrinter
from .source import Source, levels_of

LONGEST = 8192
DEEPEST = 64
"""Excel's limits: characters of a formula, functions inside each other."""
CELL = re.compile(r"([^!]+!)?\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6}")


class ExcelPrinter(CodePrinter):
    """Excel's functions; `cells` hold the columns."""

    language = "excel"
    root, power = "SQRT({})", "{}^{}"

    def __init__(self, source: Source, digits: int | None, cells: dict[str, str]) -> None:
        super().__init__(source, digits)
        self.cells = cells

    def number(self, value: float) -> str:
        """A number; all are floats here."""
        return super().number(value).removesuffix(".0").upper()

    def negative(self, text: str) -> str:
        """Return a product with a minus sign in front."""
        return f"-1*{text}"  # -A2^2 is (-A2)^2 here

    def input(self, position: int) -> str:
        """Return a cell, encoded or filled as the model needs it."""
        column = self.source.inputs[position]
        cell = self.cells[column.name]
        if column.codes is not None:
            return self._encoded(cell, column)
        if column.tells_missing:
            return f"IF(ISNUMBER({cell}),0,1)"
        if column.fill is not None:
            return f"IF(ISNUMBER({cell}),{cell},{self.number(column.fill)})"
        return cell

    def _encoded(self, cell: str, column: Column) -> str:
        """A table of levels in one call: nested IFs have a limit. EXACT knows capitals."""
        levels = levels_of(column)
        other = self.number(levels.other)
        if not levels.cases:
            text = other
        elif len(levels.cases) == 1:
            ((level, code),) = levels.cases
            text = f"IF({_is_level(cell, _literal(level))},{self.number(code)},{other})"
        else:
            texts = ";".join(_literal(level) for level, _ in levels.cases)
            codes = ";".join(self.number(code - levels.other) for _, code in levels.cases)
            text = f"({other}+SUMPRODUCT({_is_level(cell, f'{{{texts}}}')}*{{{codes}}}))"
        if levels.missing is None:
            return text
        return f'IF({cell}="",{self.number(levels.missing)},{text})'


def _is_level(cell: str, level: str) -> str:
    return f"EXACT({cell},{level})"


def _literal(level: Any) -> str:
    if isinstance(level, bool):
        return str(level).upper()
    if isinstance(level, str):
        return '"' + level.replace('"', '""') + '"'
    return repr(level)


def write(source: Source, digits: int | None = None, cells: Sequence[str] | None = None) -> str:
    """Lines of comment that start with an apostrophe, and a line with the formula.

    `cells` hold the columns of the training data in their order, or those that the formula needs;
    by default they are A2, B2, ….
    """
    places = _places(source, cells)
    printer = ExcelPrinter(source, digits, places)
    text = printer.expression()
    if source.standardizer.clips:
        text = f"MAX({printer.low},MIN({printer.high},{text}))"
    text = f"IFERROR({text},{printer.mean})"
    known = [f"ISNUMBER({places[name]})" for name in source.needed_numbers]
    if known:
        test = f"AND({','.join(known)})" if len(known) > 1 else known[0]
        text = f"IF({test},{text},NA())"
    _check_limits(f"={text}")
    return "\n".join([*(f"' {line}" for line in source.comment(places)), f"={text}", ""])


def _places(source: Source, cells: Sequence[str] | None) -> dict[str, str]:
    """The cell of each column."""
    names, needed = source.standardizer.names, list(source.columns)
    if cells is None:
        cells = [f"{_letters(k)}2" for k in range(len(names))]
    if len(cells) not in (len(names), len(needed)):
        raise ValueError(
            f"There are {len(cells)} cells for {len(needed)} columns: name those of "
            f"{', '.join(map(repr, needed))}."
        )
    for cell in cells:
        if not CELL.fullmatch(cell):
            raise ValueError(f"{cell!r} is no cell: write A2, $B$3 or Sheet1!C4.")
    return dict(zip(names if len(cells) == len(names) else needed, cells, strict=True))


def _letters(k: int) -> str:
    """A column's letters: A … Z, AA, …."""
    return chr(65 + k) if k < 26 else _letters(k // 26 - 1) + chr(65 + k % 26)


def _check_limits(text: str) -> None:
    if len(text) > LONGEST:
        raise ValueError(
            f"The formula has {len(text)} characters, Excel takes {LONGEST}: choose a smaller "
            "model, or give fewer digits."
        )
    deepest, depth = 0, 0
    for bracket in re.findall(r"[()]", re.sub('"[^"]*"', "", text)):
        depth += 1 if bracket == "(" else -1
        deepest = max(deepest, depth)
    if deepest > DEEPEST:
        raise ValueError(
            f"The formula has {deepest} brackets inside each other, Excel takes {DEEPEST}: choose "
            "a smaller model."
        )
