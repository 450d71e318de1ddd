"""Draw the figures of one experiment: those that it has data for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from ...files import write_json
from ..names import METRICS, PLAIN, REFERENCE
from ..statistics.ranks import critical_difference
from ..statistics.summaries import by_dataset
from ..tables import read_runs, read_table
from .boxes import MOST_PANELS, size_and_time, test_scores
from .counts import count_chart, heat_map, papers_counts
from .evolution import Curves, evolution_curves, train_against_test
from .overview import rank_diagram, three_panels
from .style import our_style, pens_of, save

if TYPE_CHECKING:
    from ..model import Experiment


def draw_figures(
    experiment: Experiment,
    symbolic: list[str],
    curve_datasets: list[str] | None,
    significance: float,
    runs: str,
    curves: str,
    figures: str,
    **statistics: str,
) -> None:
    """Write each figure as SVG, PDF and PNG, and what they show into `figures.json`."""
    captions: list[dict[str, str]] = []
    tables = {name: read_table(path) for name, path in statistics.items()}
    tables |= {"runs": read_runs(runs), "curves": read_table(curves)}
    found = all_figures(experiment, symbolic, curve_datasets, significance, tables)
    with our_style():
        for name, figure, title, caption in found:
            save(figure, Path(figures) / name)
            captions.append({"name": name, "title": title, "caption": caption})
    write_json(Path(figures) / "figures.json", captions)


def all_figures(
    experiment: Experiment,
    symbolic: list[str],
    curve_datasets: list[str] | None,
    significance: float,
    tables: dict[str, pd.DataFrame],
) -> Iterator[tuple[str, Any, str, str]]:
    """Name, figure, title and caption."""
    pens = pens_of(experiment.methods, (REFERENCE, PLAIN))
    runs = tables["runs"]
    ran = set(runs["method"])
    methods = [name for name in experiment.methods if name in ran]
    datasets = [name for name in experiment.datasets if name in set(runs["dataset"])]
    if len(methods) > 1:
        counts = {metric: tables[f"win_tie_loss_{metric}"] for metric in METRICS}
        paper = papers_counts(experiment.name, experiment.papers_kind, experiment.timed)
        yield (
            "counts", count_chart(counts, methods, paper), "Better, similar, worse",
            f"On how many datasets the first of two methods is better, similar or worse (Wilcoxon "
            f"signed-rank, level {significance:g}, paired by seed); pale: the paper's counts.",
        )  # fmt: skip
    if len(methods) > 2:
        yield (
            "overview", three_panels(runs, methods, datasets, symbolic, pens),
            "Accuracy, size and time",
            "Mean test R², model size and training time over the datasets that all methods have, "
            "with 95 % bootstrap intervals. Symbolic methods have a star.",
        )  # fmt: skip
        pairs = tables["pairwise"]
        if pairs["p_adjusted"].notna().any():
            yield (
                "pairwise", heat_map(pairs, methods, significance), "All pairs of methods",
                "Wilcoxon signed-rank test on median test R² over all datasets. Numbers: p-values "
                "adjusted after Benjamini and Hochberg; colour: rank-biserial correlation, pale "
                f"where p is not below {significance:g}.",
            )  # fmt: skip
        ranks = critical_difference(by_dataset(runs, methods, datasets), significance)
        if ranks is not None:
            yield (
                "ranks", rank_diagram(ranks), "Mean ranks",
                f"Mean rank of median test R² over {ranks.datasets} datasets; Friedman's test: "
                f"p = {ranks.p:.2g}. Methods joined by a bar are not significantly different "
                f"(Nemenyi, level {significance:g}).",
            )  # fmt: skip
    what = "Each panel is a dataset; boxes" if len(datasets) <= MOST_PANELS else "Boxes"
    yield (
        "test_r2", test_scores(runs, methods, datasets, pens), "Test R²",
        f"Test R² of all runs. {what} hold the middle half; far outliers are cut off.",
    )  # fmt: skip
    yield (
        "size_and_time", size_and_time(runs, methods, pens), "Size and time",
        "Model size (nodes of symbolic models; SRBench's conventions for others) and training "
        "time, tuning included, of all runs.",
    )  # fmt: skip
    yield from _curves(runs, tables["curves"], methods, curve_datasets or datasets[:4], pens)


def _curves(
    runs: pd.DataFrame, steps: pd.DataFrame, methods: list[str], datasets: list[str], pens: Any
) -> Iterator[tuple[str, Any, str, str]]:
    evolved = [name for name in methods if name in set(steps["method"])]
    shown = [name for name in datasets if name in set(steps["dataset"])]
    if not evolved or not shown:
        return
    steps = steps[steps["dataset"].isin(shown)]
    # Runs that time ends have any number of generations: half of them get at least this far.
    generations = int(runs.loc[runs["method"].isin(evolved), "generations"].median())
    curves = Curves(steps[steps["generation"] <= generations], generations)
    band = ", the band their middle half" if len(evolved) <= 4 else ""
    yield (
        "curves", evolution_curves(curves, evolved, shown, pens), "Evolution",
        f"The model that would be chosen after each generation. Lines: medians of the runs{band}.",
    )  # fmt: skip
    pair = list(dict.fromkeys([evolved[0], PLAIN if PLAIN in evolved else evolved[-1]]))
    yield (
        "train_test", train_against_test(curves, pair, shown), "Training against test",
        "Training R² (left axis, solid) and test R² (right axis, dashed) of the same models.",
    )  # fmt: skip
