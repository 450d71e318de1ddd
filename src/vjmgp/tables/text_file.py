"""Parse text tables, in parts where the whole would not fit into memory as text."""

import bz2
import codecs
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pandas as pd

from .errors import InputError
from .number_format import MOST_CELLS, NumberFormat, in_plain_format

_PANDAS = tuple(int(part) for part in pd.__version__.split(".")[:2])
EXACT: dict[str, Any] = {} if _PANDAS >= (3, 1) else {"float_precision": "round_trip"}
"""Options of `read_csv` for the nearest float to each number, the default from pandas 3.1."""
AS_WRITTEN: dict[str, Any] = {"dtype": str, "keep_default_na": False}
"""Options of `read_csv` that keep cells as they are."""
MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe\x00\x00": "utf-32", b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16",
}  # fmt: skip
"""Byte order marks and the encodings they indicate."""
WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
"""Encodings with NUL bytes."""
FALLBACK_ENCODING = "cp1252"
"""Encoding of text that is not valid UTF-8."""
OPEN = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
PLAIN_TEXT = (".csv", ".tsv", ".txt")
BYTES, ROWS = 1 << 20, 20_000
"""Sizes of the parts of a file that are decoded and parsed at once."""


def open_text(path: Path) -> IO[bytes]:
    """Open a file that may be compressed."""
    suffix = path.suffix.lower()
    if suffix == ".zip":
        archive = zipfile.ZipFile(path)  # its member keeps it open
        names = archive.namelist()
        if len(names) != 1:
            raise ValueError(f"it holds {len(names)} files, not one")
        return archive.open(names[0])
    if suffix not in PLAIN_TEXT and suffix not in OPEN:
        raise ValueError(f"the ending {suffix} is unknown; use {', '.join(OPEN)} or .zip")
    opened: IO[bytes] = OPEN.get(suffix, Path.open)(path, "rb")  # type: ignore[operator]
    return opened


def detect_encoding(path: Path, wanted: str | None, expected: str | None) -> tuple[str, str]:
    """Return the encoding of a text and its beginning; raise if all of it cannot be decoded."""
    with open_text(path) as file:
        head = file.read(BYTES)
    mark = next((name for start, name in MARKS.items() if head.startswith(start)), None)
    if expected is None or expected in MARKS.values():
        expected = FALLBACK_ENCODING
    for encoding in (wanted,) if wanted else (mark or "utf-8", expected, FALLBACK_ENCODING):
        try:
            return encoding, _decoded(path, encoding)
        except LookupError:
            raise ValueError(f"there is no encoding {encoding!r}") from None
        except UnicodeError:
            continue
    _refuse_wide(head)
    text = f"it is not {wanted or f'UTF-8, and not {FALLBACK_ENCODING}'}"
    raise InputError("encoding", text, "; give its encoding with {encoding}")


def _decoded(path: Path, encoding: str) -> str:
    """Decode the whole file in parts, and return the first; raise if there are NUL bytes."""
    first, lines = "", 1
    with open_text(path) as file:
        for part in codecs.iterdecode(iter(lambda: file.read(BYTES), b""), encoding):
            if "\0" in part:
                _refuse_wide((first or part).encode(encoding))
                line = lines + part[: part.index("\0")].count("\n")
                text = f"it has NUL bytes, first in line {line}: remove them, or write it again"
                raise InputError("encoding", text)
            first, lines = first or part, lines + part.count("\n")
    return first


def _refuse_wide(head: bytes) -> None:
    """Raise if a text is UTF-16 or UTF-32 without a mark: most of its characters are ASCII."""
    for name in WIDE:
        try:
            text = codecs.getincrementaldecoder(name)().decode(head)
        except UnicodeError:
            continue
        if "\0" not in text and 2 * sum(map(str.isascii, text)) > len(text):
            problem = f"it seems to be {name[:6].upper()} without a mark"
            raise InputError("encoding", problem, f": set {{encoding}} to {name}")


@dataclass(frozen=True)
class TextFile:
    """A table in a text file whose encoding and separator are known."""

    path: Path
    encoding: str
    separator: str
    na_values: Sequence[str] = ()

    def names(self) -> list[str]:
        """Return the cells of the first line."""
        with open_text(self.path) as file:
            cells = pd.read_csv(file, header=None, nrows=1, **self._format, **AS_WRITTEN)
        return [str(cell) for cell in cells.iloc[0]]

    def parse(self, **options: Any) -> pd.DataFrame:
        """Return the table, with numbers in Python's format."""
        with open_text(self.path) as file:
            more = options or self._missing | EXACT
            return self._checked(pd.read_csv(file, **self._format, **more))

    def parse_cells(self) -> pd.DataFrame:
        """Return the table as it was written."""
        return self.parse(**AS_WRITTEN)

    def first_cells(self, holds_numbers: Callable[[str], bool]) -> dict[str, list[str]]:
        """Return different cells of columns of numbers, from the first row on."""
        found: dict[str, dict[str, None]] = {}
        for part in self._parts(dtype=str, **self._missing):
            for name in filter(holds_numbers, part.columns):
                if len(found.setdefault(name, {})) < MOST_CELLS:
                    found[name] |= dict.fromkeys(part[name].dropna().unique())
            if all(len(cells) >= MOST_CELLS for cells in found.values()):
                break
        return {name: list(cells) for name, cells in found.items()}

    def parse_numbers(
        self, form: NumberFormat, holds_numbers: Callable[[str], bool]
    ) -> pd.DataFrame:
        """Return the table, with numbers in any format."""
        plain = io.BytesIO()
        for part in self._parts(**AS_WRITTEN):
            new = {
                name: in_plain_format(part[name].tolist(), name, form, list(part.index))
                for name in filter(holds_numbers, part.columns)
            }
            part.assign(**new).to_csv(plain, index=False, header=plain.tell() == 0)
        plain.seek(0)
        table: pd.DataFrame = pd.read_csv(plain, **self._missing, **EXACT)
        return table

    def _parts(self, **options: Any) -> Iterator[pd.DataFrame]:
        with open_text(self.path) as file:
            more: dict[str, Any] = {"chunksize": ROWS, **self._format, **options}
            with pd.read_csv(file, **more) as reader:
                yield from map(self._checked, reader)

    @property
    def _format(self) -> dict[str, Any]:
        return {"sep": self.separator, "encoding": self.encoding}

    @property
    def _missing(self) -> dict[str, Any]:
        return {"na_values": list(self.na_values)}

    def _checked(self, table: pd.DataFrame) -> pd.DataFrame:
        if not isinstance(table.index, pd.RangeIndex):  # pandas takes first cells for row names
            count = table.shape[1]
            raise ValueError(f"its rows have more cells than its header, which has {count}")
        return table
