"""Export of models to other languages: docs/export.md.

The exported code computes what `predict` does, with clipping and levels of nominal columns.
"""

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
    """Return the model in a language: "python", "c", "excel", "sql" or "st" (Structured Text).

    Parameters
    ----------
    model : SymbolicModel
        A single formula; averages of several cannot be exported.
    language : str
        One of `LANGUAGES`.
    **options
        `digits`: significant digits of numbers, by default all, or "auto" for the displayed
        formula; `name`: of the function, or in SQL of the column of predictions; Excel's `cells`:
        the places of the columns, by default A2, B2, …; SQL's `table`, for a query in place of an
        expression, and `dialect`: "sqlite" or "postgres".

    """
    if language not in LANGUAGES:
        raise ValueError(f"Unknown language {language!r}; use one of {', '.join(LANGUAGES)}.")
    if not hasattr(model, "original_units"):  # a formula has them
        kind = type(model).__name__
        why = "it averages many" if hasattr(model, "predict_rows") else "give its model_"
        raise ValueError(f"Only a formula can be exported, not a {kind}: {why}.")
    write = LANGUAGES[language]
    known = list(inspect.signature(write).parameters)[1:]
    for option, value in options.items():
        if option not in known:
            raise ValueError(
                f"The export to {language} has no option {option!r}; use {', '.join(known)}."
            )
        _check(option, value, language)
    if options.get("digits") == "auto":
        return write(source_of(model, rounded=True), **options | {"digits": None})
    return write(source_of(model), **options)


def _check(option: str, value: Any, language: str) -> None:
    if option == "digits" and value not in (None, "auto", *range(1, 18)):
        raise ValueError(f"digits is {value!r}; it must be an integer from 1 to 17, or 'auto'.")
    is_word = isinstance(value, str) and value.isascii() and value.isidentifier()
    if option == "name" and language != "sql" and not is_word:
        raise ValueError(f"{value!r} is not a valid name of a function.")
