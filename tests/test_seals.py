"""Damaged files are found, whatever happened to them."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vjmgp.study import seals
from vjmgp.study.data import prepare_dataset, problems, split_rows

PAPER = {"train_rows": 100, "train_share": None, "label_noise": 0.0}
VALUES = st.dictionaries(
    st.text(max_size=5),
    st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text() | st.none(),
    max_size=5,
)


@given(VALUES.filter(lambda data: data and "seal" not in data))
def test_what_was_sealed_comes_back(data):
    line = seals.sealed(data)
    assert seals.unsealed(line, "x") == data
    assert json.loads(line).keys() == {*data, "seal"}  # plain JSON to everybody else
    assert line.count(b"\n") == 1


@given(st.data())
def test_a_change_anywhere_is_found(data):
    line = seals.sealed({"seed": 1, "test_r2": 0.25, "name": "ü"})
    place = data.draw(st.integers(0, len(line) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != line[place]))
    assert not seals.is_whole(line[:place] + bytes([byte]) + line[place + 1 :])
    assert not seals.is_whole(line[:place])


def test_numbers_that_are_none_become_null():
    line = seals.sealed({"a": float("nan"), "b": [1.5, -np.inf], "c": {"d": np.inf}})
    assert seals.unsealed(line, "x") == {"a": None, "b": [1.5, None], "c": {"d": None}}


def test_a_file_that_lacks_a_seed_is_found(tmp_path):
    path = tmp_path / "seeds_3-5.jsonl"
    seals.write_records(path, ({"seed": seed} for seed in (3, 4, 5)))
    assert [record["seed"] for record in seals.read_records(path)] == [3, 4, 5]
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]))
    with pytest.raises(seals.DamagedFileError, match=r"seeds_3-5\.jsonl is damaged, it has"):
        list(seals.read_records(path))
    path.write_bytes(b"".join(lines)[:-20])
    with pytest.raises(seals.DamagedFileError, match=r"seeds_3-5\.jsonl, line 3, is damaged"):
        list(seals.read_records(path))
    assert [record["seed"] for record in seals.whole_records(path)] == [3, 4]


def test_no_step_uses_damaged_data(tmp_path):
    """Damage that happens while a study runs: the step that reads the file stops and names it."""
    table = tmp_path / "mine.csv"
    table.write_text("a,y\n" + "".join(f"{k},{k * k}\n" for k in range(30)))
    own = {"file": str(table), "target": "y", "nominal": []}
    data, facts = tmp_path / "data.parquet", tmp_path / "facts.json"
    splits = tmp_path / "splits.json"
    prepare_dataset("mine", str(table), str(data), str(facts), own)
    split_rows("mine", str(facts), "0-0", PAPER, str(data), str(splits))
    (problem,) = problems(str(data), str(facts), [str(splits)])
    assert len(problem.train) == 15
    for path in (data, facts, splits):
        good = path.read_bytes()
        middle = len(good) // 2
        path.write_bytes(good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1 :])
        with pytest.raises(seals.DamagedFileError, match=rf"{path.name} is damaged"):
            list(problems(str(data), str(facts), [str(splits)]))
        path.write_bytes(good)
