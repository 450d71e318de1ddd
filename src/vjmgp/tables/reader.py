"""Read tables as people have them: text of any separator and encoding, Excel, Parquet."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import zipfile
from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from ..core.optional import need
from .dataset import EXACT
from .number_format import PLAIN, Way, find_way, in_plain_writing, is_plain

SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
Engine = Literal["openpyxl", "xlrd"]
EXCEL: dict[str, Engine] = {".xlsx": "openpyxl", ".xlsm": "openpyxl", ".xls": "xlrd"}
"""Kinds of Excel files, and what reads them."""
KINDS = (*SEPARATORS, ".parquet", *EXCEL)
BETWEEN = (",", ";", "\t", "|")
"""What may stand between columns."""
MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
"""What a file may start with to tell its encoding."""
OTHER_ENCODING = "cp1252"
"""What text is that is no UTF-8, unless one says so."""
DAMAGED = (zipfile.BadZipFile, lzma.LZMAError, csv.Error)
"""What readers raise beside the usual."""
FIRST_LINES = 100
"""Lines that tell the separator."""


@dataclass(frozen=True)
class Reading:
    """How a file is read; None is for what is to be found out, or plays no part."""

    separator: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    sheet: str | None = None

    def told(self) -> str:
        """In words."""
        named = {"\t": "tab", " ": "space"}
        parts = {name: value for name, value in asdict(self).items() if value}
        return ", ".join(f"{name} {named.get(v, repr(v))}" for name, v in parts.items())


@dataclass(frozen=True)
class TableFile:
    """A file's table, with numbers as numbers and as it was written, and how it was read."""

    table: pd.DataFrame
    written: pd.DataFrame
    how: Reading
    as_usual: bool
    """Whether nothing was assumed that the file's name would not tell."""


def read_file(
    path: Path,
    wanted: Reading | None = None,
    expected: Reading | None = None,
    numbers: Collection[str] | None = None,
    texts: Collection[str] = (),
) -> TableFile:
    """Read a table; what is not `wanted` is found out, or refused where it could be either.

    `expected` is how a table like it was read, which decides where this one could be read so, too.
    Columns of text that may be numbers are those in `numbers`, None for all, but for `texts`.
    """
    wanted, expected = wanted or Reading(), expected or Reading()
    kinds = [suffix.lower() for suffix in path.suffixes if suffix.lower() in KINDS]
    if not kinds:
        raise ValueError(f"{path}: unknown kind of file; use one of {', '.join(KINDS)}.")
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file.")
    try:
        if kinds[-1] in EXCEL:
            return _read_excel(path, EXCEL[kinds[-1]], wanted, expected)
        if kinds[-1] == ".parquet":
            need("pyarrow")
            table = pd.read_parquet(path)
            return TableFile(table, table.copy(), Reading(), as_usual=True)
        text, encoding = _decoded(_bytes_of(path), wanted.encoding, expected.encoding)
        wanted = replace(wanted, encoding=encoding)
        return _read_text(text, SEPARATORS[kinds[-1]], wanted, expected, numbers, texts)
    except UnicodeError:
        encoding = wanted.encoding or f"UTF-8 and no {OTHER_ENCODING}"
        raise ValueError(
            f"{path}: cannot be read: it is no {encoding}; name its encoding with --encoding."
        ) from None
    except (ValueError, OSError, EOFError, *DAMAGED) as error:
        raise ValueError(f"{path}: cannot be read: {str(error).splitlines()[0]}.") from None


# -- text ----------------------------------------------------------------------------------------


def _read_text(
    text: str,
    usual: str,
    wanted: Reading,
    expected: Reading,
    numbers: Collection[str] | None,
    texts: Collection[str],
) -> TableFile:
    if "\0" in text:
        raise ValueError("it seems to be UTF-16 without a mark: say --encoding utf-16-le")
    separator = wanted.separator or find_separator(text, usual, expected.separator)
    written = _as_written(text, separator)
    table = pd.read_csv(_file(text), sep=separator, **EXACT)
    if not isinstance(table.index, pd.RangeIndex):  # pandas takes the first cells for row names
        raise ValueError(f"its rows have more cells than its header, which has {written.shape[1]}")
    cells = {
        name: written.iloc[:, k][table.iloc[:, k].notna()]
        for k, name in enumerate(table.columns)
        if name not in texts and (numbers is None or name in numbers)
    }
    way = _way_of(cells, table, separator, wanted, expected)
    if way != PLAIN:
        changed = written.copy()
        for k, name in enumerate(table.columns):
            if name in cells:
                changed.isetitem(k, in_plain_writing(written.iloc[:, k].tolist(), name, way))
        table = pd.read_csv(io.StringIO(changed.to_csv(index=False)), **EXACT)
    how = Reading(separator, way.decimal, way.thousands or None, wanted.encoding)
    as_usual = separator == usual and way == PLAIN and str(how.encoding).startswith("utf-8")
    return TableFile(table, written, how, as_usual)


def _way_of(
    cells: dict[str, Any],
    table: pd.DataFrame,
    separator: str,
    wanted: Reading,
    expected: Reading,
) -> Way:
    """How numbers are written; those that are plain for pandas are looked at only in doubt."""
    signs = (wanted.decimal, wanted.thousands)
    usual = None
    if expected.decimal and expected.separator == separator:
        usual = Way(expected.decimal, expected.thousands or "")
    in_doubt = separator == ";" or any(signs) or usual not in (None, PLAIN)
    if not in_doubt:
        texts = {name: cells[name] for name in cells if not _is_numeric(table[name])}
        in_doubt = not is_plain(texts)
    if not in_doubt:
        return PLAIN
    return find_way(cells, signs, usual, points_may_group=separator == ";")


def _is_numeric(column: Any) -> bool:
    return bool(pd.api.types.is_numeric_dtype(column.dtype))


def _bytes_of(path: Path) -> bytes:
    """The content, unpacked."""
    kind = path.suffix.lower()
    if kind == ".zip":
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if len(names) != 1:
                raise ValueError(f"it holds {len(names)} files, not one")
            return archive.read(names[0])
    unpack = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}
    if kind not in SEPARATORS and kind not in unpack:
        raise ValueError(f"what ends with {kind} is unknown; use {', '.join(unpack)} or .zip")
    return unpack.get(kind, bytes)(path.read_bytes())


def _decoded(content: bytes, wanted: str | None, expected: str | None) -> tuple[str, str]:
    """The text and its encoding."""
    mark = next((name for start, name in MARKS.items() if content.startswith(start)), None)
    if expected is None or expected in MARKS.values():
        expected = OTHER_ENCODING
    for encoding in (wanted,) if wanted else (mark or "utf-8", expected):
        try:
            return content.decode(encoding), encoding
        except LookupError:
            raise ValueError(f"there is no encoding {encoding!r}") from None
        except UnicodeError:
            if encoding == OTHER_ENCODING or wanted:
                raise
    return content.decode(OTHER_ENCODING), OTHER_ENCODING


def find_separator(text: str, usual: str, expected: str | None = None) -> str:
    """What stands between the columns: it splits all first lines into the same number of cells.

    The usual one where nothing does, so that what is wrong is told of it.
    """
    lines = text.splitlines()[:FIRST_LINES]
    fits = [sign for sign in BETWEEN if _splits(lines, sign)]
    if len(fits) > 1:
        fits = [sign for sign in fits if not _tears_quotes(lines, sign)] or fits
    if len(fits) < 2:
        return fits[0] if fits else _in_header(lines, usual)
    if expected in fits:
        return str(expected)
    quoted = " or ".join(repr(sign) for sign in fits)
    raise ValueError(f"its columns may be separated by {quoted}; say which with --separator")


def _splits(lines: list[str], sign: str) -> bool:
    counts = {len(row) for row in csv.reader(lines, delimiter=sign) if row}
    return len(counts) == 1 and counts != {1}


def _tears_quotes(lines: list[str], sign: str) -> bool:
    """Whether one cell has the beginning of a quotation and another its end."""
    return any(cell.count('"') % 2 for row in csv.reader(lines, delimiter=sign) for cell in row)


def _in_header(lines: list[str], usual: str) -> str:
    """The only sign between the names of a table whose rows differ in length."""
    header = lines[0] if lines else ""
    there = [sign for sign in BETWEEN if sign in header]
    return there[0] if len(there) == 1 else usual


def _as_written(text: str, separator: str) -> pd.DataFrame:
    """All cells as text; pandas would rename the second of two columns of the same name."""
    options: dict[str, Any] = {"sep": separator, "dtype": str, "keep_default_na": False}
    names = pd.read_csv(_file(text), header=None, nrows=1, **options).iloc[0].tolist()
    _refuse_same_names(names)
    table: pd.DataFrame = pd.read_csv(_file(text), **options)
    return table.set_axis(names, axis=1)


def _file(text: str) -> io.StringIO:
    return io.StringIO(text.removeprefix("\ufeff"), newline="")


def _refuse_same_names(names: list[str]) -> None:
    twice = next((name for name in names if name and names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"the column name {twice!r} appears more than once")


# -- Excel ---------------------------------------------------------------------------------------


def _read_excel(path: Path, engine: Engine, wanted: Reading, expected: Reading) -> TableFile:
    """The sheet's cells below its first line that has any."""
    need(engine)
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
    _refuse_same_names(names)
    written = cells.iloc[1:].set_axis(names, axis=1).reset_index(drop=True).infer_objects()
    named = [name or f"Unnamed: {k}" for k, name in enumerate(names)]
    how = Reading(sheet=sheet)
    as_usual = len(sheets) == 1 or wanted.sheet is not None
    return TableFile(written.set_axis(named, axis=1), written, how, as_usual)
