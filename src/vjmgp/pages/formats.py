"""Numbers and names for people."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np


def is_there(value: Any) -> bool:
    """Whether there is a number."""
    return value is not None and bool(np.isfinite(value))


def number(value: Any, digits: int = 3) -> str:
    """A number for people: a dash for none, a real minus sign."""
    if not is_there(value):
        return "–"
    text = f"{value:,.{digits}f}" if digits else f"{round(value):,d}"
    return text.replace("-", "−")


def count(value: int, word: str) -> str:
    """So many of something: "1 dataset", "2 datasets"."""
    return f"{number(value, 0)} {word}{'' if value == 1 else 's'}"


def signed(value: Any, digits: int = 3) -> str:
    """A difference: with its sign."""
    text = number(value, digits)
    return f"+{text}" if is_there(value) and value > 0 else text


def short(value: float) -> str:
    """A coefficient: four digits."""
    return f"{value:.4g}".replace("-", "−")


def short_or_none(value: Any) -> str:
    """The same; a dash for none."""
    return short(value) if is_there(value) else "–"


def p_value(value: Any) -> str:
    """A p-value: small ones are only called so."""
    if not is_there(value):
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def breakable(name: str) -> str:
    """A name that may be broken before its capitals, for narrow columns."""
    return re.sub("(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "\u200b", name)


def plain(value: Any) -> str:
    """What a table sorts a number by; nothing where there is none."""
    return repr(float(value)) if is_there(value) else ""


def in_words(value: Any) -> str:
    """A value, or the values of a list, as people write them."""
    if isinstance(value, list | tuple):
        return ", ".join(map(in_words, value))
    if isinstance(value, float):
        return f"{value:g}"
    return {"None": "none", "True": "yes", "False": "no"}.get(str(value), str(value))


FILTERS: dict[str, Callable[..., str]] = {
    name.__name__: name
    for name in (number, count, signed, short, short_or_none, p_value, breakable, plain, in_words)
}
