"""Are the results what they claim to be: checksums, tables against records, runs computed again.

A run that is computed again from its data, settings and seed must give the same record to the last
bit, but for its times. Runs that time has ended cannot. Splits and noise estimates are computed
again, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..files import sealed, unsealed
from ..protocol import Protocol
from ..study import paths
from ..study.baselines import TunedEstimator
from ..study.gp import GeneticProgramming
from ..study.learners import Learner, run
from ..study.model import Method, Study
from ..study.names import WALL_TIMES
from ..study.noise import noise_estimates, noise_of
from ..study.problems import Problem, problems
from ..study.runs import read_block, versions
from ..study.tables import read_table
from .repair import damaged_files

Noise = dict[int, dict[str, Any]]
SHOWN = ("train_r2", "test_r2", "size", "formula")
"""Columns of the table of runs that are compared with the records."""


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    what: str
    ok: bool
    text: str


def verify(study: Study, count: int, seed: int) -> Iterator[Finding]:
    """Look at everything on disk, and compute a random sample of the runs again."""
    damaged = list(damaged_files(study.results))
    text = f"damaged: {', '.join(map(str, damaged))}. This repairs it: vjmgp study repair CONFIG"
    yield Finding("checksums of all files", not damaged, text if damaged else "right")
    if damaged:
        return
    records = {path: read_block(path) for path in finished_files(study)}
    yield _compare_table(Path(study.at(paths.ALL_RUNS)), records)
    methods = {name: m for name, m in study.methods.items() if not m.ends_by_time}
    candidates = [
        record
        for block in records.values()
        for record in block
        if record["status"] == "ok" and record["method"] in methods
    ]
    rng = np.random.default_rng(seed)
    if not candidates and count:
        yield Finding("runs to compute again", False, "time has ended all of them")
    for k in sorted(rng.permutation(len(candidates))[:count]):
        record = candidates[k]
        yield _run_again(study, methods[record["method"]], record)


def finished_files(study: Study) -> list[str]:
    """The files with the runs of a study that are there."""
    return [path for path in study.all_run_files() if Path(path).exists()]


def _compare_table(table: Path, records: dict[str, list[Any]]) -> Finding:
    what = f"{table} against the records"
    if not table.exists():
        return Finding(what, True, "not there yet")
    content = read_table(table, as_text=True)
    lacking = {"file", "seed", *SHOWN} - set(content.columns)
    if lacking:
        return Finding(what, False, f"it lacks the columns {sorted(lacking)}: delete it, run again")
    rows = content.to_dict("records")
    shown = {(row["file"], row["seed"]): row for row in rows}
    stored = {
        ("/".join(Path(path).parts[-5:]), str(record["seed"])): record
        for path, block in records.items()
        for record in block
    }
    if len(rows) != len(shown) or shown.keys() - stored.keys():
        return Finding(what, False, "it has rows without a record: delete it, run again")
    if stored.keys() - shown.keys():
        return Finding(what, False, "it lacks runs: run the study again")
    for (file, number), row in shown.items():
        for column in SHOWN:
            value = stored[file, number].get(column)
            if not _is_the_same(row[column], value):
                text = f"{column} of {file}, seed {number}, is {row[column]}, not {value}: "
                return Finding(what, False, text + "delete the table, run again")
    return Finding(what, True, f"{len(rows)} rows agree")


def _is_the_same(text: str, value: Any) -> bool:
    if value is None:
        return text == ""
    try:
        return text == value if isinstance(value, str) else float(text) == value
    except ValueError:
        return False


def _run_again(study: Study, method: Method, record: Any) -> Finding:
    what = (
        f"{record['method']} on {record['dataset']} ({record['protocol']}), seed {record['seed']}"
    )
    now = versions(method.definition)
    changed = [
        f"{name} {version} then, {now.get(name)} now"
        for name, version in record["versions"].items()
        if now.get(name) != version
    ]
    if changed:
        return Finding(what, False, f"made with other versions ({'; '.join(changed)})")
    try:
        problem, noise = _inputs_of(study, method, record)
    except FileNotFoundError as error:
        return Finding(what, False, f"{error.filename} is missing: run the study again")
    wrong = _wrong_inputs(study.protocols[record["protocol"]], problem, noise)
    if wrong:
        return Finding(what, False, f"{wrong} not what they should be: delete them, run again")
    again = run(learner_of(method, noise), problem)
    different = [
        key
        for key, value in again.items()
        if key not in WALL_TIMES and _text(value) != _text(record.get(key))
    ]
    if different:
        key = different[0]
        was, is_now = (_text(value)[:60] for value in (record.get(key), again[key]))
        words = f"{', '.join(different)} differ; {key}: {was} then, {is_now} now"
        return Finding(what, False, words)
    return Finding(what, True, f"the same to the bit, test R² {record['test_r2']:.6f}")


def learner_of(method: Method, noise: Noise) -> Learner:
    """The learner that a method describes; `noise` has the noise estimate of each seed."""
    if method.is_gp:
        return GeneticProgramming(method.definition["gp"], noise)
    return TunedEstimator(method.definition)


def _inputs_of(study: Study, method: Method, record: Any) -> tuple[Problem, Noise]:
    """The data of a run, and its noise estimate where it has one."""
    where, seed = (record["protocol"], record["dataset"]), record["seed"]
    block = study.blocks_with(range(seed, seed + 1))[0]
    all_of_block = problems(*study.prepared(where[1]), [study.split_file(*where, block)])
    problem = next(problem for problem in all_of_block if problem.seed == seed)
    noise = noise_estimates([study.noise_file(*where, block)]) if method.is_gp else {}
    return problem, {key: value for key, value in noise.items() if key == seed}


def _wrong_inputs(protocol: Protocol, problem: Problem, noise: Noise) -> str | None:
    """Which of the files that a run is made from does not have what it should have."""
    name, seed = problem.dataset, problem.seed
    train, _ = protocol.split(name, len(problem.table), seed)
    if not np.array_equal(train, problem.train):
        return "its training rows are"
    labels = problem.target[train]
    if protocol.label_noise:
        labels = protocol.training_labels(labels, name, seed)
    if not np.array_equal(labels, problem.labels):
        return "its training labels are"
    if noise and noise != {seed: noise_of(problem)}:
        return "its noise estimates are"
    return None


def _text(value: Any) -> str:
    """A value as it would be written down: equal texts are equal bits."""
    return json.dumps(unsealed(sealed({"value": value}), "")["value"], sort_keys=True)
