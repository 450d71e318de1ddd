"""The choice of the formula to show."""

import numpy as np
import pytest

from vjmgp.engine.distillation import choice
from vjmgp.engine.distillation.choice import Candidate, choose, node_price
from vjmgp.engine.objectives.row_weights import row_weights
from vjmgp.engine.trees.primitives import FIRST_VARIABLE, MUL, SIN

N = 200


def candidate(name, errors, size, liberty=0.0, plain=False):
    return Candidate(lambda: name, np.asarray(errors, float), size, size, liberty, plain)


def chosen(*candidates, weights=None):
    return choose(candidates, row_weights(len(candidates[0].errors), weights))


@pytest.fixture
def noise():
    return np.random.default_rng(0).normal(size=N)


def slightly_worse(errors):
    """Return errors some of which are larger and about as many are smaller."""
    signs = np.empty(N)
    signs[np.argsort(np.abs(errors))] = np.tile([-1.0, 1.0], N // 2)
    return errors * (1.0 + 0.05 * signs)


def test_the_usual_candidate_stays_unless_rows_tell(noise):
    nearly, worse = slightly_worse(noise), noise + np.random.default_rng(1).normal(size=N)
    other = candidate("other", noise, 12)
    assert chosen(candidate("usual", nearly, 10), other) == "usual"
    assert chosen(candidate("usual", worse, 10), other) == "other"
    assert chosen(candidate("usual", worse, 10), other._replace(size=1000)) == "usual"
    assert chosen(candidate("usual", worse, 10), candidate("second", nearly, 10), other) == "other"


def test_a_plain_form_is_taken_if_rows_cannot_tell(noise):
    nearly, worse = slightly_worse(noise), noise + np.random.default_rng(1).normal(size=N)
    usual, law = candidate("usual", noise, 10), candidate("law", nearly, 5, plain=True)
    assert chosen(usual, law) == "law"
    assert chosen(usual, law, candidate("shorter law", nearly, 4, plain=True)) == "shorter law"
    assert chosen(usual, law._replace(size=11, length=11)) == "usual"
    assert chosen(usual, law._replace(plain=False)) == "usual"
    assert chosen(usual, law._replace(errors=worse)) == "usual"


def test_a_plain_form_as_long_as_a_student_is_taken(noise):
    nearly = slightly_worse(noise)
    law = candidate("law", nearly, 10, plain=True)
    assert chosen(candidate("usual", noise, 10), law) == "law"
    assert chosen(candidate("line", noise, 10, plain=True), law) == "line"


def test_few_rows_prefer_simpler_forms():
    """A tenth more error is nothing on 12 rows, if they do not tell it from chance."""
    for rows, name in ((12, "short"), (1200, "long")):
        larger = np.sqrt(1.1 + 0.9 * np.resize([1.0, -1.0], rows))
        long = candidate("long", np.ones(rows), 9, plain=True)
        assert chosen(long, candidate("short", larger, 7, plain=True)) == name


def test_choice_has_no_cliff_and_knows_the_noise(noise):
    """The same relative difference decides at every level of noise."""
    worse = noise + 0.9 * np.random.default_rng(1).normal(size=N)
    for level in (1e-6, 1e-3, 0.1, 0.5):
        law = candidate("law", level * worse, 3, plain=True)
        assert chosen(candidate("long", level * noise, 25), law) == "long"
        law = candidate("law", level * (0.99 * noise + 0.01 * worse), 3, plain=True)
        assert chosen(candidate("long", level * noise, 25), law) == "law"


def test_few_rows_do_not_decide(noise):
    """A huge error counts as three deviations, so that a better fit of two rows is no reason."""
    outliers = noise.copy()
    outliers[[3, 8]] = 30.0
    fits_them = 1.3 * noise
    pair = candidate("usual", outliers, 9), candidate("fits outliers", fits_them, 9)
    assert chosen(*pair) == "usual"


def test_price_falls_with_rows_and_with_noise():
    assert node_price(1.0, 50) == choice.MOST_NODE_PRICE
    prices = [node_price(0.1, rows) for rows in (100, 1000, 10000)]
    assert prices == sorted(prices, reverse=True)
    assert node_price(0.01, 1000) == pytest.approx(prices[1] / 10)


def test_liberty_makes_errors_larger(noise):
    given, fitted = candidate("given", noise, 10), candidate("fitted", 0.97 * noise, 10)
    assert chosen(given, fitted) == "fitted"
    assert chosen(given, fitted._replace(liberty=3.0)) == "given"


def test_rows_count_by_their_weights(noise):
    """A row of weight 3 counts like three copies; equal weights of any size change nothing."""
    rng = np.random.default_rng(2)
    worse = noise + rng.normal(size=N) * np.linspace(0.0, 1.0, N)
    pair = candidate("long", noise, 20), candidate("law", worse, 4, plain=True)
    for weights in (np.ones(N), np.linspace(1.5, 0.1, N) ** 20, np.full(N, 7.0)):
        assert chosen(*pair, weights=weights) == ("law" if weights[0] > weights[-1] else "long")


def test_exact_formulas_are_told_from_nearly_exact_ones(noise):
    """Rounding errors do not decide: of two exact formulas, the shorter is taken."""
    nearly, long = candidate("nearly", 1e-4 * noise, 3), candidate("long", 1e-10 * noise, 9)
    assert chosen(nearly, candidate("short", 3e-10 * noise, 5), long) == "short"


def test_undefined_candidates_lose(noise):
    undefined = noise.copy()
    undefined[3] = np.nan
    assert chosen(candidate("nan", undefined, 1), candidate("other", noise, 9)) == "other"
    gone = Candidate(lambda: None, 0.1 * noise, 1, 1, 0.0)
    assert chosen(gone, candidate("other", noise, 9)) == "other"
    assert chosen(candidate("other", noise, 9), gone._replace(plain=True)) == "other"
    assert choose([gone], row_weights(N)) is None
    assert choose([], row_weights(N)) is None


def test_dear_functions_count_more():
    assert choice.description(np.array([MUL, FIRST_VARIABLE, FIRST_VARIABLE])) == 3
    assert choice.description(np.array([SIN, FIRST_VARIABLE])) == 4
