"""Tests of datasets, files and the paper's protocol."""

import gzip
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import TargetEncoder

from vjmgp import embedded_datasets, load_dataset, load_file
from vjmgp.study.statistics.summaries import paper_medians
from vjmgp.tables.dataset import known_nominal_columns
from vjmgp.tables.errors import TableError
from vjmgp.tables.preprocessing import fit_standardizer
from vjmgp.tables.reader import read_file


def test_standardizer_uses_the_training_rows_only():
    rng = np.random.default_rng(0)
    train = pd.DataFrame({"a": rng.normal(3, 2, 50), "b": 1.0, "c": rng.choice(["u", "v"], 50)})
    y = rng.normal(size=50) + 3 * (train["c"] == "u").to_numpy()
    standardizer = fit_standardizer(train, y, ["a", "b", "c"], [2])
    x = standardizer.standardize(train)
    assert x.shape == (50, 2)  # b is constant
    np.testing.assert_allclose(x.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(x.std(axis=0), 1, rtol=1e-12)
    encoder = TargetEncoder(target_type="continuous").fit(train[["c"]], y)
    np.testing.assert_allclose(
        standardizer.encode(train)[:, 1], encoder.transform(train[["c"]])[:, 0]
    )
    test = pd.DataFrame({"a": [1.0, 2.0], "b": [5.0, 6.0], "c": ["w", None]})
    np.testing.assert_allclose(standardizer.encode(test)[:, 1], y.mean())
    z = standardizer.standardize_target(y)
    assert z.std() == pytest.approx(1.0)
    np.testing.assert_allclose(standardizer.restore_target(z), y)
    np.testing.assert_allclose(standardizer.clip_target(y * 9).max(), y.max())


def test_embedded_datasets_load_offline():
    names = embedded_datasets()
    assert len(names) >= 6
    for name in names:
        data = load_dataset(name)
        assert len(data) >= 48
        assert data.inputs.shape == (len(data), data.inputs.shape[1])
        assert name in paper_medians().index
        assert set(data.nominal) <= set(data.inputs.columns)
    assert load_dataset("210_cloud").nominal == ("season",)
    assert known_nominal_columns()["556_analcatdata_apnea2"] == ["Automatic", "Scorer_1"]


def write_pmlb(folder, name, rows=4):
    (folder / name).mkdir()
    text = "x\ttarget\n" + "\n".join(f"{k}\t{2 * k}" for k in range(rows)) + "\n"
    with gzip.open(folder / name / f"{name}.tsv.gz", "wt") as file:
        file.write(text)


def test_pmlb_cache_folder(tmp_path, monkeypatch):
    write_pmlb(tmp_path, "999_made_up")
    write_pmlb(tmp_path, "_deprecated_207_autoPrice")
    assert load_dataset("999_made_up", tmp_path).target.tolist() == [0, 2, 4, 6]
    monkeypatch.setenv("VJMGP_PMLB_CACHE", str(tmp_path))
    assert len(load_dataset("999_made_up")) == 4
    assert load_dataset("207_autoPrice").name == "207_autoPrice"


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "csv.gz"])
def test_load_file_reads_each_kind_of_file(tmp_path, kind):
    table = pd.DataFrame({"a": [1.5, 2.5, 3.5], "kind": ["u", "v", "u"], "price": [1.0, 2.0, 3.0]})
    path = tmp_path / f"my data.{kind}"
    if kind == "parquet":
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False, sep="\t" if kind == "tsv" else ",")
    data = load_file(path, "price", nominal=("kind",))
    assert data.name == "my data"
    assert list(data.inputs.columns) == ["a", "kind"]
    assert data.target.tolist() == [1.0, 2.0, 3.0]


def test_load_file_errors(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b,c\n1,2,x\n3,,y\n")
    with pytest.raises(ValueError, match=r"data\.csv: no column 'price'; the columns are 'a', 'b'"):
        load_file(path, "price")
    with pytest.raises(ValueError, match=r"data\.csv: the target 'c' is not numeric"):
        load_file(path, "c")
    with pytest.raises(ValueError, match="the target 'b' is missing or infinite in 1 of"):
        load_file(path, "b")
    with pytest.raises(ValueError, match="no column 'z' to take as nominal"):
        load_file(path, "a", nominal=("z",))
    with pytest.raises(FileNotFoundError, match=r"none\.csv"):
        load_file(tmp_path / "none.csv", "a")
    with pytest.raises(ValueError, match="unknown kind of file"):
        load_file(tmp_path / "data.doc", "a")


def test_headers_and_cells_are_not_converted(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("None,nan,,,y\n1,2,3,4,5\n006,7,8,9,1.10\n")
    assert list(load_file(path, "y").inputs) == ["None", "nan", "Unnamed: 2", "Unnamed: 3"]
    table = read_file(path).read_cells()
    assert list(table) == ["None", "nan", "", "", "y"]
    assert table["None"].tolist() == ["1", "006"]
    assert table["y"].tolist() == ["5", "1.10"]


def test_load_file_reads_what_the_command_reads(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_bytes("größe;code;y\n1.000,5;1.5;2\n2,5;2.5;3\n".encode("latin-1"))
    data = load_file(path, "y", nominal=("code",))
    assert data.inputs["größe"].tolist() == [1000.5, 2.5]
    assert data.inputs["code"].tolist() == [1.5, 2.5]
    data.inputs.assign(y=data.target).to_excel(tmp_path / "mine.xlsx", index=False)
    assert load_file(tmp_path / "mine.xlsx", "y").inputs["größe"].tolist() == [1000.5, 2.5]
    path.write_bytes("größe,y\n1,2\n".encode("cp1252") + b"\x81")
    with pytest.raises(TableError, match=r"mine.csv: cannot be read: .*with 'encoding'") as caught:
        load_file(path, "y")
    assert (caught.value.kind, caught.value.column) == ("encoding", None)
    path.write_text("a;y\n1,234;2\n")
    with pytest.raises(TableError, match="set 'decimal' to") as caught:
        load_file(path, "y")
    assert (caught.value.kind, caught.value.column) == ("number_format", "a")
    assert "set --decimal to" in pickle.loads(pickle.dumps(caught.value)).message("--{}".format)
    assert load_file(path, "y", decimal=",").inputs["a"].tolist() == [1.234]
    path.write_text("a;y\n15;2\n")
    assert load_file(path, "y", decimal=",").inputs["a"].tolist() == [15]


def test_numbers_are_read_as_the_nearest_float(tmp_path):
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=2000) * 10.0 ** rng.integers(-30, 30, 2000)
    written = [repr(float(number)) for number in numbers] + ["0.1234567890123456789", "1e23"]
    (tmp_path / "table.csv").write_text("\n".join(["a,b", *(f"{text},1" for text in written)]))
    table = load_file(tmp_path / "table.csv", "b")
    assert table.inputs["a"].tolist() == [float(text) for text in written]
