"""Going on where a fit has stopped, and stopping: patience, alarms and other signals."""

import copy
import pickle
import signal

import numpy as np
import pandas as pd
import pytest

from vjmgp import VJMRegressor


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    data = pd.DataFrame(rng.normal(size=(80, 3)), columns=["a", "b", "c"])
    return data, np.sin(data["a"]) + data["b"] * data["c"] + 0.3 * rng.normal(size=80)


def small(**changes):
    return VJMRegressor(**{"population_size": 30, "generations": 8, "random_state": 0} | changes)


def same(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a.archive_, b.archive_, strict=True))


# -- warm start ----------------------------------------------------------------------------------


@pytest.mark.parametrize("changes", [{}, {"restarts": 2, "n_jobs": 2}, {"max_rows": 40}], ids=str)
def test_a_run_that_goes_on_is_a_run_that_never_stopped(table, changes):
    whole = small(**changes).fit(*table)
    parts = small(generations=3, warm_start=True, **changes).fit(*table)
    assert parts.n_iter_ == 3
    for generations in (5, 8):
        parts.set_params(generations=generations).fit(*table)
    assert same(whole, parts)
    columns = [name for name in whole.history_ if name != "seconds"]
    pd.testing.assert_frame_equal(whole.history_[columns], parts.history_[columns])
    np.testing.assert_array_equal(whole.predict(table[0]), parts.predict(table[0]))


def test_more_restarts_go_on_from_fewer(table):
    parts = small(warm_start=True).fit(*table)
    parts.set_params(restarts=3).fit(*table)
    assert same(small(restarts=3).fit(*table), parts)


def test_a_fit_that_a_callback_stopped_goes_on(table):
    parts = small(warm_start=True, callback=lambda record: record["generation"] == 4).fit(*table)
    assert (parts.n_iter_, parts.stopped_by_) == (4, "callback")
    parts.set_params(callback=None).fit(*table)
    assert same(small().fit(*table), parts)
    assert parts.stopped_by_ == "generations"


def test_without_warm_start_a_fit_begins_anew(table):
    model = small().fit(*table)
    again = small().fit(*table)
    model.set_params(random_state=1).fit(*table)
    assert not same(model, again)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"max_depth": 5},
            "max_depth is not what it was in the fit that is to go on: set it to 10",
        ),
        ({"regularizer": "parsimony"}, "regularizer is not what it was"),
        ({"max_rows": 50}, "max_rows is not what it was"),
    ],
)
def test_what_must_stay_is_told(table, changes, message):
    model = small(generations=2, warm_start=True).fit(*table)
    with pytest.raises(ValueError, match=message):
        model.set_params(**changes).fit(*table)


def test_other_data_are_told(table):
    data, y = table
    model = small(generations=2, warm_start=True).fit(data, y)
    for other in ((data * 2 + data**2, y), (data, y**2), (data[:70], y[:70])):
        with pytest.raises(ValueError, match="The data are not those of the fit that is to go on"):
            model.fit(*other)
    model.set_params(warm_start=False).fit(data[:70], y[:70])
    assert model.n_iter_ == 2


def test_after_a_failure_the_model_is_whole_and_a_fit_begins_anew(table):
    model = small(generations=3, warm_start=True).fit(*table)
    before = model.predict(table[0])

    def fail(record):
        raise RuntimeError("told by the callback")

    with pytest.raises(RuntimeError, match="told by the callback"):
        model.set_params(generations=8, callback=fail).fit(*table)
    np.testing.assert_array_equal(model.predict(table[0]), before)
    model.choose(0)
    model.set_params(callback=None).fit(*table)
    assert same(small().fit(*table), model)


def test_a_copy_or_saved_model_begins_anew(table):
    model = small(generations=3, warm_start=True).fit(*table)
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict(table[0]), model.predict(table[0]))
        other.set_params(generations=8).fit(*table)
        assert same(small().fit(*table), other)


# -- patience ------------------------------------------------------------------------------------


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


# -- signals -------------------------------------------------------------------------------------


class OutOfTimeError(Exception):
    """What a user's handler raises."""


def stops_at(generation, number):
    def stop(record):
        if record["generation"] == generation:
            signal.raise_signal(number)

    return stop


@pytest.mark.parametrize("number", [signal.SIGALRM, signal.SIGUSR1, signal.SIGINT])
def test_a_handler_that_raises_ends_the_search_and_keeps_the_model(table, number):
    def handler(number, frame):
        raise OutOfTimeError

    before = signal.signal(number, handler)
    try:
        model = small(generations=10**6, callback=stops_at(3, number))
        with pytest.warns(UserWarning, match="Interrupted after generation 3"):
            model.fit(*table)
        assert signal.getsignal(number) is handler
    finally:
        signal.signal(number, before)
    assert model.stopped_by_ == "interrupt"
    assert np.isfinite(model.predict(table[0])).all()


def test_an_alarm_without_a_handler_ends_the_search(table):
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    model = small(generations=10**6, callback=stops_at(2, signal.SIGALRM))
    with pytest.warns(UserWarning, match="Interrupted after generation 2"):
        model.fit(*table)
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


def test_a_handler_that_returns_changes_nothing(table):
    called = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: called.append(number))
    try:
        model = small(callback=stops_at(2, signal.SIGUSR1)).fit(*table)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert called == [signal.SIGUSR1]
    assert same(model, small().fit(*table))


def test_a_second_signal_is_passed_on_at_once(table):
    def handler(number, frame):
        raise OutOfTimeError

    def twice(record):
        signal.raise_signal(signal.SIGUSR1)
        signal.raise_signal(signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        with pytest.raises(OutOfTimeError):
            small(callback=twice).fit(*table)
    finally:
        signal.signal(signal.SIGUSR1, before)
