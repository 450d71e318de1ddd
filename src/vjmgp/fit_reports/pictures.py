"""Draw the plots of a fit report as SVG, in the colours of its page, light or dark."""

import io
import re
from typing import Any

import numpy as np

from ..engine.objectives.row_weights import row_weights
from ..engine.preparation import ScoredRows
from ..inspection import plots
from ..inspection.fitted import Fitted
from ..inspection.plots import BLUE, DARK
from ..models.intervals import half_width
from ..models.symbolic import SymbolicModel
from .fits import Rows

COLOURS = {
    "#000000": "currentColor",
    DARK: "currentColor",
    BLUE: "var(--better)",
}
"""Colours of plots, and those of the page that replace them."""
SIZE = (5.6, 3.8)


def fitted_of(model: SymbolicModel, rows: Rows, target: str) -> Fitted:
    """Return a model and rows as the functions of `inspection` take them."""
    standardizer = model.standardizer
    scored = ScoredRows(
        standardizer.standardize(rows.inputs),
        standardizer.standardize_target(rows.data.target),
        row_weights(len(rows.data), rows.weights),
    )
    return Fitted(model, model, scored, target)


def inline(axes: Any) -> str:
    """Return axes as SVG for a page."""
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
    return text


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
