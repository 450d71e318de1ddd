"""The methods of `vjmgp fit`, by the names that the paper, configs and tables use."""

from __future__ import annotations

from ..engine.paper_names import REGULARIZER_OF, regularizer_name

WORDS = [name.replace(" ", "") for name in REGULARIZER_OF]
"""The names as a shell completes them."""


def regularizer_of(method: str) -> str:
    """The regulariser of a method; an error that names the option where there is none."""
    found = regularizer_name(method)
    if found in REGULARIZER_OF.values():
        return found
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
