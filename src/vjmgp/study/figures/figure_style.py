"""The style of all figures, for screen (SVG, PNG) and print (PDF)."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

from ...core.files import write_whole

WIDTH = 9.0
"""Width of the report's column in inches."""
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#8a939e"
COLOURS = [
    BLUE, ORANGE, GREEN, "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31", "#7F3C8D", "#4d5660",
    "#B8A800",
]  # fmt: skip
"""Okabe and Ito's palette, safe for colour-blind readers, and a few more."""
DASHES: list[Any] = ["-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5))]
"""Each further round through the colours has another dash."""
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
    # No dates: the same data give the same file.
    "svg": {"metadata": {"Date": None}},
    "pdf": {"metadata": {"CreationDate": None}},
    "png": {"dpi": 150, "metadata": {"Software": None}, "pil_kwargs": {"compress_level": 6}},
}


@dataclass(frozen=True)
class Pen:
    """Colour and dash of a method in every figure of a study."""

    colour: str
    dash: Any = "-"


def pens_of(methods: list[str], always: tuple[str, ...] = ()) -> dict[str, Pen]:
    """Return a colour and a dash for each method of an experiment; 40 are distinct.

    Methods named in `always` have the first colours and solid lines in every experiment.
    """
    pens = {}
    for k, name in enumerate(dict.fromkeys([*always, *methods])):
        turn, colour = divmod(k, len(COLOURS))
        dash = turn if colour < len(always) else turn + colour
        pens[name] = Pen(COLOURS[colour], DASHES[dash % len(DASHES)])
    return pens


@contextmanager
def study_style() -> Iterator[None]:
    """Draw in this style, and close all figures at the end."""
    try:
        with mpl.rc_context(STYLE):
            yield
    finally:
        plt.close("all")


def panels(rows: int, columns: int, height: float, **options: Any) -> tuple[Any, Any]:
    """Create a figure as wide as the report's column, and its axes."""
    return plt.subplots(rows, columns, figsize=(WIDTH, height), layout="constrained", **options)


def panels_without_grid(rows: int, columns: int, height: float, **options: Any) -> tuple[Any, Any]:
    """Create a figure whose axes have no grid."""
    with mpl.rc_context({"axes.grid": False}):
        return panels(rows, columns, height, **options)


def log_ticks(axis: Any) -> None:
    """Put a few plain numbers on a logarithmic x-axis of any length."""
    low, high = axis.get_xlim()
    decades = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    for steps in ([1.0], [1.0, 3.0], [1.0, 2.0, 5.0], [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0]):
        ticks = np.outer(decades, steps).ravel()
        ticks = ticks[(ticks >= low) & (ticks <= high)]
        if len(ticks) >= 3:
            break
    if len(ticks) < 2:  # so short that it is nearly linear
        ticks = np.asarray(MaxNLocator(4, steps=[1, 2, 5, 10]).tick_values(low, high))
        ticks = ticks[(ticks >= low) & (ticks <= high)]
    axis.xaxis.set_major_locator(FixedLocator(ticks[:: -(-len(ticks) // 7)].tolist()))
    axis.xaxis.set_major_formatter(lambda x, _: f"{x:g}" if x < 1e5 else f"1e{np.log10(x):.0f}")
    axis.xaxis.set_minor_locator(NullLocator())


def save_figure(figure: Any, path: Path) -> None:
    """Write the figure as SVG, PDF and PNG."""
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.set(w_pad=0.08, h_pad=0.08, wspace=0.03, hspace=0.03)
        engine.execute(figure)  # once for all formats: it takes longer than drawing
        figure.set_layout_engine(None)
    for kind, options in FORMATS.items():
        buffer = io.BytesIO()
        figure.savefig(buffer, format=kind, **options)
        write_whole(path.with_suffix(f".{kind}"), [buffer.getvalue()])
    plt.close(figure)
