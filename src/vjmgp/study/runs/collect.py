"""The steps that turn computed and reused runs into tidy tables."""

import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from ...core.files import write_json
from ..paths import RUNS
from ..published import rows as stored
from ..published.index import ReusedRuns, read_published
from ..result_tables import read_table, write_csv
from .records import names_of, read_block

if TYPE_CHECKING:
    from ..plan.study import Experiment

KEY = ["protocol", "dataset", "method", "seed"]
COLUMNS = [
    *("dataset", "method", "seed", "protocol", "status", "train_r2", "test_r2", "size", "trees"),
    *("seconds", "cpu_seconds", "noise_r2", "tau", "generations", "engine", "warnings"),
    *("failed_candidates", "parameters", "error", "file"),
]
OF_MODEL = ("protocol", "seed", "train_r2", "test_r2", "size", "formula", "legend", "features")


class Runs:
    """The runs of an experiment, in the order of its methods and datasets."""

    def __init__(
        self,
        experiment: "Experiment",
        records: list[Any],
        reused: list[ReusedRuns],
        folder: str | None = None,
    ) -> None:
        self.published = read_published(Path(folder)) if folder else None
        self.records = {tuple(record[key] for key in KEY): record for record in records}
        columns = [*stored.PLAIN, *stored.TEXTS, "formula", "intercept", *stored.CURVE]
        here = pd.DataFrame([stored.row_of(record) for record in records], columns=columns)
        parts = [here.assign(file=[record.get("file") for record in records])]
        if self.published and reused:
            parts.append(stored.read_rows(self.published, reused, columns))
        table = pd.concat([part for part in parts if len(part)], ignore_index=True)
        table["has_model"] = table["intercept"].notna() | table["formula"].notna()
        order: Any = {"method": experiment.methods, "dataset": experiment.datasets, "seed": None}
        self.table = table.sort_values(
            list(order),
            kind="stable",
            ignore_index=True,
            key=lambda c: c.map(order[c.name].index) if order[c.name] else c,
        )

    def table_of_runs(self) -> pd.DataFrame:
        """Return one row per run; times include the noise estimate if the run uses it."""
        table = self.table.reindex(columns=COLUMNS).assign(**stored.training_times(self.table))
        table["warnings"] = [sum(kinds.values()) for kinds in self._unpacked("warnings")]
        table["parameters"] = [
            "; ".join(f"{key}={value}" for key, value in chosen.items())
            for chosen in self._unpacked("parameters")
        ]
        counts = ("size", "trees", "generations", "failed_candidates")
        return table.astype(dict.fromkeys(counts, "Int64"))

    def _unpacked(self, column: str) -> Iterator[dict[str, Any]]:
        known = functools.cache(json.loads)
        return (known(text) if isinstance(text, str) else {} for text in self.table[column])

    def table_of_curves(self) -> pd.DataFrame:
        """Return one row per generation in which the chosen model changed."""
        names = dict(zip(stored.CURVE, ("generation", "train_r2", "test_r2"), strict=True))
        with_curves = self.table[self.table["curve_generation"].str.len() > 0]
        table = with_curves[["dataset", "method", "seed", *stored.CURVE]].rename(columns=names)
        table = table.explode(list(names.values()), ignore_index=True)
        table["generation"] = table["generation"].astype(int)
        for column in ("train_r2", "test_r2"):
            table[column] = (table[column].astype(float) * stored.CURVE_UNIT).round(4)
        return table

    def typical_models(self) -> list[dict[str, Any]]:
        """Return the model of the run with the median test R², by dataset and method.

        Only methods with formulas have one: ours are lists of features with coefficients, those of
        other learners one formula.
        """
        chosen = []
        for (dataset, method), runs in self.table[self.table["has_model"]].groupby(
            ["dataset", "method"], sort=False
        ):
            run = runs.sort_values(["test_r2", "seed"]).iloc[(len(runs) - 1) // 2]
            chosen.append((dataset, method, tuple(run[key] for key in KEY), run["identity"]))
        reused = [(identity, key[3]) for *_, key, identity in chosen if key not in self.records]
        found = _rebuilt(self.published, reused) if reused else {}
        return [
            {"dataset": dataset, "method": method}
            | {
                name: (self.records.get(key) or found[identity, key[3]]).get(name, [])
                for name in OF_MODEL
            }
            for dataset, method, key, identity in chosen
        ]


def records_of(paths: list[str]) -> list[Any]:
    """Return the records of files, each with the path of its file in the results folder."""
    return [
        record | {"file": RUNS.format(**names_of(path))}
        for path in paths
        for record in read_block(path)
    ]


def _rebuilt(published: Any, wanted: list[tuple[str, int]]) -> dict[tuple[str, int], Any]:
    """Return the descriptions of the models of published runs, by identity and seed."""
    from .model_description import features_of, legend_of

    reused = [ReusedRuns(identity, seed + 1) for identity, seed in wanted]
    rows = stored.read_rows(published, reused)
    rows = rows[[pair in set(wanted) for pair in zip(rows["identity"], rows["seed"], strict=True)]]
    splits = stored.splits_of(published)
    found = {}
    records: list[Any] = rows.to_dict("records")
    for row in records:
        entry = {name: row[name] for name in ("protocol", "seed", "train_r2", "test_r2", "size")}
        if row["nodes"] is None:
            legend = json.loads(row["legend"]) if isinstance(row["legend"], str) else []
            entry |= {"formula": row["formula"], "legend": legend}
        else:
            model = stored.model_of(row, splits)
            entry |= {"formula": model.text(), "legend": legend_of(model)}
            entry["features"] = features_of(model)
        found[row["identity"], row["seed"]] = entry
    return found


def collect_runs(
    experiment: "Experiment",
    records: list[str],
    reused: list[ReusedRuns],
    folder: str | None,
    runs: str,
    curves: str,
    models: str,
) -> None:
    """Write an experiment's table of runs, its evolution curves and its typical models.

    `records` are files of runs that were computed here; `reused` are published runs in `folder`.
    """
    found = Runs(experiment, records_of(records), reused, folder)
    write_csv(runs, found.table_of_runs())
    write_csv(curves, found.table_of_curves())
    write_json(models, found.typical_models())


def join_runs(tables: list[str], runs: str, failures: str) -> None:
    """Join the tables of runs of all experiments, which may share runs, and list failed runs."""
    parts = [read_table(path, as_text=True) for path in tables]
    joined = pd.concat(parts, ignore_index=True).drop_duplicates(KEY)
    write_csv(runs, joined)
    failed = joined[joined["status"] == "failed"]
    write_csv(failures, failed[["dataset", "method", "seed", "protocol", "error", "file"]])
