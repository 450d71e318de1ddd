"""Sealed files and manifests: damage is detected."""

import errno
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.result_files import flip

from vjmgp.core import files
from vjmgp.study.plan.study import Table
from vjmgp.study.protocols import Protocol
from vjmgp.study.runs.prepare import prepare_dataset, split_rows
from vjmgp.study.runs.problems import problems
from vjmgp.study.runs.records import read_block

VALUES = st.dictionaries(
    st.text(max_size=5),
    st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text() | st.none(),
    max_size=5,
)


@given(VALUES.filter(lambda data: data and "seal" not in data))
def test_sealed_data_can_be_read_back(data):
    line = files.sealed(data)
    assert files.unsealed(line, "x") == data
    assert json.loads(line).keys() == {*data, "seal"}  # plain JSON for other readers
    assert line.count(b"\n") == 1


@given(st.data())
def test_any_changed_byte_is_detected(data):
    line = files.sealed({"seed": 1, "test_r2": 0.25, "name": "ü"})
    place = data.draw(st.integers(0, len(line) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != line[place]))
    assert not files.is_whole(line[:place] + bytes([byte]) + line[place + 1 :])
    assert not files.is_whole(line[:place])


def test_nan_and_infinity_become_null():
    line = files.sealed({"a": float("nan"), "b": [1.5, -np.inf], "c": {"d": np.inf}})
    assert files.unsealed(line, "x") == {"a": None, "b": [1.5, None], "c": {"d": None}}


def test_file_of_runs_must_match_its_path(tmp_path):
    path = tmp_path / "runs/paper/d/M-0123abcd/seeds_3-5.jsonl"
    names = {"protocol": "paper", "dataset": "d", "identity": "0123abcd"}
    files.write_sealed(path, *(names | {"seed": seed} for seed in (3, 4, 5)))
    assert [record["seed"] for record in read_block(path)] == [3, 4, 5]
    lines = path.read_bytes().splitlines(keepends=True)
    for content, message in (
        (lines[:2], "seeds_3-5.jsonl is damaged (its runs are not those of its name)"),
        ([b"".join(lines)[:-20]], "seeds_3-5.jsonl, line 3, is damaged."),
        ([files.sealed(names | {"dataset": "e", "seed": 3})], "is damaged (its runs are not"),
    ):
        path.write_bytes(b"".join(content))
        with pytest.raises(files.DamagedFileError) as error:
            read_block(path)
        assert message in str(error.value)
    path.write_bytes(b"".join(lines)[:-20])
    assert [record["seed"] for record in files.whole_records(path)] == [3, 4]


def test_manifest_lists_damaged_files_and_replaces_its_predecessor(tmp_path):
    table, pages = tmp_path / "tables/a.csv", tmp_path / "report"
    files.write_whole(table, [b"a"])
    files.write_whole(pages / "b.html", [b"b"])
    for number in ("00000000", "11111111"):
        files.write_manifest(tmp_path / f"made/step-{number}.json", [table, pages])
    (manifest,) = (tmp_path / "made").iterdir()
    assert files.damaged_in(manifest) == []
    flip(pages / "b.html")
    table.unlink()
    assert files.damaged_in(manifest) == [table, pages / "b.html"]
    flip(manifest)
    assert files.damaged_in(manifest) == [manifest]


def test_steps_stop_at_damaged_data(tmp_path):
    """The step that reads a damaged file stops and names it."""
    table = tmp_path / "mine.csv"
    table.write_text("a,y\n" + "".join(f"{k},{k * k}\n" for k in range(30)))
    data, facts, splits = (str(tmp_path / name) for name in ("data", "facts", "seeds_0-0"))
    prepare_dataset("mine", str(table), Table(str(table), "y"), data, facts)
    split_rows(data, facts, Protocol(), splits)
    (problem,) = problems(data, facts, [splits])
    assert len(problem.train) == 15
    for name in ("data", "facts", "seeds_0-0"):
        good = (tmp_path / name).read_bytes()
        flip(tmp_path / name, 0.5)
        with pytest.raises(files.DamagedFileError, match=rf"{name} is damaged"):
            list(problems(data, facts, [splits]))
        (tmp_path / name).write_bytes(good)


def test_wide_table_is_prepared_without_warnings(tmp_path):
    names = [f"x{k}" for k in range(150)]
    rows = [",".join([*names, "y"]), *(",".join(str(k * r) for k in range(151)) for r in range(40))]
    table, data = tmp_path / "wide.csv", tmp_path / "data.parquet"
    table.write_text("\n".join(rows))
    prepare_dataset("wide", str(table), Table(str(table), "y"), str(data), str(tmp_path / "facts"))
    assert pd.read_parquet(data).shape == (40, 151)


@pytest.mark.parametrize("write", [files.write_json, files.write_sealed, files.append_record])
def test_full_disk_is_reported_with_the_path(tmp_path, write, monkeypatch):
    """The system's error does not name it."""

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    class FullFile(io.BytesIO):
        write = full

    place = tmp_path / "new.json"
    monkeypatch.setattr(Path, "open", lambda *_: FullFile())
    with pytest.raises(OSError, match=r"No space left on device: '.*new\.json'") as caught:
        write(place, {})
    assert caught.value.errno == errno.ENOSPC
    assert list(tmp_path.iterdir()) == []
