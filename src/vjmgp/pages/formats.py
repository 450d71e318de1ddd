"""Format numbers and names for people."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np


def is_finite(value: Any) -> bool:
    """Return whether the value is a finite number."""
    return value is not None and bool(np.isfinite(value))


def number(value: Any, digits: int = 3) -> str:
    """Format a number, with a real minus sign; a dash for none."""
    if not is_finite(value):
        return "–"
    text = f"{value:,.{digits}f}" if digits else f"{round(value):,d}"
    return text.replace("-", "−")


def count(value: int, word: str) -> str:
    """Format a count: "1 dataset", "2 datasets"."""
    return f"{number(value, 0)} {word}{'' if value == 1 else 's'}"


def signed(value: Any, digits: int = 3) -> str:
    """Format a difference with its sign."""
    text = number(value, digits)
    return f"+{text}" if is_finite(value) and value > 0 else text


def short(value: float) -> str:
    """Format a coefficient with four digits."""
    return f"{value:.4g}".replace("-", "−")


def short_or_none(value: Any) -> str:
    """Format a coefficient; a dash for none."""
    return short(value) if is_finite(value) else "–"


def p_value(value: Any) -> str:
    """Format a p-value; those below 0.001 are not distinguished."""
    if not is_finite(value):
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def breakable(name: str) -> str:
    """Allow a name to be broken before its capitals, for narrow columns."""
    return re.sub("(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "\u200b", name)


def plain(value: Any) -> str:
    """Return the text that a table sorts a number by, "" for none."""
    return repr(float(value)) if is_finite(value) else ""


def in_words(value: Any) -> str:
    """Format a value, or the values of a list, as people write them."""
    if isinstance(value, list | tuple):
        return ", ".join(map(in_words, value))
    if isinstance(value, float):
        return f"{value:g}"
    return {"None": "none", "True": "yes", "False": "no"}.get(str(value), str(value))


FILTERS: dict[str, Callable[..., str]] = {
    name.__name__: name
    for name in (number, count, signed, short, short_or_none, p_value, breakable, plain, in_words)
}
