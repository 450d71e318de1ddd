"""Plots: their content, and the axes that they draw on."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from tests.support.engine_runs import printed_by
from tests.support.regressors import energy_table as table
from tests.support.regressors import medium as small

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
def test_plots_use_given_axes_or_new_ones(fitted, name):
    plot = getattr(fitted, name)
    given = Figure().subplots()
    assert plot(*PLOTS[name], ax=given) is given
    assert given.get_xlabel()
    new = plot(*PLOTS[name])
    assert new is not given
    new.figure.canvas.draw()


def test_plot_front_shows_every_model(fitted):
    evolved, shorter, chosen = fitted.plot_front().lines
    assert len(evolved.get_xdata()) == (~fitted.pareto_front_["student"]).sum()
    assert list(shorter.get_xdata()) == list(fitted.shorter_versions()["size"])
    assert chosen.get_xdata()[0] == fitted.model_.size
    assert "energy" in fitted.plot_front().get_ylabel()


def test_plot_response_labels_column_target_and_levels(fitted):
    axes = fitted.plot_response("load")
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("load", "energy, predicted")
    labels = [text.get_text() for text in fitted.plot_response("site").get_xticklabels()]
    assert labels == ["A", "B", "C"]


def test_plot_residuals_shows_residuals(fitted):
    x, y = table(40, seed=1)
    points = fitted.plot_residuals(x, y).lines[-1]
    assert points.get_ydata() == pytest.approx(fitted.residuals(x, y)["residual"].to_numpy())


def test_plot_prediction_draws_intervals_on_request(fitted):
    x, y = table(40, seed=1)
    axes = fitted.plot_prediction(x, y, interval=0.8)
    _, ends = fitted.predict(x, interval=0.8)
    band = axes.collections[0].get_paths()[0].vertices
    assert band[:, 1].min() == pytest.approx(ends.min())
    assert "80%" in axes.get_legend().get_texts()[0].get_text()
    assert not fitted.plot_prediction(x, y, interval=None).collections


def test_plot_importance_shows_the_first_columns():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(50, 30))
    axes = small(generations=2).fit(x, x[:, 4]).plot_importance(x, x[:, 4])
    assert len(axes.patches) == 20
    assert axes.get_yticklabels()[0].get_text() == "x4"
    assert axes.get_title() == "the first 20 of 30 columns"


def test_plot_response_accepts_a_column_called_prediction():
    x, y = table()
    model = small(generations=3).fit(x.rename(columns={"load": "prediction"}), y)
    (curve, *_) = model.plot_response("prediction").lines
    assert curve.get_xdata()[-1] == x["load"].max()


def test_dollar_signs_are_escaped():
    x, y = table()
    model = small(generations=1).fit(x.rename(columns={"load": "price $a$"}), y)
    assert model.plot_response("price $a$").get_xlabel() == r"price \$a\$"


def test_importing_the_regressor_does_not_load_matplotlib():
    code = "import sys, vjmgp.regressor; print('matplotlib' in sys.modules)"
    assert printed_by(code) == "False\n"
