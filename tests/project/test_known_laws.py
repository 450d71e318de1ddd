"""The benchmark of known laws: its tables and its criterion."""

import json
import sys

import numpy as np
import pytest
from benchmarks import laws
from benchmarks.laws import EXACT, LAWS, Law, all_laws, gaps_of, is_found, own_error, values_of

EVERY_LAW = list(all_laws(list(LAWS)))


@pytest.mark.parametrize("law", EVERY_LAW, ids=lambda law: law.text)
def test_terms_match_the_law_and_points_are_in_range(law):
    rng = np.random.default_rng(100)
    inside, outside = law.draw(rng, 50), law.draw(rng, 50, beyond=0.5)
    for table in (inside, outside):
        assert len(table) == 50
        np.testing.assert_allclose(law.values(table), values_of(law.text, table), rtol=1e-12)
    low, high = law.range
    own = outside[law.inputs]
    assert inside.min(axis=None) >= low
    assert inside.max(axis=None) <= high
    assert ((own < low) | (own > high)).any(axis=1).all()
    assert own.max(axis=None) <= high + 0.5 * (high - low)


def test_there_are_sixty_laws():
    assert len({law.text for law in EVERY_LAW}) == 60
    assert all(1 <= len(law.inputs) <= 5 for law in EVERY_LAW)


def found(text, noise, law="3*a - 2*b + 5"):
    law = Law(law, "linear")
    rng = np.random.default_rng(100)
    x = law.draw(rng, 100)
    points = law.draw(rng, 1000), law.draw(rng, 1000, beyond=0.5)
    run = gaps_of(law, lambda table: values_of(text, table), points)
    run["own"] = [noise * own_error(law, x, place) for place in points]
    return [is_found(run), is_found(run, EXACT)]


def test_own_error_is_the_standard_error_of_a_fit():
    """Compare with fits to 50 draws of noise."""
    law = Law("3*a - 2*b + 5", "linear")
    rng = np.random.default_rng(100)
    x, points = law.draw(rng, 100), law.draw(rng, 200, beyond=0.5)
    features = [np.column_stack([np.ones(len(t)), t["a"], t["b"]]) for t in (x, points)]
    noise = 0.1 * law.values(x).std() * rng.standard_normal((100, 50))
    gaps = features[1] @ np.linalg.lstsq(features[0], noise)[0]
    found = np.sqrt(np.mean(gaps**2)) / law.values(points).std()
    assert 0.1 * own_error(law, x, points) == pytest.approx(found, rel=0.1)


@pytest.mark.parametrize(
    ("text", "noise", "near", "exact"),
    [
        ("5 + 3*a - 2*b", 0.0, True, True),
        ("3.001*a - 2*b + 5", 0.0, True, True),
        ("3.005*a - 2*b + 5", 0.0, True, False),
        ("3.05*a - 2*b + 5", 0.0, False, False),
        ("3.02*a - 2*b + 5", 0.1, True, True),  # within the error of the law's fit
        ("3.2*a - 2*b + 5", 0.1, False, False),
        ("3*a - 2*b + 5 + 0.01*u", 0.0, False, False),
        ("3*a - 2*b + 5 + 0.0001*u", 0.0, True, True),
        ("3*a - 2*b + 5 + 20*Max(a - 5, 0)", 0.0, False, False),  # equal inside the range
        ("log(a - 2)", 0.0, False, False),  # undefined
    ],
)
def test_criterion_for_found_laws(text, noise, near, exact):
    assert found(text, noise) == [near, exact]


def test_run_writes_lines_and_table_prints_them(tmp_path, monkeypatch, capsys):
    def fit(x, y, seed):
        return (lambda table: values_of("a*b", table)), "a*b"

    monkeypatch.setitem(laws.METHODS, "vjmgp", fit)
    place = tmp_path / "runs.jsonl"
    words = ["laws", "run", "vjmgp", "--seeds", "100", "--kinds", "product", "--to", str(place)]
    monkeypatch.setattr(sys, "argv", words)
    laws.main()
    runs = [json.loads(line) for line in place.read_text().splitlines()]
    assert len(runs) == 12 * 10
    assert {run["law"] for run in runs if is_found(run)} == {"a*b"}
    lone = tmp_path / "peer.jsonl"
    lone.write_text(json.dumps({**runs[0], "method": "peer"}))
    monkeypatch.setattr(sys, "argv", ["laws", "table", str(place), str(lone), "--common"])
    laws.main()
    assert "| fits | 1 | 1 |" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["laws", "table", str(place)])
    laws.main()
    lines = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines()]
    assert ["found", "8%"] in lines
    assert ["fits", "120"] in lines
