"""User-defined tree functions: docs/own_function.md has an example."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..engine.parameters import short_repr
from ..engine.trees.addresses import arguments_of, check_scalar
from ..engine.trees.primitives import codes_by_name
from .input_names import reserved_words

POINTS = ((-1.3, 0.6), (-0.4, -1.7), (0.3, 2.2), (0.9, -0.2), (1.7, 1.1))
"""Points at which the formula is compared with the function."""


@dataclass(frozen=True)
class UserFunction:
    """A function of one or two numbers that trees may contain.

    Parameters
    ----------
    name : str
        Its name in files; it must differ from the package's functions.
    scalar : callable
        Takes one or two floats and returns a float; numba must be able to compile it. If it raises
        an error, its value is undefined, and models that need it there are discarded.
    sympy : sympy.Expr
        The same as a formula, with symbols named like the arguments of `scalar`.

    Examples
    --------
    >>> import math
    >>> import sympy
    >>> from vjmgp import UserFunction
    >>> def decay(a, b):
    ...     return math.exp(-abs(a)) * b
    >>> a, b = sympy.symbols("a b")
    >>> UserFunction("decay", decay, sympy.exp(-sympy.Abs(a)) * b).arity
    2

    """

    name: str
    scalar: Callable[..., float]
    sympy: Any

    def __post_init__(self) -> None:
        """Raise if the function cannot be compiled, written or read."""
        if not (isinstance(self.name, str) and self.name.isidentifier()):
            raise ValueError(
                f"The name of a UserFunction is {short_repr(self.name)}; it must be a word of "
                "letters, digits and underscores."
            )
        try:
            if self.name in codes_by_name() or self.name == "column":
                raise ValueError("the package uses this name itself; choose another")
            check_scalar(self.scalar)
            self._check_formula()
        except ValueError as error:
            raise ValueError(f"UserFunction {self.name!r}: {error}.") from None

    def _check_formula(self) -> None:
        import sympy

        if not isinstance(self.sympy, sympy.Expr):
            raise ValueError(
                f"sympy is {short_repr(self.sympy)}; it must be an expression of sympy"
            )
        for name in self.arguments:
            if name in reserved_words():
                raise ValueError(
                    f"its argument {name!r} means something else in formulas; rename it"
                )
        known = ", ".join(self.arguments)
        for name in sorted(symbol.name for symbol in self.sympy.free_symbols):
            if name not in self.arguments:
                raise ValueError(f"sympy has {name!r}, not an argument of scalar ({known})")
        for point in POINTS:
            here = point[: self.arity]
            formula = self.sympy_of([sympy.Float(value) for value in here])
            expected, found = self.value(here), _number(formula)
            if math.isfinite(expected) and not abs(found - expected) <= 1e-6 * (1 + abs(expected)):
                raise ValueError(
                    f"sympy is {found:.6g} at {', '.join(map(str, here))}, where scalar is "
                    f"{expected:.6g}"
                )

    def value(self, point: tuple[float, ...]) -> float:
        """Return the function's value, NaN if it is undefined."""
        function = getattr(self.scalar, "py_func", self.scalar)
        try:
            return float(function(*point))
        except (ArithmeticError, ValueError):  # as Python does outside a function's domain
            return math.nan

    def sympy_of(self, parts: Sequence[Any]) -> Any:
        """Return the formula with expressions in place of its arguments."""
        import sympy

        given = dict(zip(self.arguments, parts, strict=True))
        symbols = {symbol: given[symbol.name] for symbol in self.sympy.free_symbols}
        with sympy.evaluate(False):  # sympy compares the arguments of Max otherwise
            return self.sympy.xreplace(symbols)

    def text_of(self, texts: Sequence[str]) -> str:
        """Return the formula's text with texts in place of its arguments."""
        given = dict(zip(self.arguments, texts, strict=True))
        words = re.compile(r"(?<![\w.])[^\W\d]\w*")
        text = words.sub(lambda word: given.get(word[0], word[0]), str(self.sympy))
        return text if self.sympy.is_Function else f"({text})"

    @property
    def arguments(self) -> tuple[str, ...]:
        """The names of its arguments."""
        return arguments_of(self.scalar)

    @property
    def arity(self) -> int:
        """The number of arguments."""
        return len(self.arguments)


def _number(expression: Any) -> float:
    """Return the value of a formula without variables, NaN if it is undefined or not real."""
    try:
        value = complex(expression)
    except (TypeError, ValueError):
        return math.nan
    return value.real if abs(value.imag) <= 1e-9 * (1 + abs(value.real)) else math.nan
