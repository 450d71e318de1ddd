"""Draw the figures of one experiment that it has data for."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from ...core.files import write_json
from ..names import PLAIN, REFERENCE
from ..result_tables import present, read_runs, read_table
from ..statistics.critical_difference import critical_difference
from ..statistics.effect_sizes import COVERAGE
from ..statistics.fewest_pairs import fewest_pairs
from ..statistics.summaries import by_dataset, common_datasets
from .all_pairs import NUMBERS_UP_TO, heat_map, rank_diagram
from .box_plots import MOST_PANELS, score_boxes, size_and_time_boxes
from .evolution_curves import BANDS_UP_TO, evolution_curves
from .figure_style import pens_of, save_figure, study_style
from .overview_panels import three_panels

if TYPE_CHECKING:
    from ..plan.study import Experiment

OVERVIEW = (
    "Points: the mean over the datasets that all methods have ({}) of the median over runs. "
    "Bars: 95 % bootstrap intervals over these datasets of the difference from {} (for size and "
    "time, of the ratio), drawn around its mean, the dotted line; {}. Size counts nodes, or "
    "follows SRBench's conventions for models that are not formulas. Time is CPU time of one core, "
    "including tuning and, for methods that use it such as VJM, the noise estimate. Symbolic "
    "methods have a star."
)
"""Caption of the figure "overview"."""
MISSES = "a bar that misses the line is a difference over all datasets together, not on single ones"
TOO_FEW_DATASETS = "over so few datasets they tell no clear difference"
"""What bars mean that miss the line, if there are enough datasets, and if not."""


def draw_figures(
    experiment: "Experiment",
    symbolic: list[str],
    curve_datasets: list[str] | None,
    significance: float,
    runs: str,
    curves: str,
    figures: str,
    **statistics: str,
) -> None:
    """Write each figure as SVG, PDF and PNG, and all captions to `figures.json`."""
    captions: list[dict[str, str]] = []
    tables = {name: read_table(path) for name, path in statistics.items()}
    tables |= {"runs": read_runs(runs), "curves": read_table(curves)}
    found = all_figures(experiment, symbolic, curve_datasets, significance, tables)
    with study_style():
        for name, figure, title, caption in found:
            save_figure(figure, Path(figures) / name)
            captions.append({"name": name, "title": title, "caption": caption})
    write_json(Path(figures) / "figures.json", captions)


def all_figures(
    experiment: "Experiment",
    symbolic: list[str],
    curve_datasets: list[str] | None,
    significance: float,
    tables: dict[str, pd.DataFrame],
) -> Iterator[tuple[str, Any, str, str]]:
    """Yield name, figure, title and caption of each figure."""
    pens = pens_of(experiment.methods, (REFERENCE, PLAIN))
    runs = tables["runs"]
    methods = present(experiment.methods, runs["method"])
    datasets = present(experiment.datasets, runs["dataset"])
    medians = by_dataset(runs, methods, datasets)
    common = common_datasets(medians)
    left_out = [name for name in methods if name not in common]
    if common.shape[1] > 1 and len(common):
        few = f" Run on too few datasets to be shown: {', '.join(left_out)}." * bool(left_out)
        words = MISSES if len(common) >= fewest_pairs(1.0 - COVERAGE) else TOO_FEW_DATASETS
        yield (
            "overview", three_panels(runs, methods, datasets, symbolic, pens),
            "Accuracy, size and time", OVERVIEW.format(len(common), common.columns[0], words) + few,
        )  # fmt: skip
    if len(methods) > 2:
        pairs = tables["pairwise"]
        if pairs["p_adjusted"].notna().any():
            numbers = "Numbers: p-values" if len(methods) <= NUMBERS_UP_TO else "p-values are"
            yield (
                "pairwise", heat_map(pairs, methods, significance), "All pairs of methods",
                f"Wilcoxon signed-rank test on median test R² over all datasets. {numbers} "
                "adjusted after Benjamini and Hochberg; colour: rank-biserial correlation, pale "
                f"where p is not below {significance:g}.",
            )  # fmt: skip
        ranks = critical_difference(medians, significance)
        if ranks is not None:
            yield (
                "ranks", rank_diagram(ranks), "Mean ranks",
                f"Mean rank of median test R² over {ranks.datasets} datasets; Friedman's test: "
                f"p = {ranks.p:.2g}. Methods joined by a bar are not significantly different "
                f"(Nemenyi, level {significance:g}).",
            )  # fmt: skip
    what = "Test R² of all runs. Each panel is a dataset; boxes"
    if len(datasets) > MOST_PANELS:
        what = f"Median test R² on each of {len(datasets)} datasets. Boxes"
    yield (
        "test_r2", score_boxes(runs, methods, datasets, pens), "Test R²",
        f"{what} hold the middle half; far outliers are cut off.",
    )  # fmt: skip
    yield (
        "size_and_time", size_and_time_boxes(runs, methods, pens), "Model size and time",
        "All runs on all datasets; boxes hold the middle half, logarithmic axes.",
    )  # fmt: skip
    yield from _curves(runs, tables["curves"], methods, curve_datasets or datasets[:4], pens)


def _curves(
    runs: pd.DataFrame, steps: pd.DataFrame, methods: list[str], datasets: list[str], pens: Any
) -> Iterator[tuple[str, Any, str, str]]:
    evolved, shown = present(methods, steps["method"]), present(datasets, steps["dataset"])
    if not evolved or not shown:
        return
    steps = steps[steps["dataset"].isin(shown)]
    # Runs that end by time differ in length; half of them reach this generation.
    generations = int(runs.loc[runs["method"].isin(evolved), "generations"].median())
    steps = steps[steps["generation"] <= generations]
    band = ", the band their middle half" if len(evolved) <= BANDS_UP_TO else ""
    yield (
        "curves", evolution_curves(steps, generations, evolved, shown, pens), "Evolution",
        f"The model that would be chosen after each generation. Lines: medians of the runs{band}.",
    )  # fmt: skip
