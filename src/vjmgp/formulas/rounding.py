"""The rounded form of a formula, for people to read.

Parts that move predictions by less than `TOLERANCE` of the target's deviation are dropped (terms, a
maximum that is always the same argument, a curve that is straight over the training range), and
numbers keep the digits that predictions need. Predictions are compared at points drawn within the
training ranges, so only the model is needed: read from a file, it is displayed as when fitted. If
an input has outliers, its mean and deviation say little about where the rows are; so a form that is
wrong at points of all orders of magnitude within the ranges is made again with these points.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..core.arrays import Floats
from ..tables.preprocessing import Column
from . import simplify
from .nodes import Algebra, Node, in_order, value_of
from .numbers import meant
from .simplify import Lengths

if TYPE_CHECKING:
    from ..models.symbolic import SymbolicModel


TOLERANCE = 0.001
"""The error allowed for dropped parts, and again for digits: root mean square at the points, as a
share of the target's deviation."""
SAME = 1e-6
"""Forms whose predictions differ by a smaller share of the tolerance are equal."""
BOX_TOLERANCE = 0.005
"""The error allowed at points of all orders of magnitude."""
POINTS, BOX_POINTS = 192, 384
BOX_MARGIN = 10.0
"""How far predictions there may leave the target's range before they are clipped, in widths."""
DECADES = 8.0
"""Orders of magnitude below the range of an input."""
HOPELESS = 3.0
"""Replacements are not tried if they are estimated to exceed the tolerance by this factor."""
MOST_WORK = 2_000_000
"""Replacements in one round, times their work: of a large form the most promising are tried."""
LONG = 600
"""Forms with more letters are reduced from one start only."""
Need = tuple[list[float], list[float], float]
"""The effect of each weight, when the constant offsets its mean; these offsets; the constant's."""
Needs = dict[Node, Need]
Shares = dict[Node, float]
"""The error allowed for the numbers of each node."""
Replacement = tuple[Floats, int, Callable[[], Node]]
Try = tuple[float, Node, Callable[[], Node]]


def box_points_of(column: Column, position: int) -> Floats:
    """Return the values of `points_of`, and values at all distances from fixed ones.

    These are the limits of the training range, the mean, and 0 or the limit next to it.
    """
    points, rng = points_of(column, position), np.random.default_rng([2, position])
    if column.limits is None or column.codes is not None:
        return np.concatenate([points, rng.choice(points, BOX_POINTS)])
    low, high = column.limits
    origins = rng.choice([low, high, column.mean, min(max(low, 0.0), high)], BOX_POINTS)
    steps = (high - low) * 10.0 ** rng.uniform(-DECADES, 0.0, BOX_POINTS)
    steps *= rng.choice([-1.0, 1.0], BOX_POINTS)
    inside = (origins + steps >= low) & (origins + steps <= high)
    moved = np.where(inside, origins + steps, origins - steps)
    return np.concatenate([points, np.clip(moved, low, high)])


def points_of(column: Column, position: int) -> Floats:
    """Return values of an input within its training range, reproducible for a model.

    At half of the points the input is near its mean, at a quarter anywhere in its range, and at
    the last quarter all inputs are low or high together.
    """
    together = np.random.default_rng(0).standard_normal(POINTS // 4)
    rng = np.random.default_rng([1, position])
    if column.codes is not None or column.label is not None:
        levels = [0.0, 1.0] if column.codes is None else np.unique(list(column.codes.values()))
        return rng.choice(levels, POINTS)
    normal = rng.standard_normal(POINTS // 2 + POINTS // 4)
    normal[POINTS // 2 :] = 0.8 * together + 0.6 * normal[POINTS // 2 :]
    near = column.mean + column.scale * normal
    low, high = column.limits or (float(near.min()), float(near.max()))
    anywhere = rng.uniform(low, high, POINTS - len(near))
    return np.concatenate([np.clip(near, low, high), anywhere])


@dataclass
class Rounding:
    """An expression's values at the points, and the error that another form may have."""

    algebra: Algebra
    inputs: Sequence[Floats | None]
    bounds: tuple[float, float]
    """Predictions are clipped to these."""
    allowed: float
    count: int = POINTS
    _known: dict[Node, Floats] = field(default_factory=dict)

    def value(self, node: Node) -> Floats:
        """Return the values of a node at the points."""
        if node not in self._known:
            parts = [self.value(part) for part in node.parts]
            found = value_of(node, parts, self.inputs, self.algebra)
            self._known[node] = np.broadcast_to(found, self.count)
        return self._known[node]

    def values(self, root: Node) -> Floats:
        """Return predictions at the points."""
        with np.errstate(all="ignore"):
            return np.clip(self.value(root), *self.bounds)

    def distance(self, root: Node, exact: Floats) -> float:
        """Return the root mean squared difference at points where the exact form is defined."""
        here = np.isfinite(exact)
        if not here.any():
            return 0.0
        gap = self.values(root)[here] - exact[here]
        return float(np.sqrt(np.mean(gap * gap)))

    def slopes(self, order: Sequence[Node]) -> dict[Node, Floats]:
        """Return the derivative of the last node, where it is not clipped, with respect to each."""
        slopes = {node: np.zeros(self.count) for node in order}
        root, (low, high) = self.value(order[-1]), self.bounds
        slopes[order[-1]] = np.where((root < low) | (root > high), 0.0, 1.0)
        with np.errstate(all="ignore"):
            for node in reversed(order):
                for k, part in enumerate(node.parts):
                    slopes[part] = slopes[part] + slopes[node] * self._slope(node, k)
        return slopes

    def _slope(self, node: Node, k: int) -> Floats | float:
        """Return the derivative of a node with respect to its part k."""
        part = self.value(node.parts[k])
        if node.kind == "sum":
            return node.numbers[k]
        if node.kind == "product":
            return node.numbers[k] * self.value(node) / np.where(part == 0.0, np.nan, part)
        if len(node.parts) > simplify.MOST_TERMS:  # a maximum or minimum
            return np.where(part == self.value(node), 1.0, 0.0)
        step = 1e-6 * (1.0 + np.abs(part))
        moved = [self.value(p) for p in node.parts]
        moved[k] = part + step
        rise: Floats = value_of(node, moved, self.inputs, self.algebra) - self.value(node)
        return rise / step

    def reduced(self, root: Node, length: Lengths) -> Node:
        """Return the form without parts that hardly move predictions."""
        exact = self.values(root)
        for _ in range(4):
            before = root
            order = in_order(root)
            work = len(order) + 20 * max(len(node.parts) for node in order)
            for _, node, make in self._worth_trying(order, length)[: MOST_WORK // work]:
                shorter = simplify.replaced(self.algebra, order, node, make())
                if length(shorter) < length(root) and self.distance(shorter, exact) <= self.allowed:
                    root, order = shorter, in_order(shorter)
            if root is before:
                break
        return root

    def _worth_trying(self, order: Sequence[Node], length: Lengths) -> list[Try]:
        """Return nodes with promising replacements, the best first."""
        tries: list[Try] = []
        with np.errstate(all="ignore"):
            for node, slope in self.slopes(order).items():
                for change, saved, make in self._replacements(node, length):
                    moved = _size(slope * change)
                    if moved <= HOPELESS * self.allowed:
                        tries.append((moved / saved, node, make))
        return sorted(tries, key=lambda one: one[0])

    def _replacements(self, node: Node, length: Lengths) -> Iterator[Replacement]:
        """Yield shorter nodes: the change of values, the letters saved, and how to make them."""
        algebra, value = self.algebra, self.value
        if node.kind == "sum":
            for part, weight in node.terms():
                moved = weight * value(part)
                mean = _mean(moved)
                rest = [(node, 1.0), (part, -weight)]
                yield mean - moved, length(part) + 6, partial(algebra.sum, rest, mean)
            if node.number:
                without = partial(algebra.sum, [(node, 1.0)], -node.number)
                yield np.full(self.count, -node.number), 7, without
        elif node.kind == "product" and len(node.parts) > 1:
            for part, exponent in node.factors():
                mean = _mean(value(part))
                scale = mean**exponent if mean > 0.0 or exponent in (1.0, 2.0) else 0.0
                if scale and np.isfinite(scale):
                    change = value(node) * (scale / value(part) ** exponent - 1.0)
                    rest = [(node, 1.0), (part, -exponent), (algebra.number(scale), 1.0)]
                    yield change, length(part) + 1, partial(algebra.product, rest)
        elif node.name in ("max", "min"):
            for part in node.parts:
                saved = length(node) - length(part)
                yield value(part) - value(node), saved, partial(algebra.scaled, part, 1.0)
        elif node.name == "abs":
            inner = node.parts[0]
            sign = 1.0 if _mean(value(inner)) >= 0.0 else -1.0
            yield sign * value(inner) - value(node), 5, partial(algebra.scaled, inner, sign)
        if len(node.parts) == 1 and node.kind in ("product", "call"):
            inner = node.parts[0]
            slope, offset = _line(value(inner), value(node))
            if slope:
                change = slope * value(inner) + offset - value(node)
                yield change, 3, partial(algebra.sum, [(inner, slope)], offset)

    def with_powers(self, node: Node) -> Node:
        """Return a^c·exp(p) for exp(c·log(a) + p) if a is positive at all points."""
        if node.name != "exp" or len(node.parts) != 1:
            return node
        powers = [
            (term.parts[0], weight)
            for term, weight in node.parts[0].terms()
            if term.name == "log" and (self.value(term.parts[0]) > 0.0).all()
        ]
        rest = [(self.algebra.call("log", base), -weight) for base, weight in powers]
        inner = self.algebra.call("exp", self.algebra.sum([(node.parts[0], 1.0), *rest]))
        return self.algebra.product([*powers, (inner, 1.0)]) if powers else node

    def with_few_digits(self, root: Node) -> Node:
        """Return the form whose numbers have the digits that predictions need."""
        exact = self.values(root)
        # Twice: rules that take out factors give some numbers their digits back.
        return self._rounded(self._rounded(root, exact), exact)

    def _rounded(self, root: Node, exact: Floats) -> Node:
        slopes = self.slopes(in_order(root))
        with np.errstate(all="ignore"):
            needs = {node: self._need(node, slope) for node, slope in slopes.items()}
        numbered = [node for node in needs if node.kind in ("sum", "number") or _odd(node)]
        count = sum(len(node.numbers) + 1 for node in numbered)
        shares = dict.fromkeys(numbered, self.allowed / np.sqrt(max(count, 1)))
        for _ in range(12):
            rounded = self._renumbered(needs, shares)
            if self.distance(rounded, exact) <= self.allowed:
                return rounded
            for node in self._rounded_too_far(needs, shares, exact):
                shares[node] *= 0.5
        for digits in range(4, 15):
            rounded = simplify.rewritten(self.algebra, root, partial(self._with_digits, digits))
            if self.distance(rounded, exact) <= self.allowed:
                return rounded
        return root

    def _with_digits(self, digits: int, node: Node) -> Node:
        """Return the node with as many significant digits of its numbers."""
        constant, *numbers = (float(f"{n:.{digits}g}") for n in (node.number, *node.numbers))
        if node.kind == "number":
            return self.algebra.number(constant)
        if node.kind == "sum":
            return self.algebra.sum(zip(node.parts, numbers, strict=True), constant)
        return self.algebra.product(zip(node.parts, numbers, strict=True)) if _odd(node) else node

    def _rounded_too_far(self, needs: Needs, shares: Shares, exact: Floats) -> list[Node]:
        """Return the nodes whose numbers are rounded too far; all of them if there are many."""
        if len(shares) > simplify.MOST_TERMS:
            return list(shares)
        alone = {node: self._renumbered(needs, {node: share}) for node, share in shares.items()}
        moved = {node: self.distance(root, exact) for node, root in alone.items()}
        least = min(max(moved.values()), self.allowed / np.sqrt(len(moved)))
        return [node for node, far in moved.items() if far >= least]

    def _need(self, node: Node, slope: Floats) -> Need:
        """Return the effect of a node's numbers; a constant offsets their mean effect."""
        if _odd(node):
            rises = [slope * self.value(node) * np.log(self.value(part)) for part in node.parts]
            return list(map(_size, rises)), [], 0.0
        if node.kind != "sum":
            return [], [], _size(slope)
        square = np.where(np.isfinite(slope), slope * slope, 0.0)
        total = float(square.sum())
        values = [self.value(part) for part in node.parts]
        has_offset = node.number and total
        middles = [_mean(square * v) * self.count / total if has_offset else 0.0 for v in values]
        sizes = [_size(slope * (v - m)) for v, m in zip(values, middles, strict=True)]
        return sizes, middles, _size(slope)

    def _renumbered(self, needs: Needs, shares: Shares) -> Node:
        """Return the last node with numbers rounded as far as the nodes' shares allow."""
        new: dict[Node, Node] = {}
        for node, (sizes, middles, of_constant) in needs.items():
            parts, share = [new[part] for part in node.parts], shares.get(node, 0.0)
            if node.kind == "number":
                new[node] = self.algebra.number(shortened(node.number, share, of_constant))
            elif node.kind == "sum":
                constant, numbers = node.number, []
                for number, size, middle in zip(node.numbers, sizes, middles, strict=True):
                    numbers.append(shortened(number, share, size))
                    constant += (number - numbers[-1]) * middle
                constant = shortened(constant, share, of_constant) if node.number else 0.0
                new[node] = self.algebra.sum(zip(parts, numbers, strict=True), constant)
            elif sizes:
                powers = [
                    shortened(power, share, size) if power % 0.5 else power
                    for power, size in zip(node.numbers, sizes, strict=True)
                ]
                new[node] = self.algebra.product(zip(parts, powers, strict=True))
            else:
                new[node] = self.algebra.rebuilt(node, parts)
        return next(reversed(new.values()))


def _odd(node: Node) -> bool:
    """Return whether the node is a product with exponents other than integers and halves."""
    return node.kind == "product" and any(power % 0.5 for power in node.numbers)


def _mean(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if len(finite) else 0.0


def _size(values: Floats) -> float:
    """Return the root mean square without the few largest: a root has no slope at 0."""
    squares = np.sort(np.square(values[np.isfinite(values)]))
    kept = squares[: len(squares) - len(squares) // 20]
    return float(np.sqrt(kept.mean())) if len(kept) else 0.0


def _line(x: Floats, y: Floats) -> tuple[float, float]:
    """Return slope and offset of the line nearest to y over x; 0 if there is none."""
    here = np.isfinite(x) & np.isfinite(y)
    if not here.any():
        return 0.0, 0.0
    x, y = x[here], y[here]
    middle, height = float(x.mean()), float(y.mean())
    spread = float(np.mean((x - middle) ** 2))
    slope = float(np.mean((x - middle) * (y - height))) / spread if spread > 0.0 else 0.0
    return (slope, height - slope * middle) if np.isfinite(slope) else (0.0, 0.0)


def shortened(value: float, share: float, size: float) -> float:
    """Return the number with the fewest digits whose effect, error·size, is at most `share`.

    A number with a smaller effect becomes 0; one without any effect keeps three digits. 1/3 and π
    stay what they are.
    """
    if 0.0 < abs(value) * size <= share:
        return 0.0
    exact = meant(value) if share else None
    if exact is not None and abs(exact - value) * size <= share:
        return exact
    for digits in range(1, 15 if share else 0):
        short = float(f"{value:.{digits - 1}e}")
        if abs(short - value) * size <= share and (size > 0.0 or digits == 3):
            return short
    return value


def exact_form(model: "SymbolicModel", length: Lengths) -> tuple[Rounding, Rounding, Node]:
    """Return the `Rounding` of a model, one of the whole box, and its expression, shortened.

    Products are multiplied out if that is shorter, but not at the cost of precision, as with
    numbers that are large and close to each other.
    """
    algebra, root = simplify.expression_of(model)
    standardizer = model.standardizer
    low, high = standardizer.target_range
    width = high - low if np.isfinite(high - low) else np.inf
    allowed = TOLERANCE * standardizer.target_scale
    used = {int(node.number) for node in in_order(root) if node.kind == "input"}
    columns = list(enumerate(standardizer.inputs))

    def at(draw: Callable[[Column, int], Floats], count: int, margin: float) -> Rounding:
        points = [draw(column, k) if k in used else None for k, column in columns]
        return Rounding(algebra, points, (low - margin, high + margin), allowed, count)

    rounding = at(points_of, POINTS, width)
    box = at(box_points_of, POINTS + BOX_POINTS, BOX_MARGIN * width)
    short = simplify.shortest(algebra, root, length)
    is_same = rounding.distance(short, rounding.values(root)) <= SAME * allowed
    return rounding, box, short if is_same else root


def rounded_form(rounding: Rounding, box: Rounding, root: Node, length: Lengths) -> Node:
    """Return the shortest form found that predicts nearly the same, also at all points of the box.

    `box` has more points.
    """
    form = _rounded_form(rounding, root, length)
    is_near = box.distance(form, box.values(root)) <= BOX_TOLERANCE / TOLERANCE * box.allowed
    return form if is_near else _rounded_form(box, root, length)


def _rounded_form(rounding: Rounding, root: Node, length: Lengths) -> Node:
    """Return the shortest form found that predicts nearly the same at the points.

    Multiplied out, products of years or seconds may cancel to rounding error; such forms are
    discarded.
    """
    algebra, exact = rounding.algebra, rounding.values(root)
    root = simplify.rewritten(algebra, root, rounding.with_powers)

    def is_near(form: Node) -> bool:
        return rounding.distance(form, exact) <= 2.0 * rounding.allowed

    starts = [root]
    if length(root) <= LONG:
        long = simplify.rewritten(algebra, root, partial(simplify.multiplied_out, algebra))
        starts = list(dict.fromkeys([root, long]))
    forms = []
    for start in filter(is_near, starts):
        reduced = rounding.reduced(start, length)
        short = simplify.shortest(algebra, reduced, length)
        short = simplify.grouped(algebra, short, length)
        forms.append(short if is_near(short) else reduced)
    rounded = map(rounding.with_few_digits, forms)
    near = [form for form in rounded if is_near(form)]
    return min(near, key=length) if near else rounding.with_few_digits(root)
