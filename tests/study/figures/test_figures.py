"""Figures show the values that were computed."""

import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from tests.support.made_up_runs import made_up_runs

from vjmgp.study.figures.all_pairs import heat_map, rank_diagram
from vjmgp.study.figures.box_plots import draw_boxes, size_and_time_boxes
from vjmgp.study.figures.draw_figures import MISSES, TOO_FEW_DATASETS, all_figures, draw_figures
from vjmgp.study.figures.evolution_curves import evolution_curves, filled_curves, quartiles
from vjmgp.study.figures.figure_style import log_ticks, pens_of, save_figure, study_style
from vjmgp.study.figures.overview_panels import three_panels
from vjmgp.study.paths import experiment_files
from vjmgp.study.plan.study import Experiment
from vjmgp.study.result_tables import write_csv
from vjmgp.study.statistics.compare_methods import compare_methods
from vjmgp.study.statistics.critical_difference import critical_difference
from vjmgp.study.statistics.summaries import by_dataset


@pytest.fixture(autouse=True)
def closed_figures():
    with study_style():
        yield


def runs_of(methods, datasets):
    """Runs in which each method is better, larger and slower than the one before."""
    rng = np.random.default_rng(0)
    scores = {
        (d, m): 0.5 + 0.1 * k + 0.01 * rng.normal(size=8)
        for k, m in enumerate(methods)
        for d in datasets
    }
    runs = made_up_runs(scores, train_r2=0.8, generations=4.0)
    place = runs["method"].map({name: k + 1.0 for k, name in enumerate(methods)})
    return runs.assign(size=10 * place, cpu_seconds=0.5 * place)


def means_of(runs, metric):
    names = (list(runs[column].unique()) for column in ("method", "dataset"))
    return by_dataset(runs, *names, metric).mean()


def test_pens_of_forty_methods_differ_and_some_never_change():
    always = ("VJM", "Standard GP")
    pens = pens_of([*(f"method {k}" for k in range(38)), *always], always)
    assert len({(pen.colour, str(pen.dash)) for pen in pens.values()}) == 40
    for name in always:
        assert pens[name] == pens_of([name], always)[name]
        assert pens[name].dash == "-"


def test_draw_boxes_keeps_the_order_and_a_place_for_methods_without_runs():
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"method": ["c"] * 40 + ["a"] * 30, "score": rng.normal(size=70)})
    pens = pens_of(["a", "b", "c"])
    _, axis = plt.subplots()
    draw_boxes(axis, table, "score", ["a", "b", "c"], pens)
    assert [label.get_text() for label in axis.get_yticklabels()] == ["a", "b", "c"]
    bodies = {round(body.get_path().vertices[:, 1].mean()): body for body in axis.patches}
    assert set(bodies) == {0, 2}
    for place, name in ((0, "a"), (2, "c")):
        low, high = table.loc[table["method"] == name, "score"].quantile([0.25, 0.75])
        drawn = bodies[place].get_path().vertices[:, 0]
        assert [drawn.min(), drawn.max()] == pytest.approx([low, high])
    draw_boxes(plt.subplots()[1], table[:0], "score", ["a", "b"], pens)  # nothing to draw yet


def test_size_and_time_boxes_show_all_runs():
    methods = ["VJM", "SVR"]
    runs = runs_of(methods, ["d1", "d2"])
    runs.loc[runs["method"] == "SVR", "size"] = np.r_[0, np.arange(1, len(runs) // 2)]
    figure = size_and_time_boxes(runs, methods, pens_of(methods))
    for axis, value in zip(figure.axes, ("size", "cpu_seconds"), strict=True):
        assert axis.get_xscale() == "log"
        shown = runs[(runs["method"] == "SVR") & (runs[value] > 0)]
        body = next(b for b in axis.patches if round(b.get_path().vertices[:, 1].mean()) == 1)
        ends = np.quantile(np.log(shown[value]), [0.25, 0.75])
        found = body.get_path().vertices[:, 0]
        assert np.log([found.min(), found.max()]) == pytest.approx(ends)


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
def test_log_ticks_are_few_and_round(limits, ticks):
    _, axis = plt.subplots()
    axis.set_xscale("log")
    axis.set_xlim(*limits)
    log_ticks(axis)
    assert axis.get_xticks() == pytest.approx(ticks)


def test_heat_map_is_antisymmetric_and_pale_for_insignificant_pairs():
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


def test_heat_map_has_room_for_long_names(tmp_path):
    methods = [f"{'LinearRegression' * (k % 2)}{k}" for k in range(17)]
    pairs = pd.DataFrame({"method": "0", "versus": methods[1:], "rank_biserial": 0.5})
    save_figure(heat_map(pairs.assign(p_adjusted=0.001), methods, 0.01), tmp_path / "map")
    pixels = plt.imread(tmp_path / "map.png")[:, :, :3]
    assert pixels[:, :3].min() == pixels[:, -3:].min() == pixels[-3:].min() == 1.0


def test_three_panels_sort_by_accuracy_and_star_symbolic_methods():
    runs = runs_of(["worst", "VJM", "best"], ["d1", "d2", "d3"])
    methods = ["worst", "VJM", "best"]
    figure = three_panels(runs, methods, ["d1", "d2", "d3"], ["VJM"], pens_of(methods))
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == ["best", "VJM *", "worst"]
    points = [line for line in figure.axes[0].lines if line.get_marker() in ("o", "*")]
    means = means_of(runs, "test_r2")
    assert [p.get_xdata()[0] for p in points] == pytest.approx(
        [means["best"], means["VJM"], means["worst"]]
    )
    assert [p.get_marker() for p in points] == ["o", "*", "o"]


def test_three_panels_draw_paired_intervals_around_the_mean_of_medians():
    methods, datasets = ["VJM", "better"], ["d1", "d2", "d3"]
    runs = runs_of(methods, datasets)
    for k, dataset in enumerate(datasets):  # datasets differ far more than methods
        runs.loc[runs["dataset"] == dataset, ["test_r2", "size", "cpu_seconds"]] *= 10.0**k
    figure = three_panels(runs, methods, datasets, ["VJM"], pens_of(methods))
    for axis, value in zip(figure.axes, ("test_r2", "size", "cpu_seconds"), strict=True):
        means = means_of(runs, value)
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


def test_rank_diagram_joins_methods_that_do_not_differ():
    scores = pd.DataFrame([{"A": 4, "B": 3, "C": 2, "D": 1}] * 10, dtype=float)
    found = critical_difference(scores, 0.05)
    axis = rank_diagram(found).axes[0]
    texts = {text.get_text() for text in axis.texts}
    assert {"A  1.00", "B  2.00", "3.00  C", "4.00  D"} <= texts
    bars = [line.get_xdata() for line in axis.lines if line.get_linewidth() > 3]
    assert [np.round(bar).tolist() for bar in bars] == [[1, 2], [2, 3], [3, 4]]


def test_filled_curves_hold_until_the_next_step():
    steps = pd.DataFrame(
        [("d", "m", 0, 0, 0.1), ("d", "m", 0, 3, 0.5), ("d", "m", 1, 1, 0.3)],
        columns=["dataset", "method", "seed", "generation", "test_r2"],
    )
    values = filled_curves(steps, "test_r2", 4)
    np.testing.assert_array_equal(values, [[0.1, 0.1, 0.1, 0.5, 0.5], [np.nan, 0.3, 0.3, 0.3, 0.3]])
    _, middle, _ = quartiles(steps, "test_r2", 4)
    assert middle.tolist() == pytest.approx([0.1, 0.2, 0.2, 0.4, 0.4])
    drawn = evolution_curves(steps.assign(train_r2=0.5), 4, ["m", "other"], ["d"], pens_of(["m"]))
    assert [line.get_label() for line in drawn.axes[1].lines] == ["m"]  # the other has no runs


@pytest.mark.parametrize("evolves", [True, False])
def test_draw_figures_draws_what_the_experiment_has_data_for(tmp_path, evolves):
    methods = ["VJM", "SVR", "not run"] if evolves else ["SVR"]
    runs = runs_of(methods[:2], ["d1", "d2"])
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
    boxes = ["test_r2", "size_and_time"]
    assert drawn == (["overview", *boxes, "curves"] if evolves else boxes)
    for name in drawn:
        assert (folder / f"{name}.svg").read_text().startswith("<?xml")
        assert (folder / f"{name}.pdf").read_bytes().startswith(b"%PDF")
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(("count", "words"), [(5, TOO_FEW_DATASETS), (6, MISSES)])
def test_overview_says_what_its_bars_can_tell(count, words):
    datasets = [f"d{k}" for k in range(count)]
    tables = {"runs": runs_of(["VJM", "SVR"], datasets)}
    tables["curves"] = pd.DataFrame(columns=["dataset", "method"])
    experiment = Experiment("e", "E", ["VJM", "SVR"], datasets, "paper")
    *_, caption = next(all_figures(experiment, ["VJM"], None, 0.01, tables))
    assert f"the dotted line; {words}. Size" in caption


def test_overview_leaves_out_methods_run_on_few_datasets():
    datasets = [f"d{k}" for k in range(6)]
    runs = runs_of(["VJM", "SVR", "slow"], datasets)
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
    # One method alone has no overview.
    pair = Experiment("e", "E", ["VJM", "slow"], datasets, "paper")
    tables["runs"] = few[few["method"] != "SVR"]
    assert next(all_figures(pair, ["VJM"], None, 0.01, tables))[0] == "test_r2"
