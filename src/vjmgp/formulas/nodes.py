"""Expressions in a canonical form: equal expressions are one object.

There are five kinds of nodes: numbers, inputs, weighted sums, products of powers, and calls. An
`Algebra` makes them, applies its rules and keeps one node for equal content, so that nodes are
compared by identity. Weights occur in sums only: 2·x is a sum of one term.

A rule holds for all real inputs, up to rounding, or defines more: x/x is 1, also if x is 0, and
exp(log(x)/2) is √x.
"""

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .functions import CALLS, FUNCTIONS
from .user_function import UserFunction

Term = tuple["Node", float]

TINY = float(np.finfo(float).tiny)

CANCELLED = 1e-12
"""A sum that is a smaller share of its largest part is rounding error."""
LARGEST = 1e150
"""Factors beyond it, or below its reciprocal, stay inside of powers: outside, they or what they are
multiplied by could leave the range of floats."""


@dataclass(eq=False, slots=True)
class Node:
    """A part of an expression; only an `Algebra` makes them."""

    kind: str
    """ "number", "input", "sum", "product" or "call"."""
    number: float
    """A number's value, a sum's constant, an input's position."""
    parts: "tuple[Node, ...]"
    numbers: tuple[float, ...]
    """Weights of a sum's parts, exponents of a product's: integers or halves."""
    name: str
    """The function of a call."""
    place: int
    """The node's rank in order of creation: a node comes after its parts."""
    shape: tuple[Any, ...]
    """The node without its numbers, for the order of a sum's or product's parts."""

    def terms(self) -> list[Term]:
        """Return the parts of a sum with their weights; any other node is a sum of itself."""
        if self.kind == "number":
            return []
        return self._pairs() if self.kind == "sum" else [(self, 1.0)]

    def factors(self) -> list[Term]:
        """Return the parts of a product with exponents; any other node is a product of itself."""
        return self._pairs() if self.kind == "product" else [(self, 1.0)]

    def _pairs(self) -> list[Term]:
        return list(zip(self.parts, self.numbers, strict=True))

    @property
    def constant(self) -> float:
        """The constant that is added to the terms."""
        return self.number if self.kind in ("sum", "number") else 0.0


class Algebra:
    """A factory of nodes, which simplifies them: equal content gives the same node."""

    def __init__(self, user_functions: Sequence[UserFunction] = ()) -> None:
        self.user_functions = {function.name: function for function in user_functions}
        self._nodes: dict[Any, Node] = {}

    def _node(
        self,
        kind: str,
        number: float = 0.0,
        parts: tuple[Node, ...] = (),
        numbers: tuple[float, ...] = (),
        name: str = "",
    ) -> Node:
        key = (kind, number, name, numbers, *(part.place for part in parts))
        node = self._nodes.get(key)
        if node is None:
            shapes = tuple(part.shape for part in parts)
            shape = (0, number) if kind == "input" else (1, len(shapes), kind, name, shapes)
            node = Node(kind, number, parts, numbers, name, len(self._nodes), shape)
            self._nodes[key] = node
        return node

    def number(self, value: float) -> Node:
        """Return a number."""
        return self._node("number", _tidy(value))

    def input(self, position: int) -> Node:
        """Return an input in its own units."""
        return self._node("input", float(position))

    def sum(self, terms: Iterable[Term], constant: float = 0.0) -> Node:
        """Return Σ weight·node + constant: nested sums are flattened, equal terms merged."""
        weights: dict[Node, float] = {}
        largest: dict[Node, float] = {}
        most = abs(constant)
        for node, weight in terms:
            pairs = node.terms()
            if not all(TINY <= abs(weight * inner) < math.inf for _, inner in pairs):
                pairs = [(node, 1.0)]
            elif node.kind in ("sum", "number"):
                constant += weight * node.number
                most = max(most, abs(weight * node.number))
            for part, inner in pairs:
                amount = weight * inner
                weights[part] = weights.get(part, 0.0) + amount
                largest[part] = max(largest.get(part, 0.0), abs(amount))
        kept = {p: w for p, w in weights.items() if not abs(w) <= CANCELLED * largest[p]}
        if abs(constant) <= CANCELLED * most:
            constant = 0.0
        for low in kept:  # min(a, b) = a + b − max(a, b)
            if low.name == "min" and len(low.parts) == 2:
                high = self._nodes.get(("call", 0.0, "max", (), *(p.place for p in low.parts)))
                if high in kept:
                    weight = kept.pop(low)
                    more = [(part, weight) for part in low.parts]
                    return self.sum([*kept.items(), *more, (high, -weight)], constant)
        return self._sum(kept, constant)

    def _sum(self, weights: dict[Node, float], constant: float) -> Node:
        if not weights:
            return self.number(constant)
        parts = tuple(sorted(weights, key=_order))
        numbers = tuple(_tidy(weights[part]) for part in parts)
        if numbers == (1.0,) and constant == 0.0:
            return parts[0]
        return self._node("sum", _tidy(constant), parts, numbers)

    def scaled(self, node: Node, factor: float) -> Node:
        """Return factor·node."""
        return node if factor == 1.0 else self.sum([(node, factor)])

    def primitive(self, node: Node, *, positive: bool = False) -> tuple[float, Node]:
        """Return (c, p) with node = c·p, where p is the same for all multiples of the node.

        With `positive`, c is positive, and p is the same for all positive multiples.
        """
        if node.kind == "number":
            return node.number, self.number(1.0)
        if node.kind != "sum":
            return 1.0, node
        factor = abs(node.numbers[0]) if positive else node.numbers[0]
        terms = {part: weight / factor for part, weight in node.terms()}
        return factor, self._sum(terms, node.number / factor)

    def product(self, factors: Iterable[Term]) -> Node:
        """Return Π node^exponent: nested products are flattened, powers of a node merged.

        A negative node has no power that is not an integer.
        """
        factor, exponents = 1.0, dict[Node, float]()
        for node, exponent in factors:
            is_whole = exponent == int(exponent)
            scale, inner = self.primitive(node, positive=not is_whole)
            scaled = factor * _power(scale, exponent)
            if node.kind == "number" or 1.0 / LARGEST < abs(scaled) < LARGEST:
                factor, node = scaled, inner
            signed = [p for p, power in node.factors() if power % 2.0 and not is_not_negative(p)]
            split = is_whole or len(signed) < 2  # √(a·b) is not √a·√b for negative a and b
            for part, power in node.factors() if split else [(node, 1.0)]:
                if not is_whole and power % 2.0 == 0.0:  # √(a²) is |a|
                    part = self._absolute(part)
                exponents[part] = exponents.get(part, 0.0) + power * exponent
        for part in [part for part in exponents if part.name == "abs"]:
            if exponents[part] % 2.0 == 0.0:  # |a|² is a²
                power = exponents.pop(part)
                scale, inner = self.primitive(part.parts[0])
                factor *= _power(scale, power)
                for below, exponent in inner.factors():
                    exponents[below] = exponents.get(below, 0.0) + exponent * power
        kept = {part: power for part, power in exponents.items() if power and part.kind != "number"}
        if not kept or factor == 0.0:
            return self.number(factor)
        parts = tuple(sorted(kept, key=_order))
        numbers = tuple(kept[part] for part in parts)
        node = parts[0] if numbers == (1.0,) else self._node("product", 0.0, parts, numbers)
        return self.scaled(node, factor)

    def power(self, node: Node, exponent: float) -> Node:
        """Return node^exponent."""
        return self.product([(node, exponent)])

    def call(self, name: str, *parts: Node) -> Node:
        """Return the call of a function of `CALLS` or of the user."""
        if name in ("max", "min"):
            return self._extreme(name, parts)
        if name in self.user_functions:
            return self._call(name, *parts)
        (part,) = parts
        if part.kind == "number":
            with np.errstate(all="ignore"):
                value = float(CALLS[name].numpy(part.number))
            return self.number(value) if math.isfinite(value) else self._call(name, part)
        if name == "abs":
            return self._absolute(part)
        if name == "log":  # log(c·p) = log(c) + log(p)
            factor, inner = self.primitive(part, positive=True)
            return self.sum([(self._call(name, inner), 1.0)], math.log(factor))
        if name == "cbrt":
            factor, inner = self.primitive(part)
            return self.scaled(self._call(name, inner), float(np.cbrt(factor)))
        if name == "step":
            return self._call(name, self.primitive(part, positive=True)[1])
        if (parity := CALLS[name].parity) and part.kind == "sum" and part.numbers[0] < 0.0:
            return self.scaled(self._call(name, self.scaled(part, -1.0)), parity)
        if name == "exp" and 0.0 < abs(part.constant) < 300.0:  # exp(p + c) = exp(c)·exp(p)
            inner = self.sum([(part, 1.0)], -part.constant)
            return self.scaled(self.call(name, inner), math.exp(part.constant))
        if name == "exp":
            powers = [
                (term.parts[0], weight)
                for term, weight in part.terms()
                if term.name == "log" and weight % 1.0
            ]
            if powers:  # exp(c·log(a) + p) = a^c·exp(p); a whole c would admit a negative a
                rest = [(self.call("log", base), -weight) for base, weight in powers]
                inner = self.call(name, self.sum([(part, 1.0), *rest]))
                return self.product([*powers, (inner, 1.0)])
        return self._call(name, part)

    def _call(self, name: str, *parts: Node) -> Node:
        return self._node("call", 0.0, parts, (), name)

    def _absolute(self, node: Node) -> Node:
        """Return |node|: |c·a·b²| = |c|·|a|·b²."""
        factor, node = self.primitive(node)
        outside: list[Term] = []
        inside: list[Term] = []
        for part, exponent in node.factors():
            is_plain = exponent % 2.0 == 0.0 or is_not_negative(part)
            (outside if is_plain else inside).append((part, exponent))
        if len(inside) == 1 and inside[0][1] != 1.0:  # |a³| = |a|³
            outside.append((self._call("abs", inside[0][0]), inside[0][1]))
        elif inside:
            held = self.product(inside)
            outside.append((held if is_not_negative(held) else self._call("abs", held), 1.0))
        return self.scaled(self.product(outside), abs(factor))

    def root(self, node: Node) -> Node:
        """Return √|node|, factor by factor."""
        factor, node = self.primitive(node)
        parts = [(self._absolute(part), 0.5 * exponent) for part, exponent in node.factors()]
        return self.scaled(self.product(parts), math.sqrt(abs(factor)))

    def _extreme(self, name: str, parts: Sequence[Node]) -> Node:
        """Return max or min: nested ones are flattened, a common factor and constant taken out."""
        flat: list[Node] = []
        for part in parts:
            flat += part.parts if part.name == name else [part]
        numbers = [part.number for part in flat if part.kind == "number"]
        nodes = sorted({part for part in flat if part.kind != "number"}, key=_order)
        other = "min" if name == "max" else "max"
        nodes = [  # max(a, min(a, b)) is a
            node for node in nodes if not (node.name == other and set(node.parts) & set(nodes))
        ]
        if numbers:
            bound = max(numbers) if name == "max" else min(numbers)
            if not nodes:
                return self.number(bound)
            if not (name == "max" and bound <= 0.0 and any(map(is_not_negative, nodes))):
                nodes.append(self.number(bound))
        if len(nodes) == 1:
            return nodes[0]
        if all(n.kind == "number" or (n.kind == "sum" and max(n.numbers) < 0.0) for n in nodes):
            opposite = [self.scaled(node, -1.0) for node in nodes]  # min(−a, −b) is −max(a, b)
            return self.scaled(self._extreme(other, opposite), -1.0)
        factor = abs(nodes[0].numbers[0]) if nodes[0].kind == "sum" else 1.0
        nodes = [self.scaled(node, 1.0 / factor) for node in nodes]
        common = self._common_part(nodes)
        nodes = [self.sum([(node, 1.0), (common, -1.0)]) for node in nodes]
        nodes.sort(key=lambda node: (node.kind == "number", *_order(node)))
        inner = self._call(name, *nodes)
        return self.sum([(inner, factor), (common, factor)])

    def _common_part(self, nodes: Sequence[Node]) -> Node:
        """Return the terms that all nodes share, and the constant of the first non-number."""
        shift = next(node.constant for node in nodes if node.kind != "number")
        shared = dict(nodes[0].terms())
        for node in nodes[1:]:
            terms = dict(node.terms())
            shared = {part: weight for part, weight in shared.items() if terms.get(part) == weight}
        return self.sum(shared.items(), shift)

    def of_function(self, name: str, parts: list[Node]) -> Node:
        """Return a function of trees, by its definition."""
        build = None if name in self.user_functions else FUNCTIONS[name].build
        return self.call(name, *parts) if build is None else build(self, *parts)

    def one_plus_square(self, node: Node) -> Node:
        """Return 1 + node²."""
        return self.sum([(self.power(node, 2.0), 1.0)], 1.0)

    def rebuilt(self, node: Node, parts: Sequence[Node]) -> Node:
        """Return the node with its parts replaced."""
        if node.kind == "sum":
            return self.sum(zip(parts, node.numbers, strict=True), node.number)
        if node.kind == "product":
            return self.product(zip(parts, node.numbers, strict=True))
        return self.call(node.name, *parts) if node.kind == "call" else node


def _power(number: float, exponent: float) -> float:
    try:
        return float(number**exponent)
    except ArithmeticError:  # beyond the range of floats, or a division by 0
        return math.inf if number else math.nan


def _order(node: Node) -> tuple[Any, ...]:
    """Order inputs as in the table, then the rest; numbers, which may be rounded, do not count."""
    return node.shape, node.place


def _tidy(value: float) -> float:
    """Drop the last digits, in which equal numbers differ by rounding."""
    short = f"{value:.12g}"
    return float(short if len(short) <= 8 else f"{value:.14g}") + 0.0  # no −0


def is_not_negative(node: Node) -> bool:
    """Return whether the rules know that the node is never negative."""
    if node.kind == "number":
        return node.number >= 0.0
    if node.kind == "sum":
        signs = min(node.numbers) >= 0.0 and node.number >= 0.0
        return signs and all(map(is_not_negative, node.parts))
    if node.kind == "product":
        return all(power % 2.0 == 0.0 or is_not_negative(part) for part, power in node.factors())
    if node.name in ("max", "min"):
        return (any if node.name == "max" else all)(map(is_not_negative, node.parts))
    return node.name in CALLS and CALLS[node.name].is_never_negative


def in_order(root: Node) -> list[Node]:
    """Return the nodes of an expression, each after its parts."""
    found, waiting = {root}, [root]
    while waiting:
        new = set(waiting.pop().parts) - found
        found |= new
        waiting += new
    return sorted(found, key=lambda node: node.place)


def value_of(node: Node, parts: Sequence[Any], inputs: Sequence[Any], algebra: Algebra) -> Any:
    """Return a node's values from those of its parts, or an input's from `inputs`."""
    if node.kind == "number":
        return node.number
    if node.kind == "input":
        return inputs[int(node.number)]
    if node.kind == "sum":
        total = node.number
        for part, weight in zip(parts, node.numbers, strict=True):
            total = total + weight * part
        return total
    if node.kind == "product":
        total = 1.0
        for part, exponent in zip(parts, node.numbers, strict=True):
            total = total * powered(part, exponent)
        return total
    if node.name in algebra.user_functions:
        value = algebra.user_functions[node.name].value
        rows = zip(*np.broadcast_arrays(*parts), strict=True) if np.ndim(parts[0]) else [parts]
        return np.array([value(tuple(map(float, row))) for row in rows])
    compute = CALLS[node.name].numpy
    return functools.reduce(compute, parts) if len(parts) > 1 else compute(parts[0])


def powered(value: Any, exponent: float) -> Any:
    """Return value^exponent, by something faster than a power if possible."""
    if exponent in (-0.5, -1.0):
        return 1.0 / powered(value, -exponent)
    if exponent == 0.5:
        return np.sqrt(value)
    return value if exponent == 1.0 else value * value if exponent == 2.0 else value**exponent


def values_at(root: Node, inputs: Sequence[Any], algebra: Algebra) -> Any:
    """Return the values of an expression."""
    known: dict[Node, Any] = {}
    with np.errstate(all="ignore"):
        for node in in_order(root):
            known[node] = value_of(node, [known[part] for part in node.parts], inputs, algebra)
    return known[root]


def count_symbols(root: Node) -> int:
    """Count numbers, inputs, operations and functions of the expression as written."""
    if root.kind in ("number", "input"):
        return 1
    if root.kind == "sum":
        terms = [count_symbols(part) + 2 * (abs(weight) != 1.0) for part, weight in root.terms()]
        return sum(terms) + len(terms) - 1 + (2 if root.number else 0)
    if root.kind == "product":
        more = {1.0: 0, 0.5: 1}
        powers = [count_symbols(part) + more.get(abs(e), 2) for part, e in root.factors()]
        return sum(powers) + len(powers) - 1
    return 1 + sum(count_symbols(part) for part in root.parts)
