"""Tables of results in README and docs equal the output of their commands."""

import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from benchmarks import accuracy, pictures, reproduction, sentences, srbench

from vjmgp import load_results
from vjmgp.study.result_tables import read_table

ROOT = Path(__file__).parents[2]
OTHER_COMMANDS = ("|  | clipped |", "| dataset | clipped |", "| reading |")
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
    assert len(tables) == 13
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
    names = [name.strip() for name in first.splitlines()[0].split("|")[1:-1]]
    known = {cells[0]: dict(zip(names, cells, strict=True)) for cells in rows_of(first)}
    shown = rows_of(tables_of("README.md")[0])
    assert len(shown) == 7
    for name, mean, outcomes, size, _ in shown:
        row = known[name.split(",")[0]]
        assert mean == row["mean of medians"]
        assert outcomes == row["VJM distilled better / similar / worse"]
        assert size.removesuffix(" rows").replace(",", "") == row["median size"]


def test_sentences_state_the_figures_of_the_published_runs():
    assert sentences.missing() == []
    assert sentences.unstated() == []


def rows_of(table):
    """Return the cells of a table's rows, without its header."""
    return [[c.strip() for c in line.split("|")[1:-1]] for line in table.splitlines()[2:]]


def test_srbench_page_and_readme_match_their_command(printed):
    output = printed(srbench)
    first, *sentences = output.strip().split("\n\n")
    page = (ROOT / "docs/srbench.md").read_text(encoding="utf-8")
    assert first + "\n\n" in page
    words = " ".join(page.split())
    assert [line for line in sentences if line not in words] == []
    runs = load_results().query("protocol == 'srbench'")
    table = read_table(ROOT / "results/paper/tables/black_box/srbench.csv")
    pd.testing.assert_frame_equal(srbench.compared(runs), table)
    known = {cells[0].strip("*").removesuffix(" 1000 rows"): cells for cells in rows_of(first)}
    shown = next(t for t in tables_of("README.md") if "| mean rank |" in t)
    for name, *values in rows_of(shown):
        about = known[re.match(r"`?([\w -]+)", name).group(1)]
        _, kind, rank, _, _, size, seconds, counts, p = about
        values[2] = values[2].split(", with")[0]
        assert name.endswith(kind)
        assert values == [rank.split()[0], f"{counts}, p = {p}" if p else "", size, seconds]
    pair = r"than (\S+) on (\d+)(?: datasets)? and (?:worse on )?(\d+) \(p = ([\d.]+)\)"
    pairs = re.findall(pair, words)
    assert len(pairs) == 5
    for name, better, worse, p in pairs:
        assert known[name][-2:] == [f"{better} / {worse}", p]


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
