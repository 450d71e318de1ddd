"""Export to a formula for spreadsheets, in the notation of English versions of Excel."""

import itertools
import re
from collections.abc import Sequence
from typing import Any

from ..tables.preprocessing import Column
from .code_printer import CodePrinter
from .source import Exportable, literal

LONGEST = 8192
DEEPEST = 64
"""Excel's limits: the length of a formula, and its nesting."""
CONTROL = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029]")
PIECES = re.compile(f"{CONTROL.pattern}|[^{CONTROL.pattern[1:]}{{1,127}}")
"""Signs that may end a line, and texts that are not too long: Excel takes 255 units of UTF-16."""
CELL = re.compile(r"([^!]+!)?\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6}")


class ExcelPrinter(CodePrinter):
    """Excel's functions; cells are the names of columns."""

    language = "excel"
    root, power = "SQRT({})", "{}^{}"
    largest_whole = 10**15 - 1

    def __init__(self, source: Exportable, digits: int | None, places: dict[str, str]) -> None:
        columns = source.standardizer.columns
        truths = {column.name for column in columns if column.limits == (0.0, 1.0)}
        """Columns whose numbers may be TRUE and FALSE, which functions of cells pass over."""
        names = {name: f"({cell}+0)" if name in truths else cell for name, cell in places.items()}
        super().__init__(source, digits, names)
        self.known = {name: f"ISNUMBER({cell})" for name, cell in places.items()}
        """Tests for numbers."""
        for name in truths & places.keys():
            self.known[name] = f"OR({self.known[name]},ISLOGICAL({places[name]}))"

    def _number(self, value: float) -> str:
        return super()._number(value).removesuffix(".0").upper()

    def _negative(self, text: str) -> str:
        return f"-1*{text}"  # -A2^2 is (-A2)^2 here

    def _derived(self, word: str, column: Column) -> str:
        if column.codes is not None:
            return self._encoded(word, column)
        values = ("0", "1") if column.fill is None else (word, self._number(column.fill))
        return f"IF({','.join((self.known[column.name], *values))})"

    def _encoded(self, word: str, column: Column) -> str:
        """Return a lookup in one call: nested IFs are limited. EXACT is case-sensitive.

        Levels that Excel cannot hold in a list follow one by one.
        """
        levels = self._levels(column)
        other = text = self._number(levels.other)
        if len(levels.cases) == 1:
            ((level, code),) = levels.cases
            text = f"IF(EXACT({word},{_in_pieces(level)}),{self._number(code)},{other})"
        elif levels.cases:
            names, codes, terms = [], [], []
            for level, code in levels.cases:
                name, more = _in_pieces(level), self._number(code - levels.other)
                if name == literal(level, '"'):
                    names.append(name)
                    codes.append(more)
                else:
                    terms.append(f"+EXACT({word},{name})*{more}")
            if names:
                lists = f"EXACT({word},{{{';'.join(names)}}})*{{{';'.join(codes)}}}"
                terms.insert(0, f"+SUMPRODUCT({lists})")
            text = f"({other}{''.join(terms)})"
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
    known = [printer.known[name] for name in source.needed_numbers]
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


def _in_pieces(level: Any) -> str:
    """Return a level; a text in parts if it is long or has signs that end a line."""
    if not isinstance(level, str):
        return literal(level, '"')
    pieces = PIECES.findall(level) or [""]
    return "&".join(
        f"{'CHAR' if piece.isascii() else 'UNICHAR'}({ord(piece)})"
        if CONTROL.match(piece)
        else literal(piece, '"')
        for piece in pieces
    )


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
