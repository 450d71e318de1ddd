"""The parts of a run and their order."""

from typing import Any

from matplotlib.patches import FancyBboxPatch

from ..figures.figure_style import BLUE, GREEN, GREY, ORANGE, panels_without_grid

SIZE = 2.5, 0.9
"""Width and height of a box."""
BOXES: dict[str, tuple[float, float, str, str]] = {
    "rows": (0, 4, GREY, "Training rows\nstandardised"),
    "points": (3, 4, GREEN, "Vicinal points\nK mixtures of each row\ndrawn once"),
    "noise": (6, 4, GREEN, "Noise estimate\nR² of Extra Trees; ≥ 0.5:\nintrusion detection"),
    "start": (0, 2, BLUE, "First population\n1 random tree each"),
    "evaluate": (3, 2, BLUE, "Evaluation: ridge of trees\nO1: leave-one-out error\nO2: Jensen gap"),
    "archive": (6, 2, ORANGE, "Archive\nevery non-dominated one"),
    "choose": (9, 2, ORANGE, "Final model\nafter G generations:\nsmallest O1 + τ·O2"),
    "vary": (0, 0, BLUE, "Variation: crossover,\nmutation, adding and\ndeleting a tree"),
    "select": (3, 0, BLUE, "Selection of parents\nε-lexicase"),
    "survive": (6, 0, BLUE, "Survival\nNSGA-II on O1 and O2"),
}  # fmt: skip
"""Left edge, lower edge, colour and words of each box."""
ARROWS: list[tuple[str, str, str]] = [
    ("rows", "points", ""), ("rows", "noise", ""), ("noise", "points", ""),
    ("points", "evaluate", ""), ("rows", "start", ""), ("start", "evaluate", ""),
    ("evaluate", "archive", ""), ("archive", "choose", ""),
    ("noise", "choose", "τ = 1 if R² ≥ 0.5, else 10"),
    ("evaluate", "survive", ""), ("survive", "select", ""), ("select", "vary", ""),
    ("vary", "evaluate", "offspring"),
]  # fmt: skip
"""From which box to which, and words on the arrow."""
BENDS = {("rows", "noise"): -0.22}
"""Curvature of an arrow that passes a box."""


def flow_chart() -> Any:
    """Draw the parts of a run, with an arrow from each to those that use its outcome."""
    figure, axis = panels_without_grid(1, 1, 4.2)
    patches = {}
    for name, (x, y, colour, words) in BOXES.items():
        box = FancyBboxPatch(
            (x, y), *SIZE, boxstyle="round,pad=0,rounding_size=0.12", fc="white", ec=colour, lw=1.6
        )
        patches[name] = axis.add_patch(box)
        axis.text(x + SIZE[0] / 2, y + SIZE[1] / 2, words, ha="center", va="center", fontsize=8.5)
    for start, end, words in ARROWS:
        ends = [(BOXES[k][0] + SIZE[0] / 2, BOXES[k][1] + SIZE[1] / 2) for k in (start, end)]
        axis.annotate(
            "", ends[1], ends[0], arrowprops={
                "arrowstyle": "-|>", "color": "#3a434e", "lw": 1.2, "shrinkA": 0, "shrinkB": 0,
                "patchA": patches[start], "patchB": patches[end],
                "connectionstyle": f"arc3,rad={BENDS.get((start, end), 0.0)}",
            },
        )  # fmt: skip
        middle = [sum(pair) / 2 for pair in zip(*ends, strict=True)]
        axis.text(*middle, words, ha="center", va="center", fontsize=7.5, color="#3a434e",
                  bbox={"fc": "white", "ec": "none", "pad": 1})  # fmt: skip
    axis.set(xlim=(-0.1, 11.6), ylim=(-0.1, 5.5))
    axis.axis("off")
    return figure
