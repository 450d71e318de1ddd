"""Names that code, configs, tables and pages share: methods, metrics, columns."""

REFERENCE, PLAIN = "VJM", "Standard GP"
"""The two methods with fixed styles in figures, whose models are shown side by side."""
METRICS = {"test_r2": "test R²", "train_r2": "training R²"}
"""Columns of the table of runs that methods are compared on, in words."""
IN_THE_PAPER = " in the paper"
"""The ending of columns with the paper's medians."""
NOISE_TIMES = {"seconds": "noise_seconds", "cpu_seconds": "noise_cpu_seconds"}
"""The times of a noise estimate: names in its file, and in the record of a run."""
WALL_TIMES = ["seconds", "cpu_seconds", *NOISE_TIMES.values()]
"""The only columns that differ if a study is repeated."""
ALL_TIMES = [*WALL_TIMES, "median_cpu_seconds", "mean_cpu_seconds"]
"""The columns of times in all tables."""
PAPER, LABEL_NOISE = "paper", "label_noise"
"""The paper's two protocols."""
SRBENCH = "srbench"
"""SRBench's protocol."""
ONE_FORMULA, MANY_FORMULAS, NO_FORMULA = "one formula", "many formulas", "no formula"
"""The kinds of models."""
NAME_COLUMNS = ["dataset", "method", "versus", "protocol", "part", "claim", "note", "error", "file"]
"""Columns of text that may begin with a name from a config."""
