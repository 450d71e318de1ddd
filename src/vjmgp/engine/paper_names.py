"""Names of the paper's methods. Python, command and config accept these and regularisers."""

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
"""Regularisers of the paper's methods."""


def regularizer_name(name: str) -> str:
    """Return the regulariser of a name: `VJM` and `jensen_gap` are the same.

    Case, spaces and hyphens are ignored. An unknown name or an import path is returned unchanged.
    """
    if "." in name:
        return name
    for method, regularizer in REGULARIZER_OF.items():
        if _letters(name) in (_letters(method), _letters(regularizer)):
            return regularizer
    return name


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()
