"""Fixtures of the tests of the command."""

import pytest
from tests.support.command import write_table


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Write data.csv into the current folder and return its table."""
    monkeypatch.chdir(tmp_path)
    return write_table(tmp_path)
