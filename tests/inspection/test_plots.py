"""Plots: what they show, and that they draw on the axes they are given."""

import subprocess
import sys

import numpy as np
import pytest
from matplotlib.figure import Figure
from tests.support.fits import small, table

pytestmark = pytest.mark.filterwarnings("ignore::vjmgp.ExtrapolationWarning")

PLOTS = {
    "plot_front": (),
    "plot_response": ("load",),
    "plot_residuals": table(40, seed=1),
    "plot_prediction": table(40, seed=1),
    "plot_importance": table(40, seed=1),
    "plot_stability": (),
}


@pytest.fixture(scope="module")
def fitted():
    return small(restarts=2).fit(*table())


@pytest.mark.parametrize("name", PLOTS)
def test_axes_are_taken_and_given(fitted, name):
    plot = getattr(fitted, name)
    own = Figure().subplots()
    assert plot(*PLOTS[name], ax=own) is own
    assert own.get_xlabel()
    alone = plot(*PLOTS[name])
    assert alone is not own
    alone.figure.canvas.draw()


def test_the_front_has_every_model(fitted):
    evolved, shorter, chosen = fitted.plot_front().lines
    assert len(evolved.get_xdata()) == (~fitted.pareto_front_["student"]).sum()
    assert list(shorter.get_xdata()) == list(fitted.shorter_versions()["size"])
    assert chosen.get_xdata()[0] == fitted.model_.size
    assert "energy" in fitted.plot_front().get_ylabel()


def test_a_response_names_column_target_and_levels(fitted):
    axes = fitted.plot_response("load")
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("load", "energy, predicted")
    labels = [text.get_text() for text in fitted.plot_response("site").get_xticklabels()]
    assert labels == ["A", "B", "C"]


def test_residuals_are_those_of_the_rows(fitted):
    x, y = table(40, seed=1)
    points = fitted.plot_residuals(x, y).lines[-1]
    assert points.get_ydata() == pytest.approx(fitted.residuals(x, y)["residual"].to_numpy())


def test_intervals_are_drawn_where_wanted(fitted):
    x, y = table(40, seed=1)
    axes = fitted.plot_prediction(x, y, interval=0.8)
    _, ends = fitted.predict(x, interval=0.8)
    band = axes.collections[0].get_paths()[0].vertices
    assert band[:, 1].min() == pytest.approx(ends.min())
    assert "80%" in axes.get_legend().get_texts()[0].get_text()
    assert not fitted.plot_prediction(x, y, interval=None).collections


def test_of_many_columns_the_first_are_shown():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(50, 30))
    axes = small(generations=2).fit(x, x[:, 4]).plot_importance(x, x[:, 4])
    assert len(axes.patches) == 20
    assert axes.get_yticklabels()[0].get_text() == "x4"
    assert axes.get_title() == "the first 20 of 30 columns"


def test_a_column_may_be_called_as_the_curve_is():
    x, y = table()
    model = small(generations=3).fit(x.rename(columns={"load": "prediction"}), y)
    (curve, *_) = model.plot_response("prediction").lines
    assert curve.get_xdata()[-1] == x["load"].max()


def test_dollars_are_no_mathematics():
    x, y = table()
    model = small(generations=1).fit(x.rename(columns={"load": "price $a$"}), y)
    assert model.plot_response("price $a$").get_xlabel() == r"price \$a\$"


def test_matplotlib_is_loaded_only_to_draw():
    code = "import sys, vjmgp.regressor; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
