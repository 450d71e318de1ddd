"""Tables of results in README and docs equal the output of their commands."""

import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from benchmarks import accuracy, pictures, reproduction

ROOT = Path(__file__).parents[2]
OTHER_COMMANDS = ("|  | clipped |", "| reading |")
"""First cells of the tables of `benchmarks.clipping` and `benchmarks.tau`."""


def tables_of(page):
    """Return the Markdown tables of a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE)


def test_pictures_have_a_source_and_are_shown():
    drawn = {path.stem for path in (ROOT / "docs/figures").glob("*.svg")}
    shown = re.findall(
        r"\(figures/(\w+)\.svg\)", "".join(p.read_text() for p in ROOT.glob("docs/*.md"))
    )
    assert drawn == set(shown) == set(pictures.PICTURES)


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


CLEAN, NOISY = "192_vineyard", "547_no2"
GAINS = {"VJM distilled": 0.0, "VJM": -0.02, "SVR": 0.01}
"""Differences of R² from the reference on the clean dataset; negated on the noisy one."""


@pytest.fixture
def runs():
    rng = np.random.default_rng(0)
    rows = []
    for dataset, level in ((CLEAN, 0.8), (NOISY, 0.3)):
        for seed, split in enumerate(rng.normal(0.0, 0.1, size=10)):
            for method, gain in GAINS.items():
                sign = 1.0 if dataset == CLEAN else -1.0
                rows.append((dataset, method, seed, level + split + sign * gain, level))
    rows.append((CLEAN, "XGB", 0, 0.9, np.nan))  # not on both datasets
    table = pd.DataFrame(rows, columns=["dataset", "method", "seed", "test_r2", "noise_r2"])
    table = table.assign(protocol="paper", status="ok", size=7, cpu_seconds=0.25)
    failed = table.iloc[:1].assign(status="failed", test_r2=np.nan, seed=10)
    other = table.iloc[:1].assign(protocol="label_noise", test_r2=-9.0)
    return pd.concat([table, failed, other])


def test_accuracy_table_of_made_up_runs(runs, tmp_path, printed):
    runs.to_csv(tmp_path / "runs.csv", index=False)
    lines = printed(accuracy, str(tmp_path / "runs.csv")).splitlines()
    cells = {line.split(" | ")[0].strip("| "): line.strip("| ").split(" | ") for line in lines}
    assert lines[0].count("|") == lines[1].count("|") == 9
    assert "1 with little label noise" in lines[0]
    assert [name for name in GAINS if name in cells] == list(GAINS)
    scores = runs[(runs["protocol"] == "paper") & (runs["method"] == "VJM")]
    medians = scores.groupby("dataset")["test_r2"].median()
    numbers = [f"{x:.3f}" for x in (medians.mean(), medians[CLEAN], medians[NOISY])]
    assert cells["VJM"][1:4] == numbers
    assert cells["VJM"][4:] == ["1 / 0 / 1", "7", "0.25", "10"]
    assert "XGB" not in cells
    assert "XGB: 1 datasets" in lines[-1]
