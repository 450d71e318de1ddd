"""The plots of a fit's page: matplotlib's SVG, in the colours of the page, light or dark."""

from __future__ import annotations

import io
import re
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.objectives.row_weights import row_weights
from ..inspection.plots import BLUE, DARK, GREY, MOST_BARS, ORANGE
from ..models.intervals import ScoredRows, half_width
from ..regressor import VJMRegressor
from .fits import evenly

if TYPE_CHECKING:
    from ..models.symbolic import SymbolicModel
    from .fits import Rows, Versions

COLOURS = {
    "#000000": "currentColor",
    DARK: "currentColor",
    BLUE: "var(--better)",
    ORANGE: "var(--worse)",
    GREY: "var(--soft)",
}
"""Those of the plots, and of the page."""
MOST_CURVES = 6
MOST_ROWS = 300
"""Of the table, over which response curves are means."""
SMALL = (3.6, 2.6)
SIZE = (5.6, 3.8)


def regressor_of(model: SymbolicModel, rows: Rows, target: str) -> VJMRegressor:
    """A regressor that predicts with a model, for what regressors tell about themselves."""
    standardizer = model.standardizer
    names = standardizer.names
    regressor = VJMRegressor()
    regressor.model_ = regressor.predictor_ = model
    regressor._standardizer, regressor.target_name_ = standardizer, target
    regressor._constant_rows = ScoredRows(
        standardizer.standardize(rows.inputs),
        standardizer.standardize_target(rows.data.target),
        row_weights(len(rows.data), rows.weights),
    )
    regressor.feature_names_in_ = np.array(names, dtype=object)
    regressor.n_features_in_ = len(names)
    return regressor


def _axes(width: float = SIZE[0], height: float = SIZE[1]) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained").subplots()


def inline(axes: Any, titles: dict[str, str] | None = None) -> str:
    """Axes as SVG for a page; parts with an id of `titles` tell their title when pointed at."""
    import matplotlib as mpl

    file = io.StringIO()
    salt = f"{axes.get_xlabel()} {axes.get_ylabel()}"  # for ids that no other plot has
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": salt}):
        axes.figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    text = file.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r' id="[A-Za-z][\w.]*_\d+"', "", text)  # the same in all plots, and not needed
    for colour, of_page in COLOURS.items():
        text = re.sub(colour, of_page, text, flags=re.IGNORECASE)
    for name, title in (titles or {}).items():
        text = text.replace(f'<g id="{name}">', f"<g><title>{escape(title)}</title>")
    return text


# -- plots ---------------------------------------------------------------------------------------


def sizes_picture(versions: Versions, target: str) -> str:
    """Error against size: the front, the shorter versions and the chosen model."""
    table = versions.table
    axes = _axes()
    axes.spines[["top", "right"]].set_visible(False)
    short = table[table["max_size"].notna()].sort_values("size")
    axes.plot(short["size"], short["rmse"], "-", color=BLUE, linewidth=1)
    titles = {}
    for entry in table.sort_values("max_size", na_position="first").to_dict("records"):
        colour, size, alpha = (GREY, 4, 0.5) if np.isnan(entry["max_size"]) else (BLUE, 7, 1.0)
        if entry["chosen"]:
            colour, size, alpha = ORANGE, 9, 1.0
        (point,) = axes.plot(
            entry["size"], entry["rmse"], "o", color=colour, markersize=size, alpha=alpha
        )
        point.set_gid(f"model-{entry['row']}")
        titles[f"model-{entry['row']}"] = (
            f"row {entry['row']}, {entry['size']} nodes, RMSE {entry['rmse']:.4g}: "
            f"{target} = {entry['formula']}"
        )
    low = float(table["rmse"].min())
    if low > 0 and table["rmse"].max() > 20 * low:
        axes.set_yscale("log")
    axes.set(xlabel="size, nodes", ylabel="leave-one-out RMSE of " + target.replace("$", r"\$"))
    return inline(axes, titles)


def prediction_picture(model: SymbolicModel, rows: Rows, test: Any, level: float, name: str) -> str:
    """Observed against predicted values of some rows, with intervals."""
    regressor = regressor_of(model, rows, name)
    told = level if np.isfinite(width_of_intervals(model, level)) else None
    axes = _axes()
    regressor.plot_prediction(rows.inputs.iloc[test], rows.data.target[test], told, axes)
    return inline(axes)


def residuals_picture(model: SymbolicModel, rows: Rows, test: Any, name: str) -> str:
    """Residuals of some rows."""
    axes = _axes()
    regressor = regressor_of(model, rows, name)
    regressor.plot_residuals(rows.inputs.iloc[test], rows.data.target[test], axes)
    return inline(axes)


def width_of_intervals(model: SymbolicModel, level: float) -> float:
    """How far intervals reach to either side; infinite where that is not known."""
    return half_width(model.error_quantiles, level) if model.error_quantiles else np.inf


def importance_picture(model: SymbolicModel, rows: Rows, name: str) -> str:
    """Inputs by influence."""
    axes = _axes(height=1.0 + 0.28 * min(rows.inputs.shape[1], MOST_BARS))
    regressor_of(model, rows, name).plot_importance(rows.inputs, rows.data.target, axes)
    return inline(axes)


def response_pictures(model: SymbolicModel, rows: Rows, columns: list[str], name: str) -> list[str]:
    """Response curves of the columns that matter most."""
    regressor = regressor_of(model, rows, name)
    some = rows.inputs.iloc[evenly(np.arange(len(rows.data)), MOST_ROWS)]
    pictures = []
    for column in columns[:MOST_CURVES]:
        axes = _axes(*SMALL)
        regressor.plot_response(column, some, axes)
        pictures.append(inline(axes))
    return pictures
