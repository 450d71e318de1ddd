"""What laws may contain: the functions that trees may have, and what must not be nested."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

from ..trees.primitives import FUNCTION_NAMES
from .expressions import FUNCTIONS, Expression, parts_of

DIVISIONS = {"div", "inv", "aq"}
ROOTS = {"sqrt", "cbrt"}
PRODUCTS = {"mul", "square", "cube"}
SUMS = {"add", "sub"}
EXPONENTIALS = {"exp", "exponential", "gauss", "sigmoid"}
LOGARITHMS = {"log", "ln"}
GRANTED = {"exp": LOGARITHMS | EXPONENTIALS, "tanh": {"tanh", "sigmoid"} | LOGARITHMS}
"""Functions of laws that the paper's list has not, and those of trees that go with them."""


class Limits(NamedTuple):
    """What laws may contain."""

    functions: frozenset[str]
    products: bool
    divisions: bool
    roots: bool
    inside: Mapping[str, frozenset[str]]
    """Names of tree functions, and those that must not occur inside them."""

    @classmethod
    def of(
        cls,
        functions: Sequence[Any] = FUNCTION_NAMES,
        forbidden_inside: Mapping[str, Sequence[str]] | None = None,
    ) -> Self | None:
        """Return what the functions of trees allow; None if they allow no sums."""
        names = {name for name in functions if isinstance(name, str)}
        if not names & SUMS:
            return None
        allowed = {
            name
            for name in FUNCTIONS
            if names & (GRANTED.get(name) or (LOGARITHMS if name == "log" else {name}))
        }
        inside = {name: frozenset(inner) for name, inner in (forbidden_inside or {}).items()}
        return cls(
            frozenset(allowed),
            bool(names & PRODUCTS),
            bool(names & DIVISIONS),
            bool(names & ROOTS),
            inside,
        )

    def permit(self, expression: Expression, forbidden: frozenset[str] = frozenset()) -> bool:
        """Return whether an expression contains nothing else."""
        if self == EVERYTHING:
            return True
        kind, parts = expression[0], parts_of(expression)
        match expression:
            case ("exp", ("*", ("k" | "n", _), ("log", base))):  # a power
                names, parts = ROOTS | DIVISIONS, (base,)
                known = self.roots and self.divisions
            case ("x" | "n" | "k", _):
                return True
            case ("+", *_):
                names, known = SUMS, True
            case ("*", *_):
                numbers = sum(part[0] in ("n", "k") for part in parts)
                names, known = {"mul"}, self.products or len(parts) - numbers < 2
            case ("^", _, exponent):
                names, known = self._power(float(exponent))
            case _:
                names = LOGARITHMS if kind == "log" else GRANTED.get(kind, {kind}) - LOGARITHMS
                known = kind in self.functions
        if not known or names & forbidden:
            return False
        inner = forbidden.union(*(self.inside.get(name, frozenset()) for name in names))
        return all(self.permit(part, inner) for part in parts)

    def _power(self, exponent: float) -> tuple[set[str], bool]:
        names, known = set[str](), True
        if exponent < 0.0:
            names, known = names | DIVISIONS, known and self.divisions
        if exponent % 1.0:
            names, known = names | ROOTS, known and self.roots
        if abs(exponent) > 1.0:
            names, known = names | PRODUCTS, known and self.products
        return names, known


EVERYTHING = Limits.of()
