"""Read tables as they come: text with any separator and encoding, Excel, Parquet."""

import csv
import lzma
import zipfile
import zlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from ..core.optional import require_module
from ..core.suggestions import alternatives
from .errors import InputError, TableError
from .number_format import PLAIN, NumberFormat, find_number_format, in_plain_format, is_plain
from .text_file import EXACT as EXACT
from .text_file import TextFile, detect_encoding

SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
Engine = Literal["openpyxl", "xlrd"]
EXCEL: dict[str, Engine] = {".xlsx": "openpyxl", ".xlsm": "openpyxl", ".xls": "xlrd"}
"""Suffixes of Excel files, and the packages that read them."""
SUFFIXES = (*SEPARATORS, ".parquet", *EXCEL)
POSSIBLE_SEPARATORS = (",", ";", "\t", "|")


@dataclass(frozen=True)
class TableFormat:
    """How a file is written; None for what is to be detected, or does not apply."""

    separator: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    na_values: Sequence[str] = ()
    """Texts that mean a missing cell, beside those that pandas knows."""

    def __str__(self) -> str:
        shown = {"\t": "tab", " ": "space"}
        given = {name: value for name, value in asdict(self).items() if value}
        missing = [f"missing {text!r}" for text in given.pop("na_values", ())]
        return ", ".join([*(f"{k} {shown.get(v, repr(v))}" for k, v in given.items()), *missing])


@dataclass(frozen=True)
class TableFile:
    """The table of a file, and the format it was read with."""

    table: pd.DataFrame
    form: TableFormat
    is_usual: bool
    """Whether the format is the one that the file's name suggests."""
    read_cells: Callable[[], pd.DataFrame]
    """Return the table as it was written: cells of text are not converted."""


def read_file(
    path: Path,
    wanted: TableFormat | None = None,
    expected: TableFormat | None = None,
    numbers: Collection[str] | None = None,
    texts: Collection[str] = (),
) -> TableFile:
    """Read a table and detect its format but for what is `wanted`; raise if two are possible.

    `expected` is the format of a similar table, which decides between possible ones. Numbers in
    another format than Python's are looked for in the columns `numbers`, None for all, but not in
    `texts`.
    """
    wanted, expected = wanted or TableFormat(), expected or TableFormat()
    found = [suffix.lower() for suffix in path.suffixes if suffix.lower() in SUFFIXES]
    if not found:
        raise ValueError(f"{path}: unknown kind of file; use one of {', '.join(SUFFIXES)}.")
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file.")
    wanted = replace(wanted, na_values=tuple(wanted.na_values or expected.na_values))

    def holds_numbers(name: str) -> bool:
        return name not in texts and (numbers is None or name in numbers)

    try:
        if found[-1] in EXCEL:
            return _read_excel(path, EXCEL[found[-1]], wanted, expected, holds_numbers)
        if found[-1] == ".parquet":
            require_module("pyarrow")
            table = pd.read_parquet(path)
            form = TableFormat(na_values=wanted.na_values)
            return TableFile(mark_missing(table, form), form, is_usual=True, read_cells=table.copy)
        return _read_text(path, SEPARATORS[found[-1]], wanted, expected, holds_numbers)
    except InputError as error:
        raise TableError(f"{path}: cannot be read", [error.followed_by(".")]) from None
    except (
        ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, csv.Error,
    ) as error:  # fmt: skip
        raise ValueError(f"{path}: cannot be read: {str(error).splitlines()[0]}.") from None


def mark_missing(table: pd.DataFrame, form: TableFormat) -> pd.DataFrame:
    """Return a table without the cells whose texts mean that they are missing."""
    numbers = pd.to_numeric(pd.Series(form.na_values, dtype=object), errors="coerce").dropna()
    is_missing = table.isin([*form.na_values, *numbers])
    columns = [name for name in table.columns if is_missing[name].any()]
    return table.assign(**{c: table[c].mask(is_missing[c]).infer_objects() for c in columns})


def _read_text(
    path: Path,
    usual: str,
    wanted: TableFormat,
    expected: TableFormat,
    holds_numbers: Callable[[str], bool],
) -> TableFile:
    """Detect the format by a sample of each column's cells, then parse the file once."""
    encoding, start = detect_encoding(path, wanted.encoding, expected.encoding)
    separator = wanted.separator or find_separator(start, usual, expected.separator)
    text = TextFile(path, encoding, separator, wanted.na_values)
    names = text.names()
    check_distinct(names)
    signs, like = (wanted.decimal, wanted.thousands), _expected_numbers(expected, separator)
    form, table = PLAIN, None
    is_open = separator == ";" or any(signs) or like not in (None, PLAIN)
    if not is_open:
        table = text.parse()
        columns = {str(name): table[name] for name in filter(holds_numbers, table.columns)}
        is_open = not is_plain({name: _texts_of(columns[name]) for name in columns})
    if is_open:
        cells = text.first_cells(holds_numbers)
        form = find_number_format(cells, signs, like, points_may_group=separator == ";")
    if table is None or form != PLAIN:
        table = None  # frees memory
        table = text.parse() if form == PLAIN else text.parse_numbers(form, holds_numbers)
    found = replace(
        wanted, separator=separator, decimal=form.decimal, thousands=form.thousands or None,
        encoding=encoding,
    )  # fmt: skip
    is_usual = separator == usual and form == PLAIN and encoding.startswith("utf-8")
    return TableFile(table, found, is_usual, lambda: text.parse_cells().set_axis(names, axis=1))


def _texts_of(values: Any) -> list[str]:
    """Return the different cells of a column, none if it holds numbers."""
    is_numeric = pd.api.types.is_numeric_dtype(values.dtype)
    return [] if is_numeric else [str(cell) for cell in values.dropna().unique()]


def _expected_numbers(expected: TableFormat, separator: str | None) -> NumberFormat | None:
    if expected.decimal and expected.separator == separator:
        return NumberFormat(expected.decimal, expected.thousands or "")
    return None


def find_separator(text: str, usual: str, expected: str | None = None) -> str:
    """Return the separator, which splits the first lines into the same number of cells.

    If none does, return the usual one, so that the error is about that.
    """
    lines = text.splitlines()[:100]
    fits = [sign for sign in POSSIBLE_SEPARATORS if _splits_evenly(lines, sign)]
    if len(fits) > 1:
        fits = [sign for sign in fits if not _tears_quotes(lines, sign)] or fits
    if not fits:
        in_header = [sign for sign in POSSIBLE_SEPARATORS if lines and sign in lines[0]]
        return in_header[0] if len(in_header) == 1 else usual
    if len(fits) == 1:
        return fits[0]
    if expected in fits:
        return str(expected)
    text = f"its columns may be separated by {' or '.join(map(repr, fits))}"
    raise InputError("separator", text, "; give the separator with {separator}")


def _splits_evenly(lines: list[str], sign: str) -> bool:
    counts = {len(row) for row in csv.reader(lines, delimiter=sign) if row}
    return len(counts) == 1 and counts != {1}


def _tears_quotes(lines: list[str], sign: str) -> bool:
    """Return whether a quotation begins in one cell and ends in another."""
    return any(cell.count('"') % 2 for row in csv.reader(lines, delimiter=sign) for cell in row)


def check_distinct(names: list[str]) -> None:
    """Raise if two columns have the same name, other than none."""
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise InputError("names", f"the column name {twice!r} appears more than once", column=twice)


def _read_excel(
    path: Path,
    engine: Engine,
    wanted: TableFormat,
    expected: TableFormat,
    holds_numbers: Callable[[str], bool],
) -> TableFile:
    """Read a sheet; its first row with any cell has the names."""
    require_module(engine)
    cells, sheet, is_only = _sheet(path, engine, wanted.sheet, expected.sheet)
    if cells.isna().to_numpy().any() and engine == "openpyxl":
        _refuse_uncomputed(path, sheet, cells)
    cells = cells.dropna(how="all").dropna(how="all", axis=1)
    if cells.empty:
        raise ValueError(f"sheet {sheet!r} is empty")
    names = ["" if pd.isna(name) else str(name) for name in cells.iloc[0]]
    check_distinct(names)
    cells = cells.iloc[1:].set_axis(names, axis=1).reset_index(drop=True).infer_objects()
    table = cells.set_axis([name or f"Unnamed: {k}" for k, name in enumerate(names)], axis=1)
    table = mark_missing(table, wanted)
    signs, like = (wanted.decimal, wanted.thousands), _expected_numbers(expected, None)
    table, form = _numbers_from_text(table, holds_numbers, signs, like)
    found = TableFormat(sheet=sheet, na_values=wanted.na_values)
    if form != PLAIN:
        found = replace(found, decimal=form.decimal, thousands=form.thousands or None)
    is_usual = (is_only or wanted.sheet is not None) and form == PLAIN
    return TableFile(table, found, is_usual, lambda: cells)


def _sheet(
    path: Path, engine: Engine, wanted: str | None, expected: str | None
) -> tuple[pd.DataFrame, str, bool]:
    """Return the cells of a sheet, its name, and whether it is the only one."""
    try:
        file = pd.ExcelFile(path, engine=engine)
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001 (whatever openpyxl and xlrd may raise)
        raise ValueError(f"it is not an Excel workbook ({error})") from None
    with file:
        sheets = [str(name) for name in file.sheet_names]
        sheet = wanted or (expected if expected in sheets else sheets[0])
        if sheet not in sheets:
            hint = alternatives(sheet, sheets, "the sheets are").rstrip(".")
            raise ValueError(f"there is no sheet {sheet!r}{hint}")
        cells = pd.read_excel(file, sheet_name=sheet, header=None, dtype=object)
    return cells, sheet, len(sheets) == 1


def _refuse_uncomputed(path: Path, sheet: str, cells: pd.DataFrame) -> None:
    """Raise if a column has formulas, but none of their values: no spreadsheet has saved them."""
    from openpyxl import load_workbook

    formulas: dict[int, list[Any]] = {}
    book = load_workbook(path, read_only=True)
    for cell in (cell for row in book[sheet].iter_rows() for cell in row):
        if cell.data_type == "f":
            formulas.setdefault(cell.column, []).append(cell)
    book.close()
    for column, found in formulas.items():
        places = [cell.row - 1 for cell in found if cell.row <= len(cells)]
        if column > cells.shape[1] or cells.iloc[places, column - 1].isna().all():
            raise InputError(
                "formulas",
                f"cell {found[0].coordinate} of sheet {sheet!r} holds a formula without its value, "
                "as programs write them: open the file in Excel or LibreOffice and save it",
            )


def _numbers_from_text(
    table: pd.DataFrame,
    holds_numbers: Callable[[str], bool],
    signs: tuple[str | None, str | None],
    like: NumberFormat | None,
) -> tuple[pd.DataFrame, NumberFormat]:
    """Convert columns whose cells are numbers, some of them stored as text."""
    is_text = table.map(lambda cell: isinstance(cell, str))
    names = [name for name in table.columns if holds_numbers(name) and is_text[name].any()]
    form = find_number_format({name: table.loc[is_text[name], name] for name in names}, signs, like)
    for name in names:
        column = table[name].astype(object)
        texts = column[is_text[name]]
        column[is_text[name]] = in_plain_format(texts.tolist(), name, form, list(texts.index))
        numbers = pd.to_numeric(column, errors="coerce")
        if numbers.notna().equals(column.notna()):
            table = table.assign(**{name: numbers})
    return table, form
