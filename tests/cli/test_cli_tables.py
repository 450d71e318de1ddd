"""Tests of the tables that `vjmgp fit` and `vjmgp predict` read."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.support.command import QUICK, about, said_by

from vjmgp import VJMRegressor, fit_report, load_model

FIT = ["--target", "y", *QUICK]


@pytest.fixture
def table(here):
    """Return a table of numbers with few digits, which every number format keeps."""
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"mass": rng.integers(800, 9000, 40) + 0.5, "höhe": rng.normal(size=40)})
    data = data.round(3)
    data["y"] = (data["mass"] * 0.001 * data["höhe"]).round(4)
    return data


@pytest.fixture
def fitted(here, monkeypatch):
    """Collect the tables of fits in an empty folder instead of fitting."""
    tables = []

    def fit(self, X, y, sample_weight=None):
        tables.append(X.assign(y=y))
        raise RuntimeError("enough")

    monkeypatch.setattr(VJMRegressor, "fit", fit)
    return tables


def written(data, thousands="", decimal=".", separator=",", quote=""):
    """Return a table as text."""

    def cell(value):
        if isinstance(value, str):
            return value
        whole, _, rest = f"{value:,.4f}".partition(".")
        return quote + whole.replace(",", thousands) + decimal + rest + quote

    lines = [list(data.columns), *data.itertuples(index=False)]
    return "\n".join(separator.join(map(cell, line)) for line in lines) + "\n"


GERMAN = {"thousands": ".", "decimal": ",", "separator": ";"}


@pytest.mark.parametrize(
    ("name", "encoding", "how", "message"),
    [
        ("a.csv", "utf-8", {}, ""),
        ("a.csv", "utf-8-sig", {}, ""),
        ("a.csv", "utf-16", {}, "separator ',', decimal '.', encoding 'utf-16'"),
        ("a.csv", "utf-8", {"separator": ";"}, "separator ';', decimal '.', encoding 'utf-8'"),
        ("a.csv", "utf-8", {"separator": "\t"}, "separator tab, decimal '.', encoding 'utf-8'"),
        ("a.csv", "utf-8", {"separator": "|"}, "separator '|', decimal '.', encoding 'utf-8'"),
        ("a.tsv", "utf-8", {"separator": "\t", "decimal": ","},
         "separator tab, decimal ',', encoding 'utf-8'"),
        ("a.csv", "utf-8", GERMAN | {"thousands": ""},
         "separator ';', decimal ',', encoding 'utf-8'"),
        ("a.csv", "cp1252", GERMAN,
         "separator ';', decimal ',', thousands '.', encoding 'cp1252'"),
        ("a.csv", "utf-8", GERMAN | {"thousands": "\u202f"},
         "separator ';', decimal ',', thousands space, encoding 'utf-8'"),
        ("a.csv", "utf-8", {"thousands": "'"},
         "separator ',', decimal '.', thousands \"'\", encoding 'utf-8'"),
        ("a.csv", "utf-8", {"thousands": ",", "quote": '"'},
         "separator ',', decimal '.', thousands ',', encoding 'utf-8'"),
        ("a.csv", "utf-8", {"decimal": ",", "quote": '"'},
         "separator ',', decimal ',', encoding 'utf-8'"),
    ],
)  # fmt: skip
def test_fit_detects_the_format_of_text(table, fitted, capsys, name, encoding, how, message):
    Path(name).write_bytes(written(table, **how).encode(encoding))
    said = said_by(capsys, ["fit", name, *FIT, "--holdout", "0", "--output", "out"], 1, lines=2)
    pd.testing.assert_frame_equal(fitted[0], table)
    assert said == (f"Read as: {message}.\n" if message else "") + "vjmgp: enough\n"


@pytest.mark.parametrize("kind", ["xlsx", "parquet", "csv.gz", "csv.bz2", "csv.xz", "csv.zip"])
def test_fit_reads_excel_parquet_and_compressed_text(table, fitted, capsys, kind):
    if kind == "xlsx":
        with pd.ExcelWriter("a.xlsx") as book:
            table.to_excel(book, sheet_name="Data", index=False)
            (table + 0.25).to_excel(book, sheet_name="Other", index=False, startrow=2, startcol=1)
    elif kind == "parquet":
        table.to_parquet("a.parquet")
    else:
        table.to_csv(f"a.{kind}", index=False)
    fit = ["fit", f"a.{kind}", *FIT, "--holdout", "0", "--output", "out"]
    said = said_by(capsys, fit, 1, lines=2)
    pd.testing.assert_frame_equal(fitted[0], table)
    if kind == "xlsx":
        assert said.startswith("Read as: sheet 'Data'.\n")
        said_by(capsys, [*fit, "--sheet", "Other"], 1)
        pd.testing.assert_frame_equal(fitted[1], table + 0.25)
        said = said_by(capsys, [*fit, "--sheet", "No"])
        assert "there is no sheet 'No'; the sheets are 'Data', 'Other'" in said


@pytest.mark.parametrize(("kind", "package"), [("xlsx", "openpyxl"), ("xls", "xlrd")])
def test_errors_name_missing_packages(here, monkeypatch, capsys, kind, package):
    Path(f"a.{kind}").touch()
    monkeypatch.setattr("vjmgp.core.optional.find_spec", lambda name: None)
    said = said_by(capsys, ["fit", f"a.{kind}", *FIT])
    install = {"openpyxl": "vjmgp[excel]"}.get(package, package)
    assert said == f"vjmgp: this needs {package}: pip install '{install}'\n"


UNCLEAR = "column 'a' has '1,234', which may be 1234 or 1.234"


@pytest.mark.parametrize(
    ("cells", "words", "answer"),
    [
        ('"1,234"', [], f"{UNCLEAR}: set --decimal to '.' or"),
        ("1,234;5", [], UNCLEAR),
        ("1.234;5", [], "column 'a' has '1.234', which may be 1.234 or 1234"),
        ("1,5;1.5", [], "column 'a' has '1,5' and column 'b' has '1.5', which cannot both be"),
        ("1,5;1.5", ["--decimal", ","], "column 'b' has '1.5' in row 1, which is not a number if"),
        ("1;2,5", ["--separator", "comma"], "its rows have more cells than its header"),
        ("1;2,5,3", ["--encoding", "klingon"], "there is no encoding 'klingon'"),
    ],
)
def test_fit_rejects_ambiguous_numbers(fitted, capsys, cells, words, answer):
    header, between = ("a;b;y", ";") if ";" in cells else ("a,y", ",")
    lines = [header, *(f"{cells}{between}{k}" for k in range(12))]
    Path("a.csv").write_text("\n".join(lines))
    assert answer in said_by(capsys, ["fit", "a.csv", *FIT, *words])


def test_options_resolve_ambiguous_numbers(fitted, capsys):
    Path("a.csv").write_text("a;y\n" + "".join(f"{k},234;{k}\n" for k in range(1, 13)))
    fit = ["fit", "a.csv", *FIT, "--holdout", "0"]
    for words, first in (
        (["--decimal", ","], 1.234),
        (["--decimal", "."], 1234),
        (["--thousands", ","], 1234),
        (["--thousands", "point"], 1.234),
    ):
        said_by(capsys, [*fit, *words], 1, lines=2)
        assert fitted[-1]["a"][0] == first


def test_utf_16_without_a_mark_needs_the_encoding(table, fitted, capsys):
    Path("a.csv").write_bytes(written(table.rename(columns={"höhe": "h"})).encode("utf-16-le"))
    fit = ["fit", "a.csv", *FIT, "--holdout", "0"]
    assert "set --encoding to utf-16-le" in said_by(capsys, fit)
    said_by(capsys, [*fit, "--encoding", "utf-16-le"], 1, lines=2)
    assert fitted[0]["h"].tolist() == table["höhe"].tolist()


def test_fit_rejects_ambiguous_separators(fitted, capsys):
    Path("a.csv").write_text("a, m;y, m\n" + "".join(f"{k},5;{k},25\n" for k in range(12)))
    assert "may be separated by ',' or ';'; give the" in said_by(capsys, ["fit", "a.csv", *FIT])
    fit = ["fit", "a.csv", "--target", "y, m", "--separator", ";", *QUICK, "--holdout", "0"]
    said_by(capsys, fit, 1, lines=2)
    assert fitted[0]["a, m"].tolist() == [k + 0.5 for k in range(12)]


@pytest.mark.parametrize(
    "words",
    [
        ["--ignore", "a", "b", "t.csv", "--target", "y"],
        ["--target", "y", "--ignore", "a,b", "t.csv"],
        ["--ignore", "a, b", "--target", "y", "t.csv"],
        ["t.csv", "--target", "y", "--ignore", "a", "b"],
        ["--ignore", "b", "--target", "y", "--nominal", "c", "t.csv", "--ignore", "a,b"],
    ],
)
def test_the_table_may_follow_a_list_of_columns(fitted, capsys, words):
    Path("t.csv").write_text("a,b,c,y\n" + "".join(f"x{k},1,{k % 3},{k}\n" for k in range(12)))
    said_by(capsys, ["fit", *words, *QUICK], 1)
    assert list(fitted[0]) == ["c", "y"]


def test_fit_requires_a_table(capsys):
    assert "name a table" in said_by(capsys, ["fit", "--target", "y"])


DAYS = pd.date_range("2025-12-30", periods=40, freq="36h")


FORMS = ["%Y-%m-%d %H:%M", "%d.%m.%Y %H:%M", "%m/%d/%Y %H:%M", "parquet", "%Y%m%d"]


@pytest.mark.parametrize("form", FORMS)
def test_dates_become_days_on_request(table, capsys, form):
    data = table.assign(day=DAYS if form == "parquet" else DAYS.strftime(form))
    data["y"] = np.arange(40) * 1.5
    name, new = ("d.parquet", "new.parquet") if form == "parquet" else ("d.csv", "new.csv")
    for part, path in ((data, name), (data[30:33].drop(columns="y"), new)):
        part.to_parquet(path) if form == "parquet" else part.to_csv(path, index=False)
    fit = ["fit", name, *FIT, "--output", "out", "--no-clip"]
    assert "column 'day' holds dates: set --dates to elapsed for days since" in said_by(capsys, fit)
    said = said_by(capsys, [*fit, "--dates", "elapsed"], 0, lines=3)
    assert said.startswith("Read as: 'day' as days since 2025-12-30.\nCaution: The input 'day' nea")
    days = np.arange(40) * 1.5
    if form == "%Y%m%d":  # numbers, without the time of day
        days = np.floor(days)
    expected = load_model("out/model.json").predict(table.assign(day=days)[30:33])
    said_by(capsys, ["predict", "out", new, "--output", "p.csv"], 0)
    assert pd.read_csv("p.csv")["prediction"].tolist() == expected.tolist()


def test_fit_rejects_ambiguous_dates(table, capsys):
    table.assign(day="03/04/2026").to_csv("d.csv", index=False)
    said = said_by(capsys, ["fit", "d.csv", *FIT, "--dates", "elapsed"])
    assert "column 'day' holds dates: '03/04/2026' may have the day or the month first" in said


def test_predict_rejects_cells_that_are_not_dates(table, capsys):
    data = table.assign(day=DAYS.strftime("%Y-%m-%d"))
    data.to_csv("d.csv", index=False)
    said_by(capsys, ["fit", "d.csv", *FIT, "--dates", "elapsed"], 0, lines=3)
    data.loc[5, "day"] = "soon"
    data.to_csv("new.csv", index=False)
    said = said_by(capsys, ["predict", "d_model", "new.csv"])
    assert "new.csv: column 'day' has 'soon' in row 6, which is not a date" in said


def test_missing_drop_leaves_rows_out(table, fitted, capsys):
    table.loc[3, "mass"] = np.nan
    table.loc[[5, 6], "y"] = np.nan
    table.to_csv("m.csv", index=False)
    fit = ["fit", "m.csv", *FIT, "--holdout", "0"]
    said = said_by(capsys, fit, lines=3)
    assert "m.csv: 2 things are wrong:\n- the target 'y' is missing or infinite" in said
    assert "\n- column 'mass' has no value in 1 of 40 rows: set --missing to median, ind" in said
    said = said_by(capsys, [*fit, "--missing", "drop"], 1, lines=2)
    assert said.startswith("Left out 3 rows with missing cells.\n")
    assert fitted[0].index.tolist() == [k for k in range(40) if k not in (3, 5, 6)]
    said = said_by(capsys, [*fit, "--missing", "median"], 1, lines=2)
    assert said.startswith("Left out 2 rows with a missing target.\n")
    assert len(fitted[1]) == 38


def test_fit_reports_all_problems_at_once(table, capsys):
    data = table.assign(
        id=[f"n{k}" for k in range(40)], day=DAYS.strftime("%Y-%m-%d"), gap=[None, *range(39)]
    )
    data["mixed"] = [*range(39), "much"]
    data.to_csv("w.csv", index=False)
    words = ["--target", "z", "--ignore", "q", "--nominal", "r", "--weights", "w", *QUICK]
    words += ["--row-labels", "keep"]
    said = said_by(capsys, ["fit", "w.csv", *words], lines=20)
    first, *lines = said.splitlines()
    assert first == "vjmgp: w.csv: 8 things are wrong:"
    starts = (
        "- there is no column 'q' for --ignore.",
        "- there is no column 'w' for --weights.",
        "- column 'day' holds dates: ",
        "- no column 'z'; the columns are 'mass', ",
        "- no column 'r' to take as nominal.",
        "- column 'id' is text with 40 different values",
        "- column 'gap' has no value in 1 of 40 rows",
        "- column 'mixed' has text among its numbers in 1 of 40 rows, first 'much' in row 40",
    )
    assert len(lines) == len(starts)
    assert all(map(str.startswith, lines, starts))


@pytest.mark.parametrize("words", [("yes", "no"), ("nein", "ja"), ("T", "F")])
def test_a_yes_or_no_target_says_what_to_do(table, capsys, words):
    table["y"] = [words[k % 2] for k in range(40)]
    table.loc[3, "y"] = None
    table.to_csv("c.csv", index=False)
    remedy = f"code {words[0]!r} and {words[1]!r} as 0 and 1, or use a classifier."
    assert remedy in said_by(capsys, ["fit", "c.csv", *FIT])
    for target in (table["y"], table["y"].tolist()):
        with pytest.raises(ValueError, match=remedy[:-1]):
            VJMRegressor().fit(table[["mass"]], target)


def test_a_true_or_false_target_counts_as_0_and_1_with_a_caution(table, capsys):
    table.assign(y=np.arange(40) % 3 == 0).to_csv("c.csv", index=False)
    said = said_by(capsys, ["fit", "c.csv", *FIT], 0, lines=3)
    assert "only 2 different values" in said
    assert "a classifier serves better" in said


def test_errors_show_the_first_text_among_numbers(table, capsys):
    lines = written(table, **GERMAN).splitlines()
    lines[4] = "viel" + lines[4][lines[4].index(";") :]
    Path("s.csv").write_text("\n".join(lines))
    said = said_by(capsys, ["fit", "s.csv", *FIT], lines=2)
    assert "'mass' has text among its numbers in 1 of 40 rows, first 'viel' in row 4" in said


def test_predict_uses_the_format_of_the_fit(table, capsys):
    Path("a.csv").write_bytes(written(table, **GERMAN).encode("cp1252"))
    said_by(capsys, ["fit", "a.csv", *FIT], 0, lines=2)
    reading = about("a_model")["reading"]
    assert reading == {
        "separator": ";", "decimal": ",", "thousands": ".", "encoding": "cp1252", "sheet": None,
        "na_values": [],
    }  # fmt: skip
    # By itself, 1.234 may be either; the table looks like that of the fit.
    Path("new.csv").write_text("mass;höhe\n1.234;0\n2.345;1\n", encoding="cp1252")
    said = said_by(capsys, ["predict", "a_model", "new.csv", "--output", "p.csv"], 0)
    assert said.startswith("Read as: separator ';', decimal ',', thousands '.', encoding")
    result = pd.read_csv("p.csv", sep=";", decimal=",", thousands=".", encoding="cp1252")
    new = pd.DataFrame({"mass": [1234, 2345], "höhe": [0, 1]})
    assert result["mass"].tolist() == [1234, 2345]
    expected = load_model("a_model/model.json").predict(new)
    np.testing.assert_allclose(result["prediction"], expected)
    # A table that looks otherwise is read for itself.
    new.to_csv("other.csv", index=False)
    assert said_by(capsys, ["predict", "a_model", "other.csv", "--output", "o.csv"], 0) == ""
    assert pd.read_csv("o.csv")["prediction"].tolist() == expected.tolist()


def test_predict_reads_missing_texts_as_the_fit_did(table, capsys):
    data = table.astype(object)
    data.loc[[3, 8], "mass"] = ["k.A.", "-"]
    data.to_csv("n.csv", index=False)
    fit = ["fit", "n.csv", *FIT, "--missing", "median"]
    said = said_by(capsys, fit)
    assert "first 'k.A.' in row 4: correct it, name it in --na if it means a missing cell" in said
    said_by(capsys, [*fit, "--na", "k.A.", "--na", "-"], 0)
    assert about("n_model")["reading"]["na_values"] == ["k.A.", "-"]
    data[:10].to_csv("new.csv", index=False)
    said = said_by(capsys, ["predict", "n_model", "new.csv", "--output", "p.csv"], 0)
    result = pd.read_csv("p.csv")
    assert result["mass"][3] == "k.A."
    expected = load_model("n_model/model.json").predict(
        table[:10].assign(mass=table["mass"][:10].drop([3, 8]))
    )
    np.testing.assert_allclose(result["prediction"], expected)
    said = said_by(capsys, ["predict", "n_model", "new.csv", "--na", "?"])
    assert "column 'mass' has no number in 2 of 10 rows, first 'k.A.' in row 4" in said
    quick = {"population": 20, "generations": 3, "missing": "drop"}
    fit_report(data, "y", "d_model", na_values=["k.A.", "-"], **quick)
    assert about("d_model")["rows"]["all"] == 38
