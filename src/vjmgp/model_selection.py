"""Choose a model from what a search has found: distil a student, or take one from the front."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd

from .core.arrays import Floats, Integers
from .engine.distillation.distil import distil, distil_within, short_formula
from .engine.distillation.laws import Units
from .engine.distillation.teacher import teacher_of, teacher_tau
from .engine.objectives.row_sample import sample_of_rows
from .engine.parameters import CHOICES, check_final_rule, checked, regularizer_class
from .engine.preparation import Prepared, ScoredRows
from .engine.search.archive import BORN, LAW, O1, O2, RESTART, SIZE, Archive, front_of, part_of
from .engine.search.front_rules import RULES, Rule, front_rule
from .formulas.user_function import UserFunction
from .models.ensemble import blend_model, front_model
from .models.intervals import front_with_errors, with_errors
from .models.symbolic import SymbolicModel, TableModel, features_of, with_used_functions
from .tables.preprocessing import Standardizer

T = TypeVar("T")
STUDENT = -1
"""Number of the student among those of archive entries."""
NEAR = 0.1
"""Largest squared distance to the teacher at which a short student need not be more accurate."""
REACH = 0.1
"""How far predictions of a law may leave the range of the training target, in widths of that range,
as a multiple of the ratio of explained to unexplained variance …"""
FARTHEST_REACH, UNEXPLAINED = 1000.0, 1e-12
"""… up to this, beyond which they are not clipped; and the least unexplained share."""


@dataclass(frozen=True, eq=False)
class SearchResult:
    """All models that a search has found, and the data that they were scored on."""

    archive: Archive
    standardizer: Standardizer
    tau: float
    prepared: Prepared | None = None
    """The rows that evolution saw; None if the model is a constant."""
    whole: Prepared | None = None
    """All rows, if evolution saw a sample of them."""
    constant_rows: ScoredRows | None = None
    """The rows of a constant model."""
    clips_laws: bool = False
    """Whether predictions of laws stay within the range of the training target, too."""
    left_out: tuple[Floats, Floats] | None = None
    """The targets of all rows, and their inputs as in `ScoredRows.left_out`."""
    _cache: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def rows(self) -> ScoredRows:
        """The rows that models are scored on."""
        scored = self.whole or self.prepared
        rows = self.constant_rows if scored is None else self.rows_of(scored)
        assert rows is not None
        return rows

    def rows_of(self, prepared: Prepared) -> ScoredRows:
        """Return prepared rows with their inputs that leave out own labels."""
        if self.left_out is None:
            return prepared.rows
        y, x = self.left_out
        return prepared.rows._replace(left_out=x[sample_of_rows(y, len(prepared.y), prepared.seed)])

    def cached(self, key: Any, make: Callable[[], T]) -> T:
        """Return what `make` returns; it is called once for each key.

        A key begins with a word for the kind of value.
        """
        if key not in self._cache:
            self._cache[key] = make()
        value: T = self._cache[key]
        return value


class Defaults(NamedTuple):
    """The regressor's parameters that decide which model is chosen."""

    final_rule: str
    regularizer: str
    node_price: float


def choose_model(
    result: SearchResult,
    defaults: Defaults,
    student: Archive | None = None,
    index: int | None = None,
    tau: float | None = None,
    rule: str | None = None,
    node_price: float | None = None,
    max_size: int | None = None,
) -> tuple[int, Archive | None, SymbolicModel]:
    """Return the entry of the chosen model, the latest student and the model.

    `student` is that of the previous choice, the last row of the front. `VJMRegressor.choose`
    documents the other arguments.
    """
    index, tau = checked("index", index, CHOICES), checked("tau", tau, CHOICES)
    rule, node_price = checked("rule", rule, CHOICES), checked("node_price", node_price, CHOICES)
    max_size = checked("max_size", max_size, CHOICES)
    if rule is None and tau is not None and node_price is None:
        rule = "tau"
    rule = _resolved(result, defaults, rule)
    if index is not None:
        if max_size is not None:
            raise ValueError("choose() takes an index or a max_size, not both.")
        entries = _entries(result, student)
        if not 0 <= index < len(entries):
            raise IndexError(f"The front has {len(entries)} models; there is no number {index}.")
        entry = int(entries[index])
        return entry, student, with_errors(model_of(result, entry, student), result.rows)
    price = checked("node_price", defaults.node_price) if node_price is None else node_price
    choice, smallest = Choice(rule, price, tau, student), 0
    for model, entry, latest in _ever_smaller(result, choice, max_size):
        if max_size is None or model.size <= max_size:
            return entry, latest, with_errors(model, result.rows)
        smallest = model.size
    text = f"max_size is {max_size}, but the smallest model found has size {smallest}."
    raise NoModelError(text)


class NoModelError(ValueError):
    """No model is as small as wanted."""


class Choice(NamedTuple):
    """A rule with its settings, and the student of the previous choice."""

    rule: str
    price: float
    tau: float | None
    student: Archive | None


def _ever_smaller(
    result: SearchResult, choice: Choice, max_size: int | None
) -> Iterator[tuple[SymbolicModel, int, Archive | None]]:
    """Yield what a rule chooses with ever smaller limits: models, entries and students.

    The limit is one of evolved nodes, which are not those of the written formula.
    """
    smallest = int(_sizes(result.archive).min())
    limit = None if choice.rule == "short" or max_size is None else max(max_size, smallest)
    while True:
        entry, student = choose_within(result, choice, limit)
        model = model_of(result, entry, student)
        yield model, entry, student
        if max_size is None or limit == smallest:
            return
        lower = max_size if limit is None else min(limit - 1, limit * max_size // model.size)
        limit = max(lower, smallest)


def choose_within(
    result: SearchResult, choice: Choice, limit: int | None
) -> tuple[int, Archive | None]:
    """Return the entry that a rule chooses among models of limited size, and the student."""
    rule, price, tau, student = choice
    if rule in ("distil", "short"):
        return _distil(result, student, price, tau, limit, short=rule == "short")
    weight = result.tau if tau is None else tau
    return _pick(result.archive, _front(result, limit), RULES[rule], weight), student


def _resolved(result: SearchResult, defaults: Defaults, rule: str | None) -> str:
    """Return the rule that a name stands for: "distil", "short" or a rule for the front."""
    if rule is None:
        rule = checked("final_rule", defaults.final_rule)
    check_final_rule(rule, defaults.regularizer, "rule")
    of_regularizer = regularizer_class(defaults.regularizer).final_rule
    if rule == "paper":
        return of_regularizer
    if rule not in ("auto", "short", "distil"):
        return rule
    if of_regularizer != "tau" or result.prepared is None:
        return of_regularizer
    return "distil" if rule == "distil" else "short"


def _distil(
    result: SearchResult,
    student: Archive | None,
    price: float,
    tau: float | None,
    max_size: int | None,
    *,
    short: bool,
) -> tuple[int, Archive | None]:
    """Return the entry to choose and the student.

    If students are far from the teacher, the entry is the teacher's best model. A student limited
    in size may be far from it if it is more accurate than that model.
    """
    archive, prepared, whole = result.archive, result.prepared, result.whole
    assert prepared is not None
    if tau is None:
        tau = teacher_tau(prepared.noise_r2)
    best = _pick(archive, _front(result, max_size), RULES["tau"], tau)
    if short and max_size is None:
        key = "short formula", price, tau
        found = result.cached(key, lambda: _short_formula(result, price, tau))
        return (best if found is None else STUDENT), found
    if max_size is None:
        found = distil(prepared, archive, price, tau, whole)
        return (best if found is None else STUDENT), found
    max_size = min(max_size, prepared.settings.max_size or max_size)
    found, distance = distil_within(prepared, archive, max_size, price, tau, whole)
    if found is None or (distance > NEAR and archive.scores[best, O1] < found.scores[0, O1]):
        return best, student
    return STUDENT, found


def _short_formula(result: SearchResult, price: float, tau: float) -> Archive | None:
    standardizer, prepared = result.standardizer, result.prepared
    assert prepared is not None
    units = Units(
        np.array([column.mean / column.scale for column in standardizer.inputs]),
        np.array([column.scale for column in standardizer.inputs]),
        np.array([column.codes is None and column.label is None for column in standardizer.inputs]),
        standardizer.target_mean / standardizer.target_scale,
        standardizer.target_scale,
    )
    return short_formula(prepared, result.archive, units, price, tau, result.whole)


def short_model(result: SearchResult, defaults: Defaults, max_size: int) -> SymbolicModel | None:
    """Return the best model of at most this size, chosen once; None if there is none."""

    def choose() -> SymbolicModel | None:
        try:
            return choose_model(result, defaults, max_size=max_size)[2]
        except NoModelError:
            return None

    price = checked("node_price", defaults.node_price)
    key = "short model", _resolved(result, defaults, None), price, max_size
    return result.cached(key, choose)


def restart_models(result: SearchResult, defaults: Defaults) -> list[SymbolicModel]:
    """Return the model that each restart would give alone; an empty list for a single restart."""
    restarts = result.archive.facts[:, RESTART]
    if len(np.unique(restarts)) < 2:
        return []
    models = []
    for restart in np.unique(restarts):
        archive = part_of(result.archive, np.flatnonzero(restarts == restart))
        archive.facts[:, RESTART] = 0
        models.append(choose_model(replace(result, archive=archive), defaults)[2])
    return models


def make_predictor(result: SearchResult, model: SymbolicModel, predict_with: str) -> TableModel:
    """Return what predicts: the model itself, the mean of the front, or a blend."""
    prepared, archive = result.prepared, result.archive
    if predict_with == "model" or prepared is None:
        return model
    teacher = teacher_of(archive, teacher_tau(prepared.noise_r2))
    front = front_model(archive, teacher, result.standardizer, _user_functions(result))
    if predict_with == "blend":
        return blend_model(front, prepared, archive)
    return front_with_errors(front, archive, teacher, result.rows_of(prepared))


def front_models(result: SearchResult, student: Archive | None) -> list[SymbolicModel]:
    """Return the models of `front_table`, in its order."""
    return [model_of(result, int(entry), student) for entry in _entries(result, student)]


def front_table(result: SearchResult, student: Archive | None, chosen: int) -> pd.DataFrame:
    """Return objectives, size and formula of the non-dominated models and the student."""
    entries, front = _entries(result, student), _front(result)
    scores, facts = result.archive.scores[front], result.archive.facts[front]
    if student is not None:
        scores = np.concatenate([scores, student.scores])
        facts = np.concatenate([facts, student.facts])
    o1, o2, train_r2, alpha = scores.T
    _, n_trees, born, *_ = facts.T
    written = [_written(result, int(entry), student) for entry in entries]
    return pd.DataFrame(
        {
            "o1": o1,
            "o2": o2,
            "train_r2": train_r2,
            "size": [size for size, _ in written],
            "n_trees": n_trees,
            "alpha": alpha,
            "born": born,
            "student": entries == STUDENT,
            "chosen": entries == chosen,
            "formula": [text for _, text in written],
        }
    )


def choices_by_generation(
    result: SearchResult, defaults: Defaults, generations: int
) -> list[int | None]:
    """Return the entry that the rule for the front would choose after each generation.

    None if no individual was valid yet.
    """
    rule = front_rule(defaults.final_rule, regularizer_class(defaults.regularizer).final_rule)
    archive, tau = result.archive, result.tau
    fronts = (front_of(archive, generation) for generation in range(generations + 1))
    return [_pick(archive, front, rule, tau) if len(front) else None for front in fronts]


def _pick(archive: Archive, front: Integers, rule: Rule, tau: float) -> int:
    scores = archive.scores[front]
    return int(front[rule(scores[:, O1], scores[:, O2], tau)])


def _front(result: SearchResult, max_size: int | None = None) -> Integers:
    """Return the front or, with `max_size`, all entries of at most this size."""
    front = front_of(result.archive)
    if not len(front):
        raise RuntimeError(
            "No individual gave finite feature values: check the scale of the inputs."
        )
    if max_size is None:
        return front
    return np.flatnonzero(_sizes(result.archive) <= max_size)


def _sizes(archive: Archive) -> Integers:
    """Return the nodes of each entry; the largest integer if it is invalid."""
    valid = np.isfinite(archive.scores[:, [O1, O2]]).all(axis=1)
    return np.where(valid, archive.facts[:, SIZE], np.iinfo(np.int64).max)


def _entries(result: SearchResult, student: Archive | None) -> Integers:
    """Return the entries of `pareto_front_`: the front, then the student, if any."""
    front = _front(result)
    return front if student is None else np.append(front, STUDENT)


def _user_functions(result: SearchResult) -> tuple[UserFunction, ...]:
    functions = () if result.prepared is None else result.prepared.settings.functions
    return tuple(function for function in functions if isinstance(function, UserFunction))


def model_of(result: SearchResult, entry: int, student: Archive | None = None) -> SymbolicModel:
    """Return the model of an entry; trees that are constant only count for its size."""
    archive = result.archive
    if entry == STUDENT:
        assert student is not None
        archive, entry = student, 0
    names = ("o1", "o2", "train_r2", "alpha", "born")
    numbers = [*archive.scores[entry].tolist(), float(archive.facts[entry, BORN])]
    scores = dict(zip(names, numbers, strict=True))
    trees, functions = with_used_functions(features_of(archive, entry), _user_functions(result))
    constant_nodes = int(archive.facts[entry, SIZE]) - sum(len(tree.codes) for tree in trees)
    standardizer = result.standardizer
    if archive.facts[entry, RESTART] == LAW and not result.clips_laws:
        standardizer = _with_reach(standardizer, scores["o1"])
    return SymbolicModel(standardizer, trees, 0.0, scores, constant_nodes, functions)


def _with_reach(standardizer: Standardizer, error: float) -> Standardizer:
    """Return the limits of a law's predictions: the less is unexplained, the farther they reach."""
    error = max(error, UNEXPLAINED)
    reach = REACH * max(1.0 - error, 0.0) / error
    if reach > FARTHEST_REACH:
        return replace(standardizer, clips=False)
    return replace(standardizer, reach=float(f"{reach:.3g}"))


def _written(result: SearchResult, entry: int, student: Archive | None) -> tuple[int, str]:
    """Return size and formula of an entry; those of the archive are written once."""

    def write() -> tuple[int, str]:
        model = model_of(result, entry, student)
        return model.size, str(model)

    return write() if entry == STUDENT else result.cached(("written", entry), write)
