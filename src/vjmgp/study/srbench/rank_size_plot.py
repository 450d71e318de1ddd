"""Plot accuracy against size, with a labelled point for each method."""

from typing import Any

import pandas as pd
from matplotlib.transforms import Bbox

from ..figures.figure_style import BLUE, GREEN, GREY, ORANGE, log_ticks, panels
from ..names import MANY_FORMULAS, NO_FORMULA, ONE_FORMULA
from .mean_ranks import OURS

HEIGHT = 5.6
MARKS = {
    ONE_FORMULA: ("o", GREEN, 46),
    MANY_FORMULAS: ("D", ORANGE, 40),
    NO_FORMULA: ("s", GREY, 34),
}
"""Marker, colour and size of each kind of model."""
OUR_MARK = ("*", BLUE, 190)
PLACES = (
    *((8, 0, "left"), (-8, 0, "right"), (0, 10, "center"), (0, -10, "center")),
    *((6, 9, "left"), (6, -9, "left"), (-6, 9, "right"), (-6, -9, "right")),
    *((8, 16, "left"), (8, -16, "left"), (-8, 16, "right"), (-8, -16, "right")),
)
"""Possible places of a name: offset to the right and upwards in points, and alignment."""
RADIUS = 6
"""Radius of a mark in pixels."""


def rank_against_size(table: pd.DataFrame) -> Any:
    """Plot mean rank of test R², the best at the top, against median size."""
    table = table.dropna(subset="median_size")
    figure, axis = panels(1, 1, HEIGHT)
    groups = table["kind"].where(table["source"] != OURS, OURS)
    marks: dict[str, tuple[str, str, int]] = {**MARKS, OURS: OUR_MARK}
    for group, (marker, colour, area) in marks.items():
        part = table[groups == group]
        if not len(part):
            continue
        ends = part["rank_low"], part["rank_high"]
        axis.vlines(part["median_size"], *ends, color=colour, alpha=0.3)
        axis.scatter(
            part["median_size"], part["mean_rank"], marker=marker, color=colour, s=area,
            label=group, zorder=4 if group == OURS else 3,
        )  # fmt: skip
    axis.set_xscale("log")
    log_ticks(axis)
    axis.invert_yaxis()
    axis.margins(x=0.13)  # room for names on the left
    axis.set(xlabel="model size, median", ylabel="mean rank of test R²")
    axis.grid(visible=True, axis="both")
    figure.legend(loc="outside upper left", ncols=4, frameon=False)
    figure.draw_without_rendering()  # places of names depend on the final layout
    _write_names(axis, table)
    return figure


def _write_names(axis: Any, table: pd.DataFrame) -> None:
    """Write a name beside each mark, ours first, where it overlaps least."""
    rows = table.assign(is_ours=table["source"] == OURS).sort_values(
        "is_ours", ascending=False, kind="stable"
    )
    points = axis.transData.transform(rows[["median_size", "mean_rank"]].to_numpy())
    taken = [Bbox.from_extents(*(point - RADIUS), *(point + RADIUS)) for point in points]
    for _, row in rows.iterrows():
        texts = [_name(axis, row, *place) for place in PLACES]
        boxes = [text.get_window_extent() for text in texts]
        outside = [4 - int(axis.bbox.count_contains(box.corners())) for box in boxes]
        clashes = [b.count_overlaps(taken) + out for b, out in zip(boxes, outside, strict=True)]
        best = clashes.index(min(clashes))
        taken.append(boxes[best])
        for k, text in enumerate(texts):
            if k != best:
                text.remove()


def _name(axis: Any, row: Any, right: int, up: int, side: str) -> Any:
    ours = row["source"] == OURS
    return axis.annotate(
        row["method"], (row["median_size"], row["mean_rank"]), (right, up),
        textcoords="offset points", ha=side, va="center", fontsize=9.5 if ours else 8.5,
        color=BLUE if ours else "#3a434e", fontweight="bold" if ours else "normal", zorder=5,
    )  # fmt: skip
