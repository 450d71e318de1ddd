"""Draw the plots of a fit report as SVG, in the colours of its page, light or dark."""

import io
import re
from html import escape
from typing import Any

import numpy as np

from ..engine.objectives.row_weights import row_weights
from ..engine.preparation import ScoredRows
from ..inspection import plots
from ..inspection.fitted import Fitted
from ..inspection.plots import BLUE, DARK, GREY, ORANGE
from ..models.intervals import half_width
from ..models.symbolic import SymbolicModel
from .fits import Rows, Versions, evenly

COLOURS = {
    "#000000": "currentColor",
    DARK: "currentColor",
    BLUE: "var(--better)",
    ORANGE: "var(--worse)",
    GREY: "var(--soft)",
}
"""Colours of plots, and those of the page that replace them."""
SIZE, SMALL = (5.6, 3.8), (3.6, 2.6)
MOST_CURVES = 6
MOST_ROWS = 300
"""Rows of the table that response curves are averaged over, at most."""


def fitted_of(model: SymbolicModel, rows: Rows, target: str) -> Fitted:
    """Return a model and rows as the functions of `inspection` take them."""
    standardizer = model.standardizer
    scored = ScoredRows(
        standardizer.standardize(rows.inputs),
        standardizer.standardize_target(rows.data.target),
        row_weights(len(rows.data), rows.weights),
    )
    return Fitted(model, model, scored, target)


def inline(axes: Any, titles: dict[str, str] | None = None) -> str:
    """Return axes as SVG for a page; parts with an id of `titles` get a tooltip."""
    import matplotlib as mpl

    file = io.StringIO()
    salt = f"{axes.get_xlabel()} {axes.get_ylabel()}"  # makes ids unique among plots
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": salt}):
        axes.figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    text = file.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r' id="[A-Za-z][\w.]*_\d+"', "", text)  # not needed, and not unique among plots
    for colour, of_page in COLOURS.items():
        text = re.sub(colour, of_page, text, flags=re.IGNORECASE)
    for name, title in (titles or {}).items():
        text = text.replace(f'<g id="{name}">', f"<g><title>{escape(title)}</title>")
    return text


def sizes_picture(versions: Versions, target: str) -> str:
    """Draw error against size: the front, the shorter versions and the chosen model."""
    table = versions.table
    axes = plots.axes_for(size=SIZE)
    short = table[table["max_size"].notna()].sort_values("size")
    axes.plot(short["size"], short["rmse"], "-", color=BLUE, linewidth=1)
    titles = {}
    for entry in table.sort_values("max_size", na_position="first").to_dict("records"):
        colour, size, alpha = (GREY, 4, 0.5) if np.isnan(entry["max_size"]) else (BLUE, 7, 1.0)
        if entry["chosen"]:
            colour, size, alpha = ORANGE, 9, 1.0
        name = f"model-{entry['row']}"
        look: dict[str, Any] = {"color": colour, "markersize": size, "alpha": alpha}
        axes.plot(entry["size"], entry["rmse"], "o", gid=name, **look)
        titles[name] = (
            f"row {entry['row']}, {entry['size']} nodes, RMSE {entry['rmse']:.4g}: "
            f"{target} = {entry['formula']}"
        )
    low = float(table["rmse"].min())
    if low > 0 and table["rmse"].max() > 20 * low:
        axes.set_yscale("log")
    axes.set(xlabel="size, nodes", ylabel="leave-one-out RMSE of " + target.replace("$", r"\$"))
    return inline(axes, titles)


def prediction_picture(fitted: Fitted, rows: Rows, level: float) -> str:
    """Draw observed against predicted values, with intervals."""
    axes = plots.axes_for(size=SIZE)
    shown = level if np.isfinite(width_of_intervals(fitted.model, level)) else None
    return inline(plots.plot_prediction(fitted, rows.inputs, rows.data.target, shown, axes))


def residuals_picture(fitted: Fitted, rows: Rows) -> str:
    """Draw residuals."""
    return inline(
        plots.plot_residuals(fitted, rows.inputs, rows.data.target, plots.axes_for(size=SIZE))
    )


def width_of_intervals(model: SymbolicModel, level: float) -> float:
    """Return the half-width of intervals; infinity if it is not known."""
    return half_width(model.error_quantiles, level) if model.error_quantiles else np.inf


def importance_picture(fitted: Fitted, rows: Rows) -> str:
    """Draw the importance of the columns."""
    return inline(plots.plot_importance(fitted, rows.inputs, rows.data.target))


def response_pictures(fitted: Fitted, rows: Rows, columns: list[str]) -> str:
    """Draw response curves of the most important columns, a figure each."""
    some = rows.inputs.iloc[evenly(np.arange(len(rows.data)), MOST_ROWS)]
    curves = (
        plots.plot_response(fitted, column, some, plots.axes_for(size=SMALL))
        for column in columns[:MOST_CURVES]
    )
    return "".join(f"<figure>{inline(axes)}</figure>" for axes in curves)
