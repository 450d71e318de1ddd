"""Tables of published runs in README and docs equal the output of their commands."""

import re
import shlex
import sys
from pathlib import Path

import pytest
from benchmarks import accuracy, reproduction

ROOT = Path(__file__).parents[2]
OTHER_COMMANDS = ("|  | clipped |", "| reading |")
"""First cells of the tables of `benchmarks.clipping` and `benchmarks.tau`."""


def tables_of(page):
    """Return the Markdown tables of a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE)


@pytest.fixture
def printed(monkeypatch, capsys):
    """Return a function that calls a benchmark and returns its output."""

    def call(benchmark, *arguments):
        monkeypatch.setattr(sys, "argv", [benchmark.__name__, *arguments])
        benchmark.main()
        return capsys.readouterr().out

    return call


def test_reproduction_page_matches_its_command(printed):
    output = printed(reproduction)
    tables = [t for t in tables_of("docs/reproduction.md") if not t.startswith(OTHER_COMMANDS)]
    assert len(tables) == 8
    assert [table for table in tables if table not in output] == []
    words = " ".join((ROOT / "docs/reproduction.md").read_text(encoding="utf-8").split())
    for protocol, kind in {
        "paper": "by the paper's protocol",
        "label_noise": "with label noise",
        "srbench": "by SRBench's protocol",
    }.items():
        count, hours = re.search(rf"^{protocol}: (\S+) runs, (\S+) CPU", output, re.M).groups()
        assert f"{count} runs {kind}, {hours} CPU hours" in words


def test_accuracy_tables_match_their_command(printed):
    page = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")
    command = re.search(r"^python -m benchmarks.accuracy (.*)$", page, flags=re.MULTILINE)
    first = tables_of("docs/benchmarks.md")[0]
    assert first in printed(accuracy, *shlex.split(command.group(1)))
    known = {cells[0]: cells for cells in rows_of(first)}
    shown = rows_of(tables_of("README.md")[0])
    assert len(shown) == 8
    for name, mean, outcomes, size, _ in shown:
        _, of_all, _, _, against, nodes, *_ = known[name.split(",")[0]]
        assert (mean, outcomes) == (of_all, against)
        assert size.removesuffix(" rows").replace(",", "") == nodes


def rows_of(table):
    """Return the cells of a table's rows, without its header."""
    return [[c.strip() for c in line.split("|")[1:-1]] for line in table.splitlines()[2:]]
