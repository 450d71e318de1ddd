"""Runs as rows of Parquet files, which hold everything that cannot be computed from the rest.

Formulas and features follow from the model, and what the models of a split share (scales, levels,
ranges) is stored once for all methods. Times have seven digits; every other number is exact.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ...core.files import write_whole
from ..names import NOISE_TIMES, WALL_TIMES
from .index import INDEX, damaged
from .index import SPLITS as SPLITS_FILE

if TYPE_CHECKING:
    import pandas as pd

    from ...models.symbolic import SymbolicModel
    from .index import Published, ReusedRuns

Row = dict[str, Any]
Split = tuple[str, str, int, str]
"""Protocol, dataset, seed, and encoding of nominal columns."""
TARGET_MEANS = "target"
"""The paper's encoding, and that of all runs in files without a column of encodings."""
SCORES = ("o1", "o2", "alpha", "born")
"""A model's scores. Its training R² is taken from the run, as the search sums in another order."""
PLAIN = {
    **dict.fromkeys(("protocol", "dataset", "method"), pa.string()), "seed": pa.int32(),
    **dict.fromkeys(("identity", "status", "error"), pa.string()),
    "train_r2": pa.float64(), "test_r2": pa.float64(), "size": pa.int64(), "trees": pa.int32(),
    **dict.fromkeys(WALL_TIMES, pa.float32()), "noise_r2": pa.float64(), "tau": pa.float64(),
    "generations": pa.int32(), "engine": pa.string(),
    "failed_candidates": pa.int32(), "unconverged_candidates": pa.int32(),
}  # fmt: skip
"""Entries of a record that become columns unchanged."""
TEXTS = {"parameters": pa.string(), "warnings": pa.string(), "versions": pa.string()}
"""Entries that become JSON."""
OF_OTHERS = {"formula": pa.string(), "legend": pa.string()}
"""Entries of models of other learners."""
CURVE = {
    "curve_generation": pa.list_(pa.int32()),
    "curve_train": pa.list_(pa.int64()),
    "curve_test": pa.list_(pa.int64()),
}
CURVE_UNIT = 1e-4
"""R² of evolution curves are integer multiples of it."""
MODEL = {
    **dict.fromkeys(("nodes", "tree_lengths"), pa.list_(pa.int32())),
    **dict.fromkeys(("constants", "weights", "centres", "factors"), pa.list_(pa.float64())),
    "intercept": pa.float64(),
    "constant_nodes": pa.int32(),
    **dict.fromkeys(SCORES, pa.float64()),
}
"""The codes of all nodes in prefix order, constants in the order of their nodes."""
KEY = {name: PLAIN[name] for name in ("protocol", "dataset", "seed")} | {"encoding": pa.string()}
"""The key of a split. Runs of different encodings have the same rows but different inputs."""
SCHEMA = pa.schema(PLAIN | KEY | TEXTS | OF_OTHERS | CURVE | MODEL)
SPLITS = pa.schema(KEY | {"inputs": pa.string(), "standardizer": pa.string()})
"""Checksums of the data, scales and levels, which the runs of a split share."""


def row_of(record: Any) -> Row:
    """Return a run's record as a row."""
    row = {name: record.get(name) for name in PLAIN} | {"encoding": _encoding_of(record)}
    row |= {name: _json(record.get(name)) for name in TEXTS}
    curve = record.get("curve") or []
    row["curve_generation"] = [point[0] for point in curve]
    for place, name in ((1, "curve_train"), (2, "curve_test")):
        row[name] = [round(point[place] / CURVE_UNIT) for point in curve]
    if "model" in record:
        return row | _model_parts(record["model"])
    return row | {"formula": record.get("formula"), "legend": _json(record.get("legend"))}


def _encoding_of(record: Any) -> str:
    """Return how a run encodes nominal columns; other learners use target means."""
    return str(record["definition"].get("gp", {}).get("encoding", TARGET_MEANS))


def _json(value: Any) -> str | None:
    return json.dumps(value, ensure_ascii=False) if value else None


def _model_parts(entries: Row) -> Row:
    from ...engine.trees.primitives import CONSTANT
    from ...models.symbolic import SymbolicModel

    model = SymbolicModel.from_dict(entries)
    nodes = [node for f in model.features for node in zip(f.codes, f.constants, strict=True)]
    return {
        "nodes": [code for code, _ in nodes],
        "tree_lengths": [len(feature.codes) for feature in model.features],
        "constants": [constant for code, constant in nodes if code == CONSTANT],
        "weights": [feature.weight for feature in model.features],
        "centres": [feature.centre for feature in model.features],
        "factors": [feature.factor for feature in model.features],
        "intercept": model.intercept,
        "constant_nodes": model.constant_nodes,
    } | {name: model.scores[name] for name in SCORES}


def split_of(record: Any) -> Row:
    """Return what the runs of a record's split share."""
    standardizer = {name: record["model"][name] for name in ("target", "columns")}
    return {name: record[name] for name in ("protocol", "dataset", "seed")} | {
        "encoding": _encoding_of(record),
        "inputs": json.dumps(record["inputs"]),
        "standardizer": json.dumps(standardizer, ensure_ascii=False),
    }


def key_of(row: Row) -> Split:
    """Return the key of the split of a run, or of a row of splits."""
    return row["protocol"], row["dataset"], row["seed"], row["encoding"]


def model_of(row: Row, splits: dict[Split, Row]) -> SymbolicModel:
    """Build the model of a run from its row and what the runs of its split share."""
    from ...engine.trees.primitives import CONSTANT
    from ...models.serialization import standardizer_from_dict
    from ...models.symbolic import Feature, SymbolicModel

    nodes, constants, features = iter(row["nodes"]), iter(row["constants"]), []
    parts = (row[name] for name in ("tree_lengths", "weights", "centres", "factors"))
    for length, weight, centre, factor in zip(*parts, strict=True):
        codes = tuple(int(next(nodes)) for _ in range(length))
        numbers = tuple(float(next(constants)) if code == CONSTANT else 0.0 for code in codes)
        features.append(Feature(codes, numbers, float(weight), float(centre), float(factor)))
    return SymbolicModel(
        standardizer_from_dict(json.loads(splits[key_of(row)]["standardizer"])),
        tuple(features),
        row["intercept"],
        {name: row[name] for name in ("o1", "o2", "train_r2", "alpha", "born")},
        row["constant_nodes"],
    )


def read_parquet(
    published: Published,
    name: str,
    columns: list[str] | None = None,
    wanted: pc.Expression | None = None,
) -> pa.Table:
    """Read a Parquet file of the folder, or some of its columns; add encodings to a whole file."""
    table = pq.read_table(published.file(name), columns=columns, filters=wanted)
    if columns is None and "encoding" not in table.column_names:
        table = table.append_column("encoding", pa.array([TARGET_MEANS] * len(table)))
    return table


def read_rows(
    published: Published, runs: Iterable[ReusedRuns], columns: list[str] | None = None
) -> pd.DataFrame:
    """Return the rows of published runs, with the names of their files."""
    import pandas as pd

    seeds = {run.identity: run.seeds for run in runs}
    groups: dict[str, set[str]] = {}
    for identity in seeds:
        groups.setdefault(published.cells[identity].group, set()).add(identity)
    parts = []
    check_index(published, groups)
    for group, identities in groups.items():
        name, wanted = f"{group}.parquet", pc.field("identity").isin(identities)
        table = read_parquet(published, name, columns, wanted)
        rows = table.to_pandas(integer_object_nulls=True)
        parts.append(rows[rows["seed"] < rows["identity"].map(seeds)].assign(file=name))
    found: pd.DataFrame = pd.concat(parts, ignore_index=True)
    return found


def check_index(published: Published, groups: Iterable[str]) -> None:
    """Raise DamagedFileError if files do not hold the runs that the index names."""
    for group in dict.fromkeys(groups):
        name = f"{group}.parquet"
        path = published.file(name)
        found, named = _runs_in(path, published.files[name]), dict[str, list[Any]]()
        for identity, cell in published.cells.items():
            if cell.group == group:
                named[identity] = [(*cell[:3], seed) for seed in range(cell.seeds)]
        for identity in [*named, *found]:
            is_there, should = found.get(identity, []), named.get(identity, [])
            if is_there != should:
                words = f"{INDEX} names {_in_words(should)}, and it has {_in_words(is_there)}"
                raise damaged(path, f"of {identity} {words}")


def _in_words(runs: list[Any]) -> str:
    if not runs:
        return "no runs"
    (protocol, dataset, method, first), last = runs[0], runs[-1][3]
    return f"{len(runs)} runs of {method} on {dataset} ({protocol}), seeds {first} to {last}"


@functools.cache
def _runs_in(path: Path, _: str) -> dict[str, list[Any]]:
    """Return the runs in a file of a checksum by identity, in the order of their seeds."""
    columns = pq.read_table(path, columns=["identity", "protocol", "dataset", "method", "seed"])
    found: dict[str, list[Any]] = {}
    for identity, *run in zip(*(column.to_pylist() for column in columns.columns), strict=True):
        found.setdefault(identity, []).append(tuple(run))
    return {identity: sorted(runs) for identity, runs in found.items()}


def training_times(rows: pd.DataFrame) -> dict[str, pd.Series[float]]:
    """Return seconds by name, including the noise estimate if a run uses it."""
    return {
        own: rows[own].astype(float) + rows[of_noise].fillna(0.0).astype(float)
        for own, of_noise in NOISE_TIMES.items()
    }


def splits_of(published: Published) -> dict[Split, Row]:
    """Return what the runs of each split share."""
    return {key_of(row): row for row in read_parquet(published, SPLITS_FILE).to_pylist()}


def write_rows(path: Path, rows: Iterable[Row], schema: pa.Schema) -> None:
    """Write a Parquet file: names as dictionaries, integers as differences."""
    rows = list(rows)
    if all(row["encoding"] == TARGET_MEANS for row in rows):
        schema = schema.remove(schema.get_field_index("encoding"))
    table = pa.Table.from_pylist(rows, schema=schema)
    names = [field.name for field in schema if field.type == pa.string()]
    names += [name for name in ("noise_r2", "tau", "alpha", "seed") if name in schema.names]
    names += ["noise_seconds", "noise_cpu_seconds"] if "tau" in schema.names else []
    others = {column: e for column, e in _encodings(schema) if column.split(".")[0] not in names}
    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        compression="zstd",
        compression_level=19,
        use_dictionary=names,
        column_encoding=others,
        row_group_size=5000,
        write_statistics=["identity"] if "identity" in schema.names else False,
        store_schema=False,
    )
    write_whole(path, [sink.getvalue().to_pybytes()])


def _encodings(schema: pa.Schema) -> Iterator[tuple[str, str]]:
    for field in schema:
        name, kind = field.name, field.type
        if pa.types.is_list(kind):
            name, kind = f"{name}.list.element", kind.value_type
        if pa.types.is_floating(kind):
            yield name, "BYTE_STREAM_SPLIT"
        elif pa.types.is_integer(kind):
            yield name, "DELTA_BINARY_PACKED"
