"""Names of inputs in formulas: as words that sympy reads, in LaTeX, and in a legend."""

from __future__ import annotations

import builtins
import functools
import keyword
import re
from collections.abc import Iterable, Sequence
from types import BuiltinFunctionType
from typing import TYPE_CHECKING

from ..core.files import package_folder
from ..tables.preprocessing import level_text

if TYPE_CHECKING:
    from ..tables.preprocessing import Column, Standardizer

LATEX_SIGNS = {sign: f"\\{sign}" for sign in " &%$#_{}"} | {
    "\\": "\\backslash ", "~": "\\sim ", "^": "\\wedge ", "-": "{-}",
}  # fmt: skip
"""What has a meaning in LaTeX's formulas."""


@functools.cache
def reserved_words() -> frozenset[str]:
    """Words that sympify reads as something else: `gamma`, `test`, `sum`, `lambda`."""
    functions = {
        name for name, value in vars(builtins).items() if isinstance(value, BuiltinFunctionType)
    }
    return frozenset({*_sympy_names(), *functions, *keyword.kwlist})


def _sympy_names() -> list[str]:
    """Sympy's public names, from a list: formulas are the same with sympy and without it."""
    names = package_folder("data") / "sympy_names.txt"
    return names.read_text(encoding="utf-8").split()


def identifiers(names: Sequence[str]) -> list[str]:
    """The column names as words that formulas can hold: letters, digits, underscores, unique.

    One underscore stands for all other signs in a row: "Flow [l/min]" becomes Flow_l_min.
    """
    result: list[str] = []
    for name in names:
        letters = re.sub(r"\W", " ", str(name))
        letters = "".join(c if f"x{c}".isidentifier() else " " for c in letters)  # "²" is no digit
        word = "_".join(letters.split())
        if not word[:1].isidentifier():
            word = f"x{word}"
        if word in reserved_words():
            word = f"{word}_"
        base, count = word, 1
        while word in result or word in reserved_words():
            count += 1
            word = f"{base}_{count}"
        result.append(word)
    return result


def formula_inputs(standardizer: Standardizer) -> list[tuple[str, float, float]]:
    """Name, mean and scale of each input; a nominal column appears as its encoded value."""
    names = identifiers(_input_names(standardizer))
    return [(name, c.mean, c.scale) for name, c in zip(names, standardizer.inputs, strict=True)]


def _input_names(standardizer: Standardizer) -> list[str]:
    """What inputs are called in a formula: colour_is_red, encoded_city, and columns as they are."""
    return [_input_name(column) for column in standardizer.inputs]


def _input_name(column: Column) -> str:
    if column.codes is None:
        return column.title
    if column.label is None:
        return f"encoded_{column.name}"
    return column.label.replace(" = ", " is ")


def legend(standardizer: Standardizer, used: Iterable[int]) -> list[list[str]]:
    """Names in a formula that are not the columns' own, with what they stand for."""
    rows = []
    names = [name for name, _, _ in formula_inputs(standardizer)]
    for k in sorted(set(used)):
        name, column = names[k], standardizer.inputs[k]
        if name != column.title or column.label is not None or column.fill is not None:
            rows.append([name, _meaning(column)])
    return rows


def _meaning(column: Column) -> str:
    """What an input stands for."""
    text = f"the column {column.name!r}"
    if column.tells_missing:
        return f"1 where {text} has no value, else 0"
    if column.codes is None:
        return text if column.fill is None else f"{text}, {column.fill:.6g} where it has no value"
    if column.label is not None:
        level = next(level for level, code in column.codes.items() if code)
        return f"1 where {text} is {level_text(level)!r}, else 0"
    codes = ", ".join(f"{level} → {code:.4g}" for level, code in column.codes.items())
    return f"{text}, encoded: {codes}, any other → {column.unseen:.4g}"


def latex_inputs(standardizer: Standardizer) -> list[str]:
    """What inputs are called in LaTeX."""
    return [_latex_input(column) for column in standardizer.inputs]


def _latex_input(column: Column) -> str:
    """An input in LaTeX; Iverson's brackets hold what is true or not."""
    if column.label is None:
        return latex_name(_input_name(column))
    return f"\\left[{latex_name(column.label)}\\right]"


def latex_name(name: str) -> str:
    """A column's own name: sympy alone would set `a__2` as a power and `x2` with an index."""
    if re.fullmatch("[A-Za-z]", name):
        return name
    return f"\\mathrm{{{''.join(LATEX_SIGNS.get(sign, sign) for sign in name)}}}"
