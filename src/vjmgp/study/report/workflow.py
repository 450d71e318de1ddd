"""The picture of the workflow: what each rule does, and which rules come before it."""

from __future__ import annotations

from typing import Any, NamedTuple

Context = dict[str, Any]
WIDE, HIGH, GAP = 172, 44, 22
"""Of a box, and between boxes."""


class Rule(NamedTuple):
    """A rule of the workflow and its place in the picture."""

    row: int
    column: int
    does: str
    after: tuple[str, ...] = ()
    """What it waits for, without what these wait for themselves."""


RULES = {
    "mark_results": Rule(0, 1, "claims the folder"),
    "fetch_dataset": Rule(1, 0, "PMLB, or a cache", ("mark_results",)),
    "compile_kernels": Rule(1, 1, "once for a machine", ("mark_results",)),
    "prepare_dataset": Rule(2, 0, "types and checks", ("fetch_dataset",)),
    "illustrations": Rule(2, 2, "the method in pictures", ("compile_kernels",)),
    "split_rows": Rule(3, 0, "by dataset and seed", ("prepare_dataset",)),
    "estimate_noise": Rule(4, 1, "how noisy labels are", ("split_rows", "compile_kernels")),
    "run_baseline": Rule(5, 0, "other learners", ("split_rows",)),
    "run_gp": Rule(5, 1, "genetic programming", ("estimate_noise",)),
    "collect_runs": Rule(6, 1, "records to tables", ("run_gp", "run_baseline")),
    "join_runs": Rule(7, 0, "of all experiments", ("collect_runs",)),
    "compare_methods": Rule(7, 1, "tests and effects", ("collect_runs",)),
    "score_claims": Rule(8, 0, "what the paper says", ("join_runs",)),
    "draw_figures": Rule(8, 1, "SVG, PDF, PNG", ("compare_methods",)),
    "write_report": Rule(9, 1, "the report", ("score_claims", "draw_figures", "illustrations")),
}


def picture_of_workflow() -> Context:
    """Boxes and lines of the picture, in pixels."""
    corners = {
        name: (rule.column * (WIDE + GAP) + 1, rule.row * (HIGH + GAP) + 1)
        for name, rule in RULES.items()
    }
    boxes = [{"name": n, "does": RULES[n].does, "x": x, "y": y} for n, (x, y) in corners.items()]
    lines = [_line(corners[before], corners[n]) for n in RULES for before in RULES[n].after]
    width, height = (max(c[k] for c in corners.values()) for k in (0, 1))
    size = {"width": width + WIDE + 1, "height": height + HIGH + 1}
    return size | {"boxes": boxes, "lines": lines, "wide": WIDE, "high": HIGH}


def _line(start: tuple[int, int], end: tuple[int, int]) -> str:
    """Straight down from one box, and over to the next above its top."""
    x, y = start[0] + WIDE // 2, start[1] + HIGH
    to, bottom = end[0] + WIDE // 2, end[1]
    return f"M{x} {y}V{bottom - GAP // 2}H{to}V{bottom}"
