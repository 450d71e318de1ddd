"""Laws as models: the search's expressions as trees on standardised inputs, scored like others."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from ...core.arrays import Codes, Flags, Floats
from ..laws.expressions import Expression, in_units, size_of, tree_of, value_of
from ..laws.fitting import LawData, fitted, leave_one_out, variance_of
from ..laws.limits import Limits
from ..laws.search import search
from ..preparation import Prepared
from ..scorer import score_trees
from ..search.archive import CENTRE, FACTOR, LAW, O1, RESTART, TRAIN_R2, WEIGHT, Archive
from ..settings import Settings
from ..trees.primitives import FUNCTION_NAMES
from ..trees.structure import keeps_nesting, nesting_table

DEEPEST = 14
DIGITS = 10
"""Significant digits of fitted constants; in the last ones, linear algebra differs between
machines."""
ZERO = 1e-13
"""Share of the largest value below which an input is 0 but for rounding."""
LAWS = 5
"""Number of laws that compete with other formulas."""
NUDGE, STEADY = 1e-9, 1e-4
"""Relative change of inputs that must not move a law by more than a share of the deviation."""


class Units(NamedTuple):
    """Units of the table: x = scale·(z + offset), with z the standardised input."""

    offset: Floats
    scale: Floats
    plain: Flags
    """Whether inputs are numbers, not levels or indicators of missing values."""
    target_offset: float
    target_scale: float


class LawModel(NamedTuple):
    """A law as a model."""

    make: Callable[[], Archive | None]
    """Return it as an archive of one entry; None if its objectives are not finite."""
    errors: Floats
    """Leave-one-out errors by rows of evolution, on the standardised target."""
    size: float
    """Length of the formula, with dear functions counted more than once."""


def laws_of(prepared: Prepared, units: Units, whole: Prepared | None) -> list[LawModel]:
    """Return the best laws for the labels, the best first."""
    settings = prepared.settings
    limits = Limits.of(settings.functions, settings.forbidden_inside)
    if limits is None:
        return []
    with threadpool_limits(1, "blas"):  # more threads sum in another order, and cost more than time
        found = [
            _as_model(prepared, whole or prepared, units, law.expression)
            for law in search(_problem(prepared, units), limits, LAWS)
        ]
    return [model for model in found if model is not None]


def _problem(prepared: Prepared, units: Units) -> LawData:
    columns = units.scale[:, None] * (prepared.x.T + units.offset[:, None])
    columns[np.abs(columns) <= ZERO * np.abs(columns).max(axis=1, keepdims=True)] = 0.0
    y = units.target_scale * (prepared.y + units.target_offset)
    return LawData(columns, y, prepared.weights.each, units.plain)


def _as_model(
    prepared: Prepared, whole: Prepared, units: Units, expression: Expression
) -> LawModel | None:
    """Fit a law to all rows; return it as a model, or None if it does not fit the limits."""
    problem = _problem(whole, units)
    with np.errstate(all="ignore"):
        law = fitted(problem, expression, variance_of(problem))
        if law is None:
            return None
        errors = _errors(whole, problem, law.expression, units)
        seen = errors
        if whole is not prepared:
            seen = _errors(prepared, _problem(prepared, units), law.expression, units)
    if not np.isfinite(errors).all() or not np.isfinite(seen).all():
        return None
    if not is_steady(law.expression, problem):
        return None
    expression = with_digits(law.expression)
    intercept, terms = in_units(expression, units.scale)
    trees = [tree_of(term, units.offset) for _, term in terms]
    limits = whole.settings
    if not trees or len(trees) > limits.max_trees:
        return None
    if limits.max_size is not None and sum(len(codes) for codes, _ in trees) > limits.max_size:
        return None
    if not all(_nests_well(np.array(codes, np.int32), limits) for codes, _ in trees):
        return None

    def make() -> Archive | None:
        coefficients = np.array([number for number, _ in terms]) / units.target_scale
        entry = score_trees(_with_functions_of_laws(whole), trees, coefficients, 0)
        if entry is None or not entry.linear[0, WEIGHT].any():
            return None
        start = intercept / units.target_scale - units.target_offset
        _set_intercept(entry, len(trees), start)
        values = value_of(expression, problem.columns) / units.target_scale
        rest = whole.y - (values - units.target_offset)
        variance = whole.weights.mean((whole.y - whole.weights.mean(whole.y)) ** 2)
        entry.facts[0, RESTART] = LAW
        entry.scores[0, O1] = whole.weights.mean(errors**2)
        entry.scores[0, TRAIN_R2] = 1.0 - whole.weights.mean(rest**2) / variance
        return entry

    return LawModel(make, seen, float(size_of(expression)))


def is_steady(expression: Expression, problem: LawData) -> bool:
    """Return whether rounding errors of inputs do not matter, as they do for 1e18·sin(π·x)."""
    signs = 1.0 - 2.0 * (np.arange(len(problem.columns)) % 2)
    with np.errstate(all="ignore"):
        moved = value_of(expression, problem.columns * (1.0 + NUDGE * signs[:, None]))
        change = np.abs(moved - value_of(expression, problem.columns))
    return bool((change <= STEADY * problem.y.std()).all())


def _nests_well(codes: Codes, limits: Settings) -> bool:
    scratch, other = np.zeros((2, len(codes) + 1), np.int64)
    nesting = nesting_table(limits.functions, limits.forbidden_inside)
    return bool(keeps_nesting(codes, len(codes), nesting, scratch, other))


def _errors(prepared: Prepared, problem: LawData, expression: Expression, units: Units) -> Floats:
    return leave_one_out(problem, expression, prepared.weights.copy) / units.target_scale


def _set_intercept(entry: Archive, count: int, intercept: float) -> None:
    """Move the centre of the heaviest feature so that the model has this intercept."""
    linear = entry.linear[0, :, :count]
    slopes = linear[WEIGHT] * linear[FACTOR]
    heaviest = int(np.argmax(np.abs(slopes * linear[CENTRE])))
    linear[CENTRE, heaviest] -= (intercept + slopes @ linear[CENTRE]) / slopes[heaviest]


def _with_functions_of_laws(prepared: Prepared) -> Prepared:
    """Return the run with the functions and the depth that laws need."""
    functions = (*FUNCTION_NAMES, "inv", "tanh", "ln", "exponential")
    settings = replace(prepared.settings, functions=functions, max_depth=DEEPEST)
    return replace(prepared, settings=settings)


def with_digits(expression: Expression) -> Expression:
    """Round off the last digits of constants."""
    if expression[0] in ("n", "k"):
        return ("n", float(f"{expression[1]:.{DIGITS}g}"))
    if expression[0] == "x":
        return expression
    return (
        expression[0],
        *(with_digits(part) if isinstance(part, tuple) else part for part in expression[1:]),
    )
