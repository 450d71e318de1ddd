"""All methods at once: the three panels of SRBench, and the critical-difference diagram."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

from ..statistics.effects import bootstrap_beside
from ..statistics.ranks import CriticalDifference
from ..statistics.summaries import by_dataset, common_datasets
from .style import WIDTH, Pen

PANELS = {
    "test_r2": "test R²",
    "size": "model size",
    "cpu_seconds": "training, CPU seconds",
}
"""What the overview shows of the runs."""


def three_panels(
    runs: pd.DataFrame,
    methods: list[str],
    datasets: list[str],
    symbolic: list[str],
    pens: dict[str, Pen],
) -> Any:
    """Test R², model size and CPU time by method, the most accurate first.

    Points are means over datasets of medians over runs. Bars are paired intervals: see
    `bootstrap_beside`; the dotted line is the mean of the first method, which has none.
    """
    scores = common_datasets(by_dataset(runs, methods, datasets))
    reference = scores.columns[0]
    order = scores.mean().sort_values(ascending=False).index.tolist()
    figure, axes = plt.subplots(
        1, 3, figsize=(WIDTH, 0.27 * len(order) + 1.0), layout="constrained", sharey=True
    )
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
                ends = bootstrap_beside(own, other, is_ratio)
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


def log_ticks(axis: Any) -> None:
    """A few plain numbers along a logarithmic x-axis, however much of it there is."""
    low, high = axis.get_xlim()
    decades = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    for steps in ([1.0], [1.0, 3.0], [1.0, 2.0, 5.0], [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0]):
        ticks = np.outer(decades, steps).ravel()
        ticks = ticks[(ticks >= low) & (ticks <= high)]
        if len(ticks) >= 3:
            break
    if len(ticks) < 2:  # so little of it that it is as good as linear
        ticks = np.asarray(MaxNLocator(4, steps=[1, 2, 5, 10]).tick_values(low, high))
        ticks = ticks[(ticks >= low) & (ticks <= high)]
    axis.xaxis.set_major_locator(FixedLocator(ticks[:: -(-len(ticks) // 7)].tolist()))
    axis.xaxis.set_major_formatter(lambda x, _: f"{x:g}" if x < 1e5 else f"1e{np.log10(x):.0f}")
    axis.xaxis.set_minor_locator(NullLocator())


def rank_diagram(found: CriticalDifference) -> Any:
    """Mean ranks on a line, the best at the left; bars join what is not significantly different."""
    names = list(found.ranks)
    ranks = list(found.ranks.values())
    count = len(names)
    half = -(-count // 2)
    top = 0.9 + 0.28 * len(found.groups)
    height = top + 0.42 * half + 0.35
    figure, axis = plt.subplots(figsize=(WIDTH, max(0.62 * height + 0.3, 1.8)))
    axis.set(xlim=(1 - 0.42 * (count - 1), count + 0.42 * (count - 1)), ylim=(height, -0.95))
    axis.axis("off")
    axis.plot([1, count], [0, 0], color="#3a434e", lw=1.2)
    for tick in range(1, count + 1):
        axis.plot([tick, tick], [-0.1, 0], color="#3a434e", lw=1.2)
        axis.text(tick, -0.17, str(tick), ha="center", va="bottom", fontsize=9)
    for k, (name, rank) in enumerate(zip(names, ranks, strict=True)):
        left = k < half
        line = top + 0.42 * (k if left else count - 1 - k)
        end = 1 - 0.03 * (count - 1) if left else count + 0.03 * (count - 1)
        axis.plot([rank, rank, end], [0, line, line], color=GREYS[k % 2], lw=1)
        text = f"{name}  {rank:.2f}" if left else f"{rank:.2f}  {name}"
        axis.text(
            end - 0.01 * count if left else end + 0.01 * count, line, text,
            ha="right" if left else "left", va="center", fontsize=9.5,
        )  # fmt: skip
    for k, group in enumerate(found.groups):
        members = [found.ranks[name] for name in group]
        y = 0.35 + 0.28 * k
        axis.plot(
            [min(members) - 0.02 * count / 4, max(members) + 0.02 * count / 4], [y, y],
            color="black", lw=3.4, solid_capstyle="butt",
        )  # fmt: skip
    right = min(1 + found.difference, count + 0.4 * (count - 1))
    axis.plot([1, 1, 1, right, right, right], [-0.72, -0.58, -0.65, -0.65, -0.72, -0.58],
              color="#3a434e", lw=1.2)  # fmt: skip
    axis.text(
        (1 + right) / 2, -0.74, f"critical difference {found.difference:.2f}", ha="center",
        va="bottom", fontsize=9,
    )  # fmt: skip
    figure.subplots_adjust(0.01, 0.01, 0.99, 0.99)
    return figure


GREYS = ("#3a434e", "#8a939e")
