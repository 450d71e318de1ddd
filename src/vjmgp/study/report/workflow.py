"""The picture of the workflow: each step, and the steps that it follows."""

from __future__ import annotations

from typing import Any

from ..steps import STEPS

Context = dict[str, Any]
WIDTH, HEIGHT, GAP = 172, 44, 22
"""The size of a box and the space between boxes, in pixels."""
LAYOUT = (
    ("", "mark_results"),
    ("fetch_dataset", "compile_kernels"),
    ("prepare_dataset", "", "illustrations"),
    ("split_rows",),
    ("", "estimate_noise"),
    ("run_baseline", "run_gp"),
    ("", "collect_runs"),
    ("join_runs", "compare_methods"),
    ("score_claims", "draw_figures"),
    ("", "write_report"),
)
"""The rows of the picture, from left to right. Steps that most studies lack are left out."""


def picture_of_workflow() -> Context:
    """Return boxes and lines of the picture, in pixels."""
    corners = {
        name: (column * (WIDTH + GAP) + 1, row * (HEIGHT + GAP) + 1)
        for row, names in enumerate(LAYOUT)
        for column, name in enumerate(names)
        if name
    }
    boxes = [{"name": n, "does": STEPS[n].does, "x": x, "y": y} for n, (x, y) in corners.items()]
    lines = [
        _line(corners[before], corners[name])
        for name in corners
        for before in STEPS[name].after
        if before in corners
    ]
    width, height = (max(corner[k] for corner in corners.values()) for k in (0, 1))
    size = {"width": width + WIDTH + 1, "height": height + HEIGHT + 1}
    return size | {"boxes": boxes, "lines": lines, "wide": WIDTH, "high": HEIGHT}


def _line(start: tuple[int, int], end: tuple[int, int]) -> str:
    """Return a path that leaves a box downwards and turns just above the next."""
    x, y = start[0] + WIDTH // 2, start[1] + HEIGHT
    to, bottom = end[0] + WIDTH // 2, end[1]
    return f"M{x} {y}V{bottom - GAP // 2}H{to}V{bottom}"
