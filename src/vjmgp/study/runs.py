"""A block of runs: one method on one dataset, seed after seed, into one file of records."""

from __future__ import annotations

import functools
import hashlib
import json
import logging
import math
import warnings
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..competitors.packages import versions_for
from ..fetching import write_whole
from .config import seeds_of
from .data import Problem, problems, read_json
from .learners import Learner, make, run
from .learners import Record as Record

log = logging.getLogger(__name__)
LIBRARIES = ("vjmgp", "numpy", "numba", "scikit-learn")


def run_block(
    method: str,
    definition: dict[str, Any],
    protocol: str,
    block: str,
    data: str,
    facts: str,
    splits: list[str],
    noise: list[str],
    code: list[str],
    output: str,
) -> None:
    """Run the seeds of a block. One that fails is recorded as such and stops no other.

    Runs that another block has done already, with the same data, definition and code, are taken
    from there: so blocks may change their size.
    """

    @functools.cache
    def learner() -> Learner:
        estimates = {run["seed"]: run for path in noise for run in read_json(path)["runs"]}
        return make(definition, estimates)

    seeds = seeds_of(block)
    done = _finished_runs(Path(output))
    records = []
    for problem in problems(data, facts, splits):
        if problem.seed in seeds:
            names = {
                "dataset": problem.dataset,
                "protocol": protocol,
                "method": method,
                "seed": problem.seed,
            }
            basis = fingerprint(problem, definition, code)
            record = done.get(basis)
            if record is None or any(record[key] != names[key] for key in names):
                record = names | guarded(learner(), problem, names)
                record |= {"versions": versions(definition), "basis": basis}
            records.append(record)
    if len(records) != len(seeds):
        raise ValueError(f"{', '.join(splits)} lack some of the seeds {block}: delete them.")
    write_records(output, records)


def fingerprint(problem: Problem, definition: dict[str, Any], code: list[str]) -> str:
    """A hash of all that a run depends on."""
    digest = hashlib.sha256(
        json.dumps([definition, code, versions(definition), problem.nominal, problem.seed]).encode()
    )
    digest.update(problem.data_id.encode())
    for values in (problem.train, problem.labels):
        digest.update(values.tobytes())
    return digest.hexdigest()[:20]


def _finished_runs(output: Path) -> dict[str, Record]:
    """Runs in the files of other blocks beside this one, by their fingerprint."""
    found: dict[str, Record] = {}
    for path in sorted(output.parent.glob("seeds_*.jsonl")):
        try:
            records = list(read_records(str(path)))
        except (ValueError, OSError):
            continue  # what cannot be read is computed again
        found |= {r["basis"]: r for r in records if r["status"] == "ok" and path != output}
    return found


def guarded(learner: Learner, problem: Problem, names: dict[str, Any]) -> Record:
    """A run's record, or that of its failure. What libraries warn of is counted and logged."""
    what = f"{names['method']} on {names['dataset']}, seed {names['seed']}"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            record = run(learner, problem)
            if not math.isfinite(record["test_r2"]):
                raise ValueError(f"the test R² is {record['test_r2']}")
        except Exception as error:
            log.exception("FAILED: %s", what)
            reason = (str(error).strip().splitlines() or [""])[0]
            return {"status": "failed", "error": f"{type(error).__name__}: {reason}"}
    kinds = Counter(warning.category.__name__ for warning in caught)
    for kind, count in kinds.items():
        first = next(w for w in caught if w.category.__name__ == kind)
        log.info("%s: %d × %s, first: %s", what, count, kind, str(first.message).split("\n")[0])
    log.info("%s: test R² %.4f in %.2f s", what, record["test_r2"], record["seconds"])
    return {"status": "ok"} | record | {"warnings": dict(kinds)}


def versions(definition: dict[str, Any]) -> dict[str, str]:
    """Versions of the libraries that a method's results depend on."""
    return _versions() | versions_for(definition.get("estimator", ""))


@functools.cache
def _versions() -> dict[str, str]:
    return {name: version(name) for name in LIBRARIES}


# -- files of records ----------------------------------------------------------------------------


def write_records(path: str, records: list[Record]) -> None:
    """One line of JSON per run."""
    lines = (json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)
    write_whole(Path(path), lines)


def read_records(path: str) -> Iterator[Record]:
    """The runs of a file; a damaged one is named."""
    with Path(path).open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                record: Record = json.loads(line)
            except ValueError:
                raise ValueError(
                    f"{path}, line {number}, is damaged: delete the file and run again."
                ) from None
            yield record
