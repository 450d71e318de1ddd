"""The user's functions by sympy's printers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..formulas.names import own_sympy

if TYPE_CHECKING:
    from ..formulas.user_function import UserFunction

ARGUMENTS = ("a", "b")


def printed(function: UserFunction, printer: Any, language: str) -> str:
    """The function's formula of `ARGUMENTS`; a clear error where sympy cannot write it."""
    import sympy
    from sympy.printing.codeprinter import PrintMethodNotImplementedError

    symbols = sympy.symbols(ARGUMENTS[: function.arity], real=True)
    try:
        return str(printer.doprint(own_sympy(function, symbols)))
    except PrintMethodNotImplementedError:
        raise not_written(function, language) from None


def not_written(function: UserFunction, language: str) -> ValueError:
    """What to say of a formula that a language does not have."""
    return ValueError(
        f"The formula of the user's function {function.name!r} cannot be written in {language}."
    )
