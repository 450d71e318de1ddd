"""Tests of the folder of a fit: nobody else's files, and all of its own or none."""

import errno
from pathlib import Path

import pytest
from tests.support.command import SITE, said_by, write_table

from vjmgp import VJMRegressor
from vjmgp.cli import main


def contents(folder="data_model"):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


@pytest.mark.parametrize("name", ["report.html", "front.csv"])
def test_foreign_files_are_not_overwritten(here, capsys, name):
    write_table(here)
    Path("data_model").mkdir()
    Path("data_model", name).write_text("mine")
    said = said_by(capsys, SITE)
    assert f"data_model has a {name} but no model.json" in said
    assert "name another folder with --output." in said
    assert contents() == {name: b"mine"}


def test_a_fit_that_fails_leaves_no_folder(here, capsys, monkeypatch):
    write_table(here)

    def failing(*_):
        raise RuntimeError("No individual gave finite feature values.")

    monkeypatch.setattr(VJMRegressor, "fit", failing)
    said_by(capsys, [*SITE, "--output", "new/folder"], 1)
    assert not Path("new").exists()


@pytest.mark.parametrize("failing", ["models.json", "report.html"])
def test_a_full_disk_leaves_the_earlier_fit(here, capsys, monkeypatch, failing):
    write_table(here)
    assert main(SITE) == 0
    Path("data_model/notes.txt").write_text("mine")
    before, write = contents(), Path.write_bytes

    def full(path, data):
        if path.name == failing:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, data)

    capsys.readouterr()
    monkeypatch.setattr(Path, "write_bytes", full)
    said = said_by(capsys, [*SITE, "--seed", "1"])
    assert said == "vjmgp: data_model: cannot write there (No space left on device).\n"
    assert contents() == before
    said_by(capsys, [*SITE, "--output", "other"])
    assert not Path("other").exists()
