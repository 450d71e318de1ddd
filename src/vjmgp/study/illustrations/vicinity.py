"""Vicinal points: gaps, kernels and shares; Extra Trees, which estimate noise and reject points."""

from typing import Any

import numpy as np
from scipy.stats import beta as beta_distribution
from scipy.stats import entropy

from ...core.arrays import Floats
from ...engine.numerics.rng import beta, stream
from ...engine.objectives.forest import fit_forest
from ...engine.objectives.noise import adaptive_tau, noise_scores, out_of_fold_predictions
from ...engine.objectives.vicinal import MixupRule, Vicinity, finite_difference, mixup
from ..figures.figure_style import BLUE, GREEN, GREY, ORANGE, panels_without_grid

ALPHA, GAMMA = 10.0, 0.5
"""The paper's Beta parameter and kernel width."""
NOISE = (0.0, 0.25, 0.5, 1.0)
"""Standard deviations of the noise added to a sine."""


def mixup_rule(alpha: float = ALPHA, gamma: float = GAMMA, joint: bool = False) -> MixupRule:
    """Return the paper's rule for drawing partners and shares, with given changes."""
    return MixupRule(alpha, gamma, joint, True)


def _mixed(values: Floats, vicinity: Vicinity) -> Floats:
    """Return the mixtures of each anchor's value and its partner's."""
    anchors = values[np.arange(len(vicinity.share)) % len(values)]
    return vicinity.share * anchors + (1 - vicinity.share) * values[vicinity.partner]


def _scaled(values: Floats) -> Floats:
    """Return values with mean 0 and standard deviation 1."""
    return np.asarray((values - values.mean()) / values.std())


def _gaps(f: Any, x: Floats, vicinity: Vicinity) -> tuple[Floats, Floats]:
    """Return the lines between anchors and partners, and rounds × anchors distances of f."""
    line = _mixed(f(x[:, 0]), vicinity)
    return line, np.abs(f(vicinity.points[:, 0]) - line).reshape(-1, len(x))


def worst_gaps(f: Any, x: Floats, vicinity: Vicinity) -> Floats:
    """Return the largest distance of f from the line to a partner, for each anchor."""
    return np.asarray(_gaps(f, x, vicinity)[1].max(axis=0))


def gap_and_difference() -> Any:
    """Draw a steep line and a fluctuating function with both measures."""
    functions: dict[str, Any] = {
        "straight": lambda x: 1.2 * x,
        "fluctuating": lambda x: 1.2 * x + 0.45 * np.sin(6 * x),
    }
    x = np.sort(np.random.default_rng(0).uniform(-1.6, 1.6, 24))[:, np.newaxis]
    grid = np.linspace(-1.75, 1.75, 400)
    figure, axes = panels_without_grid(2, 2, 5.2, sharex=True)
    for line, (name, f) in zip(axes, functions.items(), strict=True):
        y = f(x[:, 0])
        moved = finite_difference(stream(0, "vicinal"), x, 10, 0.2)
        mixed = mixup(stream(0, "vicinal"), x, _scaled(y), 10, mixup_rule())
        for axis, vicinity, colour, words in (
            (line[0], moved, ORANGE, "finite difference"),
            (line[1], mixed, BLUE, "Jensen gap"),
        ):
            axis.plot(grid, f(grid), color=GREY, lw=1.4)
            axis.plot(x[:, 0], y, "o", color="#1d232b", ms=3.5)
            _draw_worst_gap(axis, f, x, vicinity, colour)
            axis.set_title(f"{name}, {words}: {np.mean(worst_gaps(f, x, vicinity) ** 2):.3f}")
    for axis in axes[-1]:
        axis.set_xlabel("x")
    return figure


def _draw_worst_gap(axis: Any, f: Any, x: Floats, vicinity: Vicinity, colour: str) -> None:
    """Draw the worst vicinal point, its line and the gap."""
    lines, gaps = _gaps(f, x, vicinity)
    anchor = int(np.argmax(gaps.max(axis=0)))
    row = anchor + len(x) * int(np.argmax(gaps[:, anchor]))
    start, partner = float(x[anchor, 0]), float(x[vicinity.partner[row], 0])
    point = float(vicinity.points[row, 0])
    far = partner if partner != start else point
    axis.plot([start, far], [f(start), f(partner)], color=colour, lw=1.3, ls=(0, (4, 2)))
    axis.plot([point, point], [lines[row], f(point)], color=colour, lw=3.2)
    axis.plot(point, f(point), "o", color=colour, ms=6)


def beta_densities() -> Any:
    """Draw the density of the share λ for several α, and draws of the engine."""
    figure, axis = panels_without_grid(1, 1, 3.0)
    grid = np.linspace(0, 1, 401)
    for alpha, colour, dash in ((1.0, GREEN, ":"), (10.0, BLUE, "-"), (100.0, ORANGE, "--")):
        state = stream(0, "vicinal")
        drawn = np.array([beta(state, alpha, alpha) for _ in range(20_000)])
        axis.hist(drawn, bins=60, range=(0, 1), density=True, color=colour, alpha=0.18)
        density = beta_distribution.pdf(grid, alpha, alpha)
        axis.plot(grid, density, color=colour, ls=dash, lw=1.8, label=f"α = {alpha:g}")
    axis.set(xlabel="share λ of one of two points", ylabel="density", xlim=(0, 1))
    axis.legend(frameon=False)
    return figure


def kernels() -> Any:
    """Draw the weight of a partner by the distance of its label, for several γ."""
    figure, axes = panels_without_grid(1, 2, 3.0)
    distance = np.linspace(0, 4, 201)
    rng = np.random.default_rng(0)
    y = np.sort(rng.normal(size=100))
    x = rng.normal(size=(100, 1))
    for gamma, colour, dash in ((0.1, GREEN, ":"), (0.5, BLUE, "-"), (1.0, ORANGE, "--")):
        weight = np.exp(-gamma * distance**2)
        axes[0].plot(distance, weight, color=colour, ls=dash, lw=1.8, label=f"γ = {gamma:g}")
        drawn = mixup(stream(0, "vicinal"), x, y, 200, mixup_rule(gamma=gamma))
        apart = np.abs(y[np.arange(len(drawn.share)) % 100] - y[drawn.partner])
        look: Any = {"histtype": "step", "color": colour, "ls": dash, "lw": 1.6}
        axes[1].hist(apart, bins=40, range=(0, 4), density=True, **look)
    axes[0].set(xlabel="|yᵢ − yⱼ|, standardised labels", ylabel="weight exp(−γ (yᵢ − yⱼ)²)")
    axes[0].legend(frameon=False)
    axes[1].set(xlabel="|yᵢ − yⱼ| of the pairs that are drawn", ylabel="density")
    return figure


def limits_of_kernels() -> Any:
    """Draw the failures of both kernels: Mix_Y across a valley, Mix_XY with many inputs."""
    figure, axes = panels_without_grid(1, 3, 3.1)
    x = np.sort(np.random.default_rng(1).uniform(-2, 2, 30))[:, np.newaxis]
    y = x[:, 0] ** 2
    for axis, joint, name in ((axes[0], False, "Mix_Y"), (axes[1], True, "Mix_XY")):
        drawn = mixup(stream(3, "vicinal"), _scaled(x), _scaled(y), 1, mixup_rule(joint=joint))
        for i, j in enumerate(drawn.partner):
            axis.plot([x[i, 0], x[j, 0]], [y[i], y[j]], color=GREY, lw=0.7, alpha=0.7)
        mixed_x, mixed_y = _mixed(x[:, 0], drawn), _mixed(y, drawn)
        axis.plot(x[:, 0], y, "o", color="#1d232b", ms=3.5)
        axis.plot(mixed_x, mixed_y, "D", color=ORANGE if not joint else BLUE, ms=4)
        off = np.mean(np.abs(mixed_y - mixed_x**2))
        axis.set_title(f"{name} on x²: {off:.2f} off")
        axis.set_xlabel("x")
    inputs = np.array([1, 2, 5, 10, 20, 50])
    for joint, colour, dash, name in ((False, ORANGE, "--", "Mix_Y"), (True, BLUE, "-", "Mix_XY")):
        counts = [_partners_in_use(int(p), joint) for p in inputs]
        axes[2].plot(inputs, counts, "o", color=colour, ls=dash, lw=1.6, ms=4, label=name)
    axes[2].set_xscale("log")
    axes[2].set_xticks(inputs, map(str, inputs))
    axes[2].minorticks_off()
    axes[2].set(xlabel="number of inputs", title="partners in use, of 99")
    axes[2].set_ylim(bottom=0)
    axes[2].legend(frameon=False)
    axes[2].grid(visible=True, axis="both")
    return figure


def _partners_in_use(inputs: int, joint: bool, n: int = 100, rounds: int = 400) -> float:
    """Return the effective number of partners of a row: exp of the entropy of the draws."""
    rng = np.random.default_rng(inputs)
    x, y = rng.normal(size=(n, inputs)), rng.normal(size=n)
    drawn = mixup(stream(0, "vicinal"), x, y, rounds, mixup_rule(joint=joint))
    partners = drawn.partner.reshape(rounds, n).T
    return float(np.mean([np.exp(entropy(np.bincount(of_row))) for of_row in partners]))


def noise_estimates() -> Any:
    """Draw cross-validated predictions of a sine at several levels of noise, with R² and τ."""
    figure, axes = panels_without_grid(1, len(NOISE), 2.7, sharex=True)
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(-np.pi, np.pi, 100))
    error = rng.normal(size=100)
    for axis, deviation in zip(axes, NOISE, strict=True):
        y = np.sin(x) + deviation * error
        rows = _scaled(x)[:, np.newaxis], _scaled(y)
        predicted, _ = out_of_fold_predictions(*rows, 0)
        score = noise_scores(*rows, 0)["mean"]
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
    detector = fit_forest(stream(0, "detector"), np.ascontiguousarray(_scaled(x).T), _scaled(y))
    figure, axes = panels_without_grid(1, 2, 3.4, sharey=True)
    grid = np.linspace(-2, 2, 200)
    for axis, forest, words in ((axes[0], None, "without"), (axes[1], detector, "with")):
        drawn = mixup(stream(0, "vicinal"), _scaled(x), _scaled(y), 3, mixup_rule(), forest)
        label = _mixed(y, drawn)
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
