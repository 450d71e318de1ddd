"""Find how a text table writes its numbers: the decimal sign, and what groups thousands.

A file has one number format. Each column of numbers allows some formats; the file's is one that all
columns allow. If `1,234` may still be 1234 or 1.234, it is refused, not guessed.
"""

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .errors import InputError

MOST_CELLS = 2000
"""Number of distinct cells of a column that are examined."""
SIGNS = re.compile(r"\d[.,'’ \u00a0\u2009\u202f]\d|[.,]\d|\d[.,]")
"""Anything that may be a decimal sign or group thousands."""
VARIANTS = {" ": "[ \u00a0\u2009\u202f]", "'": "['’]", ",": ",", ".": r"\."}
"""Characters that count as the same sign, as regular expressions."""


class NumberFormat(NamedTuple):
    """The decimal sign, and the thousands separator: none, a point, a comma, a space or a '."""

    decimal: str = "."
    thousands: str = ""


PLAIN = NumberFormat()
FORMATS = [NumberFormat(d, t) for t in ("", ",", ".", " ", "'") for d in (".", ",") if d != t]


class Sample(NamedTuple):
    """A column of numbers, one of its cells, and the formats it allows."""

    column: str
    cell: str
    formats: set[NumberFormat]


@functools.cache
def _pattern(form: NumberFormat) -> re.Pattern[str]:
    decimal = VARIANTS[form.decimal]
    whole = r"\d+"
    if form.thousands:
        whole = rf"(?:[1-9]\d{{0,2}}(?:{VARIANTS[form.thousands]}\d{{3}})+|\d+)"
    return re.compile(
        rf"\s*[+-]?(?:{whole}(?:{decimal}\d*)?|{decimal}\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII
    )


def find_number_format(
    columns: Mapping[str, Any],
    wanted: tuple[str | None, str | None] = (None, None),
    expected: NumberFormat | None = None,
    *,
    points_may_group: bool = False,
) -> NumberFormat:
    """Return the number format of columns of text; raise if they disagree or allow two.

    `wanted` are the decimal sign and the thousands separator, None for those to be detected. Among
    possible formats, the expected one is preferred, and points are decimal signs unless they may
    group.
    """
    samples = list(_samples(columns))
    possible = set(FORMATS)
    for sample in samples:
        if not possible & sample.formats and wanted[0] is None:
            other = next(s for s in samples if not s.formats & sample.formats)
            text = (
                f"column {other.column!r} has {other.cell!r} and column {sample.column!r} has "
                f"{sample.cell!r}, which cannot both be numbers of one table: leave one of them "
                "out, or give the decimal sign"
            )
            raise InputError("number_format", text, " with {decimal}", sample.column)
        possible &= sample.formats
    fits = [form for form in FORMATS if form in possible and _is_wanted(form, wanted)]
    if not fits:
        return NumberFormat(wanted[0] or ".", wanted[1] or "")
    if expected in fits:
        return expected
    if fits[0] == PLAIN and not points_may_group:
        return PLAIN
    unclear = [s for s in samples if "." in s.cell or "," in s.cell]
    if unclear and len({form.decimal for form in fits}) > 1:
        column, cell, _ = unclear[0]
        first, second = (_plain(cell, NumberFormat(*signs)) for signs in (".,", ",."))
        text = f"column {column!r} has {cell!r}, which may be {first} or {second}"
        raise InputError("number_format", text, ": set {decimal} to '.' or ','", column)
    return fits[0]


def is_plain(columns: Mapping[str, Any]) -> bool:
    """Return whether columns of text allow Python's number format, or hold no numbers."""
    return all(PLAIN in sample.formats for sample in _samples(columns))


def _is_wanted(form: NumberFormat, wanted: tuple[str | None, str | None]) -> bool:
    return all(sign is None or sign == found for sign, found in zip(wanted, form, strict=True))


def _samples(columns: Mapping[str, Any]) -> Iterator[Sample]:
    """Yield the formats of columns that hold numbers with signs that can decide."""
    for name in columns:
        cells = list(dict.fromkeys(columns[name]))[:MOST_CELLS]
        fits = {form: set(filter(_pattern(form).fullmatch, cells)) for form in FORMATS}
        numbers, most = set().union(*fits.values()), max(map(len, fits.values()))
        telling = next((c for c in cells if SIGNS.search(c) and c in numbers), None)
        if telling is not None and 2 * most >= len(cells):
            yield Sample(name, telling, {form for form in FORMATS if len(fits[form]) == most})


def _plain(cell: str, form: NumberFormat) -> str:
    if form.thousands:
        cell = re.sub(VARIANTS[form.thousands], "", cell)
    return cell.replace(form.decimal, ".")


def in_plain_format(
    cells: list[str], column: str, form: NumberFormat, rows: Sequence[int] | None = None
) -> list[str]:
    """Rewrite the numbers of a column as Python writes them, and leave other cells alone.

    Cells that are numbers in Python's format only are refused; `rows` are their rows, from 0.
    """
    pattern, new = _pattern(form), {}
    for cell in dict.fromkeys(cells):
        if pattern.fullmatch(cell):
            new[cell] = _plain(cell, form)
        elif "." in cell and _pattern(PLAIN).fullmatch(cell):
            row = cells.index(cell) if rows is None else rows[cells.index(cell)]
            text = (
                f"column {column!r} has {cell!r} in row {row + 1}, which is not a "
                f"number if the decimal sign is {form.decimal!r}: correct it, or leave the column "
                "out"
            )
            raise InputError("number_format", text, column=column)
    return [new.get(cell, cell) for cell in cells]
