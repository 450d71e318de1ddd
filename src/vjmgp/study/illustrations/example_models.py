"""Models that evolution finds: a rugged and a smooth one, and the features on 547_no2."""

from typing import Any

import numpy as np
import pandas as pd

from ...core.arrays import Floats
from ...models.extrapolation import extrapolation_ignored
from ...regressor import VJMRegressor
from ...tables.pmlb import load_dataset
from ..figures.figure_style import BLUE, GREY, ORANGE, panels_without_grid
from ..protocols import paper_split, r2
from ..runs.model_description import features_of, legend_of

EXAMPLE, SEED = "547_no2", 0
METHODS = {"VJM": "jensen_gap", "Standard GP": "none"}


def _truth(x: Floats) -> Floats:
    return np.asarray(np.sin(x) + 0.3 * x)


def rugged_and_smooth() -> Any:
    """Draw two models of one run's front on noisy rows: by error, and by error with the gap."""
    rng = np.random.default_rng(5)
    x = np.sort(rng.uniform(-3, 3, 40))
    y = _truth(x) + 0.6 * rng.normal(size=40)
    grid = np.linspace(-3, 3, 600)
    truth = _truth(grid)
    run = VJMRegressor.paper(random_state=SEED, tau=1.0).fit(pd.DataFrame({"x": x}), y)
    figure, axes = panels_without_grid(1, 3, 3.0, width_ratios=[1, 1, 0.8])
    parts: dict[str, list[float]] = {}
    chosen = (("rugged", "o1", ORANGE), ("smooth", "tau", BLUE))
    for axis, (name, rule, colour) in zip(axes, chosen, strict=False):
        model = run.choose(rule=rule).model_
        axis.plot(x, y, "o", color=GREY, ms=3.2)
        axis.plot(grid, truth, color="#1d232b", lw=1, ls=(0, (4, 2)))
        with extrapolation_ignored():
            predicted = run.predict(pd.DataFrame({"x": grid}))
        axis.plot(grid, predicted, color=colour, lw=1.8)
        axis.set_title(f"{name}: R² to the truth {r2(truth, predicted):.2f}")
        axis.set_xlabel("x")
        parts[name] = [model.scores["o1"], model.scores["o2"]]
    names = ["leave-one-out\nerror", "Jensen gap"]
    for k, (name, _, colour) in enumerate(chosen):
        bars = axes[2].bar(
            np.arange(2) + 0.4 * k - 0.2, parts[name], 0.36, color=colour, label=name
        )
        axes[2].bar_label(bars, fmt="%.3f", fontsize=8)
    axes[2].set_xticks([0, 1], names)
    axes[2].margins(y=0.1)
    axes[2].set_title("parts of the loss")
    axes[2].legend(frameon=False)
    return figure


def example_models() -> list[dict[str, Any]]:
    """Return the final models of VJM and of Standard GP on one split of 547_no2."""
    data = load_dataset(EXAMPLE)
    train, test = paper_split(EXAMPLE, len(data), SEED)
    inputs = data.inputs.iloc[train], data.inputs.iloc[test]
    found = []
    for method, regularizer in METHODS.items():
        run = VJMRegressor.paper(regularizer=regularizer, random_state=SEED)
        run.fit(inputs[0], data.target[train])
        with extrapolation_ignored():
            on_test = run.predict(inputs[1])
        found.append(
            {
                "method": method,
                "seed": SEED,
                "size": run.model_.evolved_size,
                "train_r2": r2(data.target[train], run.predict(inputs[0])),
                "test_r2": r2(data.target[test], on_test),
                "features": features_of(run.model_),
                "legend": legend_of(run.model_),
            }
        )
    return found
