"""All methods at once: the three panels of SRBench, and the critical-difference diagram."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..statistics.effects import resamples
from ..statistics.ranks import CriticalDifference
from ..statistics.summaries import by_dataset, common_datasets
from .boxes import log_ticks
from .style import WIDTH, Pen

Floats = NDArray[np.float64]


def three_panels(
    runs: pd.DataFrame,
    methods: list[str],
    datasets: list[str],
    symbolic: list[str],
    pens: dict[str, Pen],
) -> Any:
    """Test R², model size and training time by method, the most accurate first.

    Points are over datasets: the mean of their median R², the median of their median sizes and
    times. Bars are 95 % bootstrap intervals over the datasets. Symbolic methods have a star.
    """
    scores = common_datasets(by_dataset(runs, methods, datasets))
    scores = scores.dropna(axis=1, how="all")
    order = scores.mean().sort_values(ascending=False).index.tolist()
    panels: tuple[tuple[str, str, Any], ...] = (
        ("test_r2", "test R², mean", np.mean),
        ("size", "model size", np.median),
        ("seconds", "training time, s", np.median),
    )
    figure, axes = plt.subplots(
        1, 3, figsize=(WIDTH, 0.27 * len(order) + 1.0), layout="constrained", sharey=True
    )
    for axis, (value, label, how) in zip(axes, panels, strict=True):
        table = by_dataset(runs, order, list(scores.index), value)
        if value != "test_r2":
            axis.set_xscale("log")
        for y, name in enumerate(order):
            values = table[name].dropna().to_numpy()
            values = values if value == "test_r2" else values[values > 0]
            if not len(values):
                continue
            low, high = np.quantile(how(values[resamples(len(values))], axis=1), [0.025, 0.975])
            colour = pens[name].colour if name in symbolic else "#6b7580"
            axis.plot([low, high], [y, y], color=colour, lw=2, solid_capstyle="round")
            axis.plot(
                how(values), y, "*" if name in symbolic else "o", color=colour,
                ms=10 if name in symbolic else 6,
            )  # fmt: skip
        if value != "test_r2":
            log_ticks(axis)
        axis.set_xlabel(label)
        axis.grid(visible=True, axis="both")
    axes[0].set_yticks(
        range(len(order)), [f"{name} *" if name in symbolic else name for name in order]
    )
    axes[0].set_ylim(len(order) - 0.4, -0.6)
    return figure


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
