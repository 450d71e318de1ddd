"""Write the statistics of one experiment: CSV for computing, LaTeX for printing."""

from pathlib import Path
from typing import TYPE_CHECKING

from ..latex import write_latex
from ..names import METRICS, PAPER
from ..result_tables import read_runs, write_csv
from .paired_tests import compare_by_dataset, compare_over_datasets
from .summaries import by_dataset, summarise_methods, with_paper
from .win_tie_loss import upper_triangle, win_tie_loss, win_tie_loss_matrix

if TYPE_CHECKING:
    from ..plan.study import Experiment


def compare_methods(
    runs: str, experiment: "Experiment", significance: float, latex: str, **tables: str
) -> None:
    """Write each of `tables` as CSV to its path, and all of them as LaTeX to a folder."""
    table, to_print = read_runs(runs), Path(latex)
    methods, datasets = experiment.methods, experiment.datasets
    summary = summarise_methods(table, methods, datasets)
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
        tests = compare_by_dataset(table, methods, datasets, metric, significance)
        counts = win_tie_loss(tests, methods)
        write_csv(tables[f"tests_{metric}"], tests)
        write_csv(tables[f"win_tie_loss_{metric}"], counts)
        write_latex(
            to_print / f"win_tie_loss_{metric}.tex",
            upper_triangle(win_tie_loss_matrix(counts, methods)),
            f"Datasets on which the row's method is better (+), similar (∼) or worse (−): {words}, "
            f"Wilcoxon signed-rank test at {significance:g}",
        )
    pairs = compare_over_datasets(medians, significance)
    write_csv(tables["pairwise"], pairs)
    write_latex(
        to_print / "pairwise.tex",
        pairs.drop(columns="note"),
        "Pairs of methods over all datasets: Wilcoxon signed-rank test on median test R², adjusted "
        "after Benjamini and Hochberg",
    )
