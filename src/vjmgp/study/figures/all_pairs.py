"""Comparisons of all methods: heat map of pairs and critical-difference diagram."""

from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from ..statistics.critical_difference import CriticalDifference
from .figure_style import BLUE, GREY, ORANGE, WIDTH

BLUE_ORANGE = mpl.colors.LinearSegmentedColormap.from_list("", [ORANGE, "#f7f7f7", BLUE])
NUMBERS_UP_TO = 20
"""With more methods, p-values would be too small to read; the page lists them in a table."""
INK = "#3a434e"


def heat_map(pairs: pd.DataFrame, methods: list[str], level: float) -> Any:
    """Draw the effect of every pair as colour, with adjusted p-values.

    Pairs that do not differ significantly are pale.
    """
    place = {name: k for k, name in enumerate(methods)}
    size = len(methods)
    effect, p = np.full((2, size, size), np.nan)
    for row in pairs.to_dict("records"):
        a, b = place[row["method"]], place[row["versus"]]
        effect[a, b], effect[b, a] = row["rank_biserial"], -row["rank_biserial"]
        p[a, b] = p[b, a] = row["p_adjusted"]
    numbers = np.vectorize(_p_value)(p) if size <= NUMBERS_UP_TO else False
    room = 0.1 * max(0, *(len(name) - 11 for name in methods))  # for long names at the left
    side = min(WIDTH - 1.5 - room, 0.46 * size + 1.8)
    figure, axis = plt.subplots(figsize=(side + 1.4 + room, side), layout="constrained")
    sns.heatmap(
        np.where(p < level, effect, 0.18 * effect), annot=numbers, fmt="",
        annot_kws={"fontsize": 8 if size <= 10 else 6.2}, mask=np.isnan(p), cmap=BLUE_ORANGE,
        vmin=-1, vmax=1, square=True, linewidths=1.5, xticklabels=methods, yticklabels=methods,
        cbar=False, ax=axis,
    )  # fmt: skip
    axis.set_xticks(axis.get_xticks(), methods, rotation=45, ha="right", rotation_mode="anchor")
    axis.set_yticks(axis.get_yticks(), methods, rotation=0)
    axis.tick_params(length=0)
    axis.grid(visible=False)
    bar = figure.colorbar(axis.collections[0], ax=axis, shrink=0.6, ticks=[-1, 0, 1])
    bar.ax.set_yticklabels(["row worse", "even", "row better"])
    bar.outline.set_visible(False)
    return figure


def _p_value(p: float) -> str:
    if np.isnan(p):
        return ""
    return "<.001" if p < 0.001 else f"{p:.3f}".lstrip("0")


def rank_diagram(found: CriticalDifference) -> Any:
    """Draw mean ranks on a line, the best at the left; bars join methods that do not differ."""
    count = len(found.ranks)
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
    for k, (name, rank) in enumerate(found.ranks.items()):
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
