"""Expressions as sympy's own objects."""

import re
from collections.abc import Sequence
from typing import Any

from ...core.optional import require_module
from ..functions import CALLS
from ..nodes import Algebra, Node, in_order


def sympy_of(root: Node, algebra: Algebra, names: Sequence[str], digits: int | None) -> Any:
    """Return the expression as a sympy object of real symbols."""
    require_module("sympy")
    import sympy  # slow to import

    def real(value: float) -> Any:
        if float(value).is_integer() and abs(value) < 1e15:
            return sympy.Integer(int(value))
        return sympy.Float(value if digits is None else float(f"{value:.{digits}g}"))

    def call(name: str, parts: Sequence[Any]) -> Any:
        function, *numbers = re.findall(r"\w+", CALLS[name].template(name, "text"))
        # Unevaluated: sympy compares the arguments of Max otherwise, which can take minutes.
        options = {"evaluate": False} if name in ("max", "min") else {}
        return getattr(sympy, function)(*parts, *map(int, numbers), **options)

    known: dict[Node, Any] = {}
    for node in in_order(root):
        parts = [known[part] for part in node.parts]
        pairs = list(zip(parts, node.numbers, strict=False))
        if node.kind == "number":
            known[node] = real(node.number)
        elif node.kind == "input":
            known[node] = sympy.Symbol(names[int(node.number)], real=True)
        elif node.kind == "sum":
            known[node] = sympy.Add(*(real(w) * p for p, w in pairs), real(node.number))
        elif node.kind == "product":
            known[node] = sympy.Mul(*(p ** sympy.Rational(e) for p, e in pairs))
        elif node.name in algebra.user_functions:
            known[node] = algebra.user_functions[node.name].sympy_of(parts)
        else:
            known[node] = call(node.name, parts)
    return known[root]
