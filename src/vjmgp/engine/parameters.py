"""Validate parameters: one table, used by `VJMRegressor`, `choose` and `Settings`.

A row has a description of valid values for error messages, a test, and a conversion to a plain
Python number, tuple or text. To add a parameter, add a row.
"""

import math
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from .paper_names import regularizer_name
from .regularizers import Regularizer, find_regularizer
from .search.front_rules import FINAL_RULES
from .search.selection import SELECTIONS
from .trees.primitives import FUNCTION_NAMES, ROOM, UserFunctionLike, codes_by_name, user_functions

if TYPE_CHECKING:
    from .settings import Settings

PREDICTORS = ("model", "front", "blend")
LONGEST = 60
"""Characters of a value in a message."""


@dataclass(frozen=True)
class Check:
    """Valid values of a parameter: a description, a test and a conversion to plain Python."""

    wanted: str
    fits: Callable[[Any], bool]
    plain: Callable[[Any], Any] = lambda value: value


def is_number(value: Any) -> bool:
    """Return whether a value is a number; True and False are not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """Return whether a value is a whole number."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def whole(low: int, high: int) -> Check:
    """Accept a whole number within bounds."""
    return Check(
        f"a whole number from {low} to {high}",
        lambda value: is_whole(value) and low <= int(value) <= high,
        int,
    )


def number(
    wanted: str, low: float = -math.inf, high: float = math.inf, above: bool = False
) -> Check:
    """Accept a finite number within bounds; `above` excludes the lower bound itself."""

    def fits(value: Any) -> bool:
        if not is_number(value):
            return False
        try:
            as_float = float(value)
        except OverflowError:  # an integer beyond the range of floats
            return False
        within = low < as_float <= high if above else low <= as_float <= high
        return within and math.isfinite(as_float)

    return Check(wanted, fits, float)


def one_of(names: Iterable[str]) -> Check:
    """Accept one of these words."""
    known = tuple(names)
    wanted = f"one of {', '.join(map(repr, known))}"
    return Check(wanted, lambda value: isinstance(value, str) and value in known, str)


def optional(rule: Check, word: str | None = None) -> Check:
    """Accept what another rule does, or one word that stands for a default; None if not given."""
    return Check(
        f"{rule.wanted}, or {word!r}",
        lambda value: _is_word(value, word) or rule.fits(value),
        lambda value: value if _is_word(value, word) else rule.plain(value),
    )


def _is_word(value: Any, word: str | None) -> bool:
    return value is None if word is None else isinstance(value, str) and value == word


def _items(value: Any) -> list[Any] | None:
    """Return the items of a sequence; None for a value that is not one, or has no order."""
    unordered = isinstance(value, str | bytes | Mapping | Set)
    if unordered or not isinstance(value, Collection) or getattr(value, "shape", (0,)) == ():
        return None
    return list(value)


def sequence_of(rule: Check, wanted: str, least: int = 1, most: int = 1000) -> Check:
    """Accept a sequence whose items fit another rule."""

    def fits(value: Any) -> bool:
        items = _items(value)
        return items is not None and least <= len(items) <= most and all(map(rule.fits, items))

    return Check(wanted, fits, lambda value: tuple(map(rule.plain, value)))


def _is_seed(value: Any) -> bool:
    states = isinstance(value, np.random.RandomState) or value is np.random
    return states or (is_whole(value) and value >= 0)


def _is_choice_of_columns(value: Any) -> bool:
    """Return whether a value may be names, positions or a mask; the data are checked later."""
    if isinstance(value, str) or is_whole(value):
        return True
    items = _items(value)
    if items is None:
        return False
    return all(isinstance(item, str | bool | np.bool_) or is_whole(item) for item in items)


def _is_rule_of_nesting(value: Any) -> bool:
    """Return whether a value maps names of functions to names that they may not contain."""
    return isinstance(value, Mapping) and all(
        isinstance(outer, str) and NAMES.fits(inner) for outer, inner in value.items()
    )


def _named(value: Any) -> Any:
    """Return the function that "-name" leaves out, or the value."""
    is_left_out = isinstance(value, str) and value[:1] == "-" and value[1:] in FUNCTION_NAMES
    return value[1:] if is_left_out else value


def _chosen_functions(items: Sequence[Any]) -> tuple[Any, ...]:
    """Return the functions; "-name" stands for the default ones without this one."""
    without = {_named(item) for item in items if _named(item) is not item}
    if not without:
        return tuple(items)
    kept = [name for name in FUNCTION_NAMES if name not in without]
    return (*kept, *(item for item in items if _named(item) is item and item not in kept))


def _resolved_regularizer(value: str) -> str:
    """Return the regulariser's name, also for one of the paper's methods."""
    name = regularizer_name(value)
    find_regularizer(name)
    return name


NAMES = sequence_of(Check("a name", lambda value: isinstance(value, str), str), "names")
FLAG = Check("True or False", lambda value: isinstance(value, bool | np.bool_), bool)
RATE = number("a number between 0 and 1", 0.0, 1.0)
POSITIVE = number("a positive number", 0.0, above=True)
NOT_NEGATIVE = number("a number of 0 or more", 0.0)
SHARE = Check(
    "a number above 0 and below 1", lambda value: is_number(value) and 0.0 < value < 1.0, float
)
FUNCTION = Check(
    f"{one_of(codes_by_name()).wanted}, or a UserFunction",
    lambda value: (
        isinstance(value, UserFunctionLike) or one_of(codes_by_name()).fits(_named(value))
    ),
    lambda value: value if isinstance(value, UserFunctionLike) else str(value),
)

SEQUENCE = sequence_of(FUNCTION, f"a sequence of one or more names, each {FUNCTION.wanted}")
FUNCTIONS = replace(SEQUENCE, plain=lambda value: _chosen_functions(SEQUENCE.plain(value)))


PARAMETERS: dict[str, Check] = {
    "regularizer": Check(
        "the name of a regulariser, or the import path of a custom one",
        lambda value: isinstance(value, str),
        _resolved_regularizer,
    ),
    "population_size": whole(2, 1_000_000),
    "generations": whole(0, 1_000_000_000),
    "max_time": optional(POSITIVE),
    "patience": optional(whole(1, 1_000_000_000)),
    "max_rows": optional(whole(10, 1_000_000_000)),
    "restarts": whole(1, 100_000),
    "n_jobs": optional(
        Check("a whole number other than 0", lambda value: is_whole(value) and value != 0, int)
    ),
    "warm_start": FLAG,
    "random_state": optional(Check("a whole number from 0 on, a RandomState", _is_seed)),
    "functions": FUNCTIONS,
    "forbidden_inside": optional(
        Check(
            "names of functions with those that they may not contain: {'sin': ('sin', 'cos')}",
            _is_rule_of_nesting,
            lambda value: {str(name): NAMES.plain(value[name]) for name in value},
        )
    ),
    "max_size": optional(whole(1, 1_000_000)),
    "max_trees": whole(1, 1000),
    "max_depth": whole(1, 14),
    "init_depth": sequence_of(
        whole(0, 14), "two whole numbers (low, high) of 0 or more, high at most max_depth", 2, 2
    ),
    "selection": one_of(SELECTIONS),
    "crossover_rate": RATE,
    "mutation_rate": RATE,
    "addition_rate": RATE,
    "deletion_rate": RATE,
    "ridge_alphas": sequence_of(POSITIVE, "a sequence of one or more positive numbers"),
    "rounds": whole(1, 100_000),
    "mixup_alpha": POSITIVE,
    "mixup_gamma": POSITIVE,
    "mixup_kernel": one_of(("label", "joint")),
    "fold_share": FLAG,
    "sigma": POSITIVE,
    "tau": optional(NOT_NEGATIVE, "adaptive"),
    "noise_r2": optional(number("a number of at most 1", high=1.0)),
    "noise_score": one_of(("mean", "pooled")),
    "intrusion_detection": optional(FLAG, "adaptive"),
    "intrusion_margin": NOT_NEGATIVE,
    "early_stopping": FLAG,
    "unscaled_clean_features": FLAG,
    "final_rule": one_of(FINAL_RULES),
    "node_price": NOT_NEGATIVE,
    "predict_with": one_of(PREDICTORS),
    "clip_predictions": optional(FLAG, "auto"),
    "categorical_features": optional(
        Check("'auto', column names, positions or a mask", _is_choice_of_columns)
    ),
    "encoding": one_of(("auto", "onehot", "target")),
    "missing": one_of(("error", "median", "indicator")),
    "row_labels": one_of(("drop", "keep")),
    "memory_limit": NOT_NEGATIVE,
    "callback": optional(Check("a function of one argument", callable)),
    "progress": FLAG,
}
"""Rules of `VJMRegressor`'s parameters, in its order; `Settings` has some of them."""

CHOICES: dict[str, Check] = {
    "index": optional(Check("the number of a row of pareto_front_", is_whole, int)),
    "tau": optional(NOT_NEGATIVE),
    "rule": optional(PARAMETERS["final_rule"]),
    "node_price": optional(NOT_NEGATIVE),
    "predict_with": optional(PARAMETERS["predict_with"]),
    "max_size": PARAMETERS["max_size"],
}
"""Rules of the arguments of `VJMRegressor.choose`."""


def short_repr(value: Any) -> str:
    """Return a value's `repr` for a message: on one line, and not too long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 2]} …"


def checked(name: str, value: Any, rules: Mapping[str, Check] = PARAMETERS) -> Any:
    """Return the value of a parameter as plain Python; raise ValueError if it is not valid."""
    rule = rules[name]
    if not rule.fits(value):
        raise ValueError(f"{name} is {short_repr(value)}; it must be {rule.wanted}.")
    return rule.plain(value)


def check_depths(init_depth: Sequence[int], max_depth: int) -> None:
    """Raise ValueError if new trees could be deeper than `max_depth`."""
    low, high = init_depth
    if not low <= high <= max_depth:
        wanted = PARAMETERS["init_depth"].wanted
        raise ValueError(f"init_depth is {short_repr(tuple(init_depth))}; it must be {wanted}.")


def check_functions(
    functions: Sequence[str | UserFunctionLike],
    forbidden_inside: Mapping[str, Sequence[str]] | None,
) -> None:
    """Raise ValueError if the user's functions clash, or a rule has unknown names."""
    custom = user_functions(functions)
    names = [function.name for function in custom]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"functions has two functions with the name {name!r}; rename one.")
    for arity in (1, 2):
        count = sum(function.arity == arity for function in custom)
        if count > ROOM:
            raise ValueError(
                f"functions has {count} UserFunctions of {arity} arguments; at most {ROOM} fit."
            )
    known = codes_by_name(custom)
    for outer, inner in (forbidden_inside or {}).items():
        for name in (outer, *inner):
            if name not in known:
                raise ValueError(
                    f"forbidden_inside has {name!r}; it must be {one_of(known).wanted}."
                )


def regularizer_class(name: str) -> type[Regularizer]:
    """Return a regulariser by name, by the paper's name of a method, or by import path."""
    return find_regularizer(regularizer_name(name))


def check_final_rule(final_rule: str, regularizer: str, name: str = "final_rule") -> None:
    """Raise ValueError if models cannot be distilled: the regulariser has other units."""
    if final_rule in ("distil", "short") and regularizer_class(regularizer).final_rule != "tau":
        raise ValueError(
            f"{name} is {final_rule!r}, but {regularizer!r} is not in units of the target's "
            "variance; use 'paper', or the regulariser 'jensen_gap' or 'finite_difference'."
        )


def check_memory(settings: "Settings", rows: int, inputs: int, workers: int = 1) -> None:
    """Raise ValueError, before anything is allocated, if a run cannot fit into memory.

    The estimate is a lower bound.
    """
    size, trees = settings.population_size, settings.max_trees
    individuals = workers * 2 * size * (16 * rows + 80 * trees + 8 * 2 ** settings.init_depth[1])
    points = 8 * rows * inputs * (settings.rounds + 1)
    have = physical_memory()
    if max(individuals, points) > have:
        name = "population_size" if individuals > points else "rounds"
        raise ValueError(
            f"{name} is {getattr(settings, name)}, which with {rows} rows takes "
            f"{max(individuals, points) / 2**30:.0f} GiB or more, and this machine has "
            f"{have / 2**30:.0f}; choose a smaller number."
        )


def physical_memory() -> float:
    """Return this machine's memory in bytes; infinity if it is not known."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return math.inf
