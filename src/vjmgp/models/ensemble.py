"""Predict with more than one formula: the mean of all models found, alone or in a blend.

These models trade the formula for accuracy. Like formulas they are plain data: reading them from
JSON runs nothing that the file contains.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ..core.arrays import Floats
from ..engine.distillation.distil import some_of
from ..engine.distillation.teacher import Members, Teacher, mean_of_models
from ..engine.numerics.rng import stream
from ..engine.objectives.forest import COLUMN_BITS, COLUMN_MASK, Forest, fit_forest, predict_forest
from ..engine.preparation import Prepared
from ..engine.search.archive import O1, Archive
from ..formulas.user_function import UserFunction
from ..tables.preprocessing import Standardizer
from . import serialization
from .kriging import Kriging, fit_kriging, predict_kriging
from .serialization import floats_from, places_from, require
from .symbolic import Feature, SymbolicModel, TableModel, features_of, with_used_functions

FOREST_SHARE, PROCESS_SHARE = 0.3, 0.2
"""Largest shares of Extra Trees and the Gaussian process in a blend; the front has the rest."""
MOST_FOREST_ROWS, MOST_PROCESS_ROWS = 5000, 500
CHUNK = 4096
"""Rows predicted together, which limits the memory."""


class MeanModel(TableModel):
    """A mean of several models."""

    margin: ClassVar[float] = -1e-9
    """Its models are clipped, so it stops at the limits."""

    @abstractmethod
    def predict_standardized(self, x: Floats) -> Floats:
        """Predict the standardised target from standardised inputs."""

    def unclipped_rows(self, x: Floats) -> Floats:
        """Return the means, in original units and some rows at a time; their models are clipped."""
        out = np.empty(len(x))
        for start in range(0, len(x), CHUNK):
            out[start : start + CHUNK] = self.predict_standardized(x[start : start + CHUNK])
        out[np.isnan(out)] = 0.0  # the mean of the standardised target
        return self.standardizer.restore_target(out)


@dataclass(frozen=True)
class FrontModel(MeanModel):
    """The weighted mean of many models, each clipped to the range of the training target.

    The models share trees, and each distinct tree is evaluated once.
    """

    format = "vjmgp-front"

    standardizer: Standardizer
    trees: tuple[Feature, ...]
    """The distinct trees; their weights, centres and factors are not used."""
    members: Members
    functions: tuple[UserFunction, ...] = ()
    """The user's functions in the trees."""
    error_quantiles: tuple[float, ...] = ()
    """Sizes of leave-one-out errors in the target's units, for intervals; empty if not known."""

    @property
    def size(self) -> int:
        """Nodes over all distinct trees."""
        return self._symbolic.evolved_size

    @property
    def inputs_used(self) -> set[int]:
        """Numbers of the inputs in the trees."""
        return self._symbolic.inputs_used

    def predict_standardized(self, x: Floats) -> Floats:
        """Predict the standardised target from standardised inputs."""
        limits = np.array(self.standardizer.limits)
        low, high = (float(v) for v in self.standardizer.standardize_target(limits))
        if not self.standardizer.clips:
            low, high = -np.inf, np.inf
        values = self.construct(x)
        return mean_of_models(self.members, np.ascontiguousarray(values.T), low, high)

    def construct(self, x: Floats) -> Floats:
        """Return rows × trees from standardised inputs."""
        return self._symbolic.construct(x)

    @property
    def _symbolic(self) -> SymbolicModel:
        return SymbolicModel(self.standardizer, self.trees, functions=self.functions)

    def _content(self) -> dict[str, Any]:
        names = [column.title for column in self.standardizer.inputs]
        return {
            **serialization.inputs_to_dict(self.standardizer, self.functions),
            "trees": [serialization.tree_to_list(t, names, self.functions) for t in self.trees],
            "members": {name: values.tolist() for name, values in self.members._asdict().items()},
            **({"error_quantiles": list(self.error_quantiles)} if self.error_quantiles else {}),
        }

    @classmethod
    def _from_content(cls, data: dict[str, Any], functions: Sequence[UserFunction]) -> Self:
        standardizer = serialization.standardizer_from_dict(data)
        functions = serialization.functions_from_dict(data, functions)
        names = [column.title for column in standardizer.inputs]
        read = (serialization.tree_from_list(tree, names, functions) for tree in data["trees"])
        trees = tuple(Feature(*codes_and_constants, 0.0, 0.0, 1.0) for codes_and_constants in read)
        lists = data["members"]
        weights = floats_from(lists["weights"], "weights")
        tree = places_from(lists["tree"], "tree", len(trees))
        first = places_from(lists["first"], "first", len(tree) + 1)
        intercepts = floats_from(lists["intercepts"], "intercepts", weights.shape)
        coefficient = floats_from(lists["coefficient"], "coefficient", tree.shape)
        members = Members(weights, intercepts, first, tree, coefficient)
        agree = len(first) == len(weights) + 1 and (np.diff(first) >= 0).all()
        require(agree, "its members and their terms do not agree")
        return cls(standardizer, trees, members, functions, serialization.quantiles_from_dict(data))


@dataclass(frozen=True)
class BlendModel(MeanModel):
    """The mean of the front together with Extra Trees and a Gaussian process."""

    format = "vjmgp-blend"

    front: FrontModel
    forest: Forest
    process: Kriging
    shares: tuple[float, float, float]
    """Shares of the front, the forest and the process."""

    @property
    def standardizer(self) -> Standardizer:
        """The columns and the scale of the target."""
        return self.front.standardizer

    @property
    def size(self) -> int:
        """Nodes over all trees, including those of the forest."""
        return self.front.size + len(self.forest.value)

    @property
    def inputs_used(self) -> set[int]:
        """All inputs: Extra Trees and the Gaussian process use each."""
        return set(range(len(self.standardizer.inputs)))

    @property
    def error_quantiles(self) -> tuple[float, ...]:
        """Not available: Extra Trees have no leave-one-out errors."""
        raise ValueError(
            "A blend has no intervals, because its Extra Trees have no leave-one-out errors: use "
            "choose(predict_with='model') or 'front'."
        )

    def predict_standardized(self, x: Floats) -> Floats:
        """Predict the standardised target from standardised inputs."""
        x = np.ascontiguousarray(x)
        trees = np.empty(len(x))
        predict_forest(self.forest, x, trees)
        with np.errstate(over="ignore", invalid="ignore"):  # far away from all training rows
            process = predict_kriging(self.process, x)
        parts = self.front.predict_standardized(x), trees, process
        return np.asarray(sum(share * part for share, part in zip(self.shares, parts, strict=True)))

    def _content(self) -> dict[str, Any]:
        nodes = self.forest.nodes
        cuts = nodes[:, 0].copy().view(np.float64)
        leaf = np.isinf(cuts)
        return {
            "front": self.front.to_dict(),
            "shares": list(self.shares),
            "forest": {
                "cut": np.where(leaf, 0.0, cuts).tolist(),
                "column": np.where(leaf, -1, (nodes[:, 1] & COLUMN_MASK).astype(int)).tolist(),
                "child": (nodes[:, 1] >> COLUMN_BITS).tolist(),
                "value": self.forest.value.tolist(),
                "root": self.forest.root.tolist(),
            },
            "process": {
                name: value.tolist() if isinstance(value, np.ndarray) else value
                for name, value in self.process._asdict().items()
            },
        }

    @classmethod
    def _from_content(cls, data: dict[str, Any], functions: Sequence[UserFunction]) -> Self:
        front = FrontModel.from_dict(data["front"], functions)
        n_inputs = len(front.standardizer.inputs)
        shares = floats_from(data["shares"], "shares", (3,))
        process = data["process"]
        rows = floats_from(process["rows"], "rows", (-1, n_inputs))
        scalars = floats_from(
            [process[name] for name in ("smooth", "length", "slope", "offset")], "process", (4,)
        )
        require(scalars[1] > 0.0, "the length of its process is not positive")
        return cls(
            front,
            _forest_from_dict(data["forest"], n_inputs),
            Kriging(rows, floats_from(process["dual"], "dual", (len(rows),)), *scalars),
            tuple(shares.tolist()),
        )


def _forest_from_dict(data: dict[str, Any], n_inputs: int) -> Forest:
    """Read a forest, checked so that no path leaves it or runs in circles."""
    value = floats_from(data["value"], "value")
    count = len(value)
    cut = floats_from(data["cut"], "cut", (count,))
    column = places_from(np.array(data["column"], np.float64) + 1, "column", n_inputs + 1) - 1
    child = places_from(data["child"], "child", count)
    leaf = column < 0
    here = np.arange(count)
    is_right = np.where(leaf, child == here, (child > here) & (child + 1 < count))
    agree = len(column) == count and len(child) == count and is_right.all()
    require(agree, "the nodes of its forest do not agree")
    nodes = np.empty((count, 2), np.uint64)
    nodes[:, 0] = np.where(leaf, np.inf, cut).view(np.uint64)
    nodes[:, 1] = (child.astype(np.uint64) << COLUMN_BITS) | np.maximum(column, 0).astype(np.uint64)
    root = places_from(data["root"], "root", count)
    return Forest(nodes, value, root, np.empty(0, np.int64))


def front_model(
    archive: Archive,
    teacher: Teacher,
    standardizer: Standardizer,
    functions: Sequence[UserFunction] = (),
) -> FrontModel:
    """Make a model of the teacher; `functions` are the run's functions of the user."""
    numbers: dict[tuple[Any, bytes], int] = {}
    trees: list[Feature] = []
    first, tree, coefficients = [0], [], []
    intercepts = np.zeros(len(teacher.entries))
    for m, entry in enumerate(teacher.entries):
        for feature in features_of(archive, entry):
            key = feature.codes, np.array(feature.constants).tobytes()
            if key not in numbers:
                numbers[key] = len(trees)
                trees.append(Feature(feature.codes, feature.constants, 0.0, 0.0, 1.0))
            tree.append(numbers[key])
            coefficients.append(feature.weight * feature.factor)
            intercepts[m] -= coefficients[-1] * feature.centre
        first.append(len(tree))
    places = np.array(first, np.int64), np.array(tree, np.int64)
    members = Members(teacher.weights, intercepts, *places, np.array(coefficients, np.float64))
    used_trees, used_functions = with_used_functions(trees, functions)
    return FrontModel(standardizer, used_trees, members, used_functions)


def blend_model(front: FrontModel, prepared: Prepared, archive: Archive) -> BlendModel:
    """Blend the front with Extra Trees and a Gaussian process.

    The smaller the error of the front beside that of Extra Trees, the larger its share.
    """
    x, y, seed = prepared.x, prepared.y, prepared.seed
    forest_rows, process_rows = (
        some_of(stream(seed, "distillation"), len(y), most)
        for most in (MOST_FOREST_ROWS, MOST_PROCESS_ROWS)
    )
    state = stream(seed, "detector")  # the same trees as the run's detector
    weights = prepared.weights.relative()
    of_forest = None if weights is None else weights[forest_rows]
    of_process = None if weights is None else weights[process_rows]
    columns = np.ascontiguousarray(x[forest_rows].T)
    forest = fit_forest(state, columns, y[forest_rows], weights=of_forest)
    process = fit_kriging(x[process_rows], y[process_rows], of_process)
    error_of_trees = 1.0 - prepared.noise_r2
    ratio = min(1.0, float(archive.scores[archive.front, O1].min()) / max(error_of_trees, 1e-9))
    if np.isnan(prepared.noise_r2):
        ratio = 0.5
    shares = FOREST_SHARE * ratio, PROCESS_SHARE * ratio
    return BlendModel(front, forest, process, (1.0 - sum(shares), *shares))
