"""The command that prints the README's accuracy table, on made-up runs."""

import sys

import numpy as np
import pandas as pd
import pytest
from benchmarks import accuracy

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


def test_accuracy_prints_a_markdown_table(runs, tmp_path, monkeypatch, capsys):
    path = tmp_path / "runs.csv"
    runs.to_csv(path, index=False)
    monkeypatch.setattr(sys, "argv", ["accuracy", str(path)])
    accuracy.main()
    lines = capsys.readouterr().out.splitlines()
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
