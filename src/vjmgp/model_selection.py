"""The Pareto front of a fitted regressor, and choosing a model from it again."""

from __future__ import annotations

from typing import Self

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from .core.arrays import Integers
from .core.atomic import whole_or_not_at_all
from .engine.distillation.distil import distil, distil_within
from .engine.distillation.laws import Units
from .engine.distillation.short import short_formula
from .engine.distillation.teacher import teacher_of, teacher_tau
from .engine.parameters import CHOICES, check_final_rule, checked, regularizer_class
from .engine.preparation import Prepared
from .engine.search.archive import (
    ALPHA,
    BORN,
    FIRST_NODE,
    N_TREES,
    O1,
    O2,
    SIZE,
    TRAIN_R2,
    Archive,
    front_of,
)
from .engine.search.front_rules import RULES, Rule, front_rule
from .engine.trees.primitives import user_functions
from .formulas.user_function import UserFunction
from .models.ensemble import Predictor, blend_model, front_model
from .models.intervals import ScoredRows, front_with_errors, with_errors
from .models.symbolic import Feature, SymbolicModel, with_held_functions
from .tables.preprocessing import Standardizer

STUDENT = -1
"""Stands for the student among the numbers of archive entries."""
NEAR = 0.1
"""A short student whose squared distance to the teacher is at most this share is taken."""


class FrontMixin:
    """What a fitted regressor does with its archive: tell the front, distil or choose a model."""

    regularizer: str
    final_rule: str
    node_price: float
    predict_with: str
    archive_: Archive
    student_: Archive | None
    tau_: float
    n_iter_: int
    model_: SymbolicModel
    predictor_: Predictor
    _standardizer: Standardizer
    _prepared: Prepared | None
    _whole: Prepared | None
    """All rows, where `_prepared` is a sample of them."""
    _constant_rows: ScoredRows | None
    """What a constant model was fitted to."""
    _chosen: int
    _formulas: dict[int, str]
    """Those of the archive's entries that were written already."""
    _short_formulas: dict[tuple[float, float], Archive | None]
    """Those that were made already, by price and τ."""

    @whole_or_not_at_all
    def choose(
        self,
        index: int | None = None,
        *,
        tau: float | None = None,
        rule: str | None = None,
        node_price: float | None = None,
        predict_with: str | None = None,
        max_size: int | None = None,
    ) -> Self:
        """Choose the model again, without another run.

        Parameters
        ----------
        index : int, optional
            A row of `pareto_front_`.
        tau : float, optional
            Another weight of the regulariser: in the rule "tau", or in the teacher with "distil".
        rule : str, optional
            Another `final_rule`; by default that of the constructor.
        node_price : float, optional
            Another price of the student's nodes: higher for a shorter formula.
        predict_with : {"model", "front", "blend"}, optional
            What `predict` uses from now on; by default that of the constructor.
        max_size : int, optional
            The best model of at most so many nodes: a student, or one that was evolved.

        """
        check_is_fitted(self, "archive_")
        given = (index, tau, rule, node_price, predict_with, max_size)
        index, tau, rule, node_price, predict_with, max_size = (
            checked(name, value, CHOICES) for name, value in zip(CHOICES, given, strict=True)
        )
        if rule is None and tau is not None and node_price is None:
            rule = "tau"
        rule = self._resolved(checked("final_rule", self.final_rule) if rule is None else rule)
        if predict_with is None:
            predict_with = checked("predict_with", self.predict_with)
        if index is not None:
            if max_size is not None:
                raise ValueError("choose() takes an index or a max_size, not both.")
            self._chosen = self._entry_of_row(index)
        elif rule in ("distil", "short"):
            price = checked("node_price", self.node_price) if node_price is None else node_price
            self._chosen = self._distil(price, tau, max_size, short=rule == "short")
        else:
            weight = self.tau_ if tau is None else tau
            self._chosen = self._pick(self._front(max_size), RULES[rule], weight)
        self.model_ = with_errors(self._model(self._chosen), self._scored_rows())
        self.predictor_ = self._make_predictor(predict_with)
        return self

    def _resolved(self, rule: str) -> str:
        """The rule that a name stands for: "distil" or one of the rules for the front."""
        check_final_rule(rule, self.regularizer, "rule")
        own = regularizer_class(self.regularizer).final_rule
        can_distil = own == "tau" and self._prepared is not None
        if rule in ("auto", "short", "distil"):
            return own if not can_distil else "distil" if rule == "distil" else "short"
        return own if rule == "paper" else rule

    def _entry_of_row(self, index: int) -> int:
        """The archive's number of a row of `pareto_front_`."""
        entries = self._entries(self._front())
        if not 0 <= index < len(entries):
            raise IndexError(f"The front has {len(entries)} models; there is no number {index}.")
        return int(entries[index])

    def _distil(self, price: float, tau: float | None, max_size: int | None, *, short: bool) -> int:
        """Make the student; the teacher's best model serves where it stays far from it.

        A short student that is far from it is taken where it is more accurate than that model.
        """
        assert self._prepared is not None
        if tau is None:
            tau = teacher_tau(self._prepared.noise_r2)
        best = self._pick(self._front(max_size), RULES["tau"], tau)
        if short:
            found = self._short_formula(price, tau)
            if max_size is None or (found is not None and found.facts[0, SIZE] <= max_size):
                self.student_ = found
                return best if found is None else STUDENT
        if max_size is None:
            self.student_ = distil(self._prepared, self.archive_, price, tau, self._whole)
            return best if self.student_ is None else STUDENT
        max_size = min(max_size, self._prepared.settings.max_size or max_size)
        student, distance = distil_within(
            self._prepared, self.archive_, max_size, price, tau, self._whole
        )
        if student is None:
            return best
        if distance > NEAR and self.archive_.scores[best, O1] < student.scores[0, O1]:
            return best
        self.student_ = student
        return STUDENT

    def _short_formula(self, price: float, tau: float) -> Archive | None:
        """The short formula at this price and τ, which is made once."""
        key = price, tau
        if key not in self._short_formulas:
            assert self._prepared is not None
            self._short_formulas[key] = short_formula(
                self._prepared, self.archive_, self._units(), price, tau, self._whole
            )
        return self._short_formulas[key]

    def _units(self) -> Units:
        inputs = self._standardizer.inputs
        return Units(
            np.array([column.mean / column.scale for column in inputs]),
            np.array([column.codes is None and column.label is None for column in inputs]),
            self._standardizer.target_mean / self._standardizer.target_scale,
        )

    def _sizes(self) -> Integers:
        """Nodes of each entry; those of no model are beyond all bounds."""
        valid = np.isfinite(self.archive_.scores[:, [O1, O2]]).all(axis=1)
        return np.where(valid, self.archive_.facts[:, SIZE], np.iinfo(np.int64).max)

    def _pick(self, front: Integers, rule: Rule, tau: float) -> int:
        scores = self.archive_.scores[front]
        return int(front[rule(scores[:, O1], scores[:, O2], tau)])

    def _entries(self, front: Integers) -> Integers:
        """The rows of `pareto_front_`: the front, then the student if there is one."""
        return np.append(front, STUDENT) if self.student_ is not None else front

    def _make_predictor(self, predict_with: str) -> Predictor:
        if predict_with == "model" or self._prepared is None:
            return self.model_
        teacher = teacher_of(self.archive_, teacher_tau(self._prepared.noise_r2))
        front = front_model(self.archive_, teacher, self._standardizer, self._own_functions())
        if predict_with == "blend":
            return blend_model(front, self._prepared, self.archive_)
        rows = ScoredRows(self._prepared.x, self._prepared.y, self._prepared.weights)
        return front_with_errors(front, self.archive_, teacher, rows)

    def _scored_rows(self) -> ScoredRows:
        """The rows that models are scored on: all of them, up to a large number."""
        if self._constant_rows is not None:
            return self._constant_rows
        prepared = self._whole or self._prepared
        assert prepared is not None
        return ScoredRows(prepared.x, prepared.y, prepared.weights)

    def staged_choices(self) -> list[int | None]:
        """The archive entry that the rule for the front would choose after each generation.

        None where no individual was valid yet.
        """
        check_is_fitted(self, "archive_")
        if self._prepared is None:
            return [self._chosen]
        rule = front_rule(self.final_rule, regularizer_class(self.regularizer).final_rule)
        fronts = (front_of(self.archive_, generation) for generation in range(self.n_iter_ + 1))
        return [self._pick(front, rule, self.tau_) if len(front) else None for front in fronts]

    def _front(self, max_size: int | None = None) -> Integers:
        """The front, or all entries of at most so many nodes, also those that it has lost."""
        front = front_of(self.archive_)
        if not len(front):
            raise RuntimeError(
                "No individual gave finite feature values: check the scale of the inputs."
            )
        if max_size is None:
            return front
        sizes = self._sizes()
        if sizes.min() > max_size:
            raise ValueError(
                f"max_size is {max_size}, but the smallest model that was found has {sizes.min()} "
                "nodes."
            )
        return np.flatnonzero(sizes <= max_size)

    def _own_functions(self) -> tuple[UserFunction, ...]:
        """The user's functions of the run."""
        if self._prepared is None:
            return ()
        found = user_functions(self._prepared.settings.functions)
        return tuple(function for function in found if isinstance(function, UserFunction))

    def _model(self, entry: int) -> SymbolicModel:
        """The model of an archive entry; features that are constant only count for its size."""
        archive = self.archive_
        if entry == STUDENT:
            assert self.student_ is not None
            archive, entry = self.student_, 0
        node = int(archive.facts[entry, FIRST_NODE])
        features = []
        for t in range(archive.facts[entry, N_TREES]):
            last = node + int(archive.tree_length[entry, t])
            weight, centre, factor = (float(v) for v in archive.linear[entry, :, t])
            if factor > 0.0:
                codes = tuple(int(code) for code in archive.codes[node:last])
                constants = tuple(float(c) for c in archive.constants[node:last])
                features.append(Feature(codes, constants, weight, centre, factor))
            node = last
        scores = archive.scores[entry]
        trees, functions = with_held_functions(features, self._own_functions())
        return SymbolicModel(
            self._standardizer,
            trees,
            0.0,
            {
                "o1": float(scores[O1]),
                "o2": float(scores[O2]),
                "train_r2": float(scores[TRAIN_R2]),
                "alpha": float(scores[ALPHA]),
                "born": float(archive.facts[entry, BORN]),
            },
            int(archive.facts[entry, SIZE]) - sum(len(tree.codes) for tree in trees),
            functions,
        )

    def front_models(self) -> list[SymbolicModel]:
        """The models of `pareto_front_`, in its order."""
        check_is_fitted(self, "archive_")
        return [self._model(int(entry)) for entry in self._entries(self._front())]

    @property
    def pareto_front_(self) -> pd.DataFrame:
        """The non-dominated models and the student: objectives, size, and their formulas."""
        check_is_fitted(self, "archive_")
        front = self._front()
        scores, facts = self.archive_.scores[front], self.archive_.facts[front]
        if self.student_ is not None:
            scores = np.concatenate([scores, self.student_.scores])
            facts = np.concatenate([facts, self.student_.facts])
        entries = self._entries(front)
        return pd.DataFrame(
            {
                "o1": scores[:, O1],
                "o2": scores[:, O2],
                "train_r2": scores[:, TRAIN_R2],
                "size": facts[:, SIZE],
                "n_trees": facts[:, N_TREES],
                "alpha": scores[:, ALPHA],
                "born": facts[:, BORN],
                "student": entries == STUDENT,
                "chosen": entries == self._chosen,
                "formula": [self._formula(int(entry)) for entry in entries],
            }
        )

    def _formula(self, entry: int) -> str:
        """The formula of an archive entry; those of the front are written once."""
        if entry == STUDENT:
            return str(self._model(entry))
        if entry not in self._formulas:
            self._formulas[entry] = str(self._model(entry))
        return self._formulas[entry]
