"""Tests of the detection of number formats and separators."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vjmgp.tables.number_format import (
    FORMATS,
    PLAIN,
    NumberFormat,
    find_number_format,
    in_plain_format,
    is_plain,
)
from vjmgp.tables.reader import find_separator

CENTS = st.integers(-(10**9), 10**9)


def written(cents, form):
    """Write a number with two decimal places in a format."""
    whole, rest = divmod(abs(cents), 100)
    grouped = f"{whole:,}".replace(",", form.thousands)
    return f"{'-' * (cents < 0)}{grouped}{form.decimal}{rest:02}"


@pytest.mark.parametrize("form", FORMATS)
@given(cents=st.lists(CENTS, min_size=1, max_size=20))
def test_two_decimal_places_decide_the_format(form, cents):
    cells = [written(number, form) for number in cents]
    found = find_number_format({"a": cells})
    assert found.decimal == form.decimal
    plain = in_plain_format(cells, "a", found)
    assert [round(100 * float(cell)) for cell in plain] == cents
    assert is_plain({"a": cells}) == (found == PLAIN)


@given(cells=st.lists(st.text(alphabet="abc XYZ-/:", min_size=1), min_size=1, max_size=10))
def test_text_is_not_changed(cells):
    assert find_number_format({"a": cells}) == PLAIN
    for form in FORMATS:
        assert in_plain_format(cells, "a", form) == cells


def test_groups_have_three_digits():
    assert find_number_format({"a": ["1,234,567", "12"]}) == NumberFormat(".", ",")
    assert find_number_format({"a": ["0,125", "1,250"]}) == NumberFormat(",", "")
    assert find_number_format({"a": ["1.234.567"], "b": ["2,5"]}) == NumberFormat(",", ".")
    assert find_number_format({"a": ["1'234"], "b": ["7"]}) == NumberFormat(".", "'")
    with pytest.raises(ValueError, match="'1,234', which may be 1234 or "):
        find_number_format({"a": ["1,234", "12"]})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ("a\tb\n1,5\t2,5\n", "\t"),
        ('a,"b;c"\n1,"2;3"\n', ","),
        ('"a,b";c\n"1,2";3\n', ";"),
        ("a;b\n1;2;3\n", ";"),
        ("y\n1\n2\n", ","),
    ],
)
def test_find_separator(text, found):
    assert find_separator(text, ",") == found


def test_find_separator_prefers_the_expected_one():
    text = "a, m;b\n1,5;2\n"
    with pytest.raises(ValueError, match="may be separated by ',' or ';'"):
        find_separator(text, ",")
    assert find_separator(text, ",", ";") == ";"
