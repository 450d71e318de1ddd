"""Figures and illustrations: that what they draw is what was computed."""

import json
import re
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from vjmgp.engine.numerics.rng import stream
from vjmgp.engine.objectives.vicinal import finite_difference, mixup
from vjmgp.study.figures.boxes import boxes
from vjmgp.study.figures.draw_figures import all_figures, draw_figures
from vjmgp.study.figures.evolution_curves import Curves, filled_curves
from vjmgp.study.figures.heat_map import heat_map
from vjmgp.study.figures.overview import log_ticks, rank_diagram, three_panels
from vjmgp.study.figures.style import our_style, pens_of
from vjmgp.study.illustrations.draw_illustrations import ILLUSTRATIONS, draw_illustrations
from vjmgp.study.illustrations.extra_trees import manifold_intrusion, noise_estimates
from vjmgp.study.illustrations.vicinity import rule, worst_gaps
from vjmgp.study.paths import experiment_files
from vjmgp.study.plan.study import Experiment
from vjmgp.study.result_tables import write_csv
from vjmgp.study.statistics.compare_methods import compare_methods
from vjmgp.study.statistics.ranks import critical_difference


@pytest.fixture(autouse=True)
def closed_figures():
    with our_style():
        yield


def made_up_runs(methods, datasets, seeds=8):
    rng = np.random.default_rng(0)
    rows = [
        {"dataset": d, "method": m, "seed": s, "status": "ok", "protocol": "paper",
         "train_r2": 0.8, "test_r2": 0.5 + 0.1 * k + 0.01 * rng.normal(), "size": 10.0 * (k + 1),
         "trees": 2, "cpu_seconds": 0.5 * (k + 1), "generations": 4.0}
        for k, m in enumerate(methods) for d in datasets for s in range(seeds)
    ]  # fmt: skip
    return pd.DataFrame(rows)


# -- style ---------------------------------------------------------------------------------------


def test_forty_methods_can_be_told_apart_and_some_always_look_the_same():
    always = ("VJM", "Standard GP")
    pens = pens_of([*(f"method {k}" for k in range(38)), *always], always)
    assert len({(pen.colour, str(pen.dash)) for pen in pens.values()}) == 40
    for name in always:
        assert pens[name] == pens_of([name], always)[name]
        assert pens[name].dash == "-"


# -- what is drawn -------------------------------------------------------------------------------


def test_boxes_keep_the_order_of_the_methods_and_a_place_for_those_without_runs():
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"method": ["c"] * 40 + ["a"] * 30, "score": rng.normal(size=70)})
    pens = pens_of(["a", "b", "c"])
    _, axis = plt.subplots()
    boxes(axis, table, "score", ["a", "b", "c"], pens)
    assert [label.get_text() for label in axis.get_yticklabels()] == ["a", "b", "c"]
    bodies = {round(body.get_path().vertices[:, 1].mean()): body for body in axis.patches}
    assert set(bodies) == {0, 2}
    for place, name in ((0, "a"), (2, "c")):
        low, high = table.loc[table["method"] == name, "score"].quantile([0.25, 0.75])
        drawn = bodies[place].get_path().vertices[:, 0]
        assert [drawn.min(), drawn.max()] == pytest.approx([low, high])
    boxes(plt.subplots()[1], table[:0], "score", ["a", "b"], pens)  # nothing to draw yet


@pytest.mark.parametrize(
    ("limits", "ticks"),
    [
        ((0.22, 0.56), [0.3, 0.4, 0.5]),
        ((0.8, 150), [1, 10, 100]),
        ((4, 60), [5, 10, 20, 50]),
        ((1e-3, 1e9), [1e-3, 1e-1, 1e1, 1e3, 1e5, 1e7, 1e9]),
        ((4.0, 4.4), [4.0, 4.2, 4.4]),
        ((0.0212, 0.0241), [0.022, 0.023, 0.024]),
    ],
)
def test_logarithmic_axes_have_a_few_round_ticks(limits, ticks):
    _, axis = plt.subplots()
    axis.set_xscale("log")
    axis.set_xlim(*limits)
    log_ticks(axis)
    assert axis.get_xticks() == pytest.approx(ticks)


def test_the_heat_map_is_antisymmetric_and_pale_where_nothing_is_clear():
    pairs = pd.DataFrame(
        [("a", "b", 0.8, 0.001), ("a", "c", -0.5, 0.3), ("b", "c", -0.9, np.nan)],
        columns=["method", "versus", "rank_biserial", "p_adjusted"],
    )
    axis = heat_map(pairs, ["a", "b", "c"], 0.01).axes[0]
    shown = np.asarray(axis.collections[0].get_array())
    assert shown[0, 1] == 0.8
    assert shown[1, 0] == -0.8
    assert abs(shown[0, 2]) < 0.1
    assert sorted(text.get_text() for text in axis.texts) == [".001", ".001", ".300", ".300"]
    many = [str(k) for k in range(25)]
    assert not heat_map(pairs.assign(method="0", versus=["1", "2", "3"]), many, 0.01).axes[0].texts


def test_three_panels_are_sorted_by_accuracy_and_star_symbolic_methods():
    runs = made_up_runs(["worst", "VJM", "best"], ["d1", "d2", "d3"])
    methods = ["worst", "VJM", "best"]
    figure = three_panels(runs, methods, ["d1", "d2", "d3"], ["VJM"], pens_of(methods))
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == ["best", "VJM *", "worst"]
    points = [line for line in figure.axes[0].lines if line.get_marker() in ("o", "*")]
    means = runs.groupby(["method", "dataset"])["test_r2"].median().groupby("method").mean()
    assert [p.get_xdata()[0] for p in points] == pytest.approx(
        [means["best"], means["VJM"], means["worst"]]
    )
    assert [p.get_marker() for p in points] == ["o", "*", "o"]


def test_the_overview_has_paired_intervals_around_the_mean_of_medians():
    methods, datasets = ["VJM", "better"], ["d1", "d2", "d3"]
    runs = made_up_runs(methods, datasets)
    for k, dataset in enumerate(datasets):  # which differ far more than the methods
        runs.loc[runs["dataset"] == dataset, ["test_r2", "size", "cpu_seconds"]] *= 10.0**k
    figure = three_panels(runs, methods, datasets, ["VJM"], pens_of(methods))
    for axis, value in zip(figure.axes, ("test_r2", "size", "cpu_seconds"), strict=True):
        means = runs.groupby(["method", "dataset"])[value].median().groupby("method").mean()
        line, bar = (
            next(drawn.get_xdata() for drawn in axis.lines if drawn.get_linestyle() == style
                 and len(drawn.get_xdata()) == 2)
            for style in (":", "-")
        )  # fmt: skip
        assert list(line) == pytest.approx([means["VJM"]] * 2)
        assert means["VJM"] < bar[0] <= means["better"] * (1 + 1e-9)
        assert bar[0] <= bar[1]
        if value != "test_r2":  # everywhere twice as much
            assert list(bar) == pytest.approx([means["better"]] * 2)


def test_the_rank_diagram_joins_what_is_not_different():
    scores = pd.DataFrame([{"A": 4, "B": 3, "C": 2, "D": 1}] * 10, dtype=float)
    found = critical_difference(scores, 0.05)
    axis = rank_diagram(found).axes[0]
    texts = {text.get_text() for text in axis.texts}
    assert {"A  1.00", "B  2.00", "3.00  C", "4.00  D"} <= texts
    bars = [line.get_xdata() for line in axis.lines if line.get_linewidth() > 3]
    assert [np.round(bar).tolist() for bar in bars] == [[1, 2], [2, 3], [3, 4]]


def test_curves_hold_until_the_next_step():
    steps = pd.DataFrame(
        [("d", "m", 0, 0, 0.1), ("d", "m", 0, 3, 0.5), ("d", "m", 1, 1, 0.3)],
        columns=["dataset", "method", "seed", "generation", "test_r2"],
    )
    values = filled_curves(steps, "test_r2", 4)
    np.testing.assert_array_equal(values, [[0.1, 0.1, 0.1, 0.5, 0.5], [np.nan, 0.3, 0.3, 0.3, 0.3]])
    _, middle, _ = Curves(steps, 4).quartiles("d", "m", "test_r2")
    assert middle.tolist() == pytest.approx([0.1, 0.2, 0.2, 0.4, 0.4])
    assert Curves(steps, 4).quartiles("d", "other", "test_r2") is None


@pytest.mark.parametrize("evolves", [True, False])
def test_an_experiment_gets_the_figures_it_has_data_for(tmp_path, evolves):
    methods = ["VJM", "SVR", "not run"] if evolves else ["SVR"]
    runs = made_up_runs(methods[:2], ["d1", "d2"])
    files = experiment_files(str(tmp_path), "e")
    write_csv(files.runs, runs)
    curves = [("d1", "VJM", 0, 0, 0.1, 0.1)] if evolves else []
    columns = ["dataset", "method", "seed", "generation", "train_r2", "test_r2"]
    write_csv(files.curves, pd.DataFrame(curves, columns=columns))
    experiment = Experiment("e", "E", methods, ["d1", "d2"], "paper", papers_kind="paper")
    compare_methods(files.runs, experiment, 0.01, files.latex, **files.statistics)
    folder = tmp_path / "figures"
    these = files.runs, files.curves, str(folder)
    draw_figures(experiment, ["VJM"], None, 0.01, *these, **files.statistics)
    drawn = [entry["name"] for entry in json.loads((folder / "figures.json").read_text())]
    assert drawn == (["overview", "test_r2", "curves"] if evolves else ["test_r2"])
    for name in drawn:
        assert (folder / f"{name}.svg").read_text().startswith("<?xml")
        assert (folder / f"{name}.pdf").read_bytes().startswith(b"%PDF")
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_methods_run_on_a_few_datasets_are_not_drawn_among_those_run_on_all():
    datasets = [f"d{k}" for k in range(6)]
    runs = made_up_runs(["VJM", "SVR", "slow"], datasets)
    few = runs[(runs["method"] != "slow") | (runs["dataset"] == "d0")]
    tables = {"runs": few, "curves": pd.DataFrame(columns=["dataset", "method"])}
    tables["pairwise"] = pd.DataFrame({"p_adjusted": [np.nan]})
    methods = ["VJM", "SVR", "slow"]
    experiment = Experiment("e", "E", methods, datasets, "paper")
    name, figure, _, caption = next(all_figures(experiment, ["VJM"], None, 0.01, tables))
    assert name == "overview"
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert sorted(labels) == ["SVR", "VJM *"]
    assert "the datasets that all methods have (6)" in caption
    assert caption.endswith("Run on too few datasets to be shown: slow.")
    # Alone, there is nothing to compare with.
    pair = Experiment("e", "E", ["VJM", "slow"], datasets, "paper")
    tables["runs"] = few[few["method"] != "SVR"]
    assert next(all_figures(pair, ["VJM"], None, 0.01, tables))[0] == "test_r2"


# -- illustrations -------------------------------------------------------------------------------


def test_gaps_are_those_of_a_plain_loop():
    x = np.sort(np.random.default_rng(0).normal(size=12))[:, np.newaxis]
    f = np.sin
    for vicinity in (
        mixup(stream(0, "vicinal"), x, f(x[:, 0]), 3, rule()),
        finite_difference(stream(0, "vicinal"), x, 3, 0.2),
    ):
        expected = np.zeros(12)
        for r, point in enumerate(vicinity.points[:, 0]):
            i, j, share = r % 12, vicinity.partner[r], vicinity.share[r]
            line = share * f(x[i, 0]) + (1 - share) * f(x[j, 0])
            expected[i] = max(expected[i], abs(f(point) - line))
        assert worst_gaps(f, x, vicinity) == pytest.approx(expected)
    straight = worst_gaps(
        lambda v: 3 * v + 1, x, mixup(stream(0, "vicinal"), x, x[:, 0], 5, rule())
    )
    assert straight.max() < 1e-12


def numbers_in_titles(figure):
    titles = [axis.get_title().replace("−", "-") for axis in figure.axes]
    found = [re.search(r"(?:R²|are) (-?[\d.]+)", title) for title in titles]
    return [float(match[1]) for match in found]


def test_illustrations_show_what_they_say():
    scores = numbers_in_titles(noise_estimates())
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0.95 > 0.5 > scores[-1]
    without, detected = numbers_in_titles(manifold_intrusion())
    assert detected < 0.2 * without


def test_all_illustrations_are_written(tmp_path):
    draw_illustrations(str(tmp_path))
    entries = [SimpleNamespace(**e) for e in json.loads((tmp_path / "figures.json").read_text())]
    assert [entry.name for entry in entries[:-1]] == [draw.__name__ for draw, *_ in ILLUSTRATIONS]
    for entry in entries[:-1]:
        for kind in ("svg", "pdf", "png"):
            assert (tmp_path / f"{entry.name}.{kind}").stat().st_size > 1000
    models = entries[-1].models
    assert [model["method"] for model in models] == ["VJM", "Standard GP"]
    table = pd.read_csv(tmp_path / "features_547_no2.csv")
    assert len(table) == sum(len(model["features"]) for model in models)
    assert "cars\\_per\\_hour" in (tmp_path / "features_547_no2.tex").read_text()
