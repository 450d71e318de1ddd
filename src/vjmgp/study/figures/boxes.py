"""Box plots: test R² by dataset, model size and training time."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.ticker import FixedLocator, NullLocator
from numpy.typing import NDArray

from ..statistics.summaries import by_dataset
from .style import WIDTH, Pen

MOST_PANELS = 12
"""With more datasets, boxes show their medians in one panel."""
HALF = 0.32
"""Of a box's width."""


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
        axis.set_xlim(*_limits(part["test_r2"]))
        boxes(axis, _groups(part, "test_r2", methods), methods, pens)
        axis.set(title=dataset, xlabel="test R²" if number >= len(datasets) - columns else "")
        if number % columns:
            axis.set_yticklabels([])
    return figure


def _medians_of_many(
    runs: pd.DataFrame, methods: list[str], datasets: list[str], pens: dict[str, Pen]
) -> Any:
    medians = by_dataset(runs, methods, datasets)
    figure, axis = plt.subplots(figsize=(WIDTH, 0.3 * len(methods) + 0.9), layout="constrained")
    groups = [medians[name].dropna().to_numpy() for name in methods]
    axis.set_xlim(*_limits(pd.concat([medians[name].dropna() for name in methods])))
    boxes(axis, groups, methods, pens)
    axis.set_xlabel(f"median test R² on each of {len(datasets)} datasets")
    return figure


def size_and_time(runs: pd.DataFrame, methods: list[str], pens: dict[str, Pen]) -> Any:
    """Model size and training time by method, over all datasets, on logarithmic axes."""
    figure, axes = plt.subplots(
        1, 2, figsize=(WIDTH, 0.28 * len(methods) + 0.9), layout="constrained"
    )
    panels = (("size", "model size"), ("seconds", "training time, s"))
    for k, (axis, (value, label)) in enumerate(zip(axes, panels, strict=True)):
        axis.set_xscale("log")
        shown = runs[runs[value] > 0]
        if len(shown):
            axis.set_xlim(0.8 * shown[value].min(), 1.25 * shown[value].max())
        boxes(axis, _groups(shown, value, methods), methods, pens)
        log_ticks(axis)
        axis.set_xlabel(label)
        if k:
            axis.set_yticklabels([])
    return figure


def log_ticks(axis: Any) -> None:
    """A few plain numbers along a logarithmic x-axis, however much of it there is."""
    low, high = axis.get_xlim()
    decades = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    for steps in ([1.0], [1.0, 3.0], [1.0, 2.0, 5.0], [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0]):
        ticks = np.outer(decades, steps).ravel()
        ticks = ticks[(ticks >= low) & (ticks <= high)]
        if len(ticks) >= 3:
            break
    axis.xaxis.set_major_locator(FixedLocator(ticks[:: -(-len(ticks) // 7)].tolist()))
    axis.xaxis.set_major_formatter(lambda x, _: f"{x:g}" if x < 1e5 else f"1e{np.log10(x):.0f}")
    axis.xaxis.set_minor_locator(NullLocator())


def boxes(
    axis: Any, groups: list[NDArray[np.float64]], methods: list[str], pens: dict[str, Pen]
) -> None:
    """Horizontal boxes: quartiles, whiskers to the last value within 1.5 boxes, outliers beyond.

    The axis has its limits already.

    A few collections in place of seven artists per box, which take seconds where there are many.
    """
    axis.set_yticks(range(len(methods)), methods)
    axis.set_ylim(len(methods) - 0.4, -0.6)
    bodies, colours, far_x, far_y = [], [], [], []
    lines: list[Any] = []
    middles: list[Any] = []
    for y, (values, name) in enumerate(zip(groups, methods, strict=True)):
        if not len(values):
            continue
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
        reach = 1.5 * (high - low)
        inside = values[(values >= low - reach) & (values <= high + reach)]
        least, most = inside.min(), inside.max()
        bodies.append([(low, y - HALF), (high, y - HALF), (high, y + HALF), (low, y + HALF)])
        colours.append(pens[name].colour)
        lines += [[(least, y), (low, y)], [(high, y), (most, y)]]
        lines += [[(x, y - HALF / 2), (x, y + HALF / 2)] for x in (least, most)]
        middles.append([(middle, y - HALF), (middle, y + HALF)])
        outside = values[(values < least) | (values > most)]
        far_x.append(outside)
        far_y.append(np.full(len(outside), y))
    axis.add_collection(LineCollection(lines, colors="#4d5660", linewidths=0.8))
    axis.add_collection(
        PolyCollection(bodies, facecolors=colours, edgecolors="#3a434e", linewidths=0.7, alpha=0.85)
    )
    axis.add_collection(LineCollection(middles, colors="black", linewidths=1.6))
    if far_x:
        axis.plot(np.concatenate(far_x), np.concatenate(far_y), "o", ms=1.6, color="#6b7580", mew=0)


def _groups(runs: pd.DataFrame, value: str, methods: list[str]) -> list[NDArray[np.float64]]:
    parts = {name: part.to_numpy(dtype=np.float64) for name, part in runs.groupby("method")[value]}
    none = np.array([])
    return [values[np.isfinite(values)] for values in (parts.get(name, none) for name in methods)]


def _limits(values: Any) -> tuple[float, float]:
    """From nearly the lowest value to the highest: a few disasters would hide the rest."""
    if not len(values):
        return 0.0, 1.0
    low, high = float(values.quantile(0.02)), float(values.max())
    margin = 0.05 * max(high - low, 0.01)
    return max(low - margin, -1.0 if high > -1.0 else low), high + margin
