"""The heat map of all pairs of methods."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from .figure_style import BLUE, ORANGE, WIDTH

BLUE_ORANGE = mpl.colors.LinearSegmentedColormap.from_list("", [ORANGE, "#f7f7f7", BLUE])
NUMBERS_UP_TO = 20
"""With more methods, p-values would be too small to read; the page lists them in a table."""


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
    side = min(WIDTH - 1.5, 0.46 * size + 1.8)
    figure, axis = plt.subplots(figsize=(side + 1.4, side), layout="constrained")
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
