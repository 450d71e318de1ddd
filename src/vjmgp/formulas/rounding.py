"""The rounded form of a formula: what people read.

What moves predictions by less than `TOLERANCE` of the target's deviation goes (terms, a maximum
that is always the same argument, a curve that is straight over the training range), and numbers
keep as many digits as predictions need. The measure are predictions at points drawn within the
training ranges, so the model alone is needed: one read from a file is shown as it was when fitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..core.arrays import Floats
from .nodes import Algebra, Node, in_order, value_of
from .simplify import (
    MOST_TERMS,
    Lengths,
    all_multiplied_out,
    expression_of,
    grouped,
    replaced,
    shortest,
)

if TYPE_CHECKING:
    from ..models.symbolic import SymbolicModel
    from ..tables.preprocessing import Column, Standardizer


TOLERANCE = 0.001
"""How far the rounded form may be off twice, by what is dropped and by digits: root mean square at
the points, as a share of the target's deviation."""
SAME = 1e-6
"""Forms whose predictions differ by no larger share of the tolerance are the same."""
POINTS = 192
PASSES = 4
HOPELESS = 3.0
"""What is estimated to move predictions by so many tolerances is not tried."""
DIGITS = 15
HALVINGS = 12
LONG = 600
"""Of a form of more letters one start is enough."""


def points_of(standardizer: Standardizer, used: set[int]) -> list[Floats | None]:
    """Values of the used inputs within their training ranges, the same for the same model.

    Half of the points have each input around its mean, a quarter anywhere in its range, and in the
    last quarter all inputs are low or high together.
    """
    together = np.random.default_rng(0).standard_normal(POINTS // 4)
    return [
        _values_of(column, k, together) if k in used else None
        for k, column in enumerate(standardizer.inputs)
    ]


def _values_of(column: Column, position: int, together: Floats) -> Floats:
    rng = np.random.default_rng([1, position])
    if column.codes is not None or column.label is not None:
        return rng.choice(_levels(column), POINTS)
    own = rng.standard_normal(POINTS // 2 + POINTS // 4)
    own[POINTS // 2 :] = 0.8 * together + 0.6 * own[POINTS // 2 :]
    near = column.mean + column.scale * own
    low, high = column.limits or (float(near.min()), float(near.max()))
    anywhere = rng.uniform(low, high, POINTS - len(near))
    return np.concatenate([np.clip(near, low, high), anywhere])


def _levels(column: Column) -> Floats:
    if column.codes is None:
        return np.array([0.0, 1.0])
    return np.unique(list(column.codes.values()))


@dataclass
class Rounding:
    """One expression at its points, and how far another may be off."""

    algebra: Algebra
    inputs: Sequence[Floats | None]
    bounds: tuple[float, float]
    """Predictions beyond these are all the same."""
    allowed: float

    def __post_init__(self) -> None:
        """Values of nodes, as they become known."""
        self._known: dict[Node, Floats] = {}

    def value(self, node: Node) -> Floats:
        """Values of a node at the points."""
        known = self._known.get(node)
        if known is None:
            parts = [self.value(part) for part in node.parts]
            found = value_of(node, parts, self.inputs, self.algebra)
            known = self._known[node] = np.broadcast_to(found, POINTS)
        return known

    def values(self, root: Node) -> Floats:
        """Predictions at the points."""
        with np.errstate(all="ignore"):
            return np.clip(self.value(root), *self.bounds)

    def distance(self, root: Node, exact: Floats) -> float:
        """Root mean squared difference where the exact form has a value."""
        here = np.isfinite(exact)
        if not here.any():
            return 0.0
        gap = self.values(root)[here] - exact[here]
        return float(np.sqrt(np.mean(gap * gap)))

    # -- what each part does --

    def slopes(self, order: Sequence[Node]) -> dict[Node, Floats]:
        """By how much the last of the nodes follows each."""
        slopes = {node: np.zeros(POINTS) for node in order}
        slopes[order[-1]] = np.ones(POINTS)
        with np.errstate(all="ignore"):
            for node in reversed(order):
                for k, part in enumerate(node.parts):
                    slopes[part] = slopes[part] + slopes[node] * self._slope(node, k)
        return slopes

    def _slope(self, node: Node, k: int) -> Floats | float:
        """How a node follows its part k."""
        part = self.value(node.parts[k])
        if node.kind == "sum":
            return node.numbers[k]
        if node.kind == "product":
            return node.numbers[k] * self.value(node) / np.where(part == 0.0, np.nan, part)
        step = 1e-6 * (1.0 + np.abs(part))
        moved = [self.value(p) for p in node.parts]
        moved[k] = part + step
        rise: Floats = value_of(node, moved, self.inputs, self.algebra) - self.value(node)
        return rise / step

    # -- dropping --

    def reduced(self, root: Node, length: Lengths) -> Node:
        """Without the parts that hardly move predictions."""
        exact = self.values(root)
        for _ in range(PASSES):
            before = root
            order = in_order(root)
            for node, make in self._worth_trying(order, length):
                shorter = replaced(self.algebra, order, node, make())
                if length(shorter) < length(root) and self.distance(shorter, exact) <= self.allowed:
                    root, order = shorter, in_order(shorter)
            if root is before:
                break
        return root

    def _worth_trying(
        self, order: Sequence[Node], length: Lengths
    ) -> list[tuple[Node, Callable[[], Node]]]:
        """Nodes with what may stand in their place, the best first."""
        slopes = self.slopes(order)
        tries: list[tuple[float, int, Node, Callable[[], Node]]] = []
        with np.errstate(all="ignore"):
            for node in order:
                for change, saved, make in self._replacements(node, length):
                    moved = _size(slopes[node] * change)
                    if moved <= HOPELESS * self.allowed:
                        tries.append((moved / saved, len(tries), node, make))
        return [(node, make) for _, _, node, make in sorted(tries, key=lambda one: one[:2])]

    def _replacements(self, node: Node, length: Lengths) -> Iterator[Replacement]:
        """Shorter nodes: by how much their values differ, about how many letters go."""
        algebra, value = self.algebra, self.value
        if node.kind == "sum":
            for part, weight in node.terms():
                moved = weight * value(part)
                mean = _mean(moved)
                rest = [(node, 1.0), (part, -weight)]
                yield mean - moved, length(part) + 6, partial(algebra.sum, rest, mean)
            if node.number:
                without = partial(algebra.sum, [(node, 1.0)], -node.number)
                yield np.full(POINTS, -node.number), 7, without
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
                yield value(part) - value(node), saved, partial(_same, part)
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

    # -- digits --

    def with_few_digits(self, root: Node) -> Node:
        """Each number with the digits that predictions need."""
        exact = self.values(root)
        # Twice: rules that take factors out give some numbers their digits back.
        return self._rounded(self._rounded(root, exact), exact)

    def _rounded(self, root: Node, exact: Floats) -> Node:
        order = in_order(root)
        slopes = self.slopes(order)
        with np.errstate(all="ignore"):
            needs = {node: self._needs(node, slopes[node]) for node in order}
        count = sum(len(node.numbers) + 1 for node in order if node.kind in ("sum", "number"))
        each = self.allowed / np.sqrt(max(count, 1))
        shares = dict.fromkeys(order, each)
        for _ in range(HALVINGS):
            rounded = self._renumbered(order, needs, shares)
            if self.distance(rounded, exact) <= self.allowed:
                return rounded
            for node in self._to_blame(order, needs, shares, exact):
                shares[node] *= 0.5
        return root

    def _to_blame(
        self,
        order: Sequence[Node],
        needs: dict[Node, Need],
        shares: dict[Node, float],
        exact: Floats,
    ) -> list[Node]:
        """The nodes whose numbers are rounded too far; all of them where they are many."""
        numbered = [node for node in order if node.kind in ("sum", "number")]
        if len(numbered) > MOST_TERMS:
            return numbered
        moved = [
            self.distance(self._renumbered(order, needs, {node: shares[node]}), exact)
            for node in numbered
        ]
        least = min(max(moved), self.allowed / np.sqrt(len(moved)))
        return [node for node, far in zip(numbered, moved, strict=True) if far >= least]

    def _needs(self, node: Node, slope: Floats) -> Need:
        """What its numbers do; a constant takes up what rounding moves on average."""
        if node.kind != "sum":
            return Need([], [], _size(slope))
        square = np.where(np.isfinite(slope), slope * slope, 0.0)
        total = float(square.sum())
        middles = [
            _mean(square * self.value(part)) * POINTS / total if node.number and total else 0.0
            for part in node.parts
        ]
        sizes = [
            _size(slope * (self.value(part) - middle))
            for part, middle in zip(node.parts, middles, strict=True)
        ]
        return Need(sizes, middles, _size(slope))

    def _renumbered(
        self, order: Sequence[Node], needs: dict[Node, Need], shares: dict[Node, float]
    ) -> Node:
        """The last node with rounded numbers, so far as nodes have a share of what is allowed."""
        new: dict[Node, Node] = {}
        for node in order:
            parts, need = [new[part] for part in node.parts], needs[node]
            share = shares.get(node, 0.0)
            if node.kind == "number":
                new[node] = self.algebra.number(shortened(node.number, share, need.of_constant))
            elif node.kind == "sum":
                numbers = [
                    shortened(number, share, size)
                    for number, size in zip(node.numbers, need.sizes, strict=True)
                ]
                constant = node.number
                for number, short, middle in zip(node.numbers, numbers, need.middles, strict=True):
                    constant += (number - short) * middle
                constant = shortened(constant, share, need.of_constant) if node.number else 0.0
                new[node] = self.algebra.sum(zip(parts, numbers, strict=True), constant)
            else:
                new[node] = self.algebra.rebuilt(node, parts)
        return new[order[-1]]


Replacement = tuple[Floats, int, Callable[[], Node]]


@dataclass
class Need:
    """By how much predictions follow the numbers of a node."""

    sizes: list[float]
    """Each weight, the constant making up for its mean."""
    middles: list[float]
    """What the constant makes up for a weight."""
    of_constant: float


def _same(node: Node) -> Node:
    return node


def _mean(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if len(finite) else 0.0


def _size(values: Floats) -> float:
    """Root mean square, without the few largest: a root has no slope at 0."""
    squares = np.sort(np.square(values[np.isfinite(values)]))
    kept = squares[: len(squares) - len(squares) // 20]
    return float(np.sqrt(kept.mean())) if len(kept) else 0.0


def _line(x: Floats, y: Floats) -> tuple[float, float]:
    """Slope and offset of the line nearest to y over x; 0 where there is none."""
    here = np.isfinite(x) & np.isfinite(y)
    if not here.any():
        return 0.0, 0.0
    x, y = x[here], y[here]
    middle, height = float(x.mean()), float(y.mean())
    spread = float(np.mean((x - middle) ** 2))
    slope = float(np.mean((x - middle) * (y - height))) / spread if spread > 0.0 else 0.0
    return (slope, height - slope * middle) if np.isfinite(slope) else (0.0, 0.0)


def shortened(value: float, share: float, size: float) -> float:
    """The number with the fewest digits that moves predictions, which follow it by `size`, so far.

    None stay of a number that moves less, three of one that moves nothing at the points.
    """
    if 0.0 < abs(value) * size <= share:
        return 0.0
    for digits in range(1, DIGITS if share else 0):
        short = float(f"{value:.{digits - 1}e}")
        if abs(short - value) * size <= share and (size > 0.0 or digits == 3):
            return short
    return value


def rounding_of(model: SymbolicModel, algebra: Algebra, root: Node) -> Rounding:
    """The model's points and how far its rounded form may be off."""
    standardizer = model.standardizer
    low, high = standardizer.target_range
    margin = high - low if np.isfinite(high - low) else np.inf
    used = {int(node.number) for node in in_order(root) if node.kind == "input"}
    return Rounding(
        algebra,
        points_of(standardizer, used),
        (low - margin, high + margin),
        TOLERANCE * standardizer.target_scale,
    )


def exact_form(model: SymbolicModel, length: Lengths) -> tuple[Rounding, Node]:
    """The model's expression, shortened, and what it takes to round it.

    Products are multiplied out where that is shorter, but not at the cost of precision, as where
    numbers are large and close to each other.
    """
    algebra, root = expression_of(model)
    rounding = rounding_of(model, algebra, root)
    short = shortest(algebra, root, length)
    is_same = rounding.distance(short, rounding.values(root)) <= SAME * rounding.allowed
    return rounding, short if is_same else root


def rounded_form(rounding: Rounding, root: Node, length: Lengths) -> Node:
    """The shortest form found that predicts nearly the same.

    Products multiplied out may cancel to nothing but rounding error, as where years or seconds are
    multiplied; such forms are left.
    """
    algebra, exact = rounding.algebra, rounding.values(root)

    def is_near(form: Node) -> bool:
        return rounding.distance(form, exact) <= 2.0 * rounding.allowed

    starts = [root]
    if length(root) <= LONG:
        starts = list(dict.fromkeys([root, all_multiplied_out(algebra, root)]))
    forms = []
    for start in filter(is_near, starts):
        reduced = rounding.reduced(start, length)
        short = grouped(algebra, shortest(algebra, reduced, length), length)
        forms.append(short if is_near(short) else reduced)
    rounded = map(rounding.with_few_digits, forms)
    return min(filter(is_near, rounded), key=length, default=root)
