"""Box plots of test R² by dataset, and of size and time."""

import warnings
from typing import Any

import pandas as pd
import seaborn as sns

from ..statistics.summaries import by_dataset
from .figure_style import Pen, log_ticks, panels
from .overview_panels import PANELS

MOST_PANELS = 12
"""With more datasets, one panel shows their medians."""


def score_boxes(
    runs: pd.DataFrame, methods: list[str], datasets: list[str], pens: dict[str, Pen]
) -> Any:
    """Draw test R² by method: a panel for each dataset, or one for the medians of many."""
    if len(datasets) > MOST_PANELS:
        return _medians_of_many(runs, methods, datasets, pens)
    columns = min(3, len(datasets))
    lines = -(-len(datasets) // columns)
    height = lines * (0.24 * len(methods) + 0.65)
    figure, axes = panels(lines, columns, height, squeeze=False)
    for axis in axes.flat[len(datasets) :]:
        axis.set_visible(False)
    for number, (axis, dataset) in enumerate(zip(axes.flat, datasets, strict=False)):
        part = runs[runs["dataset"] == dataset]
        draw_boxes(axis, part, "test_r2", methods, pens)
        axis.set_xlim(*_limits(part["test_r2"]))
        axis.set(title=dataset, xlabel="test R²" if number >= len(datasets) - columns else "")
        if number % columns:
            axis.set_yticklabels([])
    return figure


def _medians_of_many(
    runs: pd.DataFrame, methods: list[str], datasets: list[str], pens: dict[str, Pen]
) -> Any:
    figure, axis = panels(1, 1, 0.3 * len(methods) + 0.9)
    medians = by_dataset(runs, methods, datasets)
    table = medians.melt(var_name="method", value_name="median").dropna()
    draw_boxes(axis, table, "median", methods, pens)
    axis.set_xlim(*_limits(table["median"]))
    axis.set_xlabel(f"median test R² on each of {len(datasets)} datasets")
    return figure


def size_and_time_boxes(runs: pd.DataFrame, methods: list[str], pens: dict[str, Pen]) -> Any:
    """Draw the sizes and CPU times of all runs by method, on logarithmic axes."""
    figure, axes = panels(1, 2, 0.3 * len(methods) + 0.9, sharey=True)
    for axis, value in zip(axes, ("size", "cpu_seconds"), strict=True):
        shown = runs[runs[value] > 0]
        ends = shown[value].min() / 1.3, shown[value].max() * 1.3
        axis.set(xscale="log", xlim=ends if len(shown) else None)
        draw_boxes(axis, shown, value, methods, pens)
        log_ticks(axis)
        axis.set_xlabel(PANELS[value])
    return figure


def draw_boxes(
    axis: Any, table: pd.DataFrame, value: str, methods: list[str], pens: dict[str, Pen]
) -> None:
    """Draw horizontal boxes with whiskers of at most 1.5 boxes, and outliers beyond."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "vert: bool was deprecated")  # in seaborn
        sns.boxplot(
            table[["method", value]].astype({value: float}), x=value, y="method", order=methods,
            hue="method", hue_order=methods, palette={name: pens[name].colour for name in methods},
            saturation=0.85, linewidth=0.8, linecolor="#3a434e", width=0.64, legend=False, ax=axis,
            medianprops={"color": "black", "linewidth": 1.6},
            flierprops={"marker": "o", "markersize": 1.6, "markerfacecolor": "#6b7580", "mew": 0},
        )  # fmt: skip
    axis.set(ylabel="", xlabel="", ylim=(len(methods) - 0.4, -0.6))


def _limits(values: Any) -> tuple[float, float]:
    """Return limits that leave out the lowest values, which would hide the rest."""
    if not len(values):
        return 0.0, 1.0
    low, high = float(values.quantile(0.02)), float(values.max())
    margin = 0.05 * max(high - low, 0.01)
    return max(low - margin, -1.0 if high > -1.0 else low), high + margin
