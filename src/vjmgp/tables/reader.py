"""Read tables as they come: text with any separator and encoding, Excel, Parquet."""

import bz2
import csv
import functools
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from ..core.optional import require_module
from .errors import InputError, TableError
from .number_format import PLAIN, NumberFormat, find_number_format, in_plain_format, is_plain

_PANDAS = tuple(int(part) for part in pd.__version__.split(".")[:2])
EXACT: dict[str, Any] = {} if _PANDAS >= (3, 1) else {"float_precision": "round_trip"}
"""Options of `read_csv` for the nearest float to each number, the default from pandas 3.1."""
SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
Engine = Literal["openpyxl", "xlrd"]
EXCEL: dict[str, Engine] = {".xlsx": "openpyxl", ".xlsm": "openpyxl", ".xls": "xlrd"}
"""Suffixes of Excel files, and the packages that read them."""
SUFFIXES = (*SEPARATORS, ".parquet", *EXCEL)
POSSIBLE_SEPARATORS = (",", ";", "\t", "|")
MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
"""Byte order marks and the encodings they indicate."""
FALLBACK_ENCODING = "cp1252"
"""Encoding of text that is not valid UTF-8."""


@dataclass(frozen=True)
class TableFormat:
    """How a file is written; None for what is to be detected, or does not apply."""

    separator: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    sheet: str | None = None

    def __str__(self) -> str:
        shown = {"\t": "tab", " ": "space"}
        given = {name: value for name, value in asdict(self).items() if value}
        return ", ".join(f"{name} {shown.get(v, repr(v))}" for name, v in given.items())


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
    try:
        if found[-1] in EXCEL:
            return _read_excel(path, EXCEL[found[-1]], wanted, expected)
        if found[-1] == ".parquet":
            require_module("pyarrow")
            table = pd.read_parquet(path)
            return TableFile(table, TableFormat(), is_usual=True, read_cells=table.copy)
        text, encoding = _decode(_unpack(path), wanted.encoding, expected.encoding)
        wanted = replace(wanted, encoding=encoding)
        return _read_text(text, SEPARATORS[found[-1]], wanted, expected, numbers, texts)
    except InputError as error:
        raise TableError(f"{path}: cannot be read", [error.followed_by(".")]) from None
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, lzma.LZMAError, csv.Error) as error:
        raise ValueError(f"{path}: cannot be read: {str(error).splitlines()[0]}.") from None


def _read_text(
    text: str,
    usual: str,
    wanted: TableFormat,
    expected: TableFormat,
    numbers: Collection[str] | None,
    texts: Collection[str],
) -> TableFile:
    if "\0" in text:
        text = "it seems to be UTF-16 without a mark"
        raise InputError("encoding", text, ": set {encoding} to utf-16-le")
    separator = wanted.separator or find_separator(text, usual, expected.separator)
    as_text: dict[str, Any] = {"sep": separator, "dtype": str, "keep_default_na": False}
    names = pd.read_csv(_file(text), header=None, nrows=1, **as_text).iloc[0].tolist()
    check_distinct(names)
    table: pd.DataFrame = pd.read_csv(_file(text), sep=separator, **EXACT)
    if not isinstance(table.index, pd.RangeIndex):  # pandas takes the first cells for row names
        raise ValueError(f"its rows have more cells than its header, which has {len(names)}")
    read_cells = functools.cache(
        lambda: pd.read_csv(_file(text), **as_text).set_axis(names, axis=1)
    )
    columns = [
        k for k, name in enumerate(table.columns)
        if name not in texts and (numbers is None or name in numbers)
    ]  # fmt: skip
    form = _number_format(table, columns, read_cells, separator, wanted, expected)
    if form != PLAIN:
        table = _converted(table, columns, read_cells(), form)
    found = TableFormat(separator, form.decimal, form.thousands or None, wanted.encoding)
    is_usual = separator == usual and form == PLAIN and str(found.encoding).startswith("utf-8")
    return TableFile(table, found, is_usual, read_cells)


def _number_format(
    table: pd.DataFrame,
    columns: list[int],
    read_cells: Callable[[], pd.DataFrame],
    separator: str,
    wanted: TableFormat,
    expected: TableFormat,
) -> NumberFormat:
    """Return the number format; columns that pandas has read as numbers count only if in doubt."""
    signs, like = (wanted.decimal, wanted.thousands), None
    if expected.decimal and expected.separator == separator:
        like = NumberFormat(expected.decimal, expected.thousands or "")
    if not (separator == ";" or any(signs) or like not in (None, PLAIN)):
        texts = (table.iloc[:, k] for k in columns)
        texts = (column for column in texts if not pd.api.types.is_numeric_dtype(column.dtype))
        if is_plain({str(column.name): map(str, column.dropna()) for column in texts}):
            return PLAIN
    cells = read_cells()
    written = {table.columns[k]: cells.iloc[:, k][table.iloc[:, k].notna()] for k in columns}
    return find_number_format(written, signs, like, points_may_group=separator == ";")


def _converted(
    table: pd.DataFrame, columns: list[int], cells: pd.DataFrame, form: NumberFormat
) -> pd.DataFrame:
    """Read those columns again whose numbers must be rewritten as Python writes them."""
    plain = {}
    for k in columns:
        name, written = table.columns[k], cells.iloc[:, k].tolist()
        rewritten = in_plain_format(written, name, form)
        if rewritten != written:
            plain[name] = rewritten
    if not plain:
        return table
    new = pd.read_csv(io.StringIO(pd.DataFrame(plain).to_csv(index=False)), **EXACT)
    return table.assign(**{name: new[name] for name in plain})


def _unpack(path: Path) -> bytes:
    suffix = path.suffix.lower()
    if suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if len(names) != 1:
                raise ValueError(f"it holds {len(names)} files, not one")
            return archive.read(names[0])
    unpack = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}
    if suffix not in SEPARATORS and suffix not in unpack:
        raise ValueError(f"the ending {suffix} is unknown; use {', '.join(unpack)} or .zip")
    return unpack.get(suffix, bytes)(path.read_bytes())


def _decode(content: bytes, wanted: str | None, expected: str | None) -> tuple[str, str]:
    mark = next((name for start, name in MARKS.items() if content.startswith(start)), None)
    if expected is None or expected in MARKS.values():
        expected = FALLBACK_ENCODING
    for encoding in (wanted,) if wanted else (mark or "utf-8", expected, FALLBACK_ENCODING):
        try:
            return content.decode(encoding), encoding
        except LookupError:
            raise ValueError(f"there is no encoding {encoding!r}") from None
        except UnicodeError:
            continue
    text = f"it is not {wanted or f'UTF-8, and not {FALLBACK_ENCODING}'}"
    raise InputError("encoding", text, "; give its encoding with {encoding}")


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


def _file(text: str) -> io.StringIO:
    return io.StringIO(text.removeprefix("\ufeff"), newline="")


def check_distinct(names: list[str]) -> None:
    """Raise if two columns have the same name, other than none."""
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise InputError("names", f"the column name {twice!r} appears more than once", column=twice)


def _read_excel(
    path: Path, engine: Engine, wanted: TableFormat, expected: TableFormat
) -> TableFile:
    """Read a sheet; its first row with any cell has the names."""
    require_module(engine)
    with pd.ExcelFile(path, engine=engine) as file:
        sheets = [str(name) for name in file.sheet_names]
        sheet = wanted.sheet or (expected.sheet if expected.sheet in sheets else sheets[0])
        if sheet not in sheets:
            known = ", ".join(map(repr, sheets))
            raise ValueError(f"there is no sheet {sheet!r}; the sheets are {known}")
        cells = pd.read_excel(file, sheet_name=sheet, header=None, dtype=object)
    cells = cells.dropna(how="all").dropna(how="all", axis=1)
    if cells.empty:
        raise ValueError(f"sheet {sheet!r} is empty")
    names = ["" if pd.isna(name) else str(name) for name in cells.iloc[0]]
    check_distinct(names)
    cells = cells.iloc[1:].set_axis(names, axis=1).reset_index(drop=True).infer_objects()
    table = cells.set_axis([name or f"Unnamed: {k}" for k, name in enumerate(names)], axis=1)
    is_usual = len(sheets) == 1 or wanted.sheet is not None
    return TableFile(table, TableFormat(sheet=sheet), is_usual, lambda: cells)
