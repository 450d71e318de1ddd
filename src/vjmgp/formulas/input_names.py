"""Names of inputs in formulas: as words, also such that sympy reads, in LaTeX, and in a legend."""

import builtins
import functools
import itertools
import keyword
import re
import unicodedata
from collections.abc import Container, Iterable, Sequence, Set
from types import BuiltinFunctionType

from ..core.files import package_folder
from ..tables.preprocessing import Column, Standardizer, level_text
from .functions import CALLS

READS = ("data/sympy_names.txt",)
LATEX_SIGNS = {sign: f"\\{sign}" for sign in " &%$#_{}"} | {
    "\\": "\\backslash ", "~": "\\sim ", "^": "\\wedge ", "-": "{-}",
}  # fmt: skip
"""Signs with a meaning in LaTeX's mathematics."""
WORDS_OF_TEXT = frozenset({
    *(call.template(name, "text").partition("(")[0] for name, call in CALLS.items()),
    *("sqrt", "pi", "nan", "inf", *keyword.kwlist),
    *("Integer", "Float", "Rational", "Symbol", "Function"),  # calls that sympify inserts
})  # fmt: skip
"""Words with a meaning in the text of a formula: no names of inputs."""


@functools.cache
def reserved_words() -> frozenset[str]:
    """Return words that sympify reads as something else: `gamma`, `test`, `sum`, `lambda`."""
    kind = BuiltinFunctionType
    functions = {name for name, value in vars(builtins).items() if isinstance(value, kind)}
    # Sympy's public names from a list: formulas are the same with and without sympy.
    sympy_names = (package_folder("data") / "sympy_names.txt").read_text(encoding="utf-8")
    return frozenset({*sympy_names.split(), *functions, *keyword.kwlist})


def identifiers(names: Sequence[str], reserved: Set[str] | None = None) -> list[str]:
    """Return the column names as unique words of letters, digits and underscores.

    One underscore replaces any sequence of other signs: "Flow [l/min]" becomes Flow_l_min. One
    follows a reserved word, by default one that sympify reads as something else.
    """
    reserved = reserved_words() if reserved is None else frozenset(reserved)
    return list(_identifiers(tuple(map(str, names)), reserved))


@functools.lru_cache(maxsize=16)  # the models of a fit have the same inputs, which may be many
def _identifiers(names: tuple[str, ...], reserved: frozenset[str]) -> list[str]:
    result: list[str] = []
    taken = set(reserved)
    for name in names:
        letters = re.sub(r"\W", " ", name)
        letters = "".join(c if f"x{c}".isidentifier() else " " for c in letters)  # not "²"
        word = unicodedata.normalize("NFKC", "_".join(letters.split()))  # as Python reads it
        if not word[:1].isidentifier():
            word = f"x{word}"
        if word in reserved:
            word = f"{word}_"
        result.append(unused(word, taken))
        taken.add(result[-1])
    return result


def unused(word: str, taken: Container[str], numbered: str = "{}_{}") -> str:
    """Return the word, or with the first number with which it is not taken."""
    words = itertools.chain([word], (numbered.format(word, k) for k in itertools.count(2)))
    return next(word for word in words if word not in taken)


def formula_inputs(
    standardizer: Standardizer, reserved: Set[str] | None = None
) -> list[tuple[str, float, float]]:
    """Return name, mean and scale of each input; a nominal column appears as its encoded value."""
    names = identifiers([_input_name(column) for column in standardizer.inputs], reserved)
    return [(name, c.mean, c.scale) for name, c in zip(names, standardizer.inputs, strict=True)]


def _input_name(column: Column) -> str:
    """Return an input's name in formulas: "colour is red", "encoded_city" or the column's own."""
    if column.codes is None:
        return column.title
    if column.label is None:
        return f"encoded_{column.name}"
    return column.label.replace(" = ", " is ")


def legend(
    standardizer: Standardizer, used: Iterable[int], names: Sequence[str] = ()
) -> list[list[str]]:
    """Return names in a formula that are not the columns' own, with their meanings.

    `names` are those of all inputs, by default those that sympify reads.
    """
    rows = []
    names = names or [name for name, _, _ in formula_inputs(standardizer)]
    for k in sorted(set(used)):
        name, column = names[k], standardizer.inputs[k]
        if name != column.title or column.label is not None or column.fill is not None:
            rows.append([name, _meaning(column)])
    return rows


def _meaning(column: Column) -> str:
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
    """Return the names of inputs in LaTeX; indicators are conditions in Iverson brackets."""
    return [
        latex_name(_input_name(column))
        if column.label is None
        else f"\\left[{latex_name(column.label)}\\right]"
        for column in standardizer.inputs
    ]


def latex_name(name: str) -> str:
    """Return a column's name as it is: sympy would set `a__2` as a power and `x2` with an index."""
    if re.fullmatch("[A-Za-z]", name):
        return name
    return f"\\mathrm{{{''.join(LATEX_SIGNS.get(sign, sign) for sign in name)}}}"
