"""How a table of text writes its numbers: which sign is the decimal one, what groups thousands.

A file has one way. Each column of numbers allows some ways; what they have in common is the file's.
Where `1,234` may still be 1234 or 1.234, it is refused, not guessed.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

MOST_CELLS = 2000
"""Different cells of a column that are looked at."""
SIGNS = re.compile(r"\d[.,'’ \u00a0\u2009\u202f]\d|[.,]\d|\d[.,]")
"""Whatever may be a decimal sign or group thousands."""
LETTERS = {" ": "[ \u00a0\u2009\u202f]", "'": "['’]", ",": ",", ".": r"\."}
"""The signs that count as one, as regular expressions."""


class Way(NamedTuple):
    """The decimal sign, and what groups thousands: nothing, a point, a comma, a space or a '."""

    decimal: str = "."
    thousands: str = ""


PLAIN = Way()
WAYS = [Way(d, t) for t in ("", ",", ".", " ", "'") for d in (".", ",") if d != t]


class Sample(NamedTuple):
    """A column, one of its cells, and the ways under which it is one of numbers."""

    column: str
    cell: str
    ways: set[Way]


@functools.cache
def _number(way: Way) -> re.Pattern[str]:
    decimal = LETTERS[way.decimal]
    whole = r"\d+"
    if way.thousands:
        whole = rf"(?:[1-9]\d{{0,2}}(?:{LETTERS[way.thousands]}\d{{3}})+|\d+)"
    return re.compile(
        rf"\s*[+-]?(?:{whole}(?:{decimal}\d*)?|{decimal}\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII
    )


def find_way(
    written: Mapping[str, Any],
    wanted: tuple[str | None, str | None] = (None, None),
    expected: Way | None = None,
    *,
    points_may_group: bool = False,
) -> Way:
    """The way of these columns of text; an error where they disagree or allow two.

    `wanted` are decimal sign and thousands separator, None for those to be found out. Between ways
    that are equally possible the expected one is taken, and points are decimal ones unless they
    may group.
    """
    samples = _samples(written)
    possible = set(WAYS)
    for sample in samples:
        if not possible & sample.ways and wanted[0] is None:
            other = next(s for s in samples if not s.ways & sample.ways)
            raise ValueError(
                f"column {other.column!r} has {other.cell!r} and column {sample.column!r} has "
                f"{sample.cell!r}, which cannot both be numbers of one table: leave one of them "
                "out, or say what the decimal sign is with --decimal"
            )
        possible &= sample.ways
    fits = [way for way in WAYS if way in possible and _is_wanted(way, wanted)]
    if not fits:
        return Way(wanted[0] or ".", wanted[1] or "")
    if expected in fits:
        return expected
    if fits[0] == PLAIN and not points_may_group:
        return PLAIN
    unclear = [s for s in samples if "." in s.cell or "," in s.cell]
    if unclear and len({way.decimal for way in fits}) > 1:
        raise ValueError(_two_readings(unclear[0]))
    return fits[0]


def is_plain(written: Mapping[str, Any]) -> bool:
    """Whether these columns of text may be as Python writes numbers, or hold none."""
    return all(PLAIN in sample.ways for sample in _samples(written))


def _is_wanted(way: Way, wanted: tuple[str | None, str | None]) -> bool:
    return all(sign is None or sign == own for sign, own in zip(wanted, way, strict=True))


def _samples(written: Mapping[str, Any]) -> list[Sample]:
    return [sample for name in written for sample in _sample(name, written[name])]


def _sample(name: str, cells: Any) -> Iterable[Sample]:
    """The ways of a column, if it is one of numbers and its cells have signs to tell by."""
    cells = list(dict.fromkeys(cells))[:MOST_CELLS]
    counts = {way: sum(map(bool, map(_number(way).fullmatch, cells))) for way in WAYS}
    most = max(counts.values())
    telling = next((c for c in cells if SIGNS.search(c) and _is_number(c)), None)
    if telling is not None and 2 * most >= len(cells):
        yield Sample(name, telling, {way for way in WAYS if counts[way] == most})


def _is_number(cell: str) -> bool:
    return any(_number(way).fullmatch(cell) for way in WAYS)


def _two_readings(sample: Sample) -> str:
    numbers = [_plain(sample.cell, way) for way in (Way(".", ","), Way(",", "."))]
    return (
        f"column {sample.column!r} has {sample.cell!r}, which may be {numbers[0]} or {numbers[1]}: "
        "say --decimal . or --decimal ,"
    )


def _plain(cell: str, way: Way) -> str:
    """A number as Python writes it."""
    if way.thousands:
        cell = re.sub(LETTERS[way.thousands], "", cell)
    return cell.replace(way.decimal, ".")


def in_plain_writing(cells: list[str], column: str, way: Way) -> list[str]:
    """A column of text with its numbers as Python writes them, and all else as it was.

    What would be a number only under another way is refused.
    """
    number, new = _number(way), {}
    for cell in dict.fromkeys(cells):
        if number.fullmatch(cell):
            new[cell] = _plain(cell, way)
        elif "." in cell and _number(PLAIN).fullmatch(cell):
            row = cells.index(cell) + 1
            raise ValueError(
                f"column {column!r} has {cell!r} in row {row}, which is no number where the "
                f"decimal sign is {way.decimal!r}: correct it, or leave the column out"
            )
    return [new.get(cell, cell) for cell in cells]
