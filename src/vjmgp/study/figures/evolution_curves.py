"""Training and test R² of the model that would be chosen after each generation."""

from typing import Any

import numpy as np
import pandas as pd

from ...core.arrays import Floats
from .figure_style import Pen, panels

SCORES = {"train_r2": "training", "test_r2": "test"}
BANDS_UP_TO = 4
"""With more methods, the bands would cover each other."""


def quartiles(steps: pd.DataFrame, metric: str, generations: int) -> Floats:
    """Return 3 × generations: quartiles over the runs."""
    values = filled_curves(steps, metric, generations)
    known = np.isfinite(values).any(axis=0)
    found = np.full((3, values.shape[1]), np.nan)
    found[:, known] = np.nanquantile(values[:, known], [0.25, 0.5, 0.75], axis=0)
    return found


def filled_curves(steps: pd.DataFrame, metric: str, generations: int) -> Floats:
    """Return runs × generations; a value holds until the next step of its run."""
    table = steps.pivot_table(index="seed", columns="generation", values=metric, aggfunc="last")
    return table.reindex(columns=range(generations + 1)).ffill(axis=1).to_numpy(dtype=np.float64)


def evolution_curves(
    steps: pd.DataFrame,
    generations: int,
    methods: list[str],
    datasets: list[str],
    pens: dict[str, Pen],
) -> Any:
    """Draw training and test R² of all methods, a line of panels for each dataset."""
    height = 2.3 * len(datasets) + 0.9
    figure, axes = panels(len(datasets), 2, height, squeeze=False, sharex=True)
    x = np.arange(generations + 1)
    parts = dict(list(steps.groupby(["dataset", "method"], sort=False)))
    for line, dataset in zip(axes, datasets, strict=True):
        for axis, (metric, words) in zip(line, SCORES.items(), strict=True):
            lowest = 1.0
            for method in methods:
                if (dataset, method) not in parts:
                    continue
                low, middle, high = quartiles(parts[dataset, method], metric, generations)
                pen = pens[method]
                if len(methods) <= BANDS_UP_TO:
                    axis.fill_between(x, low, high, color=pen.colour, alpha=0.13, linewidth=0)
                else:
                    low = middle
                axis.plot(x, middle, color=pen.colour, ls=pen.dash, linewidth=1.6, label=method)
                # Leave out the first generations, which are far below the rest.
                lowest = min(lowest, np.nanmin(low[generations // 10 :]))
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
