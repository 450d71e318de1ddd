"""Plot a fitted model. Each function draws on matplotlib axes, new ones by default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.optional import require_module
from ..models.symbolic import SymbolicModel
from .fitted import Fitted
from .importance import importance, stability
from .residuals import residuals
from .response import input_of, response
from .shorter import models_by_size

if TYPE_CHECKING:
    from matplotlib.axes import Axes


BLUE, ORANGE, GREEN, GREY, DARK = "#0072B2", "#D55E00", "#009E73", "#8a939e", "#3a434e"
"""Colours by Okabe and Ito, which colour-blind people can distinguish."""
SIZE = (5.6, 4.0)
MOST_BARS = 20
"""Largest number of columns in a bar plot."""
LONGEST = 24
"""Characters of a column's name in a plot."""


def plot_front(fitted: Fitted, ax: Axes | None = None) -> Axes:
    """Plot leave-one-out error against size: all models, shorter versions and the chosen one."""
    ax = axes_for(ax)
    evolved = fitted.front_models()[: -1 if fitted.has_student else None]
    shorter = list(models_by_size(fitted).values())
    looks: list[tuple[list[SymbolicModel], dict[str, Any]]] = [
        (evolved, {"marker": "o", "ls": "", "color": GREY, "alpha": 0.5, "label": "evolved"}),
        (shorter, {"marker": "s", "color": BLUE, "label": "shorter versions"}),
        ([fitted.model], {"marker": "D", "ls": "", "color": ORANGE, "ms": 8, "label": "chosen"}),
    ]
    scale = fitted.standardizer.target_scale
    for models, look in looks:
        errors = [scale * np.sqrt(model.scores["o1"]) for model in models]
        ax.plot([model.size for model in models], errors, **{"ms": 5} | look)
    ax.set(
        xlabel="size: numbers, names and operations",
        ylabel=f"leave-one-out RMSE of {_plain(fitted.target_name)}",
    )
    ax.legend(frameon=False)
    return ax


def plot_prediction(
    fitted: Fitted, X: Any, y: Any, interval: float | None = 0.9, ax: Axes | None = None
) -> Axes:
    """Plot observed against predicted values, with intervals unless `interval` is None."""
    ax = axes_for(ax)
    found = residuals(fitted, X, y)
    predicted, observed = found["predicted"].to_numpy(), found["observed"].to_numpy()
    if interval is not None:
        ends = fitted.predictor.intervals(predicted, interval)
        ends = np.where(np.isfinite(ends), ends, predicted[:, None])
        inside = float(np.mean((observed >= ends[:, 0]) & (observed <= ends[:, 1])))
        order = np.argsort(predicted, kind="stable")
        label = f"{interval:.0%} interval; {inside:.0%} of the rows are inside"
        look: dict[str, Any] = {"color": BLUE, "alpha": 0.15, "linewidth": 0, "label": label}
        ax.fill_between(predicted[order], *ends[order].T, **look)
    low, high = min(predicted.min(), observed.min()), max(predicted.max(), observed.max())
    ax.plot([low, high], [low, high], color=DARK, linewidth=0.8)
    _dots(ax, predicted, observed)
    name = _plain(fitted.target_name)
    ax.set(xlabel=f"{name}, predicted", ylabel=f"{name}, observed")
    if interval is not None:
        ax.legend(frameon=False, loc="upper left")
    return ax


def plot_residuals(fitted: Fitted, X: Any, y: Any, ax: Axes | None = None) -> Axes:
    """Plot residuals, observed − predicted, against predicted values."""
    ax = axes_for(ax)
    found = residuals(fitted, X, y)
    ax.axhline(0.0, color=DARK, linewidth=0.8)
    _dots(ax, found["predicted"], found["residual"])
    largest = 1.1 * float(found["residual"].abs().max())
    if largest > 0.0:
        ax.set_ylim(-largest, largest)
    name = _plain(fitted.target_name)
    ax.set(xlabel=f"{name}, predicted", ylabel=f"{name}, observed − predicted")
    return ax


def plot_response(fitted: Fitted, column: str | int, X: Any = None, ax: Axes | None = None) -> Axes:
    """Plot the response along a column: a curve and its training rows, or a point per level."""
    ax = axes_for(ax)
    curve = response(fitted, column, X)
    name = str(curve.columns[0])
    values, predictions = curve.iloc[:, 0], curve.iloc[:, 1]
    column_seen = next(c for c in fitted.standardizer.columns if c.name == name)
    if column_seen.codes is None:
        ax.plot(values, predictions, color=BLUE, linewidth=2)
        if column_seen.used:  # marks of the training rows on the axis
            seen = input_of(column_seen, fitted.rows, fitted.standardizer)[:500]
            below, at_axis = np.full(len(seen), 0.015), ax.get_xaxis_transform()
            ax.plot(seen, below, "|", color=GREY, alpha=0.5, transform=at_axis)
    else:
        ax.plot(range(len(values)), predictions, "o", color=BLUE, markersize=7)
        ax.set_xticks(range(len(values)), [_shortened(str(value)) for value in values])
        if len(values) > 6:
            ax.tick_params(axis="x", rotation=90)
    middle, scale = float(predictions.mean()), fitted.standardizer.target_scale
    if np.ptp(predictions) < 0.01 * scale:  # else rounding errors would fill the plot
        ax.set_ylim(middle - 0.5 * scale, middle + 0.5 * scale)
    ax.set(xlabel=_plain(name), ylabel=f"{_plain(fitted.target_name)}, predicted")
    return ax


def plot_importance(fitted: Fitted, X: Any, y: Any, ax: Axes | None = None) -> Axes:
    """Plot the fall of R² when a column is shuffled."""
    found = importance(fitted, X, y)
    ax = _bars(ax, found["column"], found["importance"], found["deviation"])
    ax.set_xlabel("fall of R² where the column is shuffled")
    return ax


def plot_stability(fitted: Fitted, ax: Axes | None = None) -> Axes:
    """Plot the share of the restarts whose model uses a column."""
    found = stability(fitted)
    ax = _bars(ax, found.inputs["column"], 100 * found.inputs["share"])
    ax.set(xlim=(0, 100), xlabel=f"share of {len(found.models)} restarts that use the column, %")
    return ax


def _bars(ax: Axes | None, names: Any, values: Any, deviations: Any = None) -> Axes:
    """Draw horizontal bars, the largest on top; at most `MOST_BARS` of them."""
    shown = min(len(names), MOST_BARS)
    ax = axes_for(ax, (SIZE[0], 1.0 + 0.28 * shown))
    places = np.arange(shown)
    errors = None if deviations is None else deviations[:shown]
    ax.barh(places, values[:shown], xerr=errors, color=BLUE, ecolor=DARK, height=0.7)
    ax.set_yticks(places, [_shortened(str(name)) for name in names[:shown]])
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    if shown < len(names):
        ax.set_title(f"the first {shown} of {len(names)} columns", fontsize=10, color=DARK)
    return ax


def axes_for(ax: Axes | None = None, size: tuple[float, float] = SIZE) -> Axes:
    """Return the given axes, or new ones outside of pyplot's state."""
    if ax is None:
        require_module("matplotlib")
        from matplotlib.figure import Figure

        ax = Figure(figsize=size, layout="constrained").subplots()
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _dots(ax: Axes, x: Any, y: Any) -> None:
    """Plot points, whose opacity falls as their number grows."""
    alpha = float(np.clip(20.0 / np.sqrt(max(len(x), 1)), 0.1, 0.7))
    ax.plot(x, y, "o", color=BLUE, alpha=alpha, markersize=4)


def _plain(text: str) -> str:
    """Escape dollar signs, which matplotlib would read as mathematics."""
    return text.replace("$", r"\$")


def _shortened(text: str) -> str:
    return _plain(text if len(text) <= LONGEST else f"{text[: LONGEST - 2]} …")
