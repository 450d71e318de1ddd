"""The critical-difference diagram."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt

from ..statistics.critical_difference import CriticalDifference
from .figure_style import GREY, WIDTH

INK = "#3a434e"


def rank_diagram(found: CriticalDifference) -> Any:
    """Draw mean ranks on a line, the best at the left; bars join methods that do not differ."""
    names = list(found.ranks)
    ranks = list(found.ranks.values())
    count = len(names)
    half = -(-count // 2)
    top = 0.9 + 0.28 * len(found.groups)
    height = top + 0.42 * half + 0.35
    figure, axis = plt.subplots(figsize=(WIDTH, max(0.62 * height + 0.3, 1.8)))
    axis.set(xlim=(1 - 0.42 * (count - 1), count + 0.42 * (count - 1)), ylim=(height, -0.95))
    axis.axis("off")
    axis.plot([1, count], [0, 0], color=INK, lw=1.2)
    for tick in range(1, count + 1):
        axis.plot([tick, tick], [-0.1, 0], color=INK, lw=1.2)
        axis.text(tick, -0.17, str(tick), ha="center", va="bottom", fontsize=9)
    for k, (name, rank) in enumerate(zip(names, ranks, strict=True)):
        left = k < half
        line = top + 0.42 * (k if left else count - 1 - k)
        end = 1 - 0.03 * (count - 1) if left else count + 0.03 * (count - 1)
        axis.plot([rank, rank, end], [0, line, line], color=(INK, GREY)[k % 2], lw=1)
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
              color=INK, lw=1.2)  # fmt: skip
    axis.text(
        (1 + right) / 2, -0.74, f"critical difference {found.difference:.2f}", ha="center",
        va="bottom", fontsize=9,
    )  # fmt: skip
    figure.subplots_adjust(0.01, 0.01, 0.99, 0.99)
    return figure
