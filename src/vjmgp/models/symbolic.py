"""The fitted model: a few formulas and a linear combination of them. Plain data, no code.

It predicts, constructs features for other learners, and writes itself as text, sympy, LaTeX and
JSON. Reading JSON runs nothing that the file says: names of functions and columns are looked up.
"""

from __future__ import annotations

import json
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, overload

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats
from ..engine.trees.addresses import addresses_of
from ..engine.trees.evaluation import make_workspace, run, translate
from ..engine.trees.primitives import CONSTANT, FIRST_VARIABLE, codes_by_name, functions_by_code
from ..formulas.display import Digits, DisplayedFormula
from ..formulas.functions import fold
from ..formulas.input_names import formula_inputs
from ..formulas.printers.evolved import evolved_text
from ..tables.preprocessing import Column, Standardizer
from .extrapolation import warn_beyond
from .intervals import intervals_around

if TYPE_CHECKING:
    from ..formulas.user_function import UserFunction


VERSION = 1
CHUNK = 65536
"""Rows evaluated together, which bounds the memory of a prediction."""
SHORT = 60
"""Letters of the formula in a model's `repr`."""


@dataclass(frozen=True)
class Feature:
    """One constructed feature φ and its part in the linear model: weight·(φ − centre)·factor."""

    codes: tuple[int, ...]
    constants: tuple[float, ...]
    weight: float
    centre: float
    factor: float


class JsonModel(ABC):
    """What is written to JSON and read back, with the checks that all kinds of models share."""

    format: ClassVar[str]

    @abstractmethod
    def _content(self) -> dict[str, Any]:
        """All entries but format and version."""

    @classmethod
    @abstractmethod
    def _from_content(cls, data: dict[str, Any], functions: Sequence[UserFunction]) -> Self:
        """The model that these entries describe; its trees may hold the user's functions."""

    def to_dict(self) -> dict[str, Any]:
        """The model as plain lists, numbers and text."""
        return {"format": self.format, "version": VERSION, **self._content()}

    @classmethod
    def from_dict(cls, data: dict[str, Any], functions: Sequence[UserFunction] = ()) -> Self:
        """A model from what `to_dict` gave; a clear error where it is something else.

        A model that holds functions of the user needs them: no file contains code.
        """
        if not isinstance(data, dict) or data.get("format") != cls.format:
            raise ValueError(f"This is not a vjmgp model: 'format' is not {cls.format!r}.")
        if data.get("version") != VERSION:
            raise ValueError(
                f"The model has version {data.get('version')!r}, this package reads {VERSION}."
            )
        try:
            return cls._from_content(data, functions)
        except KeyError as error:
            raise ValueError(f"The model has no entry {error}.") from None
        except (TypeError, AttributeError, OverflowError) as error:
            raise ValueError(f"The model is malformed: {error}.") from None

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The model as JSON text, also written to `path` if given."""
        text = json.dumps(self.to_dict(), indent=1, ensure_ascii=False)
        if path is not None:
            Path(path).write_text(text + "\n", encoding="utf-8")
        return text


class TableModel(JsonModel):
    """A model that predicts from tables."""

    if TYPE_CHECKING:

        @property
        def standardizer(self) -> Standardizer:
            """How tables become numbers."""

        @property
        def error_quantiles(self) -> tuple[float, ...]:
            """Sizes of leave-one-out errors, in the target's units; empty where not known."""

    @property
    @abstractmethod
    def inputs_used(self) -> set[int]:
        """The inputs that predictions depend on."""

    @abstractmethod
    def predict_rows(self, x: Floats) -> Floats:
        """Predictions in original units from standardised inputs."""

    @overload
    def predict(self, table: Any, interval: None = None) -> Floats: ...

    @overload
    def predict(self, table: Any, interval: float) -> tuple[Floats, Floats]: ...

    def predict(self, table: Any, interval: float | None = None) -> Floats | tuple[Floats, Floats]:
        """Predictions, within the range of the training target unless the model does not clip.

        With `interval`, for example 0.9, it is (predictions, intervals): rows × 2, lower and upper
        ends that hold this share of new targets, as docs/trust.md describes. An
        `ExtrapolationWarning` tells of rows outside the training range of an input.
        """
        encoded = self.standardizer.encode(table)
        warn_beyond(self.standardizer, encoded, self.inputs_used)
        values = self.predict_rows(self.standardizer.scale(encoded))
        return values if interval is None else (values, self.intervals(values, interval))

    def intervals(self, values: Floats, interval: float) -> Floats:
        """The intervals around these predictions, rows × 2."""
        return intervals_around(values, self.error_quantiles, interval, self.standardizer)


def inputs_of(trees: Iterable[Feature]) -> set[int]:
    """The inputs that trees use."""
    codes = {code for tree in trees for code in tree.codes}
    return {code - FIRST_VARIABLE for code in codes if code >= FIRST_VARIABLE}


@dataclass(frozen=True)
class SymbolicModel(TableModel):
    """A linear model on constructed features, with everything needed to apply it to raw data.

    `VJMRegressor.model_` is one; `load_model` and `load_run_model` give others.

    Examples
    --------
    >>> from vjmgp import load_run_model
    >>> model = load_run_model("547_no2", "GC", seed=1)
    >>> print(model)
    0.493*cars_per_hour + 0.3006*temperature_diff_2m_25m - 0.14*wind_speed + 0.579
    >>> model.size, model.shown_size
    (4, 13)
    >>> model.feature_texts(digits=3)[0]
    '0.871*cars_per_hour - 6.05'

    """

    format = "vjmgp-model"

    standardizer: Standardizer
    features: tuple[Feature, ...]
    intercept: float = 0.0
    """On the standardised target."""
    scores: dict[str, float] = field(default_factory=dict)
    """What the search knew of it: o1, o2, train_r2, alpha, born (its generation)."""
    constant_nodes: int = 0
    """Nodes of trees that are constant on the training rows: no part of the formula."""
    functions: tuple[UserFunction, ...] = ()
    """The user's functions that the trees hold."""
    error_quantiles: tuple[float, ...] = ()
    """Sizes of leave-one-out errors in the target's units, for intervals; empty: not known."""

    @property
    def size(self) -> int:
        """Nodes over all trees, as evolution counts them: those of constant trees too."""
        return self.constant_nodes + sum(len(feature.codes) for feature in self.features)

    def construct(self, x: Floats) -> Floats:
        """Rows × features, from standardised inputs."""
        out = np.empty((len(x), len(self.features)))
        longest = max((len(feature.codes) for feature in self.features), default=1)
        held = {code for feature in self.features for code in feature.codes}
        addresses = addresses_of(held, self.functions)
        for first in range(0, len(x), CHUNK):
            part = x[first : first + CHUNK]
            # At most every other node is a result that waits for its neighbour.
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
        """The constructed features of a table in original units.

        A DataFrame's columns are found by name, whatever their order and whatever else it holds;
        a matrix has the training columns in their order.
        """
        return self.construct(self.standardizer.standardize(table))

    def evaluate(self, table: Any) -> Floats:
        """The model's values before clipping: what the formula computes."""
        return self.evaluate_standardized(self.standardizer.standardize(table))

    def evaluate_standardized(self, x: Floats) -> Floats:
        """The same from standardised inputs: for many models on the same rows."""
        constructed = self.construct(x)
        values = np.full(len(constructed), self.intercept)
        with np.errstate(invalid="ignore", over="ignore"):
            for k, feature in enumerate(self.features):
                values += feature.weight * ((constructed[:, k] - feature.centre) * feature.factor)
            return self.standardizer.restore_target(values)

    @property
    def inputs_used(self) -> set[int]:
        """The inputs that are in the formula."""
        return inputs_of(self.features)

    def predict_rows(self, x: Floats) -> Floats:
        """The values, clipped; the training target's mean where they are undefined."""
        values = self.evaluate_standardized(x)
        values[np.isnan(values)] = self.standardizer.target_mean
        return self.standardizer.clip_target(values)

    def original_units(self) -> tuple[float, Floats]:
        """Intercept and coefficients of the features in the target's units."""
        scale = self.standardizer.target_scale
        coefficients = np.array([scale * f.weight * f.factor for f in self.features])
        centres = np.array([f.centre for f in self.features])
        start = self.standardizer.target_mean + scale * self.intercept
        return float(start - coefficients @ centres), coefficients

    @property
    def variables(self) -> list[str]:
        """The input columns as formulas name them, for example for `sympify(text, locals=…)`."""
        return [name for name, _, _ in formula_inputs(self.standardizer)]

    # -- as formulas --------------------------------------------------------------------------

    @cached_property
    def shown(self) -> DisplayedFormula:
        """The formula, simplified: what `text`, `latex` and `sympy` write."""
        return DisplayedFormula(self)

    @property
    def shown_size(self) -> int:
        """Numbers, inputs, operations and functions of the formula as it is shown."""
        return self.shown.size

    def text(self, digits: Digits = "auto", *, exact: bool = False) -> str:
        """The model in sympy's syntax, simplified.

        By default in the form that people read: without terms that move predictions by less than
        0.1 % of the target's deviation, and with the digits that predictions need. With a number
        of digits nothing is dropped, with None every digit is there, too, and the formula computes
        what the model computes. `exact` gives the trees as they were evolved.
        """
        if exact:
            return evolved_text(self, None if digits == "auto" else digits)
        return self.shown.text(digits)

    def feature_texts(self, digits: int | None = None) -> list[str]:
        """Each constructed feature in sympy's syntax, simplified."""
        return self.shown.feature_texts(digits)

    def sympy(self, digits: Digits = None) -> Any:
        """The model as a sympy expression, simplified, with all digits unless told otherwise."""
        return self.shown.sympy(digits)

    def latex(self, digits: Digits = "auto") -> str:
        """The model as LaTeX, in the form that people read unless told otherwise."""
        return self.shown.latex(digits)

    def _repr_latex_(self) -> str:
        """What notebooks show."""
        return f"$\\displaystyle {self.latex()}$"

    def export(self, language: str, **options: Any) -> str:
        """The model in another language: see `vjmgp.export.export_model`."""
        from ..export import export_model

        return export_model(self, language, **options)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        text = self.text()
        short = text if len(text) <= SHORT else f"{text[:SHORT]} …"
        return f"SymbolicModel({short})"

    def __getstate__(self) -> dict[str, Any]:
        """What is saved and copied: the formula is made again."""
        return {name: value for name, value in self.__dict__.items() if name != "shown"}

    # -- as JSON ------------------------------------------------------------------------------

    def _content(self) -> dict[str, Any]:
        names = [column.title for column in self.standardizer.inputs]
        return {
            "formula": self.text(),
            **standardizer_to_dict(self.standardizer),
            **functions_to_dict(self.functions),
            "intercept": self.intercept,
            "features": [
                {
                    "tree": tree_to_list(feature, names, self.functions),
                    "weight": feature.weight,
                    "centre": feature.centre,
                    "factor": feature.factor,
                }
                for feature in self.features
            ],
            "scores": self.scores,
            **({"constant_nodes": self.constant_nodes} if self.constant_nodes else {}),
            **quantiles_to_dict(self.error_quantiles),
        }

    @classmethod
    def _from_content(
        cls, data: dict[str, Any], functions: Sequence[UserFunction]
    ) -> SymbolicModel:
        standardizer = standardizer_from_dict(data)
        own = functions_from_dict(data, functions)
        names = [column.title for column in standardizer.inputs]
        features = tuple(
            Feature(
                *tree_from_list(item["tree"], names, own),
                *(_number(item[key], key) for key in ("weight", "centre", "factor")),
            )
            for item in data["features"]
        )
        intercept = _number(data["intercept"], "intercept")
        constant_nodes = _count(data.get("constant_nodes", 0), "constant_nodes")
        scores, quantiles = dict(data["scores"]), quantiles_from_dict(data)
        return cls(standardizer, features, intercept, scores, constant_nodes, own, quantiles)


def with_held_functions(
    trees: Sequence[Feature], own: Sequence[UserFunction]
) -> tuple[tuple[Feature, ...], tuple[UserFunction, ...]]:
    """The trees with those of the user's functions that they hold, and no other."""
    if not own:
        return tuple(trees), ()
    by_code = functions_by_code(own)
    names = {by_code[code].name for tree in trees for code in tree.codes if code < 0}
    held = tuple(function for function in own if function.name in names)
    codes = codes_by_name(held)
    new = {code: codes.get(function.name, code) for code, function in by_code.items()}
    return (
        tuple(
            replace(tree, codes=tuple(new.get(code, code) for code in tree.codes)) for tree in trees
        ),
        held,
    )


def functions_to_dict(functions: Sequence[UserFunction]) -> dict[str, Any]:
    """The names of the user's functions; nothing where there are none."""
    return {"functions": [function.name for function in functions]} if functions else {}


def functions_from_dict(
    data: dict[str, Any], functions: Sequence[UserFunction]
) -> tuple[UserFunction, ...]:
    """Those of the given functions that the model names."""
    given = {function.name: function for function in functions}
    names = data.get("functions", [])
    for name in names:
        if name not in given:
            raise ValueError(
                f"The model holds the user's function {name!r}, and files contain no code: give it "
                "as load_model(path, functions=[…])."
            )
    return tuple(given[name] for name in names)


def quantiles_to_dict(quantiles: tuple[float, ...]) -> dict[str, Any]:
    """Sizes of leave-one-out errors; nothing where they are not known."""
    return {"error_quantiles": list(quantiles)} if quantiles else {}


def quantiles_from_dict(data: dict[str, Any]) -> tuple[float, ...]:
    """Sizes of leave-one-out errors, checked; older files have none."""
    quantiles = floats_from(data.get("error_quantiles", []), "error_quantiles")
    if (quantiles < 0.0).any() or (np.diff(quantiles) < 0.0).any():
        raise ValueError("The model is malformed: error_quantiles do not rise from 0 on.")
    return tuple(quantiles.tolist())


def standardizer_to_dict(standardizer: Standardizer) -> dict[str, Any]:
    """Target and columns, as every kind of model writes them."""
    return {
        "target": {
            "mean": standardizer.target_mean,
            "scale": standardizer.target_scale,
            "range": list(standardizer.target_range),
            "clip": standardizer.clips,
        },
        "columns": [_column_to_dict(column) for column in standardizer.columns],
    }


def standardizer_from_dict(data: dict[str, Any]) -> Standardizer:
    """Target and columns, checked."""
    target = data["target"]
    columns = tuple(_column_from_dict(column) for column in data["columns"])
    titles = [column.title for column in columns if column.used]
    if len(set(titles)) < len(titles):
        twice = next(title for title in titles if titles.count(title) > 1)
        raise ValueError(f"The model is malformed: two of its inputs are called {twice!r}.")
    return Standardizer(
        columns,
        _number(target["mean"], "mean"),
        _scale(target["scale"]),
        _range(target["range"]),
        _flag(target.get("clip", True), "clip"),
    )


def load_model(path: str | os.PathLike[str], functions: Sequence[UserFunction] = ()) -> Any:
    """Read a model that `to_json` wrote: a SymbolicModel, FrontModel or BlendModel.

    A model that holds functions of the user needs them as `functions`: no file contains code.

    Parameters
    ----------
    path : path
        The file.
    functions : sequence of UserFunction
        The functions of the user that the model holds.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from vjmgp import load_model, load_run_model
    >>> model = load_run_model("547_no2", "GC", seed=1)
    >>> with TemporaryDirectory() as folder:
    ...     text = model.to_json(Path(folder) / "model.json")
    ...     again = load_model(Path(folder) / "model.json")
    >>> str(again) == str(model)
    True

    """
    try:
        return _from_text(Path(path).read_text(encoding="utf-8"), functions)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    except TypeError:
        raise ValueError(f"load_model takes the path of a file, not {path!r}.") from None
    except RecursionError:
        raise ValueError(f"{path}: The model is malformed: lists too deep in each other.") from None


def _from_text(text: str, functions: Sequence[UserFunction]) -> Any:
    try:
        data = json.loads(text)
    except ValueError as error:
        raise ValueError(f"This is not a vjmgp model: it is no JSON ({error}).") from None
    from .ensemble import BlendModel, FrontModel

    kinds = {kind.format: kind for kind in (FrontModel, BlendModel)}
    name = data.get("format") if isinstance(data, dict) else None
    kind = kinds.get(name, SymbolicModel) if isinstance(name, str) else SymbolicModel
    return kind.from_dict(data, functions)


def floats_from(values: Any, what: str, shape: tuple[int, ...] = (-1,)) -> Floats:
    """A list of finite numbers as an array."""
    try:
        array = np.array(values, dtype=np.float64).reshape(shape)
    except ValueError:
        raise ValueError(
            f"The model is malformed: {what} is no list of numbers of the right length."
        ) from None
    if not np.isfinite(array).all():
        raise ValueError(f"The model is malformed: {what} has a number that is not finite.")
    return array


def places_from(values: Any, what: str, end: int) -> NDArray[np.int64]:
    """A list of whole numbers from 0 up to, but without, `end`."""
    array = floats_from(values, what)
    if not ((array == np.rint(array)) & (array >= 0) & (array < end)).all():
        raise ValueError(f"The model is malformed: {what} has a number outside 0 … {end - 1}.")
    return array.astype(np.int64)


def _number(value: Any, what: str) -> float:
    number = float(value)
    if not math.isfinite(number):  # JSON has none, but Python's reader takes them
        raise ValueError(f"The model is malformed: {what} is {number}.")
    return number


def _count(value: Any, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"The model is malformed: {what} is {value!r}.")
    return value


def _scale(value: Any) -> float:
    scale = _number(value, "scale")
    if not scale > 0.0:
        raise ValueError(f"The model is malformed: scale is {scale}; it must be positive.")
    return scale


def _range(values: Any) -> tuple[float, float]:
    low, high = floats_from(values, "range", (2,)).tolist()
    if low > high:
        raise ValueError(f"The model is malformed: range is {low} to {high}.")
    return low, high


def _flag(value: Any, what: str) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"The model is malformed: {what} is {value!r}, neither true nor false.")
    return value


def _column_to_dict(column: Column) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": column.name,
        "used": column.used,
        "mean": column.mean,
        "scale": column.scale,
    }
    if column.limits is not None:
        data["range"] = list(column.limits)
    if column.fill is not None:
        data["fill"] = column.fill
    if column.label is not None:
        data["label"] = column.label
    if column.codes is not None:
        data |= {"codes": [list(pair) for pair in column.codes.items()], "unseen": column.unseen}
    return data


def _column_from_dict(data: dict[str, Any]) -> Column:
    codes = None
    if "codes" in data:
        codes = {category: _number(value, "a code") for category, value in data["codes"]}
    return Column(
        str(data["name"]),
        _number(data["mean"], "mean"),
        _scale(data["scale"]),
        codes,
        _number(data.get("unseen", 0.0), "unseen"),
        bool(data["used"]),
        str(data["label"]) if "label" in data else None,
        _number(data["fill"], "fill") if "fill" in data else None,
        _range(data["range"]) if "range" in data else None,
    )


def tree_to_list(feature: Feature, names: list[str], own: Sequence[UserFunction] = ()) -> Any:
    """["add", ["column", "x"], 0.5]: functions by name, columns by name, constants as numbers."""
    return fold(
        feature.codes,
        feature.constants,
        lambda column: ["column", names[column]],
        float,
        lambda name, parts: [name, *parts],
        own,
    )


def tree_from_list(
    item: Any, names: list[str], own: Sequence[UserFunction] = ()
) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Codes and constants of a tree; a clear error where it is none."""
    functions = functions_by_code(own)
    known = codes_by_name(own)
    codes: list[int] = []
    constants: list[float] = []
    waiting = [item]
    while waiting:
        part = waiting.pop()
        if isinstance(part, int | float) and not isinstance(part, bool):
            codes.append(CONSTANT)
            constants.append(_number(part, "a constant"))
            continue
        if not isinstance(part, list) or not part:
            raise ValueError(f"A tree holds {part!r}, which is no number, column or function.")
        name, *rest = part
        if name == "column" and len(rest) == 1:
            if rest[0] not in names:
                raise ValueError(f"A tree uses the unknown column {rest[0]!r}.")
            codes.append(FIRST_VARIABLE + names.index(rest[0]))
        elif isinstance(name, str) and name in known and len(rest) == functions[known[name]].arity:
            codes.append(known[name])
            waiting.extend(reversed(rest))
        else:
            raise ValueError(f"A tree has the unknown part {name!r} with {len(rest)} arguments.")
        constants.append(0.0)
    return tuple(codes), tuple(constants)
