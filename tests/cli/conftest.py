"""Fixtures of the tests of the command."""

import pytest
from tests.support.command import write_table


@pytest.fixture
def table(here):
    """Write data.csv into the current folder and return its table."""
    return write_table(here)
