"""All methods at once, in three panels as in SRBench: accuracy, size and time."""

from typing import Any

import pandas as pd

from ..statistics.effect_sizes import paired_mean_interval
from ..statistics.summaries import by_dataset, common_datasets
from .figure_style import Pen, log_ticks, panels

PANELS = {"test_r2": "test R²", "size": "model size", "cpu_seconds": "training, CPU seconds"}
"""Columns of the table of runs, and their labels."""


def three_panels(
    runs: pd.DataFrame,
    methods: list[str],
    datasets: list[str],
    symbolic: list[str],
    pens: dict[str, Pen],
) -> Any:
    """Draw test R², model size and CPU time by method, the most accurate first.

    Points are means over datasets of medians over runs. Bars are intervals of
    `paired_mean_interval` around the mean of the first method, which is a dotted line.
    """
    scores = common_datasets(by_dataset(runs, methods, datasets))
    reference = scores.columns[0]
    order = scores.mean().sort_values(ascending=False).index.tolist()
    figure, axes = panels(1, 3, 0.27 * len(order) + 1.0, sharey=True)
    for axis, (value, label) in zip(axes, PANELS.items(), strict=True):
        is_ratio = value != "test_r2"
        if is_ratio:
            axis.set_xscale("log")
        table = by_dataset(runs, order, list(scores.index), value)
        for y, name in enumerate(order):
            colour = pens[name].colour if name in symbolic else "#6b7580"
            own, other = table[[name, reference]].dropna().to_numpy().T
            if not len(own) or (is_ratio and min(own.mean(), other.mean()) <= 0.0):
                continue
            if name == reference:
                axis.axvline(own.mean(), color=colour, lw=1.2, ls=":", zorder=1)
            else:
                ends = paired_mean_interval(own, other, is_ratio)
                axis.plot(ends, [y, y], color=colour, lw=2, solid_capstyle="round")
            axis.plot(
                own.mean(), y, "*" if name in symbolic else "o", color=colour,
                ms=10 if name in symbolic else 6,
            )  # fmt: skip
        if is_ratio:
            log_ticks(axis)
        axis.set_xlabel(label)
        axis.grid(visible=True, axis="both")
    axes[0].set_yticks(
        range(len(order)), [f"{name} *" if name in symbolic else name for name in order]
    )
    axes[0].set_ylim(len(order) - 0.4, -0.6)
    return figure
