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


@pytest.fixture(scope="module")
def table():
    return noisy_table()


@pytest.mark.parametrize("changes", [{}, {"restarts": 2, "n_jobs": 2}, {"max_rows": 40}], ids=str)
def test_warm_start_equals_an_uninterrupted_run(table, changes):
    whole = small(generations=8, **changes).fit(*table)
    parts = small(generations=3, warm_start=True, **changes).fit(*table)
    assert parts.n_iter_ == 3
    for generations in (5, 8):
        parts.set_params(generations=generations).fit(*table)
    assert same(whole, parts)
    columns = [name for name in whole.history_ if name != "seconds"]
    pd.testing.assert_frame_equal(whole.history_[columns], parts.history_[columns])
    np.testing.assert_array_equal(whole.predict(table[0]), parts.predict(table[0]))


def test_warm_start_can_add_restarts(table):
    parts = small(generations=8, warm_start=True).fit(*table)
    parts.set_params(restarts=3).fit(*table)
    assert same(small(generations=8, restarts=3).fit(*table), parts)


def test_warm_start_continues_after_a_callback_stopped(table):
    parts = small(
        generations=8, warm_start=True, callback=lambda record: record["generation"] == 4
    ).fit(*table)
    assert (parts.n_iter_, parts.stopped_by_) == (4, "callback")
    parts.set_params(callback=None).fit(*table)
    assert same(small(generations=8).fit(*table), parts)
    assert parts.stopped_by_ == "generations"


def test_fit_without_warm_start_begins_anew(table):
    model = small(generations=8).fit(*table)
    again = small(generations=8).fit(*table)
    model.set_params(random_state=1).fit(*table)
    assert not same(model, again)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"max_depth": 5}, "max_depth has changed since the previous fit: set it to 10"),
        ({"regularizer": "parsimony"}, "regularizer has changed"),
        ({"max_rows": 50}, "max_rows has changed"),
    ],
)
def test_warm_start_rejects_changed_parameters(table, changes, message):
    model = small(generations=2, warm_start=True).fit(*table)
    with pytest.raises(ValueError, match=message):
        model.set_params(**changes).fit(*table)


def test_warm_start_rejects_changed_data(table):
    data, y = table
    model = small(generations=2, warm_start=True).fit(data, y)
    for other in ((data * 2 + data**2, y), (data, y**2), (data[:70], y[:70])):
        with pytest.raises(ValueError, match="The data have changed since the previous fit"):
            model.fit(*other)
    model.set_params(warm_start=False).fit(data[:70], y[:70])
    assert model.n_iter_ == 2


def test_failed_warm_start_keeps_the_model_and_begins_anew(table):
    model = small(generations=3, warm_start=True).fit(*table)
    before = model.predict(table[0])
    with pytest.raises(RuntimeError, match="raised by the callback"):
        model.set_params(generations=8, callback=fail).fit(*table)
    np.testing.assert_array_equal(model.predict(table[0]), before)
    model.choose(0)
    model.set_params(callback=None).fit(*table)
    assert same(small(generations=8).fit(*table), model)


def test_copied_or_pickled_model_begins_anew(table):
    model = small(generations=3, warm_start=True).fit(*table)
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict(table[0]), model.predict(table[0]))
        other.set_params(generations=8).fit(*table)
        assert same(small(generations=8).fit(*table), other)


def test_patience_ends_a_restart_without_progress(table):
    long = small(generations=60).fit(*table).history_
    patient = small(generations=60, patience=5).fit(*table)
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
def test_raising_signal_handler_ends_the_search(table, number):
    model = small(generations=10**6, callback=stops_at(3, number))
    with handling(number, raises):
        with pytest.warns(UserWarning, match="Interrupted after generation 3"):
            model.fit(*table)
        assert signal.getsignal(number) is raises
    assert model.stopped_by_ == "interrupt"
    assert np.isfinite(model.predict(table[0])).all()


def test_alarm_without_handler_ends_the_search(table):
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    model = small(generations=10**6, callback=stops_at(2, signal.SIGALRM))
    with pytest.warns(UserWarning, match="Interrupted after generation 2"):
        model.fit(*table)
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


def test_returning_signal_handler_changes_nothing(table):
    called = []
    with handling(signal.SIGUSR1, lambda number, frame: called.append(number)):
        model = small(generations=8, callback=stops_at(2, signal.SIGUSR1)).fit(*table)
    assert called == [signal.SIGUSR1]
    assert same(model, small(generations=8).fit(*table))


def test_second_signal_is_raised_at_once(table):
    def twice(record):
        signal.raise_signal(signal.SIGUSR1)
        signal.raise_signal(signal.SIGUSR1)

    with handling(signal.SIGUSR1, raises), pytest.raises(OutOfTimeError):
        small(callback=twice).fit(*table)
