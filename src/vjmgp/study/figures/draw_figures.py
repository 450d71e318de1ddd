"""Draw the figures of one experiment: those that it has data for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from ...core.files import write_json
from ..names import PLAIN, REFERENCE
from ..result_tables import present, read_runs, read_table
from ..statistics.ranks import critical_difference
from ..statistics.summaries import by_dataset, common_datasets
from .boxes import MOST_PANELS, test_scores
from .evolution_curves import Curves, evolution_curves
from .heat_map import NUMBERS_UP_TO, heat_map
from .overview import rank_diagram, three_panels
from .style import our_style, pens_of, save

if TYPE_CHECKING:
    from ..plan.study import Experiment

OVERVIEW = (
    "Points: the mean over the datasets that all methods have ({}) of the median over runs. "
    "Bars: 95 % bootstrap intervals over these datasets of the difference from {} (of size and "
    "time, of the ratio), drawn from its mean, the dotted line: a bar that misses the line is a "
    "clear difference. Size counts nodes; for models that are no formulas, by SRBench's "
    "conventions. Time is CPU time of one core, with tuning and with the noise estimate of "
    "methods that use it, as VJM does. Symbolic methods have a star."
)
"""What the figure of that name shows."""


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
    methods = present(experiment.methods, runs["method"])
    datasets = present(experiment.datasets, runs["dataset"])
    medians = by_dataset(runs, methods, datasets)
    common = common_datasets(medians)
    left_out = [name for name in methods if name not in common]
    if common.shape[1] > 1 and len(common):
        yield (
            "overview", three_panels(runs, methods, datasets, symbolic, pens),
            "Accuracy, size and time", _about_overview(common, left_out),
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
        "test_r2", test_scores(runs, methods, datasets, pens), "Test R²",
        f"{what} hold the middle half; far outliers are cut off.",
    )  # fmt: skip
    yield from _curves(runs, tables["curves"], methods, curve_datasets or datasets[:4], pens)


def _about_overview(common: pd.DataFrame, left_out: list[str]) -> str:
    text = OVERVIEW.format(len(common), common.columns[0])
    few = f" Run on too few datasets to be shown: {', '.join(left_out)}."
    return text + few * bool(left_out)


def _curves(
    runs: pd.DataFrame, steps: pd.DataFrame, methods: list[str], datasets: list[str], pens: Any
) -> Iterator[tuple[str, Any, str, str]]:
    evolved, shown = present(methods, steps["method"]), present(datasets, steps["dataset"])
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
