"""The Pareto front of a fitted regressor, and choosing a model from it again."""

from __future__ import annotations

from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .engine.archive import (
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
from .engine.choice import RULES
from .engine.regularizers import find_regularizer
from .model import Feature, SymbolicModel
from .tabular import Standardizer


class FrontMixin:
    """What a fitted regressor does with its archive: tell the front, choose a model from it."""

    regularizer: str
    final_rule: str
    archive_: Archive
    tau_: float
    model_: SymbolicModel
    _standardizer: Standardizer
    _chosen: int

    def choose(
        self,
        index: int | None = None,
        *,
        tau: float | None = None,
        rule: str | None = None,
    ) -> Self:
        """Choose the model again, without another run.

        Parameters
        ----------
        index : int, optional
            A row of `pareto_front_`.
        tau : float, optional
            Another weight of the regulariser (with the rule "tau").
        rule : {"tau", "knee", "o1", "o2"}, optional
            Another rule; by default that of the constructor.

        """
        check_is_fitted(self, "archive_")
        front = self._front()
        if index is None:
            index = self._pick(front, tau, rule)
        elif not 0 <= index < len(front):
            raise IndexError(f"The front has {len(front)} models; there is no number {index}.")
        self._chosen = int(front[index])
        self.model_ = self._model(self._chosen)
        return self

    def _pick(self, front: NDArray[np.int64], tau: float | None, rule: str | None) -> int:
        if rule is None:
            rule = "tau" if tau is not None else self.final_rule
        if rule == "auto":
            rule = find_regularizer(self.regularizer).final_rule
        if rule not in RULES:
            raise ValueError(f"There is no rule {rule!r}; use one of {', '.join(RULES)}.")
        scores = self.archive_.scores[front]
        return RULES[rule](scores[:, O1], scores[:, O2], self.tau_ if tau is None else tau)

    def _front(self) -> NDArray[np.int64]:
        front = front_of(self.archive_)
        if not len(front):
            raise RuntimeError(
                "No individual gave finite feature values: check the scale of the inputs."
            )
        return front

    def _model(self, entry: int) -> SymbolicModel:
        """The model of an archive entry; features that are constant play no part in it."""
        archive: Archive = self.archive_
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
        return SymbolicModel(
            self._standardizer,
            tuple(features),
            0.0,
            {
                "o1": float(scores[O1]),
                "o2": float(scores[O2]),
                "train_r2": float(scores[TRAIN_R2]),
                "alpha": float(scores[ALPHA]),
                "born": float(archive.facts[entry, BORN]),
            },
        )

    def front_models(self) -> list[SymbolicModel]:
        """The models of `pareto_front_`, in its order."""
        check_is_fitted(self, "archive_")
        return [self._model(int(entry)) for entry in self._front()]

    @property
    def pareto_front_(self) -> pd.DataFrame:
        """The non-dominated models: objectives, size, whether chosen, and their formulas."""
        check_is_fitted(self, "archive_")
        front = self._front()
        scores, facts = self.archive_.scores[front], self.archive_.facts[front]
        return pd.DataFrame(
            {
                "o1": scores[:, O1],
                "o2": scores[:, O2],
                "train_r2": scores[:, TRAIN_R2],
                "size": facts[:, SIZE],
                "n_trees": facts[:, N_TREES],
                "alpha": scores[:, ALPHA],
                "born": facts[:, BORN],
                "chosen": front == self._chosen,
                "formula": [self._model(int(entry)).text(digits=4) for entry in front],
            }
        )
