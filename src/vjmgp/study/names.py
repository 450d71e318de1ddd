"""Names that code, configs, tables and pages share: methods, metrics, columns."""

from __future__ import annotations

REFERENCE, PLAIN = "VJM", "Standard GP"
"""The two that look the same in every figure and whose models stand side by side."""
METRICS = {"test_r2": "test R²", "train_r2": "training R²"}
"""Columns of the table of runs that methods are compared by, in words."""
IN_THE_PAPER = " in the paper"
"""Ends the names of columns that hold the paper's medians, each beside its method's."""
NOISE_TIMES = {"seconds": "noise_seconds", "cpu_seconds": "noise_cpu_seconds"}
"""The times of a noise estimate, by their names in its file, as a run's record has them."""
WALL_TIMES = ["seconds", "cpu_seconds", *NOISE_TIMES.values()]
"""The only columns that differ between two runs of the same study."""
ALL_TIMES = [*WALL_TIMES, "median_cpu_seconds", "mean_cpu_seconds"]
"""And what tables make of them."""
PAPER, LABEL_NOISE = "paper", "label_noise"
"""The paper's two protocols."""
SRBENCH = "srbench"
"""SRBench's protocol."""
ONE_FORMULA, MANY_FORMULAS, NO_FORMULA = "one formula", "many formulas", "no formula"
"""What models are."""
NAME_COLUMNS = ["dataset", "method", "versus", "protocol", "part", "claim", "note", "error", "file"]
"""Columns of text that may begin with a name from a config."""
