"""Export to a C function: C99 and its mathematical library."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from ..formulas.printers.precedence import Part
from ..formulas.user_function import UserFunction
from ..tables.preprocessing import Column
from .code_printer import ARGUMENTS, StatementPrinter
from .source import Exportable, escaped, levels_of

KEYWORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int
alignas alignof asm constexpr linux math_errhandling nullptr thread_local typeof typeof_unqual unix
long main register restrict return short signed sizeof static struct switch typedef union unsigned
void volatile while bool true false null nan infinity
abs acos asin atan atan2 cbrt ceil cos cosh div erf exp exp2 fabs floor fma fmax fmin fmod free
gamma hypot index isfinite isnan j0 j1 jn larger smaller is log log10 log2 main nonzero pow remove
rename rint round signbit sin sinh sqrt step strcmp tan tanh time trunc y0 y1 yn
"""
MACROS = "(FP_|HUGE|M_|MATH_|SNAN).*|DOMAIN|MAXFLOAT|OVERFLOW|PLOSS|SING|TLOSS|UNDERFLOW"
"""Macros of math.h in its various versions; others are keywords if case is ignored."""
HELPERS = {
    "larger": "static double larger(double a, double b) { return a > b || a != a ? a : b; }",
    "smaller": "static double smaller(double a, double b) { return a < b || a != a ? a : b; }",
    "step": "static double step(double a) { return a != a ? a : a > 0.0; }",
    "nonzero": "static double nonzero(double a) { return a == 0.0 ? NAN : a; }",
    "is": "static int is(const char *a, const char *b) { return a && strcmp(a, b) == 0; }",
}
"""Helpers for undefined values: unlike `fmax`, `larger` keeps them undefined."""


class CPrinter(StatementPrinter):
    """Functions of math.h."""

    language = "c"
    power_function = "pow"
    guard = "nonzero({})"
    indicator = "isnan({}) ? 1.0 : 0.0"
    filled = "isnan({0}) ? {1} : {0}"
    assignment = "const double {} = {};"
    reserved: ClassVar[Iterable[str]] = KEYWORDS.split()
    reserved_form = rf"{StatementPrinter.reserved_form}|{MACROS}"
    largest_whole = 2**53 - 1

    def _encoded(self, word: str, column: Column) -> str:
        levels = self._levels(column)
        cases = [(_is_level(word, level), code) for level, code in levels.cases]
        if levels.missing is not None:
            absent = f"!{word}" if levels.kind == "text" else f"isnan({word})"
            cases.insert(0, (absent, levels.missing))
        texts = [f"{test} ? {self._number(code)}" for test, code in cases]
        between = "\n        : " if len(texts) > 1 else " : "
        return between.join([*texts, self._number(levels.other)])

    def _user_call(self, function: UserFunction, parts: Sequence[Part]) -> str:
        from sympy.printing.c import C99CodePrinter

        name, text = function.name, self._user_formula(function, C99CodePrinter({"strict": True}))
        arguments = ", ".join(f"double {word}" for word in ARGUMENTS[: function.arity])
        self.helpers[name] = f"static double own_{name}({arguments}) {{ return {text}; }}"
        return f"own_{name}({', '.join(part.text for part in parts)})"


def _is_level(column: str, level: Any) -> str:
    if isinstance(level, str):
        text = escaped(level.encode(), '"\\?', "\\{:03o}")
        return f'is({column}, "{text}")'
    return f"{column} == {float(level)!r}"


def write(source: Exportable, digits: int | None = None, name: str = "predict") -> str:
    """Return a file with one function; text levels are UTF-8, or NULL if missing."""
    printer = CPrinter(source, digits, name)
    statements = printer.statements()
    mean, low, high = printer.mean, printer.low, printer.high
    known = " && ".join(f"isfinite({printer.names[name]})" for name in source.needed_numbers)
    clips = source.standardizer.clips
    undefined = "isnan" if clips else "!isfinite"
    result = f"value < {low} ? {low} : value > {high} ? {high} : value" if clips else "value"
    arguments = [_argument(source.columns[name][0], word) for name, word in printer.names.items()]
    body = [
        f"double {name}({', '.join(arguments) or 'void'})",
        "{",
        *(f"    {line}" for line in statements),
        *([f"    if (!({known})) return NAN;"] if known else []),
        f"    if ({undefined}(value)) return {mean};",
        f"    return {result};",
        "}",
    ]
    code = re.sub('"[^"]*"', "", "\n".join(body))
    helpers = [text for word, text in HELPERS.items() if re.search(rf"\b{word}\(", code)]
    lines = source.comment(printer.names)
    comment = [re.sub(r"/(?=\*)|\*(?=/)", r"\g<0> ", line) for line in lines]
    parts = [
        "\n".join(f"{'/*' if k == 0 else ' *'} {line}" for k, line in enumerate(comment)) + " */",
        "#include <math.h>" + ("\n#include <string.h>" if HELPERS["is"] in helpers else ""),
        "\n".join([*helpers, *printer.helpers.values()]),
        "\n".join(body),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _argument(column: Column, word: str) -> str:
    is_text = column.codes is not None and levels_of(column).kind == "text"
    return f"const char *{word}" if is_text else f"double {word}"
