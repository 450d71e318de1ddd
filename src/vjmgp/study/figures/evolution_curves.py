"""Evolution curves: training and test R² of the model that would be chosen then."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ...core.arrays import Floats
from .style import WIDTH, Pen

METRICS = {"train_r2": "training", "test_r2": "test"}
BANDS_UP_TO = 4
"""With more methods, bands of the middle half would cover each other."""


class Curves:
    """Quartiles over the runs, generation by generation."""

    def __init__(self, steps: pd.DataFrame, generations: int) -> None:
        self.generations = generations
        self.parts = dict(list(steps.groupby(["dataset", "method"], sort=False)))

    def quartiles(self, dataset: str, method: str, metric: str) -> Floats | None:
        """3 × generations, or None where there is no run."""
        part = self.parts.get((dataset, method))
        if part is None:
            return None
        values = filled_curves(part, metric, self.generations)
        known = np.isfinite(values).any(axis=0)
        found = np.full((3, values.shape[1]), np.nan)
        found[:, known] = np.nanquantile(values[:, known], [0.25, 0.5, 0.75], axis=0)
        return found


def filled_curves(steps: pd.DataFrame, metric: str, generations: int) -> Floats:
    """Runs × generations: a value holds until the next step of its run."""
    table = steps.pivot_table(index="seed", columns="generation", values=metric, aggfunc="last")
    return table.reindex(columns=range(generations + 1)).ffill(axis=1).to_numpy(dtype=np.float64)


def evolution_curves(
    curves: Curves, methods: list[str], datasets: list[str], pens: dict[str, Pen]
) -> Any:
    """One line of panels per dataset: training and test R² of all methods."""
    figure, axes = plt.subplots(
        len(datasets), 2, figsize=(WIDTH, 2.3 * len(datasets) + 0.9), squeeze=False,
        sharex=True, layout="constrained",
    )  # fmt: skip
    x = np.arange(curves.generations + 1)
    for line, dataset in zip(axes, datasets, strict=True):
        for axis, (metric, words) in zip(line, METRICS.items(), strict=True):
            lowest = 1.0
            for method in methods:
                found = curves.quartiles(dataset, method, metric)
                if found is None:
                    continue
                low, middle, high = found
                pen = pens[method]
                if len(methods) <= BANDS_UP_TO:
                    axis.fill_between(x, low, high, color=pen.colour, alpha=0.13, linewidth=0)
                else:
                    low = middle
                axis.plot(x, middle, color=pen.colour, ls=pen.dash, linewidth=1.6, label=method)
                # The first generations are far below; what matters is at the end.
                lowest = min(lowest, np.nanmin(low[curves.generations // 10 :]))
            axis.set_ylim(bottom=max(lowest - 0.03, -1.0))
            axis.grid(visible=True, axis="y")
            axis.set_title(f"{dataset}: {words} R²")
    for axis in axes[-1]:
        axis.set_xlabel("generation")
    handles = {
        label: handle
        for axis in axes.flat
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
    }
    figure.legend(
        handles.values(), handles.keys(), loc="outside upper left", ncols=min(5, len(handles)),
        frameon=False,
    )  # fmt: skip
    return figure
