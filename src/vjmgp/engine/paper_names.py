"""The paper's methods and their regularisers: Python, command and config take either name."""

from __future__ import annotations

REGULARIZER_OF = {
    "VJM": "jensen_gap",
    "FDM": "finite_difference",
    "P-VRM": "vicinal_risk",
    "PP": "parsimony",
    "TK": "tikhonov",
    "GC": "grand_complexity",
    "RC": "rademacher",
    "WCRV": "wcrv",
    "IODC": "distance_correlation",
    "Standard GP": "none",
}
"""The paper's methods, each with its regulariser."""


def regularizer_name(name: str) -> str:
    """The regulariser that a name stands for: `VJM` and `jensen_gap` are the same.

    Capitals, spaces and hyphens play no part. What is unknown, or the import path of a class, is
    handed back as it is.
    """
    if "." in name:
        return name
    for method, regularizer in REGULARIZER_OF.items():
        if _letters(name) in (_letters(method), _letters(regularizer)):
            return regularizer
    return name


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()
