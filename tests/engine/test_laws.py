"""Laws: expressions, the search for sums and products, the fit of constants, and the models."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import least_squares
from tests.support.regressors import reloaded

import vjmgp
from vjmgp import UserFunction, VJMRegressor
from vjmgp.engine.distillation.laws import is_steady
from vjmgp.engine.laws import expressions as e
from vjmgp.engine.laws.fitting import (
    LawData,
    fitted,
    is_spike,
    leave_one_out,
    simplified,
    variance_of,
)
from vjmgp.engine.laws.improvement import improved
from vjmgp.engine.laws.least_squares import with_slopes
from vjmgp.engine.laws.library import exponents_of, monomials, values_of
from vjmgp.engine.laws.limits import EVERYTHING, Limits
from vjmgp.engine.laws.search import informative_first, search, separable
from vjmgp.engine.laws.sums import best_sums
from vjmgp.models.symbolic import Feature, SymbolicModel
from vjmgp.tables.preprocessing import fit_standardizer

N = 120
ALL = np.ones(5, bool), np.ones(5, bool)
RNG = np.random.default_rng(3)
COLUMNS = RNG.uniform(1.0, 5.0, size=(5, N))
A, B, C, D, E = COLUMNS
TABLE = pd.DataFrame(COLUMNS.T, columns=list("abcde"))
SMALL = {"population_size": 20, "generations": 3, "random_state": 100}
X = [("x", k) for k in range(5)]
EXPRESSIONS = [
    e.times(("k", 1.5), X[0], e.power(X[1], -0.5)),
    e.plus(("k", 0.3), e.power(e.plus(X[0], ("k", 2.0)), 3.0)),
    e.times(("exp", e.times(("k", -0.4), X[2])), ("cos", e.plus(X[3], ("k", 0.2)))),
    ("log", e.plus(("n", 1.0), e.times(("k", 0.7), X[4], X[4]))),
    ("tanh", e.times(("k", 0.2), e.plus(X[0], e.times(("n", -1.0), X[1])))),
    e.power(e.plus(("sin", X[0]), ("k", 2.5)), -1.0),
    ("exp", e.times(("k", 0.8), ("log", X[1]))),
]


def data(y, columns=COLUMNS, weights=None):
    plain = np.ones(len(columns), bool)
    return LawData(columns, y, np.ones(len(y)) if weights is None else weights, plain)


def noisy(y, noise, seed=5):
    return y + noise * y.std() * np.random.default_rng(seed).normal(size=len(y))


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_slopes_are_derivatives(expression):
    numbers = e.constants_of(expression)
    value, slopes = with_slopes(expression, COLUMNS)
    np.testing.assert_allclose(value, e.value_of(expression, COLUMNS), rtol=1e-13)
    for k, slope in enumerate(slopes):
        moved = [
            e.value_of(
                e.with_constants(
                    expression, iter(n + step * (j == k) for j, n in enumerate(numbers))
                ),
                COLUMNS,
            )
            for step in (1e-6, -1e-6)
        ]
        np.testing.assert_allclose(slope, (moved[0] - moved[1]) / 2e-6, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_trees_compute_their_expression(expression):
    standardizer = fit_standardizer(TABLE, A, list("abcde"), [])
    scale = np.array([column.scale for column in standardizer.inputs])
    offset = np.array([column.mean for column in standardizer.inputs]) / scale
    intercept, terms = e.in_units(expression, scale)
    found = np.full(N, intercept)
    for number, term in terms:
        codes, constants = e.tree_of(term, offset)
        feature = Feature(tuple(codes), tuple(constants), 1.0, 0.0, 1.0)
        found += number * SymbolicModel(standardizer, (feature,)).transform(TABLE)[:, 0]
    np.testing.assert_allclose(found, e.value_of(expression, COLUMNS), rtol=1e-9)


def test_longer_descriptions_have_a_higher_price():
    short = e.times(X[0], X[1])
    for long in (e.times(short, X[2]), ("sin", short), e.power(short, 2.0), e.plus(short, X[2])):
        assert e.price_of(long, 5) > e.price_of(short, 5)
    assert e.price_of(short, 50) > e.price_of(short, 5)


def test_sums_equal_exhaustive_search():
    """Compare with least squares on all pairs of a small library."""
    terms = monomials(
        exponents_of(((1, (1.0, 2.0, -1.0), 5),), np.arange(5), np.ones(5, bool), np.ones(5, bool)),
        COLUMNS,
    )
    y = noisy(A**2 - 3 * C, 0.1)
    weights = np.linspace(0.5, 2.0, N)
    roots = np.sqrt(weights)

    def error(pair):
        x = (roots * np.vstack([terms.values[list(pair)], np.ones(N)])).T
        return float(np.sum((roots * y - x @ np.linalg.lstsq(x, roots * y, rcond=None)[0]) ** 2))

    pairs = list(itertools.combinations(range(len(terms.values)), 2))
    same_price = np.zeros(len(terms.values))
    ranked = [places for _, places in best_sums(terms.values, same_price, y, weights, 2, 400)]
    of_two = [places for places in ranked if len(places) == 2]
    assert of_two[:5] == sorted(pairs, key=error)[:5]


def test_monomials_keep_signs_and_limits():
    columns = COLUMNS - 3.0
    positive, plain = columns.min(axis=1) > 0.0, np.array([True, True, True, True, False])
    exponents = exponents_of(
        ((1, (1.0, 2.0, 0.5, -1.0), 5), (2, (1.0, 3.0), 5)), np.arange(5), positive, plain
    )
    assert (exponents >= 0.0).all()
    assert (exponents % 1.0 == 0.0).all()
    of_levels = exponents[exponents[:, 4] > 0.0]
    assert of_levels.tolist() == [[0.0, 0.0, 0.0, 0.0, 1.0]]
    expected = np.array([np.prod(columns.T**row, axis=1) for row in exponents])
    np.testing.assert_allclose(values_of(exponents, columns), expected, rtol=1e-12)


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_constants_are_those_of_scipy(expression):
    y = noisy(e.value_of(expression, COLUMNS), 0.1)
    weights = np.linspace(0.5, 2.0, N)
    start = e.with_constants(expression, (1.2 * n + 0.05 for n in e.constants_of(expression)))
    problem = data(y, weights=weights)
    law = fitted(problem, start, variance_of(problem), steps=50)

    def residuals(numbers):
        return np.sqrt(weights) * (y - e.value_of(e.with_constants(start, iter(numbers)), COLUMNS))

    reference = least_squares(residuals, e.constants_of(start), xtol=1e-14, ftol=1e-14)
    assert law.error * weights.mean() == pytest.approx(2.0 * reference.cost, rel=1e-5)
    np.testing.assert_allclose(e.constants_of(law.expression), reference.x, rtol=1e-2, atol=1e-3)


def test_leave_one_out_errors_of_a_line_are_exact():
    y = noisy(2 * A - B, 0.3)
    line = e.plus(e.times(("k", 1.0), X[0]), e.times(("k", 1.0), X[1]), ("k", 0.0))
    law = fitted(data(y), line, 1.0)
    found = leave_one_out(data(y), law.expression, np.empty(0))
    for row in (0, 7, 50):
        kept = np.arange(N) != row
        x = np.column_stack([A, B, np.ones(N)])
        answer = np.linalg.lstsq(x[kept], y[kept], rcond=None)[0]
        assert found[row] == pytest.approx(y[row] - x[row] @ answer, rel=1e-6)


@pytest.mark.parametrize(
    ("number", "shown"),
    [(2.0, 2.0), (0.5, 0.5), (np.pi, np.pi), (1.0 / 3.0, 1.0 / 3.0), (2.37, None)],
)
def test_constants_become_simple_numbers_where_the_data_agree(number, shown):
    problem = data(noisy(np.exp(-A) + number * B, 0.001, seed=6))
    law = fitted(
        problem, e.plus(("exp", e.times(("k", -1.1), X[0])), e.times(("k", 1.0), X[1])), 1.0
    )
    simple = simplified(problem, law, variance_of(problem)).expression
    constants = e.constants_of(simple)
    if shown is None:
        assert constants == [pytest.approx(number, rel=0.01)]
    else:
        assert constants == []
        assert ("n", shown) in simple[-1] or (shown == 1.0 and simple[-1] == X[1])


def test_factors_are_divided_out_where_the_slope_is_simple():
    y = C**2 / D * (np.exp(-A) + B)
    assert separable(data(y)).tolist() == [0.0, 0.0, 2.0, -1.0, 0.0]
    assert separable(data(y - y.mean())) is None
    assert separable(data(np.exp(A * B))) is None


LAWS = {
    "3*a - 2*b": 3 * A - 2 * B + 5,
    "a*b*c*d": A * B * C * D,
    "a*b/(c*d)": A * B / (C * D),
    "sqrt(a)*b": np.sqrt(A) * B,
    "a**(2/3)*b": A ** (2 / 3) * B,
    "a**2 + b/c": A**2 + B / C,
    "a*b + c*d": A * B + C * D,
    "10/(a + b)": 10 / (A + B),
    "sqrt(a**2 + 3*b**2)": np.sqrt(A**2 + 3 * B**2),
    "3*exp(-0.7*a)": 3 * np.exp(-0.7 * A),
    "b*exp(-2/a)": B * np.exp(-2 / A),
    "a/(1 + b**2)": A / (1 + B**2),
    "a*sin(b)": A * np.sin(B),
    "log(a/b)*c": np.log(A / B) * C,
    "a*tanh(0.5*b)": A * np.tanh(0.5 * B),
    "sqrt((a - b)**2 + (c - d)**2)": np.sqrt((A - B) ** 2 + (C - D) ** 2),
    "2*sin(1.5*a + 0.4) + 1": 2 * np.sin(1.5 * A + 0.4) + 1,
    "4/(1 + exp(6 - 2*a))": 4 / (1 + np.exp(6 - 2 * A)),
    "a*b/(c*d) + 3*e": A * B / (C * D) + 3 * E,
}


WITH_CONSTANTS = {
    "c + (d - c)*exp(-0.4*b)": C + (D - C) * np.exp(-0.4 * B),
    "a*cos(1.3*b) + c": A * np.cos(1.3 * B) + C,
    "(a*b + c*d)/(a + c)": (A * B + C * D) / (A + C),
    "b/(1 + exp(9 - 3*a))": B / (1 + np.exp(9 - 3 * A)),
    "b*log(1 + 0.5*a)": B * np.log(1 + 0.5 * A),
    "5*exp(-3*exp(-0.8*a))": 5 * np.exp(-3 * np.exp(-0.8 * A)),
    "b*exp(-(a/3)**1.5)": B * np.exp(-((A / 3) ** 1.5)),
    "2*exp(-0.3*a) - 2*exp(-1.5*a)": 2 * np.exp(-0.3 * A) - 2 * np.exp(-1.5 * A),
}


@pytest.mark.parametrize("noise", [0.0, 0.02])
@pytest.mark.parametrize("law", LAWS)
def test_laws_are_found(law, noise):
    """Compare the best law with the true values at other points, within the noise of its fit."""
    y = noisy(LAWS[law], noise)
    assert gap_of_best(law, y) < 1e-6 + 2.5 * noise * np.sqrt(4 / N)


@pytest.mark.parametrize("noise", [0.0, 0.02])
@pytest.mark.parametrize("law", WITH_CONSTANTS)
def test_laws_with_constants_inside_are_found(law, noise):
    y = noisy(WITH_CONSTANTS[law], noise)
    assert gap_of_best(law, y) < 1e-3 + 3.5 * noise * np.sqrt(4 / N)


def gap_of_best(law, y):
    """Return the distance of the best law from the true one at other points, in deviations."""
    best = search(data(y), EVERYTHING)[0]
    fresh = np.random.default_rng(9).uniform(1.0, 5.0, size=(5, 400))
    names = dict(zip("abcde", fresh, strict=True)) | {
        name: getattr(np, name) for name in ("sin", "cos", "exp", "log", "sqrt", "tanh")
    }
    truth = eval(law, names)  # the laws above
    found = e.value_of(best.expression, fresh)
    return np.sqrt(np.mean((found - found.mean() - truth + truth.mean()) ** 2)) / truth.std()


@pytest.mark.parametrize(
    ("start", "truth"),
    [
        (e.times(("k", 1.0), e.power(X[0], 1.5), X[1]), A**2 * B),
        (e.times(("k", 1.0), X[0], X[1], X[2]), A * B),
        (e.times(("k", 1.0), X[0]), A / C),
        (e.times(("k", 1.0), ("sin", X[0]), X[1]), B * np.cos(A)),
        (e.times(("k", 1.0), X[0]), A + B / C),
        (e.plus(e.times(("n", 1.5), X[0]), e.power(X[1], 2.0), ("k", 0.0)), 1.7 * A + B**2),
    ],
    ids=["power", "less", "more", "function", "term", "number"],
)
def test_small_changes_improve_a_law(start, truth):
    problem = data(noisy(truth, 0.05))
    square = variance_of(problem)
    first = fitted(problem, start, square)
    terms = monomials(exponents_of(((2, (1.0, -1.0), 5),), np.arange(5), *ALL), COLUMNS)
    (best,) = improved(problem, [first], square, EVERYTHING, np.arange(5), terms)
    assert best.score < first.score
    values = e.value_of(best.expression, COLUMNS)
    assert np.sqrt(np.mean((values - truth) ** 2)) < 0.05 * truth.std()


def test_terms_of_single_rows_are_no_laws():
    columns = np.array([A, B, 4.0 * C])
    line = e.plus(("k", 1.0), e.times(("k", 1.0), X[0]))
    spike = e.plus(("k", 1.0), e.times(("k", 1e-18), ("exp", e.times(("n", 3.0), X[2]))))
    y = noisy(A + B, 0.1)
    y[np.argmax(C)] += 30.0
    problem = data(y, columns)
    square = variance_of(problem)
    assert is_spike(problem, fitted(problem, spike, square), square)
    inside = fitted(problem, ("tanh", e.times(("n", 0.01), spike)), square)
    assert is_spike(problem, inside, square)
    assert not is_spike(problem, fitted(problem, line, square), square)
    single = problem._replace(columns=np.array([A, B, 4.0 * C, np.arange(N) == 7.0]))
    assert not is_spike(single, fitted(single, line, square), square)  # an input is one, too


def test_improved_laws_keep_the_limits():
    problem = data(A / C)
    square = variance_of(problem)
    first = fitted(problem, e.times(("k", 1.0), X[0]), square)
    terms = monomials(np.eye(5), COLUMNS)
    limits = Limits.of(("add", "mul"))
    laws = improved(problem, [first], square, limits, np.arange(5), terms)
    assert all(limits.permit(law.expression) for law in laws)


def test_inputs_behind_a_dominant_one_come_before_idle_ones():
    order = informative_first(data(100.0 * E + noisy(A * B, 0.1)))
    assert set(order[:3]) == {0, 1, 4}
    assert order[0] == 4


def test_many_inputs_have_the_order_of_what_each_explains_alone(monkeypatch):
    columns = np.random.default_rng(2).normal(size=(60, 40))  # too few rows for all at once
    problem = data(2.0 * columns[3] + columns[5] ** 2, columns)
    order = informative_first(problem)
    monkeypatch.setattr("vjmgp.engine.laws.search.MANY", 10)
    assert set(order[:2]) == {3, 5}
    assert np.array_equal(informative_first(problem), order)


def test_noise_has_no_law_worth_its_length():
    problem = data(np.random.default_rng(7).normal(size=N))
    square = variance_of(problem)
    mean = fitted(problem, ("k", 0.0), square)
    assert search(problem, EVERYTHING)[0].score > mean.score - 12.0


def test_search_repeats_itself():
    problem = data(noisy(A * np.sin(B) + C, 0.1))
    first, second = (search(problem, EVERYTHING) for _ in range(2))
    assert [law.expression for law in first] == [law.expression for law in second]


def test_weights_count_as_copies():
    y = A * B
    y[:20] = 100.0 * C[:20]
    weights = np.where(np.arange(N) < 20, 1e-9, 1.0)
    assert search(data(y, weights=weights), EVERYTHING)[0].expression == e.times(X[0], X[1])


def test_constant_and_far_inputs_are_no_obstacle():
    columns = np.array([A, np.full(N, 3.0), 1e6 + B, 2000.0 + np.arange(N) % 20])
    for y in (A + B, A * np.exp(B)):
        best = search(data(noisy(y, 0.01), columns), EVERYTHING)[0]
        assert best.error < 0.2 * variance_of(data(y, columns))


def test_constant_targets_have_no_laws():
    assert search(data(np.ones(N)), EVERYTHING) == []


@pytest.mark.parametrize(
    ("functions", "inside", "yes", "no"),
    [
        (("add", "sub"), None, ["3*a"], ["a*b", "a/b", "a**2", "sin"]),
        (("add", "mul"), None, ["3*a", "a*b", "a**2"], ["a/b", "sqrt", "sin", "exp"]),
        (("add", "mul", "div"), None, ["a*b", "a/b"], ["sqrt", "sin", "exp"]),
        (
            tuple(f for f in vjmgp.FUNCTION_NAMES if f != "sin"),
            None,
            ["a/b", "exp", "cos"],
            ["sin"],
        ),
        (vjmgp.FUNCTION_NAMES, {"sin": ("mul",)}, ["sin", "a*b"], ["sin(a*b)"]),
        (vjmgp.FUNCTION_NAMES, {"cos": ("sin", "cos")}, ["cos", "sin"], []),
    ],
)
def test_limits_follow_the_functions_of_trees(functions, inside, yes, no):
    known = {
        "3*a": e.times(("n", 3.0), X[0]),
        "a*b": e.times(X[0], X[1]),
        "a/b": e.times(X[0], e.power(X[1], -1.0)),
        "a**2": e.power(X[0], 2.0),
        "sqrt": e.power(X[0], 0.5),
        "sin": ("sin", X[0]),
        "cos": ("cos", X[0]),
        "exp": ("exp", X[0]),
        "sin(a*b)": ("sin", e.times(X[0], X[1])),
    }
    limits = Limits.of(functions, inside)
    assert all(limits.permit(known[text]) for text in yes)
    assert not any(limits.permit(known[text]) for text in no)
    assert Limits.of(("mul", "sin")) is None


@pytest.mark.parametrize(
    ("y", "text"),
    [
        (A * B * C, "a*b*c"),
        (A / B, "a/b"),
        (3 * A - 2 * B + 5, "3*a - 2*b + 5"),
        (10 / (A + B), "10/(a + b)"),
        (A * B / (A + B), "a*b/(a + b)"),
        (np.sqrt(A**2 + 3 * B**2), "sqrt(a**2 + 3*b**2)"),
        (2 * np.sin(3 * A), "2*sin(3*a)"),
    ],
)
def test_default_formula_is_the_law(tmp_path, y, text):
    model = VJMRegressor(**SMALL).fit(TABLE, y)
    assert str(model.model_) == text
    assert model.score(TABLE, y) > 0.999999
    front = model.pareto_front_
    assert front["chosen"].sum() == 1
    assert front.loc[front["chosen"], "formula"].item() == text
    again = reloaded(model.model_, tmp_path)
    np.testing.assert_array_equal(again.predict(TABLE), model.predict(TABLE))


def test_law_holds_beyond_the_training_range():
    y = A * B
    far = pd.DataFrame({name: [10.0] for name in "abcde"})
    for clip, expected in (("auto", 100.0), (False, 100.0), (True, y.max())):
        model = VJMRegressor(**SMALL, clip_predictions=clip).fit(TABLE, y)
        with pytest.warns(vjmgp.ExtrapolationWarning):
            assert model.predict(far)[0] == pytest.approx(expected)


def test_predictions_of_noisy_laws_are_limited(tmp_path):
    """The less a law explains, the closer to the training targets its predictions stay."""
    far = pd.DataFrame({name: [50.0] for name in "abcde"})
    reach = []
    for noise in (0.1, 0.5):
        y = noisy(A * B, noise)
        model = VJMRegressor(**SMALL).fit(TABLE, y)
        low, high = y.min(), y.max()
        with pytest.warns(vjmgp.ExtrapolationWarning, match="1 prediction is clipped at"):
            predicted = model.predict(far)[0]
        reach.append((predicted - high) / (high - low))
        assert reach[-1] == pytest.approx(model.model_.standardizer.reach)
        with pytest.warns(vjmgp.ExtrapolationWarning):
            assert reloaded(model.model_, tmp_path).predict(far)[0] == predicted
    assert reach[0] > 5.0 > 1.0 > reach[1] > 0.0


def test_laws_that_live_on_rounding_errors_are_rejected():
    whole = np.arange(1.0, 41.0)[None]
    wave = ("sin", e.times(("n", np.pi), X[0]))
    rounding = data(e.value_of(wave, whole), whole)
    assert np.abs(rounding.y).max() < 1e-12
    assert not is_steady(wave, rounding)
    assert is_steady(e.power(X[0], 2.0), rounding._replace(y=whole[0] ** 2))


def test_law_of_many_weighted_rows():
    rng = np.random.default_rng(11)
    table = pd.DataFrame(rng.uniform(1, 5, size=(4000, 3)), columns=list("abc"))
    y = table["a"] / table["b"]
    model = VJMRegressor(**SMALL, max_rows=300).fit(table, y, np.full(4000, 2.0))
    assert str(model.model_) == "a/b"
    assert model.model_.scores["o1"] < 1e-12


@pytest.mark.parametrize("law", [lambda a, b: b / a, lambda a, b: 1.0 / (b + 1.0 / a)])
def test_law_undefined_on_a_row_is_rejected(law):
    """The search uses some of many rows; on another row, this law is undefined."""
    table = pd.concat([TABLE[["a", "b"]]] * 10, ignore_index=True)
    y = law(table["a"], table["b"])
    table.loc[1, "a"] = 0.0
    model = VJMRegressor(**SMALL).fit(table, y)
    assert np.isfinite(model.predict(table)).all()


def test_rules_without_laws():
    y = A * B * C
    for rule in ("distil", "paper"):
        assert str(VJMRegressor(**SMALL, final_rule=rule).fit(TABLE, y).model_) != "a*b*c"


def test_given_functions_restrict_laws():
    import sympy

    own = UserFunction("twice", lambda x: 2.0 * x, 2 * sympy.Symbol("x"))
    for functions in (("add", "sub"), ("add", "mul", own)):
        model = VJMRegressor(**SMALL, functions=functions).fit(TABLE, A / B)
        assert "/" not in str(model.model_)
    model = VJMRegressor(**SMALL, functions=("-sin", "-cos")).fit(TABLE, A * np.sin(B))
    assert not {"sin", "cos"} & {
        str(f.func) for f in sympy.sympify(str(model.model_)).atoms(sympy.Function)
    }
    model = VJMRegressor(**SMALL, functions=("-sin", "-cos")).fit(TABLE, A / B)
    assert str(model.model_) == "a/b"


def test_laws_respect_max_size():
    model = VJMRegressor(**SMALL, max_size=5).fit(TABLE, A * B * C)
    assert model.model_.evolved_size <= 5


def test_prices_of_monomials_are_those_of_expressions():
    plain = np.ones(5, bool)
    shapes = ((1, (1.0, 2.0, -0.5, 4.0), 5), (2, (1.0, -2.0, 1.5), 5))
    exponents = exponents_of(shapes, np.arange(5), plain, plain)
    expected = [e.price_of(e.product_of_powers(row), 5) for row in exponents]
    np.testing.assert_allclose(e.prices_of_monomials(exponents), expected)
