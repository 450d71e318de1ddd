"""Names in formulas, and trees as they were evolved: every scale, centre and function call.

The text is sympy's own syntax: `sympy.sympify` reads it, whatever the columns are called. The short
form, which people read, is made in `formulas/simplify.py`.
"""

from __future__ import annotations

import builtins
import functools
import keyword
import re
from collections.abc import Callable, Iterable, Sequence
from types import BuiltinFunctionType
from typing import TYPE_CHECKING, Any

from ..core.files import package_folder
from ..engine.trees.primitives import (
    CONSTANT,
    FIRST_VARIABLE,
    LARGEST_EXPONENT,
    OwnFunction,
    functions_by_code,
)
from ..tables.preprocessing import level_text

if TYPE_CHECKING:
    from ..models.symbolic import Feature, SymbolicModel
    from ..tables.preprocessing import Column, Standardizer
    from .user_function import UserFunction

# How tightly an expression holds together: what must stand in brackets beside what.
SUM, PRODUCT, POWER, ATOM = range(4)
Part = tuple[str, int]
LATEX_SIGNS = {sign: f"\\{sign}" for sign in " &%$#_{}"} | {
    "\\": "\\backslash ", "~": "\\sim ", "^": "\\wedge ", "-": "{-}",
}  # fmt: skip
"""What has a meaning in LaTeX's formulas."""


def number(value: float, digits: int | None) -> str:
    """A number, in full or with so many significant digits."""
    return repr(float(value)) if digits is None else f"{float(value):.{digits}g}"


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


def _bracket(part: Part, least: int) -> str:
    text, level = part
    return text if level >= least else f"({text})"


def _shifted(name: str, offset: float, digits: int | None) -> str:
    sign = "-" if offset >= 0 else "+"
    return f"{name} {sign} {number(abs(offset), digits)}"


def _add(a: Part, b: Part) -> Part:
    return (f"{a[0]} - {b[0][1:]}" if b[0].startswith("-") else f"{a[0]} + {b[0]}"), SUM


def _factor(a: Part) -> str:
    """As it stands behind a sign of operation."""
    text = _bracket(a, PRODUCT)
    return f"({text})" if text.startswith("-") else text


def _power(a: Part, exponent: int = 2) -> str:
    text = _bracket(a, ATOM)
    return f"({text})**{exponent}" if text.startswith("-") else f"{text}**{exponent}"


def _divisor(a: Part) -> str:
    text = _bracket(a, POWER)
    return f"({text})" if text.startswith("-") else text


TEXT: dict[str, Callable[..., Part]] = {
    "add": _add,
    "sub": lambda a, b: (f"{a[0]} - {_factor(b)}", SUM),
    "mul": lambda a, b: (f"{_bracket(a, PRODUCT)}*{_factor(b)}", PRODUCT),
    "aq": lambda a, b: (f"{_bracket(a, PRODUCT)}/sqrt(1 + {_power(b)})", PRODUCT),
    "max": lambda a, b: (f"Max({a[0]}, {b[0]})", ATOM),
    "min": lambda a, b: (f"Min({a[0]}, {b[0]})", ATOM),
    "square": lambda a: (_power(a), POWER),
    "log": lambda a: (f"log(sqrt(1 + {_power(a)}))", ATOM),
    "sqrt": lambda a: (f"sqrt(Abs({a[0]}))", ATOM),
    "sin": lambda a: (f"sin(pi*{_factor(a)})", ATOM),
    "cos": lambda a: (f"cos(pi*{_factor(a)})", ATOM),
    "abs": lambda a: (f"Abs({a[0]})", ATOM),
    "neg": lambda a: (f"-{_factor(a)}", PRODUCT),
    "div": lambda a, b: (f"{_bracket(a, PRODUCT)}/{_divisor(b)}", PRODUCT),
    "inv": lambda a: (f"1/{_divisor(a)}", PRODUCT),
    "exp": lambda a: (f"exp(Min({a[0]}, {LARGEST_EXPONENT:g}))", ATOM),
    "gauss": lambda a: (f"exp(-{_power(a)})", ATOM),
    "tanh": lambda a: (f"tanh({a[0]})", ATOM),
    "sigmoid": lambda a: (f"1/(1 + exp(-{_factor(a)}))", PRODUCT),
    "cube": lambda a: (_power(a, 3), POWER),
    "cbrt": lambda a: (f"real_root({a[0]}, 3)", ATOM),
    "atan": lambda a: (f"atan({a[0]})", ATOM),
    "step": lambda a: (f"Heaviside({a[0]}, 0)", ATOM),
}


def _own_text(function: UserFunction, parts: list[Part]) -> Part:
    """The user's formula with texts in place of its arguments."""
    texts = dict(zip(function.arguments, parts, strict=True))

    def replaced(word: re.Match[str]) -> str:
        return _bracket(texts[word[0]], ATOM) if word[0] in texts else word[0]

    text = re.sub(r"(?<![\w.])[^\W\d]\w*", replaced, str(function.sympy))
    return text if function.sympy.is_Function else f"({text})", ATOM


def own_sympy(function: UserFunction, parts: Sequence[Any]) -> Any:
    """The user's formula with expressions in place of its arguments."""
    import sympy

    given = dict(zip(function.arguments, parts, strict=True))
    symbols = {symbol: given[symbol.name] for symbol in function.sympy.free_symbols}
    with sympy.evaluate(False):  # as for Max below
        return function.sympy.xreplace(symbols)


def fold(
    codes: Sequence[int],
    constants: Sequence[float],
    leaf: Callable[[int], Any],
    constant: Callable[[float], Any],
    call: Callable[[str, list[Any]], Any],
    own: Sequence[OwnFunction] = (),
) -> Any:
    """Walk a prefix tree bottom up: leaves by column number, constants, function calls.

    `own` are the user's functions that the tree may hold.
    """
    functions = functions_by_code(own)
    stack: list[Any] = []
    for code, value in zip(reversed(codes), reversed(constants), strict=True):
        if code >= FIRST_VARIABLE:
            stack.append(leaf(code - FIRST_VARIABLE))
        elif code == CONSTANT:
            stack.append(constant(value))
        else:
            function = functions[code]
            stack.append(call(function.name, [stack.pop() for _ in range(function.arity)]))
    return stack[0]


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


def _feature_part(feature: Feature, model: SymbolicModel, digits: int | None) -> Part:
    inputs = formula_inputs(model.standardizer)

    def leaf(column: int) -> Part:
        name, mean, scale = inputs[column]
        if (mean, scale) == (0.0, 1.0):
            return name, ATOM
        return f"({_shifted(name, mean, digits)})/{number(scale, digits)}", PRODUCT

    def constant(value: float) -> Part:
        return number(value, digits), ATOM if value >= 0 else PRODUCT

    own = {function.name: function for function in model.functions}

    def call(name: str, parts: list[Part]) -> Part:
        return _own_text(own[name], parts) if name in own else TEXT[name](*parts)

    part: Part = fold(feature.codes, feature.constants, leaf, constant, call, model.functions)
    return part


def evolved_text(model: SymbolicModel, digits: int | None = None) -> str:
    """The whole model: intercept and weighted features; numbers in full unless digits are given."""
    intercept, coefficients = model.original_units()
    text = number(intercept, digits)
    for coefficient, feature in zip(coefficients, model.features, strict=True):
        sign = "-" if coefficient < 0 else "+"
        factor = _factor(_feature_part(feature, model, digits))
        text += f" {sign} {number(abs(coefficient), digits)}*{factor}"
    return text


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
