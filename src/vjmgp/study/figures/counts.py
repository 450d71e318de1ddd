"""Who wins where: count charts, and the heat map of all pairs."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.patches import Patch

from ..names import METRICS
from ..scoreboard.claims import Counts, count_claims
from ..statistics.paired import OUTCOMES, SIMILAR
from .style import BLUE, GREY, LIGHT, ORANGE, WIDTH

FILL = dict(zip(OUTCOMES, (BLUE, LIGHT, ORANGE), strict=True))
BLUE_ORANGE = mpl.colors.LinearSegmentedColormap.from_list("", [ORANGE, "#f7f7f7", BLUE])


def papers_counts(
    experiment: str, protocol: str | None, timed: Mapping[str, str] | None = None
) -> dict[tuple[str, str, str], Counts]:
    """The paper's counts by metric and pair, both ways: those of this part, else of any."""
    found: dict[tuple[str, str, str], Counts] = {}
    claims = [claim for claim in count_claims(timed) if claim.protocol == protocol]
    for claim in sorted(claims, key=lambda claim: claim.part != experiment):
        c = claim.counts
        found.setdefault((claim.metric, claim.method, claim.versus), c)
        turned = Counts(c.worse, c.similar, c.better, c.datasets)
        found.setdefault((claim.metric, claim.versus, claim.method), turned)
    return found


def pairs_to_show(methods: list[str]) -> list[tuple[str, str]]:
    """All pairs of a few methods; of many, the first against each other one."""
    pairs = list(itertools.combinations(methods, 2))
    return pairs if len(methods) <= 4 else pairs[: len(methods) - 1]


def count_chart(
    counts: dict[str, pd.DataFrame],
    methods: list[str],
    paper: dict[tuple[str, str, str], Counts],
) -> Any:
    """Bars of better, similar and worse for each pair, ours above the paper's."""
    pairs = pairs_to_show(methods)
    bars: list[tuple[float, str, dict[str, Counts]]] = []
    y = 0.0
    for method, versus in pairs:
        ours = {metric: _ours(table, method, versus) for metric, table in counts.items()}
        bars.append((y, f"{method} : {versus}", ours))
        y += 1.0
        theirs = {m: paper[m, method, versus] for m in counts if (m, method, versus) in paper}
        if theirs:
            bars.append((y - 0.12, "paper", theirs))
            y += 0.88
        y += 0.25
    figure, axes = plt.subplots(
        1, 2, figsize=(WIDTH, 0.27 * y + 1.1), layout="constrained", sharey=True
    )
    for axis, metric in zip(axes, counts, strict=True):
        for at, label, by_metric in bars:
            if metric in by_metric:
                _bar(axis, at, by_metric[metric], label == "paper")
        axis.set(title=METRICS[metric], xlim=(0, 1))
        axis.xaxis.set_major_formatter(lambda x, _: f"{100 * x:.0f} %")
        axis.set_xlabel("share of datasets")
        axis.grid(visible=False)
    axes[0].set_yticks([at for at, _, _ in bars], [label for _, label, _ in bars])
    for text in axes[0].get_yticklabels():
        if text.get_text() == "paper":
            text.set(color=GREY, fontsize=8.5)
    axes[0].set_ylim(y - 0.5, -0.7)
    key = [Patch(color=colour, label=kind) for kind, colour in FILL.items()]
    figure.legend(handles=key, loc="outside upper right", ncols=3, frameon=False)
    return figure


def _ours(table: pd.DataFrame, method: str, versus: str) -> Counts:
    row = table[(table["method"] == method) & (table["versus"] == versus)].iloc[0]
    better, similar, worse = (int(row[kind]) for kind in FILL)
    return Counts(better, similar, worse, better + similar + worse)


def _bar(axis: Any, y: float, counts: Counts, is_paper: bool) -> None:
    similar = counts.similar
    if similar is None:
        similar = counts.datasets - counts.better - counts.worse
    left = 0.0
    for kind, number in zip(FILL, (counts.better, similar, counts.worse), strict=True):
        share = number / max(counts.datasets, 1)
        axis.barh(
            y, share, left=left, height=0.72 if not is_paper else 0.55, color=FILL[kind],
            alpha=0.45 if is_paper else 1.0, linewidth=0,
        )  # fmt: skip
        if share > 0.035:
            dark = kind == SIMILAR or is_paper
            axis.text(
                left + share / 2, y, str(number), ha="center", va="center",
                color="#1d232b" if dark else "white", fontsize=8 if is_paper else 9,
            )  # fmt: skip
        left += share


def heat_map(pairs: pd.DataFrame, methods: list[str], level: float) -> Any:
    """Every pair over all datasets: colour is the effect, numbers are adjusted p-values.

    Pairs that are not significant are pale.
    """
    place = {name: k for k, name in enumerate(methods)}
    size = len(methods)
    effect, p = np.full((2, size, size), np.nan)
    for row in pairs.to_dict("records"):
        a, b = place[row["method"]], place[row["versus"]]
        effect[a, b], effect[b, a] = row["rank_biserial"], -row["rank_biserial"]
        p[a, b] = p[b, a] = row["p_adjusted"]
    side = min(WIDTH - 1.5, 0.46 * size + 1.8)
    figure, axis = plt.subplots(figsize=(side + 1.4, side), layout="constrained")
    sns.heatmap(
        np.where(p < level, effect, 0.18 * effect), annot=np.vectorize(_p_value)(p), fmt="",
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
