"""Shorter expressions of the same value.

An `Algebra` already turns scales and centres into coefficients and merges equal terms; here
products are multiplied out, or common factors taken out, if that is shorter.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from .functions import fold
from .nodes import CANCELLED, Algebra, Node, Term, count_symbols, in_order

if TYPE_CHECKING:
    from ..models.symbolic import Feature, SymbolicModel

MOST_TERMS = 12
"""Products that would have more terms are not multiplied out."""


def expression_of(model: "SymbolicModel") -> tuple[Algebra, Node]:
    """Return the whole model in original units, without rounding and before clipping."""
    algebra = Algebra(model.functions)
    intercept, coefficients = model.original_units()
    trees = [feature_expression(algebra, feature, model) for feature in model.features]
    if abs(intercept) <= CANCELLED * abs(model.standardizer.target_mean):
        intercept = 0.0
    return algebra, algebra.sum(zip(trees, map(float, coefficients), strict=True), intercept)


def feature_expression(algebra: Algebra, feature: "Feature", model: "SymbolicModel") -> Node:
    """Return a constructed feature in original units."""
    inputs = model.standardizer.inputs

    def leaf(k: int) -> Node:
        mean, scale = inputs[k].mean, inputs[k].scale
        return algebra.sum([(algebra.input(k), 1.0 / scale)], -mean / scale)

    makers = leaf, algebra.number, algebra.of_function
    node: Node = fold(feature.codes, feature.constants, *makers, model.functions)
    return node


def rewritten(algebra: Algebra, root: Node, change: Callable[[Node], Node]) -> Node:
    """Return the expression with each node changed, parts first."""
    new: dict[Node, Node] = {}
    for node in in_order(root):
        new[node] = change(_with_new_parts(algebra, node, new))
    return new[root]


def replaced(algebra: Algebra, order: Sequence[Node], old: Node, other: Node) -> Node:
    """Return the last of the nodes, which are `in_order`, with `old` replaced."""
    new = {old: other}
    for node in order:
        if node.place > old.place and not new.keys().isdisjoint(node.parts):
            made = _with_new_parts(algebra, node, new)
            if made is not node:
                new[node] = made
    return new.get(order[-1], order[-1])


def _with_new_parts(algebra: Algebra, node: Node, new: dict[Node, Node]) -> Node:
    parts = [new.get(part, part) for part in node.parts]
    same = all(a is b for a, b in zip(parts, node.parts, strict=True))
    return node if same else algebra.rebuilt(node, parts)


def multiplied_out(algebra: Algebra, node: Node) -> Node:
    """Return a product of sums as a sum of products, or the node itself if there are too many."""
    if node.kind != "product":
        return node
    terms: list[tuple[list[tuple[Node, float]], float]] = [([], 1.0)]
    for part, exponent in node.factors():
        times = int(exponent) if part.kind == "sum" and exponent in (1.0, 2.0, 3.0) else 0
        if not times:
            terms = [([*factors, (part, exponent)], weight) for factors, weight in terms]
        for _ in range(times):
            options = [([(p, 1.0)], w) for p, w in part.terms()]
            options += [([], part.number)] if part.number else []
            if len(terms) * len(options) > MOST_TERMS:
                return node
            terms = [(f + more, weight * w) for f, weight in terms for more, w in options]
    return algebra.sum([(algebra.product(factors), weight) for factors, weight in terms])


class Lengths:
    """Estimates of the letters that nodes take."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = [len(name) for name in names]
        self._known: dict[Node, int] = {}

    def __call__(self, node: Node) -> int:
        """Return the letters of a node."""
        if node not in self._known:
            self._known[node] = self._count(node)
        return self._known[node]

    def _count(self, node: Node) -> int:
        if node.kind == "number":
            return _letters(node.number)
        if node.kind == "input":
            return self._names[int(node.number)]
        if node.kind == "sum":
            weights = sum(1 + _letters(w) for w in node.numbers if abs(w) != 1.0)
            letters = sum(self(part) + 3 for part in node.parts) + weights
            return letters - 3 + (3 + _letters(node.number) if node.number else 0)
        if node.kind == "product":
            below = sum(exponent < 0.0 for exponent in node.numbers)
            letters = -1 + 2 * (below == len(node.parts)) + 2 * (below > 1)  # "1/", brackets
            for part, exponent in node.factors():
                around = 6 if exponent % 1.0 else 2 if part.kind == "sum" else 0
                letters += self(part) + 1 + around + (3 if abs(exponent) > 1.0 else 0)
            return letters
        return len(node.name) + 2 + sum(self(part) + 2 for part in node.parts) - 2


def _letters(number: float) -> int:
    """Return the letters of a number without sign: four, unless it is a shorter one already."""
    text = f"{abs(number):.3g}"
    return min(len(text), 4) if float(text) == abs(number) else 4


def shortest(algebra: Algebra, root: Node, length: Lengths) -> Node:
    """Return the expression with products multiplied out if that is shorter."""

    def change(node: Node) -> Node:
        if node.kind == "product":
            return min(node, multiplied_out(algebra, node), key=length)
        return _shortest_sum(algebra, node, length) if node.kind == "sum" else node

    return rewritten(algebra, root, change)


def _shortest_sum(algebra: Algebra, node: Node, length: Lengths) -> Node:
    terms = node.terms()
    flat = [multiplied_out(algebra, part) for part, _ in terms]
    can = [k for k, (part, _) in enumerate(terms) if flat[k] is not part]

    def made(out: set[int]) -> Node:
        parts = [(flat[k] if k in out else part, weight) for k, (part, weight) in enumerate(terms)]
        return algebra.sum(parts, node.number)

    best, out = node, set[int]()
    for change in [set(can), *({k} for k in can)] if can else []:
        other = made(out ^ change)
        if length(other) < length(best):
            best, out = other, out ^ change
    return best


def grouped(algebra: Algebra, root: Node, length: Lengths) -> Node:
    """Return the expression with common factors of terms taken out if that is shorter."""

    def change(node: Node) -> Node:
        node = _saturating(algebra, node)
        best = min(_groupings(algebra, node), key=length, default=node)
        saved = length(node) - length(best) or count_symbols(node) - count_symbols(best)
        return change(best) if saved > 0 else node

    return rewritten(algebra, root, change)


def _saturating(algebra: Algebra, node: Node) -> Node:
    """Return x/(x + c), times a number, in place of 1/(b/x + d)."""
    for part, exponent in node.factors() if node.kind == "product" else ():
        if exponent == -1.0 and part.kind == "sum" and len(part.parts) == 1 and part.number:
            factors = part.parts[0].factors()
            below = factors[0][0]
            if factors == [(below, -1.0)] and below.kind == "input":
                shifted = algebra.sum([(below, 1.0)], part.numbers[0] / part.number)
                rest = [(node, 1.0), (part, 1.0), (below, 1.0), (shifted, -1.0)]
                return algebra.scaled(algebra.product(rest), 1.0 / part.number)
    return node


def _groupings(algebra: Algebra, node: Node) -> Iterator[Node]:
    """Yield the sum, or a product with one, with factors taken out that several terms share."""
    if node.kind == "product":
        for part, exponent in node.factors():
            for other in _groupings(algebra, part) if part.kind == "sum" else ():
                yield algebra.product([(node, 1.0), (part, -exponent), (other, exponent)])
    if node.kind != "sum":
        return
    holders: dict[Term, list[int]] = {}
    for k, part in enumerate(node.parts):
        for factor in part.factors():
            holders.setdefault(factor, []).append(k)
    for places in dict.fromkeys(tuple(held) for held in holders.values() if len(held) > 1):
        common = [factor for factor, where in holders.items() if set(places) <= set(where)]
        yield _taken_out(algebra, node, common, places)
    below: dict[Node, float] = {}
    for part, exponent in holders:
        below[part] = min(below.get(part, 0.0), exponent)
    divisors = [factor for factor in below.items() if factor[1]]
    if divisors:
        yield _taken_out(algebra, node, divisors, range(len(node.parts)), whole=True)


def _taken_out(
    algebra: Algebra, node: Node, common: list[Term], places: Sequence[int], *, whole: bool = False
) -> Node:
    """Return the sum with factors taken out of the terms at these places, or of all of it."""
    terms = node.terms()
    rest = [(part, -exponent) for part, exponent in common]
    inside = [(algebra.product([(terms[k][0], 1.0), *rest]), terms[k][1]) for k in places]
    if whole and node.number:
        inside.append((algebra.product(rest), node.number))
    inner = algebra.product([(algebra.sum(inside), 1.0), *common])
    outside = [term for k, term in enumerate(terms) if k not in places]
    return algebra.sum([*outside, (inner, 1.0)], 0.0 if whole else node.number)
