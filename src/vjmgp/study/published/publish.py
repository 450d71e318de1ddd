"""Publish the runs of a study as files that other studies reuse."""

from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...core.files import checksum, read_sealed, write_sealed, write_whole
from ...engine.version import ENGINE_VERSION
from ..names import PAPER
from ..plan.study import Cell, Study
from ..report.run_page import machine
from ..runs.records import runs_in
from . import rows as stored
from .index import DATASETS, INDEX, PublishedCell, read_published
from .index import SPLITS as SPLITS_FILE
from .rows import Row, Split, key_of, read_parquet, row_of, split_of, splits_of, write_rows

COPIED = ("summary", "medians", "pairwise", "win_tie_loss_test_r2", "win_tie_loss_train_r2")
"""The tables of an experiment that are published with its runs."""


class Publication:
    """The content of a folder of published runs: what it held before, and runs of studies."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        before = read_published(folder)
        self.groups: dict[str, dict[str, list[Row]]] = defaultdict(dict)
        """Rows by experiment and identity."""
        self.splits: dict[Split, Row] = {}
        self.inputs: dict[tuple[Any, ...], str] = {}
        """Checksums of the data of each split, the same for all encodings."""
        self.facts: dict[str, Any] = {}
        if not before:
            return
        for group in dict.fromkeys(cell.group for cell in before.cells.values()):
            for row in read_parquet(before, f"{group}.parquet").to_pylist():
                self.groups[group].setdefault(row["identity"], []).append(row)
        self.splits = splits_of(before)
        self.inputs = {key[:-1]: split["inputs"] for key, split in self.splits.items()}
        self.facts = read_sealed(before.file(DATASETS))["datasets"]

    def add(self, study: Study) -> int:
        """Add the finished runs of a study, and return how many are new."""
        first: dict[Cell, str] = {}  # the first experiment that needs a cell
        for name in study.experiments:
            for cell in study.cells(name):
                first.setdefault(cell, name)
        new = 0
        for cell, experiment in first.items():
            identity = study.ids.run(*cell)
            # The runs are in the file of the first experiment that needed them.
            found = (group for group, cells in self.groups.items() if identity in cells)
            group = next(found, experiment)
            known = self.groups.get(group, {}).get(identity, [])
            rows = self._rows_after(known, study, cell)
            if rows:
                self.groups[group][identity] = known + rows
                new += len(rows)
                source = [read_sealed(note) for note in study.files.source(cell.dataset)[1:]]
                facts = read_sealed(study.files.prepared(cell.dataset)[1])
                self.facts[cell.dataset] = {"facts": facts, "source": source[0] if source else None}
        return new

    def _rows_after(self, known: list[Row], study: Study, cell: Cell) -> list[Row]:
        """Return the runs of a cell that follow the published ones without a gap."""
        found = runs_in(Path(study.files.block(cell, "0-0")).parent)
        rows = []
        for seed in range(study.seeds):
            if seed in found:
                self._check_split(found[seed])
                if seed >= len(known):
                    rows.append(row_of(found[seed]))
            elif seed >= len(known):
                break
        return rows

    def _check_split(self, record: Row) -> None:
        """Keep what the runs of a split share; raise if the training rows differ."""
        if "model" not in record:
            return
        split = split_of(record)
        stored = self.splits.setdefault(key_of(split), split)
        inputs = self.inputs.setdefault(key_of(split)[:-1], split["inputs"])
        if stored != split or inputs != split["inputs"]:
            raise ValueError(
                f"{record['dataset']}, seed {record['seed']}: its runs have different training "
                "rows; publish the runs of one results folder."
            )

    def write(self) -> None:
        """Write the folder; the index comes last, so that it never names a missing file."""
        cells = {}
        for group, rows in self.groups.items():
            runs = [row for identity in rows for row in rows[identity]]
            write_rows(self.folder / f"{group}.parquet", runs, stored.SCHEMA)
            for identity, (first, *rest) in rows.items():
                names = (first["protocol"], first["dataset"], first["method"])
                cells[identity] = PublishedCell(*names, 1 + len(rest), group)
        write_rows(self.folder / SPLITS_FILE, self.splits.values(), stored.SPLITS)
        write_sealed(self.folder / DATASETS, {"datasets": self.facts})
        files = [*(f"{group}.parquet" for group in self.groups), SPLITS_FILE, DATASETS]
        sums = {name: checksum(self.folder / name) for name in files}
        today = datetime.now(UTC).strftime("%Y-%m-%d")
        made = {"date": today, "machine": machine(), "engine": ENGINE_VERSION}
        write_sealed(self.folder / INDEX, {"made": made, "files": sums, "cells": cells})
        read_published.cache_clear()


def copy_tables(study: Study, folder: Path) -> int:
    """Copy the tables that the study has made of its runs, and return their number."""
    protocols = {experiment.protocol for experiment in study.experiments.values()}
    report = study.files.report()
    tables = [report.scoreboard] if PAPER in protocols else []  # else it is empty
    for files in report.experiments.values():
        tables += [path for name, path in files.statistics.items() if name in COPIED]
        tables.append(files.srbench)
    found = [Path(path) for path in tables if Path(path).exists()]
    for path in found:
        write_whole(folder / path.relative_to(study.results), [path.read_bytes()])
    return len(found)
