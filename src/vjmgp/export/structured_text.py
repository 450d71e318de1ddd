"""Export to a function in Structured Text of IEC 61131-3."""

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from ..formulas.printers.precedence import Part
from ..tables.preprocessing import Column
from .code_printer import StatementPrinter
from .source import Exportable, Levels, escaped, levels_of, literal, may_be_missing

KEYWORDS = """
abs acos action add and any array asin atan at bool by byte case char concat configuration constant
cos date delete dint div do dt dword else elsif end_action end_case end_for end_function end_if
end_repeat end_var end_while eq exit exp expt false find for from function function_block ge gt if
index insert int interval le left len limit lint ln log lreal lt lword max mid min mod move mul mux
ne not null of on or pointer program read_only real repeat replace resource retain return right rol
ror sel shl shr sin single sint sqrt step string struct sub tan task then time to tod transition
true trunc type udint uint ulint undefined until usint var var_input var_output while with word
wstring xor
"""
USUAL_LENGTH = 80
"""The length of a string that is declared without one."""


class StPrinter(StatementPrinter):
    """The standard's functions of LREAL."""

    language = "st"
    root, power_function = "SQRT({})", "EXPT"
    at_least_zero = "MAX({}, 0.0)"
    assignment = "{} := {};"
    reserved: ClassVar[Iterable[str]] = KEYWORDS.split()
    largest_whole = 2**63 - 1

    def _number(self, value: float) -> str:
        """Return a number with a point."""
        mantissa, *exponent = super()._number(value).split("e")
        point = "" if "." in mantissa else ".0"
        return mantissa + point + "".join(f"E{int(power)}" for power in exponent)

    def _exponent(self, value: float) -> str:
        return str(int(value)) if value == int(value) else self._number(value)

    def _assign_derived(self, name: str, column: Column) -> None:
        word, flag = self.names[column.name], self.flags[column.name]
        if column.codes is not None:
            levels = self._levels(column)
            wide, other = _is_wide(levels), self._number(levels.other)
            cases = [(f"{word} = {_literal(level, wide)}", code) for level, code in levels.cases]
            if levels.missing is not None:
                cases.append((flag, levels.missing))
        elif column.fill is None:
            cases, other = [(flag, 1.0)], "0.0"
        else:
            cases, other = [(flag, column.fill)], word
        if not cases:
            return self._assign(name, other)
        self.variables.append(name)
        for k, (test, code) in enumerate(cases):
            self.lines.append(f"{'ELSIF' if k else 'IF'} {test} THEN")
            self.lines.append(f"    {name} := {self._number(code)};")
        self.lines += ["ELSE", f"    {name} := {other};", "END_IF;"]
        return None

    def _guarded(self, part: Part) -> Part:
        """Return a divisor that is never 0: lines before it raise the flag `undefined`."""
        name, level = self._named(part)
        self.lines += [f"IF {name} = 0.0 THEN", "    undefined := TRUE;"]
        self.lines += [f"    {name} := 1.0;", "END_IF;"]
        return Part(name, level)

    def declared_inputs(self) -> list[str]:
        """Return lines that declare columns, with a flag for those that may have no value."""
        lines = []
        for name, word in self.names.items():
            columns = self.source.columns[name]
            lines.append(f"{word} : {_type_of(columns[0])};")
            if any(map(may_be_missing, columns)):
                lines.append(f"{self.flags[name]} : BOOL := FALSE;")
        return lines


def write(source: Exportable, digits: int | None = None, name: str = "Predict") -> str:
    """Return a function of the columns."""
    printer = StPrinter(source, digits, name)
    statements = printer.statements()
    clips, low, high = source.standardizer.clips, printer.low, printer.high
    guarded = "    undefined := TRUE;" in statements
    lines = source.comment(printer.names)
    comment = [line.replace("*)", "* )").replace("(*", "( *") for line in lines]
    lines = [
        *(f"{'(*' if k == 0 else '  '} {line}" for k, line in enumerate(comment)),
        "*)",
        f"FUNCTION {name} : LREAL",
        "VAR_INPUT",
        *(f"    {line}" for line in printer.declared_inputs()),
        "END_VAR",
        "VAR",
        *(f"    {word} : LREAL;" for word in printer.variables),
        *(["    undefined : BOOL := FALSE;"] if guarded else []),
        "END_VAR",
        "",
        *statements,
        *(["IF undefined THEN", f"    value := {printer.mean};", "END_IF;"] if guarded else []),
        f"{name} := LIMIT({low}, value, {high});" if clips else f"{name} := value;",
        "END_FUNCTION",
        "",
    ]
    return "\n".join(lines)


def _type_of(column: Column) -> str:
    if column.codes is None:
        return "LREAL"
    levels = levels_of(column)
    if levels.kind == "truth":
        return "BOOL"
    if levels.kind == "number":
        if not all(isinstance(level, int) for level in levels.names):
            return "LREAL"
        return "DINT" if max(map(abs, levels.names)) < 2**31 else "LINT"
    longest = max(map(len, levels.names))
    length = f"[{longest}]" if longest > USUAL_LENGTH else ""
    return f"{'WSTRING' if _is_wide(levels) else 'STRING'}{length}"


def _is_wide(levels: Levels) -> bool:
    """Return whether the levels need more than ASCII."""
    return levels.kind == "text" and not all(map(str.isascii, levels.names))


def _literal(level: Any, wide: bool) -> str:
    if not isinstance(level, str):
        return literal(level, "'")
    quote = '"' if wide else "'"
    numbers = np.frombuffer(level.encode("utf-16-le"), dtype="<u2").tolist()
    return quote + escaped(numbers, f"${quote}", "${:04X}" if wide else "${:02X}") + quote
