"""The methods of `vjmgp fit`, by the names that the paper, configs and tables use."""

from __future__ import annotations

from ..study.names import REGULARIZER_OF

WORDS = [name.replace(" ", "") for name in REGULARIZER_OF]
"""The names as a shell completes them."""


def regularizer_of(method: str) -> str:
    """The regulariser of a method; capitals, spaces and hyphens play no part in its name."""
    known = {_letters(name): name for name in REGULARIZER_OF.values()}
    known |= {_letters(name): regularizer for name, regularizer in REGULARIZER_OF.items()}
    if _letters(method) in known:
        return known[_letters(method)]
    if "." in method:
        from ..engine.regularizers import find_regularizer

        try:
            find_regularizer(method)
        except ValueError as error:
            raise ValueError(str(error).replace("regularizer is", "--method is", 1)) from None
        return method
    raise ValueError(
        f"--method is {method!r}; it must be one of {', '.join(REGULARIZER_OF)}, or an import path "
        "of a regulariser of your own."
    )


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()
