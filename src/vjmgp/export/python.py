"""Export to a Python function of NumPy arrays."""

import builtins
import keyword
import math
from collections.abc import Iterable, Sequence
from typing import ClassVar

from ..formulas.printers.precedence import Part
from ..formulas.user_function import UserFunction
from ..tables.preprocessing import Column
from .code_printer import ARGUMENTS, StatementPrinter
from .source import Exportable

NONZERO = '''\
def _nonzero(x):
    """Return x, undefined where it is 0."""
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
    root, guard = "np.sqrt({})", "_nonzero({})"
    indicator = "1.0*np.isnan({})"
    filled = "np.where(np.isnan({0}), {1}, {0})"
    assignment = "{} = {}"
    reserved: ClassVar[Iterable[str]] = (
        *("np", "_encoded", "_nonzero"),
        *(word.lower() for word in (*keyword.kwlist, *dir(builtins))),
    )

    def __init__(self, source: Exportable, digits: int | None, name: str) -> None:
        self.modules: set[str] = set()
        super().__init__(source, digits, name)

    def _encoded(self, word: str, column: Column) -> str:
        self.helpers["encoded"] = ENCODED
        codes = (column.codes or {}).items()
        infinite = {math.inf: "np.inf", -math.inf: "-np.inf"}
        texts = ", ".join(
            f"{infinite.get(level) or repr(level)}: {self._number(code)}" for level, code in codes
        )
        return f"_encoded({word}, {{{texts}}}, {self._number(column.unseen)})"

    def _guarded(self, part: Part) -> Part:
        self.helpers["nonzero"] = NONZERO
        return super()._guarded(part)

    def _user_call(self, function: UserFunction, parts: Sequence[Part]) -> str:
        from sympy.printing.numpy import NumPyPrinter

        name, printer = function.name, NumPyPrinter()
        text = self._user_formula(function, printer).replace("numpy.", "np.")
        self.modules |= printer.module_imports.keys() - {"numpy"}
        if self.modules - {"functools"}:  # others do not work on arrays
            raise self._not_written(function)
        arguments = ", ".join(ARGUMENTS[: function.arity])
        self.helpers[f"own {name}"] = f"def own_{name}({arguments}):\n    return {text}\n"
        return f"own_{name}({', '.join(part.text for part in parts)})"


def write(source: Exportable, digits: int | None = None, name: str = "predict") -> str:
    """Return a module with one function of arrays or numbers."""
    printer = PythonPrinter(source, digits, name)
    statements = printer.statements()
    numeric = [printer.names[column] for column in source.numeric_columns]
    known = " & ".join(f"np.isfinite({printer.names[name]})" for name in source.needed_numbers)
    clips = source.standardizer.clips
    defined = "np.isnan(value), {0}, value" if clips else "np.isfinite(value), value, {0}"
    lines = [
        *(f"{word} = np.asarray({word}, dtype=float)" for word in numeric),
        'with np.errstate(all="ignore"):',
        *(f"    {line}" for line in statements),
        f"value = np.where({defined.format(printer.mean)})",
        *([f"value = np.clip(value, {printer.low}, {printer.high})"] if clips else []),
        *([f"value = np.where({known}, value, np.nan)"] if known else []),
        "return value[()]",
    ]
    module = [
        *(f"# {line}" for line in source.comment(printer.names)),
        *(f"import {module}" for module in sorted(printer.modules)),
        "import numpy as np",
        *(f"\n\n{helper.rstrip()}" for helper in printer.helpers.values()),
        f"\n\ndef {name}({', '.join(printer.names.values())}):",
        *(f"    {line}" for line in lines),
    ]
    return "\n".join([*module, ""])
