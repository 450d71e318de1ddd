"""Illustrations show the values that the engine computes."""

import json
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from vjmgp.engine.numerics.rng import stream
from vjmgp.engine.objectives.vicinal import finite_difference, mixup
from vjmgp.study.figures.figure_style import study_style
from vjmgp.study.illustrations import vicinity as drawn
from vjmgp.study.illustrations.draw_illustrations import ILLUSTRATIONS, draw_illustrations


def test_worst_gaps_equal_a_plain_loop():
    x = np.sort(np.random.default_rng(0).normal(size=12))[:, np.newaxis]
    f = np.sin
    for vicinity in (
        mixup(stream(0, "vicinal"), x, f(x[:, 0]), 3, drawn.mixup_rule()),
        finite_difference(stream(0, "vicinal"), x, 3, 0.2),
    ):
        expected = np.zeros(12)
        for r, point in enumerate(vicinity.points[:, 0]):
            i, j, share = r % 12, vicinity.partner[r], vicinity.share[r]
            line = share * f(x[i, 0]) + (1 - share) * f(x[j, 0])
            expected[i] = max(expected[i], abs(f(point) - line))
        assert drawn.worst_gaps(f, x, vicinity) == pytest.approx(expected)
    vicinity = mixup(stream(0, "vicinal"), x, x[:, 0], 5, drawn.mixup_rule())
    assert drawn.worst_gaps(lambda v: 3 * v + 1, x, vicinity).max() < 1e-12


def numbers_in_titles(figure):
    titles = [axis.get_title().replace("−", "-") for axis in figure.axes]
    found = [re.search(r"(?:R²|are) (-?[\d.]+)", title) for title in titles]
    return [float(match[1]) for match in found]


def test_titles_show_the_effect_of_noise_and_detection():
    with study_style():
        scores = numbers_in_titles(drawn.noise_estimates())
        without, detected = numbers_in_titles(drawn.manifold_intrusion())
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0.95 > 0.5 > scores[-1]
    assert detected < 0.2 * without


def test_draw_illustrations_writes_all_files(tmp_path):
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
