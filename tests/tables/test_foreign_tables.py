"""Tests of tables as other programs write them: Excel, odd encodings, texts for missing cells."""

import tracemalloc
import zipfile

import numpy as np
import pandas as pd
import pytest

from vjmgp import load_file
from vjmgp.tables import text_file
from vjmgp.tables.dates import find_date_order
from vjmgp.tables.errors import TableError
from vjmgp.tables.reader import TableFormat, read_file

ROWS = 12


@pytest.fixture
def book(tmp_path):
    """Return a function that writes columns of cells to a workbook."""

    def write(**columns):
        pd.DataFrame(columns).to_excel(tmp_path / "a.xlsx", index=False)
        return tmp_path / "a.xlsx"

    return write


@pytest.mark.parametrize(
    ("cells", "wanted", "numbers"),
    [
        (["1", "2.5", " 3 "], {}, [1, 2.5, 3]),
        (["1.234,5", "2", 3], {}, [1234.5, 2, 3]),
        (["1,234", "2", 3], {"decimal": ","}, [1.234, 2, 3]),
        (["1e3", None, 2.5], {}, [1000, np.nan, 2.5]),
        (["1", "k.A.", 2], {"na_values": ["k.A."]}, [1, np.nan, 2]),
        ([1, -999, 2], {"na_values": ["-999"]}, [1, np.nan, 2]),
    ],
)
def test_numbers_stored_as_text_in_a_workbook_are_numbers(book, cells, wanted, numbers):
    file = read_file(book(a=cells, t=["u", "v", "1"]), TableFormat(**wanted))
    np.testing.assert_array_equal(file.table["a"].to_numpy(dtype=float), numbers)
    assert file.table["t"].tolist() == ["u", "v", "1"]
    assert file.form.decimal == ("," if "," in str(cells[0]) else None)


def test_numbers_stored_as_text_stay_levels_if_nominal(book):
    path = book(code=["01", "02"] * 6, y=[str(k) for k in range(ROWS)])
    data = load_file(path, "y", nominal=("code",))
    assert data.inputs["code"].tolist() == ["01", "02"] * 6
    assert data.target.tolist() == list(range(ROWS))


def test_formulas_that_no_spreadsheet_has_computed_are_named(book, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    path = book(a=range(ROWS), gap=[None, *range(ROWS - 1)], y=[None] * ROWS)
    assert read_file(path).table["gap"].isna().sum() == 1
    workbook = openpyxl.load_workbook(path)
    for row in range(2, ROWS + 2):
        workbook.active[f"C{row}"] = f"=2*A{row}"
    workbook.save(path)
    problem = r"cell C2 of sheet 'Sheet1' holds a formula without its value, .*: open the file in"
    with pytest.raises(TableError, match=problem):
        read_file(path)


@pytest.mark.parametrize("content", ["zip", "text", "empty"])
@pytest.mark.parametrize("suffix", ["xlsx", "xls"])
def test_file_that_is_no_workbook_is_refused_in_one_line(tmp_path, content, suffix):
    path = tmp_path / f"a.{suffix}"
    path.write_text("a,y\n1,2\n" if content == "text" else "")
    if content == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("readme.txt", "no workbook")
    if suffix == "xls":
        pytest.importorskip("xlrd")
    with pytest.raises(ValueError, match=r"a\.xlsx?: cannot be read: it is not an Excel") as error:
        read_file(path)
    assert "\n" not in str(error.value)


TEXT = "a,größe\n" + "".join(f"{k},{k}.5\n" for k in range(ROWS))


@pytest.mark.parametrize("name", ["utf-16", "utf-32", "utf-8-sig"])
def test_marked_encodings_are_recognized(tmp_path, name):
    (tmp_path / "a.csv").write_bytes(TEXT.encode(name))
    file = read_file(tmp_path / "a.csv")
    assert file.form.encoding == name
    assert file.table["größe"].tolist() == [k + 0.5 for k in range(ROWS)]


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_encodings_without_a_mark_are_named(tmp_path, name):
    path = tmp_path / "a.csv"
    path.write_bytes(TEXT.encode(name))
    words = f"it seems to be {name[:6].upper()} without a mark: set 'encoding' to {name}."
    with pytest.raises(TableError, match=words):
        read_file(path)
    file = read_file(path, TableFormat(encoding=name))
    assert file.table["größe"].tolist() == [k + 0.5 for k in range(ROWS)]


def test_nul_bytes_are_called_nul_bytes(tmp_path):
    (tmp_path / "a.csv").write_text("a,y\n" + "1,2\n" * 40 + "1,\0\0\n")
    with pytest.raises(TableError, match="it has NUL bytes, first in line 42: remove them"):
        read_file(tmp_path / "a.csv")


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "xlsx", "parquet"])
def test_na_values_mean_a_missing_cell(tmp_path, kind):
    cells = ["k.A.", *map(str, range(1, ROWS))]
    table = pd.DataFrame({"a": range(ROWS), "b": cells, "y": range(ROWS)})
    path = tmp_path / f"a.{kind}"
    if kind == "xlsx":
        table.to_excel(path, index=False)
    elif kind == "parquet":
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False)
    file = read_file(path, expected=TableFormat(na_values=["k.A.", "-"]))
    assert file.form.na_values == ("k.A.", "-")
    assert file.table["b"].isna().tolist() == [True] + [False] * (ROWS - 1)
    if kind != "parquet":
        assert file.table["b"].sum() == sum(range(ROWS))
    data = load_file(path, "y", na_values=["k.A."], missing="drop")
    assert data.target.tolist() == list(range(1, ROWS))
    assert len(load_file(path, "y", na_values=["k.A."]).inputs) == ROWS


def test_integers_that_are_days_are_dates():
    days = pd.date_range("2019-12-28", periods=ROWS).strftime("%Y%m%d")
    assert find_date_order(days.astype(int)) == "digits"
    assert find_date_order(pd.Series([None, *days.astype(float)])) == "digits"
    assert find_date_order(days.tolist()) == "digits"
    for numbers in ([20200101, 20201301], [20200101, 5], [20200101.5, 20200102.0], [True], [1j]):
        assert find_date_order(numbers) is None


@pytest.mark.parametrize("comma", [False, True])
def test_a_large_table_is_never_held_as_text(tmp_path, monkeypatch, comma):
    """As text, each number would take some 60 bytes; the peak is a few times the numbers'."""
    monkeypatch.setattr(text_file, "ROWS", 500)
    monkeypatch.setattr(text_file, "BYTES", 1 << 14)
    numbers = np.random.default_rng(0).normal(size=(20_000, 10)).round(6)
    table = pd.DataFrame(numbers, columns=[f"x{k}" for k in range(10)])
    path = tmp_path / "a.csv"
    table.to_csv(path, index=False, sep=";", decimal="," if comma else ".")
    tracemalloc.start()
    read = read_file(path).table
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    pd.testing.assert_frame_equal(read, table)
    assert peak < 5 * numbers.nbytes


def test_a_format_is_found_however_late_it_shows(tmp_path, monkeypatch):
    monkeypatch.setattr(text_file, "ROWS", 10)
    lines = [f"{k};x" for k in range(95)]
    (tmp_path / "a.csv").write_text("\n".join(["a;b", *lines, "1,5;y", "2.000,25;1"]))
    table = read_file(tmp_path / "a.csv").table
    assert table["a"].tolist() == [*range(95), 1.5, 2000.25]
    (tmp_path / "a.csv").write_text("\n".join(["a;b", *lines, "1,5;2", "2.5;1"]))
    with pytest.raises(TableError, match=r"'2\.5' in row 97|cannot both be numbers"):
        read_file(tmp_path / "a.csv", TableFormat(decimal=","))
