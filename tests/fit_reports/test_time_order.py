"""Tests of tables that are ordered in time."""

import numpy as np
import pandas as pd
import pytest
from tests.support.command import QUICK, about, said_by, write_table

from vjmgp import VJMRegressor
from vjmgp.fit_reports.fit_settings import FitSettings, SettingError
from vjmgp.fit_reports.time_order import last_rows, time_column
from vjmgp.tables.dates import ElapsedDays

CAUTION = "The rows are in the order of "


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"Year": np.arange(1947, 1963)}, "Year"),
        ({"period": np.repeat([2001, 2002, 2003, 2004], 4)}, "period"),  # values of years
        ({"decimal_date": 1958.2 + np.arange(16) / 12}, "decimal_date"),
        ({"timeOfDay": np.arange(16.0)[::-1]}, "timeOfDay"),
        ({"year": np.tile([1.0, 2.0], 8)}, None),  # not sorted
        ({"price": np.arange(16) * 30 + 1600}, None),  # sorted, but no time
        ({"time_zone": ["a", "b"] * 8}, None),
    ],
)
def test_time_columns(columns, expected):
    assert time_column(pd.DataFrame({"x": np.arange(16) ** 2.0, **columns}), []) == expected


def test_last_rows_are_the_latest():
    inputs = pd.DataFrame({"x": [1, 2, 3, 4], "day": [3.0, 0.0, 9.0, 1.0]})
    assert last_rows(inputs, [ElapsedDays("day", "2026-01-01", "year first")], 2).tolist() == [0, 2]
    assert last_rows(inputs, [], 2).tolist() == [2, 3]
    assert last_rows(inputs[::-1].assign(year=[3, 2, 1, 0]), [], 1).tolist() == [0]


@pytest.mark.parametrize(
    ("holdout", "share", "is_last"),
    [
        (None, 0.25, False),
        (0.1, 0.1, False),
        ("0.1", 0.1, False),
        ("30%", 0.3, False),
        ("last", 0.25, True),
        ("last 20%", 0.2, True),
        ("last 0.2", 0.2, True),
    ],
)
def test_holdout(holdout, share, is_last):
    settings = FitSettings(target="y", holdout=holdout)
    assert (settings.held_out, settings.holds_out_last) == (share, is_last)


@pytest.mark.parametrize("holdout", ["first", "", "last 95%", -0.1, "1.2.3", float("nan")])
def test_wrong_holdout(holdout):
    with pytest.raises(SettingError, match=r"must be from 0 to 0[.]9, 'last'"):
        FitSettings(target="y", holdout=holdout)


def test_last_rows_test_the_fit(here, capsys):
    table = write_table(here)
    days = pd.date_range("2026-01-01", periods=60)[::-1].strftime("%Y-%m-%d")
    table.assign(day=days).to_csv("data.csv", index=False)
    fit = ["fit", "data.csv", "--target", "y", *QUICK, "--nominal", "site", "--dates", "elapsed"]
    said = said_by(capsys, fit, 0, lines=4)
    assert f"Caution: {CAUTION}'day': " in said
    assert CAUTION not in said_by(capsys, [*fit, "--holdout", "last 20%"], 0, lines=4)
    assert about()["rows"] == {"training": 48, "test": 12, "all": 60}
    front = pd.read_csv("data_model/front.csv")
    inputs = table.drop(columns="y").assign(day=59.0 - np.arange(60))
    tested = VJMRegressor(population_size=20, generations=3, random_state=0)
    tested.fit(inputs[12:], table["y"][12:])  # the latest dates come first
    expected = tested.errors(inputs[:12], table["y"][:12])["rmse"]
    assert front.loc[front["chosen"], "test_rmse"].tolist() == pytest.approx([expected])
