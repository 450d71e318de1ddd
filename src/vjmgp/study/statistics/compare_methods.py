"""The statistics of one experiment, as files: CSV to compute with, LaTeX to print."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from ..latex import write_latex
from ..names import METRICS, PAPER
from ..result_tables import read_runs, write_csv
from .counts import counts_of, matrix_of
from .paired import paired_tests
from .pairwise import pairwise_tests
from .summaries import by_dataset, summary_of, with_paper

if TYPE_CHECKING:
    from ..plan.study import Experiment


def compare_methods(
    runs: str, experiment: Experiment, significance: float, latex: str, **tables: str
) -> None:
    """Write an experiment's statistics: `tables` by their names, and all of them as LaTeX."""
    table, to_print = read_runs(runs), Path(latex)
    methods, datasets = experiment.methods, experiment.datasets
    summary = summary_of(table, methods, datasets)
    write_csv(tables["summary"], summary)
    write_latex(
        to_print / "summary.tex",
        summary[["method", "mean_test_r2", "mean_of_median_test_r2", "mean_rank", "median_train_r2",
                 "median_size", "median_cpu_seconds", "runs"]],
        "Methods over all datasets",
        digits={"mean_rank": 2, "median_size": 0, "median_cpu_seconds": 2},
    )  # fmt: skip
    medians = by_dataset(table, methods, datasets)
    found = {
        "medians": with_paper(medians) if experiment.papers_kind == PAPER else medians,
        "means": by_dataset(table, methods, datasets, how="mean"),
    }
    for name, values in found.items():
        write_csv(tables[name], values.reset_index())
        write_latex(
            to_print / f"{name}.tex",
            values.reset_index(),
            f"{name.capitalize()} of test R² by dataset",
            best=methods,
        )
    for metric, words in METRICS.items():
        tests = paired_tests(table, methods, datasets, metric, significance)
        counts = counts_of(tests, methods)
        write_csv(tables[f"tests_{metric}"], tests)
        write_csv(tables[f"win_tie_loss_{metric}"], counts)
        write_latex(
            to_print / f"win_tie_loss_{metric}.tex",
            upper_triangle(matrix_of(counts, methods)),
            f"Datasets on which the row's method is better (+), similar (∼) or worse (−): {words}, "
            f"Wilcoxon signed-rank test at {significance:g}",
        )
    pairs = pairwise_tests(medians, significance)
    write_csv(tables["pairwise"], pairs)
    write_latex(
        to_print / "pairwise.tex",
        pairs.drop(columns="note"),
        "Pairs of methods over all datasets: Wilcoxon signed-rank test on median test R², adjusted "
        "after Benjamini and Hochberg",
    )


def upper_triangle(matrix: pd.DataFrame) -> pd.DataFrame:
    """The matrix as the paper prints it: each pair once, with signs."""
    methods = list(matrix["method"])
    table = matrix[["method", *methods[1:]]].iloc[:-1].copy()
    for row, method in enumerate(methods[:-1]):
        for column, other in enumerate(methods[1:]):
            better, _, rest = str(matrix.loc[row, other]).partition("/")
            similar, _, worse = rest.partition("/")
            text = f"{better}(+)/{similar}(∼)/{worse}(−)" if column >= row else ""
            table.loc[table["method"] == method, other] = text
    return table
