"""Write models as JSON and read them back, with checks.

Reading runs nothing that a file contains: names of functions and columns are only looked up.
"""

import json
import math
import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats
from ..engine.trees.primitives import CONSTANT, FIRST_VARIABLE, codes_by_name, functions_by_code
from ..formulas.functions import fold
from ..formulas.user_function import UserFunction
from ..tables.preprocessing import Column, Standardizer

if TYPE_CHECKING:
    from .symbolic import Feature

VERSION = 1
DEEPEST = 100
"""Functions within each other; evolution makes 14 at most."""


def require(is_right: Any, problem: str) -> None:
    """Raise ValueError with the problem unless the model is right."""
    if not is_right:
        raise ValueError(f"The model is malformed: {problem}.")


class JsonModel(ABC):
    """A model that can be written to JSON and read back."""

    format: ClassVar[str]

    @abstractmethod
    def _content(self) -> dict[str, Any]:
        """Return all entries except format and version."""

    @classmethod
    @abstractmethod
    def _from_content(cls, data: dict[str, Any], functions: Sequence[UserFunction]) -> Self:
        """Make a model from these entries; its trees may contain functions of the user."""

    def to_dict(self) -> dict[str, Any]:
        """Return the model as plain lists, numbers and text."""
        return {"format": self.format, "version": VERSION, **self._content()}

    @classmethod
    def from_dict(cls, data: dict[str, Any], functions: Sequence[UserFunction] = ()) -> Self:
        """Make a model from what `to_dict` returned; raise ValueError if it is malformed.

        If the model contains functions of the user, give them: no file contains code.
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
        """Return the model as JSON text; with `path`, also write it to this file."""
        text = json.dumps(self.to_dict(), indent=1, ensure_ascii=False)
        if path is not None:
            Path(path).write_text(text + "\n", encoding="utf-8")
        return text


def functions_from_dict(
    data: dict[str, Any], functions: Sequence[UserFunction]
) -> tuple[UserFunction, ...]:
    """Return those of the given functions that the model names."""
    given = {function.name: function for function in functions}
    names = data.get("functions", [])
    for name in names:
        if name not in given:
            raise ValueError(
                f"The model contains the user's function {name!r}, and files contain no code: give "
                "it as load_model(path, functions=[…])."
            )
    return tuple(given[name] for name in names)


def quantiles_from_dict(data: dict[str, Any]) -> tuple[float, ...]:
    """Read and check the sizes of leave-one-out errors; older files have none."""
    quantiles = floats_from(data.get("error_quantiles", []), "error_quantiles")
    rise = (quantiles >= 0.0).all() and (np.diff(quantiles) >= 0.0).all()
    require(rise, "error_quantiles do not rise from 0 on")
    return tuple(quantiles.tolist())


def inputs_to_dict(standardizer: Standardizer, functions: Sequence[UserFunction]) -> dict[str, Any]:
    """Return the entries of target, columns and, if there are any, functions of the user."""
    names = [function.name for function in functions]
    return {
        "target": {
            "mean": standardizer.target_mean,
            "scale": standardizer.target_scale,
            "range": list(standardizer.target_range),
            "clip": standardizer.clips,
            **({"reach": standardizer.reach} if standardizer.reach else {}),
        },
        "columns": [_column_to_dict(column) for column in standardizer.columns],
        **({"functions": names} if names else {}),
    }


def standardizer_from_dict(data: dict[str, Any]) -> Standardizer:
    """Read and check the entries of target and columns."""
    target = data["target"]
    clips = target.get("clip", True)
    require(isinstance(clips, bool), f"clip is {clips!r}, neither true nor false")
    reach = finite_number(target.get("reach", 0.0), "reach")
    require(reach >= 0.0, f"reach is {reach!r}, less than 0")
    columns = tuple(_column_from_dict(column) for column in data["columns"])
    titles = [column.title for column in columns if column.used]
    for twice, count in Counter(titles).items():
        require(count == 1, f"two of its inputs are called {twice!r}")
    mean, scale = finite_number(target["mean"], "mean"), _scale(target["scale"])
    return Standardizer(columns, mean, scale, _range(target["range"]), clips, reach)


def floats_from(values: Any, what: str, shape: tuple[int, ...] = (-1,)) -> Floats:
    """Read a list of finite numbers."""
    try:
        array = np.array(values, dtype=np.float64).reshape(shape)
    except ValueError:
        raise ValueError(
            f"The model is malformed: {what} is not a list of numbers of the right length."
        ) from None
    require(np.isfinite(array).all(), f"{what} has a number that is not finite")
    return array


def places_from(values: Any, what: str, end: int) -> NDArray[np.int64]:
    """Read a list of whole numbers from 0 to `end` − 1."""
    array = floats_from(values, what)
    is_place = (array == np.rint(array)) & (array >= 0) & (array < end)
    require(is_place.all(), f"{what} has a number outside 0 … {end - 1}")
    return array.astype(np.int64)


def finite_number(value: Any, what: str) -> float:
    """Read a finite number."""
    number = float(value)
    require(math.isfinite(number), f"{what} is {number}")  # valid for Python's reader of JSON
    return number


def _scale(value: Any) -> float:
    scale = finite_number(value, "scale")
    require(scale > 0.0, f"scale is {scale}; it must be positive")
    return scale


def _range(values: Any) -> tuple[float, float]:
    low, high = floats_from(values, "range", (2,)).tolist()
    require(low <= high, f"range is {low} to {high}")
    return low, high


def _column_to_dict(column: Column) -> dict[str, Any]:
    data: dict[str, Any] = {
        name: getattr(column, name) for name in ("name", "used", "mean", "scale")
    }
    limits = None if column.limits is None else list(column.limits)
    optional = {"range": limits, "fill": column.fill, "label": column.label}
    data |= {name: value for name, value in optional.items() if value is not None}
    if column.codes is not None:
        data |= {"codes": [list(pair) for pair in column.codes.items()], "unseen": column.unseen}
    return data


def _column_from_dict(data: dict[str, Any]) -> Column:
    codes = None
    if "codes" in data:
        require(data["codes"], f"the column {data['name']!r} has no levels")
        codes = {category: finite_number(value, "a code") for category, value in data["codes"]}
    return Column(
        str(data["name"]),
        finite_number(data["mean"], "mean"),
        _scale(data["scale"]),
        codes,
        finite_number(data.get("unseen", 0.0), "unseen"),
        bool(data["used"]),
        str(data["label"]) if "label" in data else None,
        finite_number(data["fill"], "fill") if "fill" in data else None,
        _range(data["range"]) if "range" in data else None,
    )


def tree_to_list(
    feature: "Feature", names: list[str], functions: Sequence[UserFunction] = ()
) -> Any:
    """Return a tree as nested lists of names and numbers: ["add", ["column", "x"], 0.5]."""
    leaf, call = (lambda column: ["column", names[column]]), (lambda name, parts: [name, *parts])
    return fold(feature.codes, feature.constants, leaf, float, call, functions)


def tree_from_list(
    item: Any, names: list[str], functions: Sequence[UserFunction] = ()
) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Read codes and constants of a tree; raise ValueError if it is malformed."""
    by_code, known = functions_by_code(functions), codes_by_name(functions)
    codes: list[int] = []
    constants: list[float] = []
    waiting = [(item, 1)]
    while waiting:
        part, depth = waiting.pop()
        require(depth <= DEEPEST, f"a tree is more than {DEEPEST} functions deep")
        if isinstance(part, int | float) and not isinstance(part, bool):
            codes.append(CONSTANT)
            constants.append(finite_number(part, "a constant"))
            continue
        if not isinstance(part, list) or not part:
            raise ValueError(
                f"A tree contains {part!r}, which is not a number, column or function."
            )
        name, *rest = part
        if name == "column" and len(rest) == 1:
            if rest[0] not in names:
                raise ValueError(f"A tree uses the unknown column {rest[0]!r}.")
            codes.append(FIRST_VARIABLE + names.index(rest[0]))
        elif isinstance(name, str) and name in known and len(rest) == by_code[known[name]].arity:
            codes.append(known[name])
            waiting.extend((below, depth + 1) for below in reversed(rest))
        else:
            raise ValueError(f"A tree has the unknown part {name!r} with {len(rest)} arguments.")
        constants.append(0.0)
    return tuple(codes), tuple(constants)
