"""Box plots of test R² by dataset."""

from __future__ import annotations

import warnings
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns

from ..statistics.summaries import by_dataset
from .style import WIDTH, Pen

MOST_PANELS = 12
"""With more datasets, boxes show their medians in one panel."""


def test_scores(
    runs: pd.DataFrame, methods: list[str], datasets: list[str], pens: dict[str, Pen]
) -> Any:
    """Test R² by method: a panel for each dataset, or one for the medians of many."""
    if len(datasets) > MOST_PANELS:
        return _medians_of_many(runs, methods, datasets, pens)
    columns = min(3, len(datasets))
    lines = -(-len(datasets) // columns)
    height = lines * (0.24 * len(methods) + 0.65)
    figure, axes = plt.subplots(
        lines, columns, figsize=(WIDTH, height), squeeze=False, layout="constrained"
    )
    for axis in axes.flat[len(datasets) :]:
        axis.set_visible(False)
    for number, (axis, dataset) in enumerate(zip(axes.flat, datasets, strict=False)):
        part = runs[runs["dataset"] == dataset]
        boxes(axis, part, "test_r2", methods, pens)
        axis.set_xlim(*_limits(part["test_r2"]))
        axis.set(title=dataset, xlabel="test R²" if number >= len(datasets) - columns else "")
        if number % columns:
            axis.set_yticklabels([])
    return figure


def _medians_of_many(
    runs: pd.DataFrame, methods: list[str], datasets: list[str], pens: dict[str, Pen]
) -> Any:
    medians = by_dataset(runs, methods, datasets)
    figure, axis = plt.subplots(figsize=(WIDTH, 0.3 * len(methods) + 0.9), layout="constrained")
    table = medians[methods].melt(var_name="method", value_name="median").dropna()
    boxes(axis, table, "median", methods, pens)
    axis.set_xlim(*_limits(table["median"]))
    axis.set_xlabel(f"median test R² on each of {len(datasets)} datasets")
    return figure


def boxes(
    axis: Any, table: pd.DataFrame, value: str, methods: list[str], pens: dict[str, Pen]
) -> None:
    """Horizontal boxes: quartiles, whiskers to the last value within 1.5 boxes, outliers beyond."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "vert: bool was deprecated")  # by seaborn's own call
        sns.boxplot(
            table[["method", value]].astype({value: float}), x=value, y="method", order=methods,
            hue="method", hue_order=methods, palette={name: pens[name].colour for name in methods},
            saturation=0.85, linewidth=0.8, linecolor="#3a434e", width=0.64, legend=False, ax=axis,
            medianprops={"color": "black", "linewidth": 1.6},
            flierprops={"marker": "o", "markersize": 1.6, "markerfacecolor": "#6b7580", "mew": 0},
        )  # fmt: skip
    axis.set(ylabel="", xlabel="", ylim=(len(methods) - 0.4, -0.6))


def _limits(values: Any) -> tuple[float, float]:
    """From nearly the lowest value to the highest: a few disasters would hide the rest."""
    if not len(values):
        return 0.0, 1.0
    low, high = float(values.quantile(0.02)), float(values.max())
    margin = 0.05 * max(high - low, 0.01)
    return max(low - margin, -1.0 if high > -1.0 else low), high + margin
