"""Models in the languages of other tools: docs/export.md.

Each text computes what `predict` does, clipping and levels of nominal columns included.
"""

from __future__ import annotations

import inspect
from typing import Any

from . import c, excel, python, sql, structured_text
from .source import source_of

LANGUAGES = {
    "python": python.write,
    "c": c.write,
    "excel": excel.write,
    "sql": sql.write,
    "st": structured_text.write,
}


def export_model(model: Any, language: str, **options: Any) -> str:
    """The model as text in a language: "python", "c", "excel", "sql" or "st" (Structured Text).

    Parameters
    ----------
    model : SymbolicModel
        Only a formula can be exported, no average of many.
    language : str
        One of `LANGUAGES`.
    **options
        `digits`: significant digits of numbers, all by default, or "auto" for the formula as it is
        shown to people; `name` of the function, or in SQL
        of the column of predictions; for Excel the `cells` of the columns, A2, B2, … by default;
        for SQL a `table`, for a query instead of an expression, and a `dialect`: "sqlite" or
        "postgres".

    """
    if language not in LANGUAGES:
        raise ValueError(f"There is no export to {language!r}, only to {', '.join(LANGUAGES)}.")
    if not hasattr(model, "original_units"):  # a formula has them
        kind = type(model).__name__
        why = "it averages many" if hasattr(model, "predict_rows") else "give its model_"
        raise ValueError(f"Only a formula can be exported, not a {kind}: {why}.")
    write = LANGUAGES[language]
    known = list(inspect.signature(write).parameters)[1:]
    for option, value in options.items():
        if option not in known:
            raise ValueError(
                f"The export to {language} has no option {option!r}, only {', '.join(known)}."
            )
        _check(option, value, language)
    rounded = options.get("digits") == "auto"
    if rounded:
        del options["digits"]
    return write(source_of(model, rounded=rounded), **options)


def _check(option: str, value: Any, language: str) -> None:
    if option == "digits" and value not in (None, "auto", *range(1, 18)):
        raise ValueError(f"digits is {value!r}; it must be a whole number from 1 to 17, or 'auto'.")
    is_word = isinstance(value, str) and value.isascii() and value.isidentifier()
    if option == "name" and language != "sql" and not is_word:
        raise ValueError(f"The name {value!r} is no name of a function.")
