"""The figures of an experiment, in one style, for screen (SVG) and print (PDF)."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.ticker import LogLocator, NullLocator

from ..fetching import write_whole
from .collect import read_runs, read_table

Colours = dict[str, str]
WIDTH = 9.0
"""Inches: as wide as the report's column."""
COLOURS = [
    "#0072B2", "#D55E00", "#999999", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31",
    "#F0E442", "#7F3C8D",
]  # fmt: skip
"""Okabe and Ito's, which colour-blind eyes tell apart, and two more."""
STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "vjmgp",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Arial", "Helvetica"],
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.grid": True,
    "axes.grid.axis": "x",
    "grid.color": "#e4e7eb",
    "axes.axisbelow": True,
    "axes.edgecolor": "#8a939e",
    "xtick.color": "#3a434e",
    "ytick.color": "#3a434e",
    "ytick.major.size": 0,
}


def draw_figures(
    runs: str,
    curves: str,
    methods: list[str],
    all_methods: list[str],
    datasets: list[str],
    curve_datasets: list[str] | None,
    test_figure: str,
    cost_figure: str,
    curves_figure: str,
) -> None:
    """Draw and write an experiment's figures; a method has one colour in the whole study."""
    colours = {name: COLOURS[k % len(COLOURS)] for k, name in enumerate(all_methods)}
    table = read_runs(runs)
    steps = read_table(curves)
    shown = [name for name in curve_datasets or datasets[:4] if name in datasets]
    with mpl.rc_context(STYLE):
        save(box_plots(table, methods, datasets, colours), test_figure)
        save(size_and_time(table, methods, colours), cost_figure)
        save(evolution_curves(steps, table, methods, shown, colours), curves_figure)


def save(figure: Any, path: str) -> None:
    """Write the figure as SVG, and as PDF beside it."""
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.08, wspace=0.03, hspace=0.03)
    figure.get_layout_engine().execute(figure)  # once: it takes longer than drawing
    figure.set_layout_engine("none")
    for kind in ("svg", "pdf"):
        # Without a date, so that the same data give the same file.
        date = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
        buffer = io.BytesIO()
        figure.savefig(buffer, format=kind, metadata=date)
        write_whole(Path(path).with_suffix(f".{kind}"), [buffer.getvalue()])
    plt.close(figure)


def box_plots(runs: pd.DataFrame, methods: list[str], datasets: list[str], colours: Colours) -> Any:
    """Test R² by method, one panel per dataset; outliers beyond the panel are left out."""
    columns = min(3, len(datasets))
    lines = -(-len(datasets) // columns)
    height = lines * (0.24 * len(methods) + 0.65)
    figure, axes = plt.subplots(
        lines, columns, figsize=(WIDTH, height), squeeze=False, layout="constrained"
    )
    for axis in axes.flat[len(datasets) :]:
        axis.set_visible(False)
    for number, (axis, dataset) in enumerate(zip(axes.flat, datasets, strict=False)):
        part = runs[runs["dataset"] == dataset]
        _boxes(axis, part, "test_r2", methods, colours)
        low = part["test_r2"].quantile(0.02) if len(part) else 0.0
        high = part["test_r2"].max() if len(part) else 1.0
        margin = 0.05 * max(high - low, 0.01)
        axis.set_xlim(max(low - margin, -1.0 if high > -1.0 else low), high + margin)
        axis.set(title=dataset, xlabel="test R²" if number >= len(datasets) - columns else "")
        if number % columns:
            axis.set_yticklabels([])
    return figure


def _boxes(axis: Any, runs: pd.DataFrame, value: str, methods: list[str], colours: Colours) -> None:
    sns.boxplot(
        runs,
        x=value,
        y="method",
        order=methods,
        hue="method",
        hue_order=methods,
        palette={name: colours[name] for name in methods},
        saturation=0.75,
        linewidth=0.9,
        fliersize=2,
        width=0.65,
        legend=False,
        ax=axis,
    )
    axis.set(ylabel="")


def size_and_time(runs: pd.DataFrame, methods: list[str], colours: Colours) -> Any:
    """Model size and training time by method, over all datasets."""
    figure, axes = plt.subplots(
        1, 2, figsize=(WIDTH, 0.28 * len(methods) + 0.9), layout="constrained"
    )
    panels = (("size", "model size"), ("seconds", "training time, s"))
    for k, (axis, (value, label)) in enumerate(zip(axes, panels, strict=True)):
        _boxes(axis, runs[runs[value] > 0], value, methods, colours)
        axis.set_xscale("log")
        axis.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=6))
        axis.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
        axis.xaxis.set_minor_locator(NullLocator())
        axis.set_xlabel(label)
        if k:
            axis.set_yticklabels([])
    return figure


def evolution_curves(
    steps: pd.DataFrame,
    runs: pd.DataFrame,
    methods: list[str],
    datasets: list[str],
    colours: Colours,
) -> Any:
    """Median training and test R² of the model that would be chosen after each generation.

    The band holds the middle half of the runs.
    """
    evolved = [name for name in methods if name in set(steps["method"])]
    datasets = [name for name in datasets if name in set(steps["dataset"])]
    if not evolved or not datasets:
        figure, axis = plt.subplots(figsize=(WIDTH, 0.6), layout="constrained")
        axis.text(0.5, 0.5, "No method of this experiment evolves.", ha="center", va="center")
        axis.axis("off")
        return figure
    figure, axes = plt.subplots(
        len(datasets), 2, figsize=(WIDTH, 2.3 * len(datasets) + 0.7), squeeze=False,
        sharex=True, layout="constrained",
    )  # fmt: skip
    generations = int(runs["generations"].max())
    for line, dataset in zip(axes, datasets, strict=True):
        for axis, metric in zip(line, ("train_r2", "test_r2"), strict=True):
            lowest = 1.0
            for method in evolved:
                part = steps[(steps["dataset"] == dataset) & (steps["method"] == method)]
                if not len(part):
                    continue
                values = filled_curves(part, metric, generations)
                low, middle, high = np.nanquantile(values, [0.25, 0.5, 0.75], axis=0)
                x = np.arange(generations + 1)
                axis.fill_between(x, low, high, color=colours[method], alpha=0.13, linewidth=0)
                axis.plot(x, middle, color=colours[method], linewidth=1.6, label=method)
                # The first generations are far below; what matters is at the end.
                lowest = min(lowest, np.nanmin(low[generations // 10 :]))
            axis.set_ylim(bottom=max(lowest - 0.03, -1.0))
            axis.grid(visible=True, axis="y")
            axis.set_title(f"{dataset}: {'training' if metric == 'train_r2' else 'test'} R²")
    for axis in axes[-1]:
        axis.set_xlabel("generation")
    figure.legend(
        *axes[0, 0].get_legend_handles_labels(),
        loc="outside upper left",
        ncols=len(evolved),
        frameon=False,
    )
    return figure


def filled_curves(steps: pd.DataFrame, metric: str, generations: int) -> Any:
    """Runs × generations: a value holds until the next step of its run."""
    table = steps.pivot_table(index="seed", columns="generation", values=metric, aggfunc="last")
    return table.reindex(columns=range(generations + 1)).ffill(axis=1).to_numpy(dtype=np.float64)
