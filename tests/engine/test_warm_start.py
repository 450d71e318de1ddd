"""Warm starts, and the ends of a search: patience, alarms and other signals."""

import copy
import pickle
import signal
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from tests.support.regressors import fail, noisy_table, small
from tests.support.regressors import same_archive as same

X, Y = noisy_table()


@pytest.mark.parametrize("changes", [{}, {"restarts": 2, "n_jobs": 2}, {"max_rows": 40}], ids=str)
def test_warm_start_equals_an_uninterrupted_run(changes):
    whole = small(generations=8, **changes).fit(X, Y)
    parts = small(generations=3, warm_start=True, **changes).fit(X, Y)
    assert parts.n_iter_ == 3
    for generations in (5, 8):
        parts.set_params(generations=generations).fit(X, Y)
    assert same(whole, parts)
    columns = [name for name in whole.history_ if name != "seconds"]
    pd.testing.assert_frame_equal(whole.history_[columns], parts.history_[columns])
    np.testing.assert_array_equal(whole.predict(X), parts.predict(X))


def test_warm_start_can_add_restarts():
    parts = small(generations=8, warm_start=True).fit(X, Y)
    parts.set_params(restarts=3).fit(X, Y)
    assert same(small(generations=8, restarts=3).fit(X, Y), parts)


def test_warm_start_continues_after_a_callback_stopped():
    parts = small(
        generations=8, warm_start=True, callback=lambda record: record["generation"] == 4
    ).fit(X, Y)
    assert (parts.n_iter_, parts.stopped_by_) == (4, "callback")
    parts.set_params(callback=None).fit(X, Y)
    assert same(small(generations=8).fit(X, Y), parts)
    assert parts.stopped_by_ == "generations"


def test_fit_without_warm_start_begins_anew():
    model = small(generations=8).fit(X, Y)
    again = small(generations=8).fit(X, Y)
    model.set_params(random_state=1).fit(X, Y)
    assert not same(model, again)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"max_depth": 5}, "max_depth has changed since the previous fit: set it to 10"),
        ({"regularizer": "parsimony"}, "regularizer has changed"),
        ({"max_rows": 50}, "max_rows has changed"),
    ],
)
def test_warm_start_rejects_changed_parameters(changes, message):
    model = small(generations=2, warm_start=True).fit(X, Y)
    with pytest.raises(ValueError, match=message):
        model.set_params(**changes).fit(X, Y)


def test_warm_start_rejects_changed_data():
    model = small(generations=2, warm_start=True).fit(X, Y)
    for other in ((X * 2 + X**2, Y), (X, Y**2), (X[:70], Y[:70])):
        with pytest.raises(ValueError, match="The data have changed since the previous fit"):
            model.fit(*other)
    model.set_params(warm_start=False).fit(X[:70], Y[:70])
    assert model.n_iter_ == 2


def test_failed_warm_start_keeps_the_model_and_begins_anew():
    model = small(generations=3, warm_start=True).fit(X, Y)
    before = model.predict(X)
    with pytest.raises(RuntimeError, match="raised by the callback"):
        model.set_params(generations=8, callback=fail).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), before)
    model.choose(0)
    model.set_params(callback=None).fit(X, Y)
    assert same(small(generations=8).fit(X, Y), model)


def test_copied_or_pickled_model_begins_anew():
    model = small(generations=3, warm_start=True).fit(X, Y)
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
        other.set_params(generations=8).fit(X, Y)
        assert same(small(generations=8).fit(X, Y), other)


def test_patience_ends_a_restart_without_progress():
    long = small(generations=60).fit(X, Y).history_
    patient = small(generations=60, patience=5).fit(X, Y)
    history = patient.history_
    assert patient.stopped_by_ == "patience"
    last = len(history) - 1
    kept = long[["best_o1", "chosen"]].to_numpy()
    assert (kept[last] == kept[last - 5]).all()
    assert not any((kept[g] == kept[g - 5]).all() for g in range(5, last))
    pd.testing.assert_frame_equal(
        history[["best_o1", "chosen"]], long[["best_o1", "chosen"]][: last + 1]
    )


class OutOfTimeError(Exception):
    """An exception of a user's handler."""


@contextmanager
def handling(number, handler):
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


def raises(number, frame):
    raise OutOfTimeError


def stops_at(generation, number):
    def stop(record):
        if record["generation"] == generation:
            signal.raise_signal(number)

    return stop


@pytest.mark.parametrize("number", [signal.SIGALRM, signal.SIGUSR1, signal.SIGINT])
def test_raising_signal_handler_ends_the_search(number):
    model = small(generations=10**6, callback=stops_at(3, number))
    with handling(number, raises):
        with pytest.warns(UserWarning, match="Interrupted after generation 3"):
            model.fit(X, Y)
        assert signal.getsignal(number) is raises
    assert model.stopped_by_ == "interrupt"
    assert np.isfinite(model.predict(X)).all()


def test_alarm_without_handler_ends_the_search():
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    model = small(generations=10**6, callback=stops_at(2, signal.SIGALRM))
    with pytest.warns(UserWarning, match="Interrupted after generation 2"):
        model.fit(X, Y)
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


def test_returning_signal_handler_changes_nothing():
    called = []
    with handling(signal.SIGUSR1, lambda number, frame: called.append(number)):
        model = small(generations=8, callback=stops_at(2, signal.SIGUSR1)).fit(X, Y)
    assert called == [signal.SIGUSR1]
    assert same(model, small(generations=8).fit(X, Y))


def test_second_signal_is_raised_at_once():
    def twice(record):
        signal.raise_signal(signal.SIGUSR1)
        signal.raise_signal(signal.SIGUSR1)

    with handling(signal.SIGUSR1, raises), pytest.raises(OutOfTimeError):
        small(callback=twice).fit(X, Y)
