"""A block of runs: one method on one dataset, seed after seed, into one file of records."""

from __future__ import annotations

import functools
import hashlib
import json
import logging
import math
import warnings
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..competitors.packages import versions_for
from .config import seeds_of
from .data import Problem, problems
from .learners import Learner, make, run
from .learners import Record as Record
from .seals import (
    JOURNAL,
    append_record,
    aside,
    close_journal,
    read_sealed,
    whole_records,
    write_records,
)

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
    code: dict[str, str],
    output: str,
) -> None:
    """Run the seeds of a block. One that fails is recorded as such and stops no other.

    Runs that another block has done already, with the same data, definition and code, are taken
    from there: so blocks may change their size. Each run is also written to a journal when it ends,
    so a block that is killed, or whose end nobody noted, does no run twice.
    """
    estimates = noise_estimates(noise)
    learner = functools.cache(lambda: make(definition, estimates))
    seeds = seeds_of(block)
    done = _finished_runs(Path(output))
    records = []
    journal = Path(output + JOURNAL)
    for problem in problems(data, facts, splits):
        if problem.seed in seeds:
            names = {
                "dataset": problem.dataset,
                "protocol": protocol,
                "method": method,
                "seed": problem.seed,
            }
            estimate = estimates.get(problem.seed)
            basis = fingerprint(problem, definition, code, estimate)
            record = done.get(basis)
            if record is None or any(record[key] != names[key] for key in names):
                record = names | guarded(learner(), problem, names)
                record |= provenance(problem, definition, code, estimate) | {"basis": basis}
                append_record(journal, record)
            records.append(record)
    if len(records) != len(seeds):
        raise ValueError(f"{', '.join(splits)} lack some of the seeds {block}: delete them.")
    write_records(output, records)
    close_journal(Path(output))
    aside(Path(output)).unlink(missing_ok=True)


def provenance(
    problem: Problem,
    definition: dict[str, Any],
    code: dict[str, str],
    noise: dict[str, Any] | None = None,
) -> Record:
    """What a run was made from: settings, code, libraries and data, the latter by checksum."""
    rows = hashlib.sha256(problem.train.tobytes() + problem.labels.tobytes()).hexdigest()
    return {
        "definition": definition,
        "code": code,
        "versions": versions(definition),
        "inputs": {
            "source": problem.source_id,
            "data": problem.data_id,
            "training_rows": rows,
            "noise": noise,
        },
    }


def fingerprint(
    problem: Problem,
    definition: dict[str, Any],
    code: dict[str, str],
    noise: dict[str, Any] | None = None,
) -> str:
    """A hash of all that a run depends on."""
    parts = [definition, code, versions(definition), problem.nominal, problem.seed, noise]
    digest = hashlib.sha256(json.dumps(parts).encode())
    digest.update(problem.data_id.encode())
    for values in (problem.train, problem.labels):
        digest.update(values.tobytes())
    return digest.hexdigest()[:20]


def _finished_runs(output: Path) -> dict[str, Record]:
    """Runs in the files of other blocks beside this one, by their fingerprint.

    Also those in journals, and those that are whole in a damaged file of this block.
    """
    found: dict[str, Record] = {}
    for path in sorted(output.parent.glob("seeds_*.jsonl*")):
        is_copy = path.suffix == JOURNAL and path.with_suffix("").exists()
        if path != output and not is_copy:
            found |= {r["basis"]: r for r in whole_records(path) if r["status"] == "ok"}
    return found


def noise_estimates(paths: list[str]) -> dict[int, dict[str, Any]]:
    """The noise estimates of files, by seed."""
    return {run["seed"]: run for path in paths for run in read_sealed(path)["runs"]}


def guarded(learner: Learner, problem: Problem, names: dict[str, Any]) -> Record:
    """A run's record, or that of its failure. What libraries warn of is counted and logged."""
    what = f"{names['method']} on {names['dataset']}, seed {names['seed']}"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            record = run(learner, problem)
            for part in ("training", "test"):
                score = record["train_r2" if part == "training" else "test_r2"]
                if not math.isfinite(score):
                    raise ValueError(f"the {part} R² is {score}")
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
