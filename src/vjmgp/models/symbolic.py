"""The fitted model: a linear combination of a few formulas. It is plain data, without code.

It predicts, constructs features for other learners, and writes itself as text, sympy, LaTeX and
JSON.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, overload

import numpy as np

from ..core.arrays import Flags, Floats
from ..core.user_warnings import warn_user
from ..engine.search.archive import Archive, trees_of
from ..engine.trees.addresses import addresses_of
from ..engine.trees.evaluation import make_workspace, run, translate
from ..engine.trees.primitives import FIRST_VARIABLE, codes_by_name, functions_by_code
from ..formulas.display import Digits, DisplayedFormula
from ..formulas.input_names import WORDS_OF_TEXT, formula_inputs, reserved_words
from ..formulas.printers.evolved import evolved_text
from ..formulas.user_function import UserFunction
from ..tables.preprocessing import Standardizer
from . import serialization
from .extrapolation import ExtrapolationWarning, extrapolation_text
from .intervals import intervals_around
from .serialization import JsonModel, finite_number

CHUNK = 65536
"""Rows evaluated together, which limits the memory of a prediction."""
SHORT = 60
"""Characters of the formula in a model's `repr`."""


@dataclass(frozen=True)
class Feature:
    """A constructed feature φ and its term in the linear model: weight·(φ − centre)·factor."""

    codes: tuple[int, ...]
    constants: tuple[float, ...]
    weight: float
    centre: float
    factor: float


def features_of(archive: Archive, entry: int) -> list[Feature]:
    """Return the features of an archive entry, except those that are constant."""
    trees, linear = trees_of(archive, entry), archive.linear[entry].T.tolist()
    return [
        Feature(tuple(codes.tolist()), tuple(constants.tolist()), weight, centre, factor)
        for (codes, constants), (weight, centre, factor) in zip(trees, linear, strict=False)
        if factor > 0.0
    ]


class TableModel(JsonModel):
    """A model that predicts from tables."""

    margin: ClassVar[float] = 1e-9
    """How far beyond the target's range, as a share of it, a prediction counts as clipped."""

    if TYPE_CHECKING:

        @property
        def standardizer(self) -> Standardizer:
            """The columns and the scale of the target."""

        @property
        def error_quantiles(self) -> tuple[float, ...]:
            """Sizes of leave-one-out errors, in the target's units; empty if not known."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Size for people: of the written formula, or nodes over all trees if there are many."""

    @property
    def evolved_size(self) -> int:
        """Nodes over all trees as evolution counts them."""
        return self.size

    @property
    @abstractmethod
    def inputs_used(self) -> set[int]:
        """Numbers of the inputs that predictions depend on."""

    @abstractmethod
    def unclipped_rows(self, x: Floats) -> Floats:
        """Predict in original units from standardised inputs, without clipping."""

    def predict_rows(self, x: Floats) -> Floats:
        """Predict in original units from standardised inputs."""
        return self.standardizer.clip_target(self.unclipped_rows(x))

    @overload
    def predict(self, table: Any, interval: None = None) -> Floats: ...

    @overload
    def predict(self, table: Any, interval: float) -> tuple[Floats, Floats]: ...

    def predict(self, table: Any, interval: float | None = None) -> Floats | tuple[Floats, Floats]:
        """Predict; values are clipped to the range of the training target if the model clips.

        With `interval`, for example 0.9, return (predictions, intervals): intervals are rows × 2,
        lower and upper ends that contain this share of new targets; see docs/trust.md. An
        `ExtrapolationWarning` reports rows outside the training range of an input, and how many
        predictions are clipped.
        """
        encoded = self.standardizer.encode(table)
        values = self.unclipped_rows(self.standardizer.scale(encoded))
        if text := self.extrapolation(encoded, values):
            warn_user(f"X {text}", ExtrapolationWarning)
        clipped = self.standardizer.clip_target(values)
        return clipped if interval is None else (clipped, self.intervals(values, interval))

    def intervals(self, values: Floats, interval: float) -> Floats:
        """Return the intervals around these predictions before clipping, rows × 2."""
        held = np.logical_or(*self.clipped(values))
        return intervals_around(values, self.error_quantiles, interval, self.standardizer, held)

    def clipped(self, values: Floats) -> Flags:
        """Return which values are clipped, at the lower limit and at the upper one: 2 × rows."""
        low, high = self.standardizer.limits
        margin = self.margin * (high - low)
        beyond = np.array([values < low - margin, values > high + margin])
        return beyond & self.standardizer.clips

    def extrapolation(self, encoded: Floats, values: Floats) -> str:
        """Describe how rows leave the training range; `values` are those before clipping."""
        clipped = self.clipped(values)
        return extrapolation_text(self.standardizer, encoded, self.inputs_used, clipped)


@dataclass(frozen=True)
class SymbolicModel(TableModel):
    """A linear model on constructed features, with everything needed to apply it to raw data.

    `VJMRegressor.model_` is one; `load_model` and `load_run_model` return others.

    Examples
    --------
    >>> from vjmgp import VJMRegressor, load_dataset
    >>> data = load_dataset("192_vineyard")
    >>> model = VJMRegressor(generations=5, random_state=0).fit(data.inputs, data.target).model_
    >>> print(model)
    23.975 - 19.27/(lugs_1989 + 1)
    >>> model.size, model.evolved_size
    (7, 8)
    >>> model.feature_texts(digits=3)[0]
    '1/(lugs_1989 + 1)'

    """

    format = "vjmgp-model"

    standardizer: Standardizer
    features: tuple[Feature, ...]
    intercept: float = 0.0
    """On the standardised target."""
    scores: dict[str, float] = field(default_factory=dict)
    """Scores of the search: o1, o2, train_r2, alpha, born (its generation)."""
    constant_nodes: int = 0
    """Nodes of trees that are constant on the training rows and not part of the formula."""
    functions: tuple[UserFunction, ...] = ()
    """The user's functions in the trees."""
    error_quantiles: tuple[float, ...] = ()
    """Sizes of leave-one-out errors in the target's units, for intervals; empty if not known."""

    @property
    def size(self) -> int:
        """Numbers, inputs, operations and functions of the formula as it is written."""
        return self.shown.size

    @property
    def evolved_size(self) -> int:
        """Nodes over all trees as evolution counts them, including those of constant trees."""
        return self.constant_nodes + sum(len(feature.codes) for feature in self.features)

    def construct(self, x: Floats) -> Floats:
        """Return rows × features from standardised inputs."""
        out = np.empty((len(x), len(self.features)))
        longest = max((len(feature.codes) for feature in self.features), default=1)
        held = {code for feature in self.features for code in feature.codes}
        addresses = addresses_of(held, self.functions)
        for first in range(0, len(x), CHUNK):
            part = x[first : first + CHUNK]
            # At most every other node is an intermediate result to be kept.
            columns = np.ascontiguousarray(part.T)
            workspace = make_workspace(columns, longest, longest // 2 + 1, addresses)
            values = np.empty(len(part))
            for k, feature in enumerate(self.features):
                codes = np.array(feature.codes, np.int32)
                constants = np.array(feature.constants)
                count = translate(codes, constants, 0, len(codes), workspace)
                run(workspace, count, 0, len(part), values)
                out[first : first + CHUNK, k] = values
        return out

    def transform(self, table: Any) -> Floats:
        """Return the constructed features of a table in original units.

        A DataFrame's columns are found by name, in any order and among others; a matrix must have
        the training columns in their order.
        """
        return self.construct(self.standardizer.standardize(table))

    def evaluate(self, table: Any) -> Floats:
        """Return the model's values before clipping, which the formula computes."""
        return self.evaluate_standardized(self.standardizer.standardize(table))

    def evaluate_standardized(self, x: Floats) -> Floats:
        """Do the same from standardised inputs, for many models on the same rows."""
        constructed = self.construct(x)
        values = np.full(len(constructed), self.intercept)
        with np.errstate(invalid="ignore", over="ignore"):
            for k, feature in enumerate(self.features):
                values += feature.weight * ((constructed[:, k] - feature.centre) * feature.factor)
            return self.standardizer.restore_target(values)

    @property
    def inputs_used(self) -> set[int]:
        """Numbers of the inputs in the formula."""
        codes = {code for feature in self.features for code in feature.codes}
        return {code - FIRST_VARIABLE for code in codes if code >= FIRST_VARIABLE}

    def unclipped_rows(self, x: Floats) -> Floats:
        """Return the values; the mean of the training target if they are undefined."""
        values = self.evaluate_standardized(x)
        values[np.isnan(values)] = self.standardizer.target_mean
        return values

    def original_units(self) -> tuple[float, Floats]:
        """Return intercept and coefficients of the features in the target's units."""
        scale = self.standardizer.target_scale
        coefficients = np.array([scale * f.weight * f.factor for f in self.features])
        centres = np.array([f.centre for f in self.features])
        start = self.standardizer.target_mean + scale * self.intercept
        return float(start - coefficients @ centres), coefficients

    @property
    def variables(self) -> list[str]:
        """The input columns as texts name them, for example for `sympify(text, locals=…)`."""
        reserved = reserved_words() if self.functions else WORDS_OF_TEXT
        return [name for name, _, _ in formula_inputs(self.standardizer, reserved)]

    @cached_property
    def shown(self) -> DisplayedFormula:
        """The simplified formula, which `text`, `latex` and `sympy` write."""
        return DisplayedFormula(self)

    @property
    def shown_size(self) -> int:
        """The same as `size`."""
        return self.size

    def text(self, digits: Digits = "auto", *, exact: bool = False) -> str:
        """Return the model in sympy's syntax, simplified.

        By default the text is for reading: without terms that move predictions by less than 0.1 %
        of the target's deviation, and with the digits that predictions need. With a number of
        digits no term is dropped; with None all digits are written, too, and the formula computes
        what the model computes. `exact` returns the trees as they were evolved.
        """
        if exact:
            return evolved_text(self, None if digits == "auto" else digits)
        return self.shown.text(digits)

    def feature_texts(self, digits: int | None = None) -> list[str]:
        """Return each constructed feature in sympy's syntax, simplified."""
        return self.shown.feature_texts(digits)

    def sympy(self, digits: Digits = None) -> Any:
        """Return the model as a simplified sympy expression, by default with all digits."""
        return self.shown.sympy(digits)

    def latex(self, digits: Digits = "auto") -> str:
        """Return the model as LaTeX, by default rounded for reading."""
        return self.shown.latex(digits)

    def _repr_latex_(self) -> str:
        """Return what notebooks show."""
        return f"$\\displaystyle {self.latex()}$"

    def export(self, language: str, **options: Any) -> str:
        """Return the model in another language: see `vjmgp.export.export_model`."""
        from ..export import export_model

        return export_model(self, language, **options)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        text = self.text()
        short = text if len(text) <= SHORT else f"{text[:SHORT]} …"
        return f"SymbolicModel({short})"

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the simplified formula, which a copy makes again."""
        return {name: value for name, value in self.__dict__.items() if name != "shown"}

    def _content(self) -> dict[str, Any]:
        names = [column.title for column in self.standardizer.inputs]
        return {
            "formula": self.text(),
            **serialization.inputs_to_dict(self.standardizer, self.functions),
            "intercept": self.intercept,
            "features": [
                {
                    "tree": serialization.tree_to_list(feature, names, self.functions),
                    **{key: getattr(feature, key) for key in ("weight", "centre", "factor")},
                }
                for feature in self.features
            ],
            "scores": self.scores,
            **({"constant_nodes": self.constant_nodes} if self.constant_nodes else {}),
            **({"error_quantiles": list(self.error_quantiles)} if self.error_quantiles else {}),
        }

    @classmethod
    def _from_content(cls, data: dict[str, Any], functions: Sequence[UserFunction]) -> Self:
        standardizer = serialization.standardizer_from_dict(data)
        functions = serialization.functions_from_dict(data, functions)
        names = [column.title for column in standardizer.inputs]
        features = tuple(
            Feature(
                *serialization.tree_from_list(item["tree"], names, functions),
                *(finite_number(item[key], key) for key in ("weight", "centre", "factor")),
            )
            for item in data["features"]
        )
        intercept = finite_number(data["intercept"], "intercept")
        constant_nodes = data.get("constant_nodes", 0)
        is_count = type(constant_nodes) is int and constant_nodes >= 0
        serialization.require(is_count, f"constant_nodes is {constant_nodes!r}")
        scores, quantiles = dict(data["scores"]), serialization.quantiles_from_dict(data)
        return cls(standardizer, features, intercept, scores, constant_nodes, functions, quantiles)


def with_used_functions(
    trees: Sequence[Feature], functions: Sequence[UserFunction]
) -> tuple[tuple[Feature, ...], tuple[UserFunction, ...]]:
    """Return the trees and the user's functions in them, with codes of these functions alone."""
    if not functions:
        return tuple(trees), ()
    by_code = functions_by_code(functions)
    names = {by_code[code].name for tree in trees for code in tree.codes if code < 0}
    used = tuple(function for function in functions if function.name in names)
    codes = codes_by_name(used)
    new = {code: codes.get(function.name, code) for code, function in by_code.items()}
    renamed = (tuple(new.get(code, code) for code in tree.codes) for tree in trees)
    return tuple(replace(t, codes=c) for t, c in zip(trees, renamed, strict=True)), used
