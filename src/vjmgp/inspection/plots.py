"""Plots of a fitted regressor, each on matplotlib's axes, which it returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.optional import need
from ..models.symbolic import SymbolicModel
from ..tables.preprocessing import Column
from .trust import TrustMixin, input_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


BLUE, ORANGE, GREEN, GREY, DARK = "#0072B2", "#D55E00", "#009E73", "#8a939e", "#3a434e"
"""Okabe and Ito's, which colour-blind eyes tell apart."""
SIZE = (5.6, 4.0)
MOST_BARS = 20
"""Columns that a plot by column shows."""
FEW_LEVELS = 6
LEAST_RANGE = 0.01
"""A smaller part of the target's deviation is drawn as a flat line."""
MOST_MARKS = 500
LONGEST = 24
"""Letters of a column's name that a plot shows."""


def plot_front(model: TrustMixin, ax: Axes | None = None) -> Axes:
    """Leave-one-out error against size: all models found, the shorter versions and the chosen."""
    ax = _axes(ax)
    evolved = model.front_models()[: None if model.student_ is None else -1]
    looks: list[tuple[list[SymbolicModel], dict[str, Any]]] = [
        (evolved, {"marker": "o", "ls": "", "color": GREY, "alpha": 0.5, "label": "evolved"}),
        (model.shorter_models(), {"marker": "s", "color": BLUE, "label": "shorter versions"}),
        ([model.model_], {"marker": "D", "ls": "", "color": ORANGE, "ms": 8, "label": "chosen"}),
    ]
    scale = model._standardizer.target_scale
    for models, look in looks:
        errors = [scale * np.sqrt(other.scores["o1"]) for other in models]
        ax.plot([other.size for other in models], errors, **{"ms": 5} | look)
    ax.set(xlabel="size, nodes", ylabel=f"leave-one-out RMSE of {_plain(model.target_name_)}")
    ax.legend(frameon=False)
    return ax


def plot_prediction(
    model: TrustMixin, X: Any, y: Any, interval: float | None = 0.9, ax: Axes | None = None
) -> Axes:
    """Observed against predicted values, with intervals unless `interval` is None."""
    ax = _axes(ax)
    found = model.residuals(X, y)
    predicted, observed = found["predicted"].to_numpy(), found["observed"].to_numpy()
    if interval is not None:
        ends = model.predictor_.intervals(predicted, interval)
        ends = np.where(np.isfinite(ends), ends, predicted[:, None])
        inside = float(np.mean((observed >= ends[:, 0]) & (observed <= ends[:, 1])))
        order = np.argsort(predicted, kind="stable")
        ax.fill_between(
            predicted[order],
            ends[order, 0],
            ends[order, 1],
            color=BLUE,
            alpha=0.15,
            linewidth=0,
            label=f"{interval:.0%} interval; {inside:.0%} of the rows are inside",
        )
    low, high = min(predicted.min(), observed.min()), max(predicted.max(), observed.max())
    ax.plot([low, high], [low, high], color=DARK, linewidth=0.8)
    ax.plot(predicted, observed, "o", color=BLUE, alpha=_alpha(len(found)), markersize=4)
    name = _plain(model.target_name_)
    ax.set(xlabel=f"{name}, predicted", ylabel=f"{name}, observed")
    if interval is not None:
        ax.legend(frameon=False, loc="upper left")
    return ax


def plot_residuals(model: TrustMixin, X: Any, y: Any, ax: Axes | None = None) -> Axes:
    """Observed minus predicted against predicted values."""
    ax = _axes(ax)
    found = model.residuals(X, y)
    ax.axhline(0.0, color=DARK, linewidth=0.8)
    ax.plot(
        found["predicted"],
        found["residual"],
        "o",
        color=BLUE,
        alpha=_alpha(len(found)),
        markersize=4,
    )
    largest = 1.1 * float(found["residual"].abs().max())
    if largest > 0.0:
        ax.set_ylim(-largest, largest)
    name = _plain(model.target_name_)
    ax.set(xlabel=f"{name}, predicted", ylabel=f"{name}, observed − predicted")
    return ax


def plot_response(
    model: TrustMixin, column: str | int, X: Any = None, ax: Axes | None = None
) -> Axes:
    """The response curve of a column above its training rows, or a point for each level."""
    ax = _axes(ax)
    curve = model.response(column, X)
    name = str(curve.columns[0])
    values, predictions = curve.iloc[:, 0], curve.iloc[:, 1]
    column_seen = next(c for c in model._standardizer.columns if c.name == name)
    if column_seen.codes is None:
        ax.plot(values, predictions, color=BLUE, linewidth=2)
        _mark_training_rows(model, column_seen, ax)
    else:
        ax.plot(range(len(values)), predictions, "o", color=BLUE, markersize=7)
        labels = [_shortened(str(value)) for value in values]
        ax.set_xticks(range(len(values)), labels)
        if len(values) > FEW_LEVELS:
            ax.tick_params(axis="x", rotation=90)
    middle, scale = float(predictions.mean()), model._standardizer.target_scale
    if np.ptp(predictions) < LEAST_RANGE * scale:  # not a line that climbs over rounding errors
        ax.set_ylim(middle - 0.5 * scale, middle + 0.5 * scale)
    ax.set(xlabel=_plain(name), ylabel=f"{_plain(model.target_name_)}, predicted")
    return ax


def _mark_training_rows(model: TrustMixin, column: Column, ax: Axes) -> None:
    """Small lines below a curve where training rows are."""
    rows = model._scored_rows()
    if column.used:
        seen = input_of(column, rows, model._standardizer)[:MOST_MARKS]
        at_the_axis = ax.get_xaxis_transform()
        ax.plot(seen, np.full(len(seen), 0.015), "|", color=GREY, alpha=0.5, transform=at_the_axis)


def plot_importance(model: TrustMixin, X: Any, y: Any, ax: Axes | None = None) -> Axes:
    """By how much R² falls where a column is shuffled."""
    found = model.importance(X, y)
    ax = _bars(ax, found["column"], found["importance"], found["deviation"])
    ax.set_xlabel("fall of R² where the column is shuffled")
    return ax


def plot_stability(model: TrustMixin, ax: Axes | None = None) -> Axes:
    """The share of the restarts whose model uses a column."""
    found = model.stability()
    ax = _bars(ax, found.inputs["column"], 100 * found.inputs["share"])
    ax.set(xlim=(0, 100), xlabel=f"share of {len(found.models)} restarts that use the column, %")
    return ax


def _bars(ax: Axes | None, names: Any, values: Any, deviations: Any = None) -> Axes:
    """Horizontal bars, the largest on top; of many columns the first ones."""
    shown = min(len(names), MOST_BARS)
    ax = _axes(ax, (SIZE[0], 1.0 + 0.28 * shown))
    places = np.arange(shown)
    errors = None if deviations is None else deviations[:shown]
    ax.barh(places, values[:shown], xerr=errors, color=BLUE, ecolor=DARK, height=0.7)
    ax.set_yticks(places, [_shortened(str(name)) for name in names[:shown]])
    ax.tick_params(axis="y", length=0)
    ax.invert_yaxis()
    if shown < len(names):
        ax.set_title(f"the first {shown} of {len(names)} columns", fontsize=10, color=DARK)
    return ax


def _axes(ax: Axes | None, size: tuple[float, float] = SIZE) -> Axes:
    """The given axes, or new ones of a figure that matplotlib's state knows nothing of."""
    if ax is None:
        need("matplotlib")
        from matplotlib.figure import Figure

        ax = Figure(figsize=size, layout="constrained").subplots()
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _alpha(rows: int) -> float:
    """Many points are drawn the fainter."""
    return float(np.clip(20.0 / np.sqrt(max(rows, 1)), 0.1, 0.7))


def _plain(text: str) -> str:
    """A name as it is: matplotlib would take what stands between dollars for mathematics."""
    return text.replace("$", r"\$")


def _shortened(text: str) -> str:
    return _plain(text if len(text) <= LONGEST else f"{text[: LONGEST - 2]} …")


class PlotMixin(TrustMixin):
    """The plots as methods; each draws on `ax`, or on axes of its own, and returns them."""

    def plot_front(self, ax: Axes | None = None) -> Axes:
        """Leave-one-out error against size: models found, shorter versions, the chosen one."""
        return plot_front(self, ax)

    def plot_prediction(
        self, X: Any, y: Any, interval: float | None = 0.9, ax: Axes | None = None
    ) -> Axes:
        """Observed against predicted values, with intervals unless `interval` is None."""
        return plot_prediction(self, X, y, interval, ax)

    def plot_residuals(self, X: Any, y: Any, ax: Axes | None = None) -> Axes:
        """Observed minus predicted against predicted values."""
        return plot_residuals(self, X, y, ax)

    def plot_response(self, column: str | int, X: Any = None, ax: Axes | None = None) -> Axes:
        """The response curve of a column above its training rows, or a point for each level."""
        return plot_response(self, column, X, ax)

    def plot_importance(self, X: Any, y: Any, ax: Axes | None = None) -> Axes:
        """By how much R² falls where a column is shuffled."""
        return plot_importance(self, X, y, ax)

    def plot_stability(self, ax: Axes | None = None) -> Axes:
        """The share of the restarts whose model uses a column."""
        return plot_stability(self, ax)
