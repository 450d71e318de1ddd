"""A simple law as a model: its terms as trees on standardised inputs."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .archive import Archive
from .arrays import Flags, Floats
from .distil import as_entry
from .functions import ADD, CONSTANT, FIRST_VARIABLE, FUNCTION_NAMES, INV, MUL, SQRT, SQUARE
from .large import on_all_rows
from .monomials import Monomial, find_law, values_of_terms
from .preparation import Prepared
from .settings import Settings

DEEPEST = 10
Tree = tuple[list[int], list[float]]


class Units(NamedTuple):
    """The inputs' own units: x = scale·(z + offset), with z the standardised input."""

    offset: Floats
    plain: Flags
    """Which inputs are numbers, and not levels or marks of missing ones."""


class Law(NamedTuple):
    """A law that was found."""

    entry: Archive
    size: int
    """Nodes as people write it: inputs, operations, powers."""


def law_of(prepared: Prepared, units: Units, whole: Prepared | None) -> Law | None:
    """The simplest law that the labels bear; None where there is none, or functions forbid it."""
    if not _may(prepared.settings):
        return None
    columns = prepared.x.T + units.offset[:, None]
    weights = prepared.weights.each
    terms = find_law(columns, prepared.y, units.plain, weights)[: prepared.settings.max_trees]
    if not terms:
        return None
    trees = [tree_of(term, units.offset) for term in terms]
    limit = prepared.settings.max_size
    if limit is not None and sum(len(codes) for codes, _ in trees) > limit:
        return None
    coefficients = _coefficients(values_of_terms(terms, columns), prepared.y, weights)
    entry = as_entry(_able(prepared), trees, coefficients, 0)
    if entry is not None and whole is not None:
        entry = on_all_rows(entry, _able(whole))
    return None if entry is None else Law(entry, sum(map(_size, terms)))


def _may(settings: Settings) -> bool:
    """Whether the user's choice of functions leaves laws free: the default one does."""
    return settings.functions == FUNCTION_NAMES and settings.forbidden_inside is None


def _able(prepared: Prepared) -> Prepared:
    """With the functions and the depth that laws need."""
    settings = replace(
        prepared.settings,
        functions=(*FUNCTION_NAMES, "inv"),
        max_depth=max(prepared.settings.max_depth, DEEPEST),
    )
    return replace(prepared, settings=settings)


def _coefficients(values: Floats, y: Floats, weights: Floats) -> Floats:
    """Least squares, on terms scaled to the same length."""
    lengths = values.std(axis=1)
    design = np.vstack([np.ones(len(y)), values / lengths[:, None]]).T
    roots = np.sqrt(weights)
    found = np.linalg.lstsq(roots[:, None] * design, roots * y, rcond=None)[0]
    return np.asarray(found[1:] / lengths)


def _size(term: Monomial) -> int:
    powers = sum(power != 1.0 for power in term.powers)
    return 2 * len(term.inputs) - 1 + powers


def tree_of(term: Monomial, offset: Floats) -> Tree:
    """Codes and constants; a single input needs no offset, which the intercept makes up for."""
    if term.powers == (1.0,):
        return [FIRST_VARIABLE + term.inputs[0]], [0.0]
    codes: list[int] = []
    constants: list[float] = []
    for k, (place, power) in enumerate(zip(term.inputs, term.powers, strict=True)):
        leaf: Tree = [ADD, FIRST_VARIABLE + place, CONSTANT], [0.0, 0.0, float(offset[place])]
        more = _power(leaf, power)
        if k < len(term.inputs) - 1:
            more = _called(MUL, more)
        codes += more[0]
        constants += more[1]
    return codes, constants


def _power(leaf: Tree, power: float) -> Tree:
    """leaf^power, for whole and half powers."""
    if power == 1.0:
        return leaf
    if power < 0.0:
        return _called(INV, _power(leaf, -power))
    if power == 0.5:
        return _called(SQRT, leaf)
    if power % 1.0:
        return _called(MUL, _power(leaf, power - 0.5), _called(SQRT, leaf))
    if power % 2.0 == 0.0:
        return _called(SQUARE, _power(leaf, power / 2.0))
    return _called(MUL, _power(leaf, power - 1.0), leaf)


def _called(code: int, *parts: Tree) -> Tree:
    return [code, *(c for part in parts for c in part[0])], [0.0, *(v for p in parts for v in p[1])]
