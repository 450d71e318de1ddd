"""Extra Trees estimate label noise and detect mixed points off the data manifold."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.numerics.rng import stream
from ...engine.objectives.forest import fit_forest
from ...engine.objectives.noise import adaptive_tau, noise_scores, out_of_fold_predictions
from ...engine.objectives.vicinal import mixup
from ..figures.figure_style import BLUE, GREY, ORANGE, panels_without_grid
from .vicinity import mixup_rule

NOISE = (0.0, 0.25, 0.5, 1.0)
"""Standard deviations of the noise added to a sine."""


def noise_estimates() -> Any:
    """Draw cross-validated predictions of a sine at several levels of noise, with R² and τ."""
    figure, axes = panels_without_grid(1, len(NOISE), 2.7, sharex=True)
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(-np.pi, np.pi, 100))
    error = rng.normal(size=100)
    for axis, deviation in zip(axes, NOISE, strict=True):
        y = np.sin(x) + deviation * error
        scaled = ((x - x.mean()) / x.std())[:, np.newaxis], (y - y.mean()) / y.std()
        predicted, _ = out_of_fold_predictions(*scaled, 0)
        score = noise_scores(*scaled, 0)["mean"]
        axis.plot(x, y, "o", color=GREY, ms=2.6, alpha=0.7)
        axis.plot(x, np.sin(x), color="#1d232b", lw=1.2)
        axis.plot(x, predicted * y.std() + y.mean(), "D", color=ORANGE, ms=2.8)
        words = f"σ = {deviation:g}: R² {score:.2f}, τ = {adaptive_tau(score):g}"
        axis.set_title(words.replace("-", "−"))
        axis.set_xlabel("x")
    return figure


def manifold_intrusion() -> Any:
    """Draw mixtures of rows with similar labels on a parabola, without and with detection."""
    rng = np.random.default_rng(2)
    x = rng.uniform(-2, 2, 60)[:, np.newaxis]
    y = x[:, 0] ** 2 + 0.05 * rng.normal(size=60)
    scaled_x, scaled_y = (x - x.mean()) / x.std(), (y - y.mean()) / y.std()
    detector = fit_forest(stream(0, "detector"), np.ascontiguousarray(scaled_x.T), scaled_y)
    figure, axes = panels_without_grid(1, 2, 3.4, sharey=True)
    grid = np.linspace(-2, 2, 200)
    for axis, forest, words in ((axes[0], None, "without"), (axes[1], detector, "with")):
        drawn = mixup(stream(0, "vicinal"), scaled_x, scaled_y, 3, mixup_rule(), forest)
        anchor = np.arange(len(drawn.share)) % len(y)
        label = drawn.share * y[anchor] + (1 - drawn.share) * y[drawn.partner]
        place = drawn.points[:, 0] * x.std() + x.mean()
        off = np.mean(np.abs(label - place**2))
        again = drawn.attempts > 1
        axis.plot(grid, grid**2, color=GREY, lw=1.2)
        axis.plot(x[:, 0], y, "o", color="#1d232b", ms=3)
        axis.plot(place[~again], label[~again], "D", color=BLUE, ms=3.4, alpha=0.8)
        axis.plot(place[again], label[again], "^", color=ORANGE, ms=4.2, alpha=0.8)
        axis.set_title(f"{words} detection: mixed labels are {off:.2f} off on average")
        axis.set_xlabel("x")
    return figure
