"""One style for all figures, for screen (SVG, PNG) and print (PDF)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

from ...core.files import write_whole

WIDTH = 9.0
"""Inches: as wide as the report's column."""
BLUE, ORANGE, GREEN, GREY, LIGHT = "#0072B2", "#D55E00", "#009E73", "#8a939e", "#c9d0d8"
COLOURS = [
    BLUE, ORANGE, GREEN, "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31", "#7F3C8D", "#4d5660",
    "#B8A800",
]  # fmt: skip
"""Okabe and Ito's, which colour-blind eyes tell apart, and a few more."""
DASHES: list[Any] = ["-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5))]
"""When the colours are used up, lines go on with the next dash."""
STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "vjmgp",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Arial", "Helvetica"],
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.grid": True,
    "axes.grid.axis": "x",
    "grid.color": "#e4e7eb",
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "xtick.color": "#3a434e",
    "ytick.color": "#3a434e",
    "ytick.major.size": 0,
    "figure.facecolor": "white",
}
FORMATS: dict[str, dict[str, Any]] = {
    # Without a date, so that the same data give the same file.
    "svg": {"metadata": {"Date": None}},
    "pdf": {"metadata": {"CreationDate": None}},
    "png": {"dpi": 150, "metadata": {"Software": None}, "pil_kwargs": {"compress_level": 6}},
}


@dataclass(frozen=True)
class Pen:
    """How a method looks in every figure of a study."""

    colour: str
    dash: Any = "-"


def pens_of(methods: list[str], always: tuple[str, ...] = ()) -> dict[str, Pen]:
    """A colour and a dash for each method of an experiment: 40 can be told apart.

    Those named in `always` have the first colours in every experiment, and solid lines.
    """
    pens = {}
    for k, name in enumerate(dict.fromkeys([*always, *methods])):
        turn, colour = divmod(k, len(COLOURS))
        dash = turn if colour < len(always) else turn + colour
        pens[name] = Pen(COLOURS[colour], DASHES[dash % len(DASHES)])
    return pens


@contextmanager
def our_style() -> Iterator[None]:
    """Draw in this style, and leave no figure open."""
    try:
        with mpl.rc_context(STYLE):
            yield
    finally:
        plt.close("all")


def save(figure: Any, path: Path) -> None:
    """Write the figure as SVG, PDF and PNG."""
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.set(w_pad=0.08, h_pad=0.08, wspace=0.03, hspace=0.03)
        engine.execute(figure)  # once: it takes longer than drawing
        figure.set_layout_engine(None)  # nor does each format need it again
    for kind, options in FORMATS.items():
        buffer = io.BytesIO()
        figure.savefig(buffer, format=kind, **options)
        write_whole(path.with_suffix(f".{kind}"), [buffer.getvalue()])
    plt.close(figure)
