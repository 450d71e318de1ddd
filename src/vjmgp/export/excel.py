"""Export to a formula for spreadsheets, in the notation of English versions of Excel."""

import itertools
import re
from collections.abc import Sequence

from ..tables.preprocessing import Column
from .code_printer import CodePrinter
from .source import Exportable, levels_of, literal

LONGEST = 8192
DEEPEST = 64
"""Excel's limits: the length of a formula, and its nesting."""
CELL = re.compile(r"([^!]+!)?\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6}")


class ExcelPrinter(CodePrinter):
    """Excel's functions; cells are the names of columns."""

    language = "excel"
    root, power = "SQRT({})", "{}^{}"
    indicator = "IF(ISNUMBER({}),0,1)"
    filled = "IF(ISNUMBER({0}),{0},{1})"

    def _number(self, value: float) -> str:
        return super()._number(value).removesuffix(".0").upper()

    def _negative(self, text: str) -> str:
        return f"-1*{text}"  # -A2^2 is (-A2)^2 here

    def _encoded(self, word: str, column: Column) -> str:
        """Return a lookup in one call: nested IFs are limited. EXACT is case-sensitive."""
        levels = levels_of(column)
        other = text = self._number(levels.other)
        names = [literal(level, '"') for level, _ in levels.cases]
        if len(names) == 1:
            text = f"IF(EXACT({word},{names[0]}),{self._number(levels.cases[0][1])},{other})"
        elif names:
            codes = ";".join(self._number(code - levels.other) for _, code in levels.cases)
            text = f"({other}+SUMPRODUCT(EXACT({word},{{{';'.join(names)}}})*{{{codes}}}))"
        if levels.missing is None:
            return text
        return f'IF({word}="",{self._number(levels.missing)},{text})'


def write(source: Exportable, digits: int | None = None, cells: Sequence[str] | None = None) -> str:
    """Return lines of comment, which start with an apostrophe, and a line with the formula.

    `cells` hold the columns of the training data in their order, by default A2, B2, …, or those
    that the formula needs.
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


def _places(source: Exportable, cells: Sequence[str] | None) -> dict[str, str]:
    names, needed = source.standardizer.names, list(source.columns)
    if cells is None:
        cells = [f"{_letters(k)}2" for k in range(len(names))]
    if len(cells) not in (len(names), len(needed)):
        raise ValueError(
            f"There are {len(cells)} cells for {len(needed)} columns: give the cells of "
            f"{', '.join(map(repr, needed))}."
        )
    for cell in cells:
        if not CELL.fullmatch(cell):
            raise ValueError(f"{cell!r} is not a cell: write A2, $B$3 or Sheet1!C4.")
    return dict(zip(names if len(cells) == len(names) else needed, cells, strict=True))


def _letters(k: int) -> str:
    """Return a column's letters: A … Z, AA, …."""
    return chr(65 + k) if k < 26 else _letters(k // 26 - 1) + chr(65 + k % 26)


def _check_limits(text: str) -> None:
    brackets = re.findall(r"[()]", re.sub('"[^"]*"', "", text))
    deepest = max(itertools.accumulate(1 if bracket == "(" else -1 for bracket in brackets))
    limits = (len(text), "characters", LONGEST), (deepest, "nested brackets", DEEPEST)
    for found, what, limit in limits:
        if found > limit:
            raise ValueError(
                f"The formula has {found} {what}; Excel takes {limit}: choose a smaller model or "
                "fewer digits."
            )
