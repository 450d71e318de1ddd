"""The benchmarks of laws: their tables and criteria."""

import csv
import sys

import numpy as np
import pandas as pd
import pytest
from benchmarks import classics, friedman, ground_truth, public_tables, srbench_2025
from benchmarks.classics import CLASSICS, is_textbook
from benchmarks.equivalence import MORE, Judge, compare, distance
from benchmarks.laws import (
    IDLE,
    MORE_LAWS,
    OTHERS,
    all_laws,
    gaps_of,
    is_found,
    own_error,
    values_of,
)

ROWS = {name: np.random.default_rng(k).uniform(1, 3, 50) for k, name in enumerate("abI")}
OTHER_LAWS = list(all_laws(list(MORE_LAWS)))
WORDS = {"a": "a", "b": "b", "I_": "I"}


@pytest.mark.parametrize(
    ("text", "law", "reason"),
    [
        ("a*b + 2", "a*b", "difference"),
        ("5*a/b", "a/b", "ratio"),
        ("0.0796*a/I_**2", "a/(4*pi*I**2)", "ratio"),
        ("a**2 + 2*a*b + b**2", "(a + b)**2", "difference"),
        ("1.0003*a + b", "a + b", "difference"),  # equal to three decimals
        ("0.5*a*sin(2*b)", "a*sin(b)*cos(b)", "difference"),
        ("a/(exp(b) + exp(-b))", "a/(exp(b) + exp(-b))", MORE),
        ("exp(a)/exp(b)", "exp(a - b)", "ratio"),
        ("1.004*a + b", "a + b", None),
        ("1.0046*a + b", "a + b", None),
        ("a*b + 0.01*I_", "a*b", None),
        ("a + Max(b, 1)", "a + b", None),  # equal on these rows only
        ("a*I_", "a*b", "far"),
        ("1/(a - a)", "a*b", "far"),
    ],
)
def test_equivalence_of_formulas(text, law, reason):
    with np.errstate(all="ignore"):
        verdict = compare(text, WORDS, law, ROWS)
    assert verdict.solved is (reason not in {None, "far"})
    assert reason is None or verdict.reason == reason


def test_distance_ignores_a_summand_or_a_factor():
    law = ROWS["a"]
    assert distance(law + 3.0, law) == pytest.approx(0.0, abs=1e-12)
    assert distance(3.0 * law, law) == pytest.approx(0.0, abs=1e-12)
    assert distance(3.0 * law + 3.0, law) > 0.1
    assert distance(np.full(50, np.nan), law) == np.inf


def test_judge_stops_sympy_and_goes_on():
    judge = Judge(seconds=20.0)
    known = {name: name for name in "ab"}, "a*b", {name: ROWS[name] for name in "ab"}
    exact = ROWS["a"] * ROWS["b"]
    assert judge("b*a", exact, *known, exact).solved
    judge.seconds = 0.2
    slow = (
        "a*b + 0*"
        + "*".join(f"sin(a**{k} + b)**{k}" for k in range(2, 9))
        + " + 9**(9**9) - 9**(9**9)"
    )
    assert judge(slow, exact, *known, exact) == (False, "time")
    judge.seconds = 20.0
    assert judge("a*b + 1", exact, *known, exact).solved
    assert judge("a*(", exact, *known, exact) == (False, "TokenError")
    assert judge("a*b", -exact, *known, exact) == (False, "far")
    judge.close()


@pytest.fixture
def problems(tmp_path):
    """Write three problems, one of them outside SRBench's results."""
    ranges = '{"I": [1.0, 5.0], "b": [0.0, 1.0]}'
    rows = [
        ["name", "kind", "formula", "ranges", "in_srbench_results"],
        ["feynman_1", "feynman", "I*b/pi", ranges, "True"],
        ["feynman_2", "feynman", "arcsin(b)", ranges, "False"],
        ["strogatz_vdp2", "strogatz", "-(1)/(10) * x", "", "True"],
    ]
    with (tmp_path / "problems.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    (tmp_path / "strogatz").mkdir()
    table = pd.DataFrame({"x": np.linspace(-2, 2, 400), "y": np.linspace(0, 1, 400)})
    table.insert(0, "label", -0.1 * table["x"])
    table.to_csv(tmp_path / "strogatz/d_vdp2.txt", index=False)
    published = {
        "algorithm": "AFP",
        "dataset": "feynman_1",
        "target_noise": 0.0,
        "solution_rate": 50.0,
    }
    pd.DataFrame([published]).to_csv(tmp_path / "published.csv", index=False)
    return tmp_path


def test_draws_of_ground_truth_problems(problems):
    feynman, strogatz = ground_truth.read_problems(problems)
    x, y, test, exact = feynman.draw(0.0, 0)
    assert x.shape == test.shape == (1000, 2)
    np.testing.assert_allclose(y, x["I"] * x["b"] / np.pi)
    np.testing.assert_allclose(exact, test["I"] * test["b"] / np.pi)
    noisy = feynman.draw(0.1, 0)
    assert np.std(noisy[1] - y) == pytest.approx(0.1 * np.sqrt(np.mean(y**2)), rel=0.1)
    np.testing.assert_array_equal(noisy[3], exact)
    assert not np.array_equal(feynman.draw(0.0, 1)[1], y)
    x, y, test, exact = strogatz.draw(0.0, 0)
    assert (len(x), len(test)) == (300, 100)
    np.testing.assert_allclose(exact, strogatz.law(test))
    assert ground_truth.read_problems(problems, ["vdp"]) == [strogatz]


def test_ground_truth_skips_rows_that_it_has_and_writes_a_page(problems, monkeypatch, capsys):
    out, page = problems / "runs.csv", problems / "page.md"
    about = {"noise": 0.0, "seed": 0, "r2": 1.0, "size": 3, "seconds": 0.5, "judged_in": 0.1}
    runs = [
        {"problem": "feynman_1", "kind": "feynman", "solved": True, "reason": MORE, **about},
        {"problem": "strogatz_vdp2", "kind": "strogatz", "solved": False, "reason": "far", **about},
    ]
    pd.DataFrame(runs, columns=ground_truth.FIELDS).to_csv(out, index=False)
    before = out.read_text()
    words = ["--problems", problems, "--noise", "0", "--out", out, "--page", page]
    monkeypatch.setattr(sys, "argv", ["ground_truth", *map(str, words)])
    ground_truth.main()
    assert out.read_text() == before
    printed = capsys.readouterr().out
    for line in ("| all | 50.0 |", "| Strogatz | 0.0 |", "| by SRBench's program | 0.0 |"):
        assert line in printed
        assert line in page.read_text()
    assert "| AFP (SRBench) | 50.0 | – | – | – |" in page.read_text()


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("trees", "0.002*Girth**2*Height", True),
        ("trees", "0.002*Girth**1.98*Height**1.1 - 0.3", True),
        ("trees", "0.2*Girth**2", False),
        ("trees", "4.7*Girth + 0.3*Height - 58", False),
        ("pressure", "exp(18 - 5000/(temperature + 230)) + 0.1", True),
        ("pressure", "0.2*1.03**temperature", True),
        ("pressure", "temperature**3/1e5", False),
        ("Puromycin", "212 - 12.7/(conc + 0.06)", True),
        ("Puromycin", "212/(1 + 0.064/conc)", True),
        ("Puromycin", "200*sqrt(conc)", False),
        ("Puromycin", "212*tanh(conc)", False),
        ("cars", "0.1*speed**2 + speed", True),
        ("cars", "exp(speed/10)", False),
        ("faithful", "0.0756*waiting - 1.87", True),
        ("faithful", "0.0756*Abs(waiting - 90)", False),
        ("women", "0.0795*height**2 - 6*height + 250", True),
        ("women", "3*height - 60", False),
        ("DNase", "2.3/(1 + exp((1.48 - log(conc))/1.04))", True),
        ("DNase", "2.3*log(conc + 1)", False),
        ("BOD", "19.1*(1 - exp(-0.53*Time))", True),
        ("BOD", "19.1 - 10*exp(-0.53*Time)", False),
        ("Formaldehyde", "0.88*carb + 0.005", True),
        ("Formaldehyde", "carb**0.9", False),
        ("engel", "1.9*income**0.85", True),
        ("engel", "income + sqrt(income)", False),
        ("Loblolly", "100 - 110*exp(-0.04*age)", True),
        ("Loblolly", "4*age - 0.05*age**2", False),
        ("stormer", "29.4*Viscosity/(Wt - 2.2)", True),
        ("stormer", "29*Viscosity/Wt + 0.1*Wt", False),
        ("wtloss", "81 + 102*2**(-Days/142)", True),
        ("wtloss", "183 - 0.45*Days", False),
        ("planets", "sqrt(distance**3)", True),
        ("planets", "distance**1.7", False),
    ],
)
def test_forms_of_textbooks(name, text, expected):
    assert is_textbook(name, text) is expected


def test_words_of_formulas_stand_for_columns():
    words = {"Air_Flow": "Air.Flow", "Water_Temp": "Water.Temp", "Acid_Conc_": "Acid.Conc."}
    assert is_textbook("stackloss", "0.7*Air_Flow + 1.3*Water_Temp - 40", words)
    assert not is_textbook("stackloss", "0.7*Air_Flow - 40", words)
    assert not is_textbook("stackloss", "0.7*Air_Flow*Water_Temp - 40", words)


def test_every_classic_has_a_table():
    assert {path.stem for path in classics.FOLDER.glob("*.csv")} == set(CLASSICS)


@pytest.mark.parametrize("law", OTHER_LAWS, ids=lambda law: law.text)
def test_other_laws_are_found_by_themselves(law):
    rng = np.random.default_rng(0)
    x, points = law.draw(rng, 100), (law.draw(rng, 500), law.draw(rng, 500, law.beyond))
    assert all(len(place) == 500 for place in points)
    assert np.isfinite(law.features(x)).all()
    assert set(x) == {*law.inputs, *OTHERS}
    run = gaps_of(law, law.values, points)
    run["own"] = [0.05 * own_error(law, x, place) for place in points]
    assert is_found(run)
    assert max(run["own"]) < 0.1
    run = gaps_of(law, lambda t: law.values(t) + 0.02 * law.values(x).std() * t["u"], points)
    assert run["moved"] > IDLE


def test_there_are_28_other_laws():
    laws = OTHER_LAWS
    assert len({tuple(law.stream) for law in laws}) == 28
    assert values_of(laws[0].text, pd.DataFrame({"m": [1.0], "w": [2.0], "r": [3.6]})) == 4.0


def test_draws_of_friedman():
    x, y, test = friedman.draw(250, 25, 0)
    assert (x.shape, test.shape) == ((250, 25), (friedman.TEST, 25))
    assert np.std(y - friedman.friedman(x.to_numpy())) == pytest.approx(1.0, rel=0.1)


def test_tables_of_srbench_2025(tmp_path):
    (tmp_path / "folds").mkdir()
    for fold in (0, 1):
        for part in ("train", "test"):
            table = pd.DataFrame({"a": [1.0, fold], "target": [2.0, 3.0]})
            table.to_csv(tmp_path / f"folds/192_vineyard_{part}{fold}.csv.gz", index=False)
    published = {"algorithm": "Operon", "dataset": "192", "r2_test": [0.1, 0.2, 0.6], "size": 9}
    pd.DataFrame(published).to_csv(tmp_path / "published_runs.csv")
    assert srbench_2025.folds(tmp_path) == [("192_vineyard", 0), ("192_vineyard", 1)]
    x, y = srbench_2025.read(tmp_path, "192_vineyard", "test", 1)
    assert (list(x), list(y)) == (["a"], [2.0, 3.0])
    table = srbench_2025.compared(srbench_2025.published(tmp_path, ["192_vineyard"]))
    assert table["Operon"].to_dict() == {"192_vineyard": 0.2, "mean": 0.2, "median size": 9.0}


def test_public_tables_keep_what_was_promised():
    assert len(public_tables.TABLES) == 16
    found = public_tables.run("mtcars", population=20, generations=3, folds=3)
    assert found["rows"] == 32
    assert not found["names rows"]
    assert not found["worse and longer"]
    assert found["RMSE"] < 5.0
