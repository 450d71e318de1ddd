"""A model as a Python function on NumPy's arrays."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from ..formulas.functions import ATOM
from ..formulas.printers.precedence import Part
from ..tables.preprocessing import Column
from .code_printer import ARGUMENTS, StatementPrinter
from .source import Source

if TYPE_CHECKING:
    from ..formulas.user_function import UserFunction

ON_ARRAYS = {"functools"}
"""Modules beside NumPy's that work on arrays."""
DIVISOR = '''\
def _divisor(x):
    """What to divide by: nothing is defined where it is 0."""
    return np.where(x == 0.0, np.nan, x)
'''
ENCODED = '''\
def _encoded(levels, codes, other):
    """What stands for the levels of a nominal column."""

    def code(level):
        level = level.item() if hasattr(level, "item") else level
        if not isinstance(level, (str, int, float)) or level != level:
            is_missing = str(level) in ("None", "nan", "NaT", "<NA>")
            level = "(missing)" if is_missing else str(level)
        return codes.get(level, other)

    levels = np.asarray(levels, dtype=object)
    return np.array([code(level) for level in levels.ravel()], dtype=float).reshape(levels.shape)
'''


class PythonPrinter(StatementPrinter):
    """NumPy's functions."""

    language = "python"
    root = "np.sqrt({})"
    reserved: ClassVar[Iterable[str]] = ("np", *keyword.kwlist, *dir(builtins))

    def __init__(self, source: Source, digits: int | None, name: str) -> None:
        self.modules: set[str] = set()
        super().__init__(source, digits, name)

    def assign_encoded(self, name: str, word: str, column: Column) -> None:
        self.helpers["encoded"] = ENCODED
        codes = ", ".join(
            f"{level!r}: {self.number(code)}" for level, code in (column.codes or {}).items()
        )
        self.assign(name, f"_encoded({word}, {{{codes}}}, {self.number(column.unseen)})")

    def assign_filled(self, name: str, word: str, column: Column) -> None:
        absent, fill = f"np.isnan({word})", column.fill
        other = f"np.where({absent}, {self.number(fill or 0.0)}, {word})"
        self.assign(name, f"1.0*{absent}" if fill is None else other)

    def assign(self, name: str, text: str) -> None:
        """Write a line that makes a variable."""
        self.lines.append(f"{name} = {text}")

    def guarded(self, part: Part) -> Part:
        """Return a divisor that is NaN when it is 0."""
        self.helpers["divisor"] = DIVISOR
        return Part(f"_divisor({part.text})", ATOM)

    def user_call(self, function: UserFunction, parts: Sequence[Part]) -> str:
        """Return the call of a helper that computes the user's formula."""
        from sympy.printing.numpy import NumPyPrinter

        name, printer = function.name, NumPyPrinter()
        text = self.user_formula(function, printer).replace("numpy.", "np.")
        self.modules |= printer.module_imports.keys() - {"numpy"}
        if not self.modules <= ON_ARRAYS:
            raise self.not_written(function)
        arguments = ", ".join(ARGUMENTS[: function.arity])
        self.helpers[name] = f"def _{name}({arguments}):\n    return {text}\n"
        return f"_{name}({', '.join(part.text for part in parts)})"


def write(source: Source, digits: int | None = None, name: str = "predict") -> str:
    """A module with one function, whose arguments are arrays or numbers."""
    printer = PythonPrinter(source, digits, name)
    printer.assign("value", printer.expression())
    mean, low, high = printer.mean, printer.low, printer.high
    numeric = [printer.words[column] for column in source.numeric_columns]
    known = " & ".join(f"np.isfinite({printer.words[name]})" for name in source.needed_numbers)
    defined = (
        "np.isnan(value), {0}, value"
        if source.standardizer.clips
        else "np.isfinite(value), value, {0}"
    )
    lines = [
        *(f"{word} = np.asarray({word}, dtype=float)" for word in numeric),
        'with np.errstate(all="ignore"):',
        *(f"    {line}" for line in printer.lines),
        f"value = np.where({defined.format(mean)})",
        *([f"value = np.clip(value, {low}, {high})"] if source.standardizer.clips else []),
        *([f"value = np.where({known}, value, np.nan)"] if known else []),
        "return value[()]",
    ]
    return "\n".join(
        [
            *(f"# {line}" for line in source.comment(printer.words)),
            *(f"import {module}" for module in sorted(printer.modules)),
            "import numpy as np",
            *(f"\n\n{helper.rstrip()}" for helper in printer.helpers.values()),
            f"\n\ndef {name}({', '.join(printer.words.values())}):",
            *(f"    {line}" for line in lines),
            "",
        ]
    )
