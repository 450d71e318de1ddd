"""The step that runs one method on one dataset, seed after seed, into one file of records."""

from __future__ import annotations

import functools
import hashlib
import logging
import math
import re
import warnings
from collections import Counter
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..competitors.packages import versions_for
from ..files import (
    DamagedFileError,
    append_record,
    close_journal,
    journal_of,
    read_records,
    whole_records,
    write_records,
)
from .blocks import seeds_of
from .learners import Learner, run
from .problems import Problem, problems

if TYPE_CHECKING:
    from .records import Record

log = logging.getLogger(__name__)
LIBRARIES = ("vjmgp", "numpy", "numba", "scikit-learn")
PLACE = re.compile(r".*/([^/]+)/([^/]+)/[^/]+-([0-9a-f]{8})/seeds_(\d+-\d+)\.jsonl")
"""Protocol, dataset, identity and block of a file of runs."""


def run_block(
    make_learner: Callable[[], Learner],
    method: str,
    definition: dict[str, Any],
    data: str,
    facts: str,
    splits: list[str],
    noise: dict[int, dict[str, Any]],
    output: str,
) -> None:
    """Run the seeds of a block. A run that fails is recorded as failed and stops no other.

    The folder of the output has the runs of the same settings, code and data, and no others: what
    other blocks and journals in it hold is taken from there, so blocks may change their size. Each
    run is written to a journal when it ends, so a block that is killed does no run twice.
    """
    learner = functools.cache(make_learner)
    protocol, _, identity, block = place_of(output)
    done = _finished_runs(Path(output))
    records = []
    for problem in problems(data, facts, splits):
        if problem.seed not in seeds_of(block):
            continue
        names = {
            "dataset": problem.dataset,
            "protocol": protocol,
            "method": method,
            "seed": problem.seed,
            "identity": identity,
        } | provenance(problem, definition, noise.get(problem.seed))
        record = done.get(problem.seed)
        if record is None or any(record.get(key) != value for key, value in names.items()):
            record = names | guarded(learner(), problem, method)
            append_record(journal_of(output), record)
        records.append(record)
    if len(records) != len(seeds_of(block)):
        raise DamagedFileError(", ".join(splits), f"they lack some of the seeds {block}")
    write_records(output, records)
    close_journal(Path(output))


def place_of(path: str | Path) -> tuple[str, ...]:
    """Protocol, dataset, identity and block of a file of runs."""
    found = PLACE.fullmatch(str(path))
    if not found:
        raise ValueError(f"{path} is not where files of runs are.")
    return found.groups()


def read_block(path: str | Path) -> list[Record]:
    """The records of a file of runs; they must be those that its path tells."""
    protocol, dataset, identity, block = place_of(path)
    records: Any = read_records(path)
    found = [
        (r.get("protocol"), r.get("dataset"), r.get("identity"), r.get("seed")) for r in records
    ]
    if found != [(protocol, dataset, identity, seed) for seed in seeds_of(block)]:
        raise DamagedFileError(str(path), "its runs are not those of its name")
    return list(records)


def provenance(
    problem: Problem, definition: dict[str, Any], noise: dict[str, Any] | None
) -> dict[str, Any]:
    """What a run is made from: settings, libraries and data, the latter by checksum."""
    rows = hashlib.sha256(problem.train.tobytes() + problem.labels.tobytes()).hexdigest()
    return {
        "definition": definition,
        "versions": versions(definition),
        "inputs": {
            "source": problem.source_id,
            "data": problem.data_id,
            "training_rows": rows,
            "noise": noise,
        },
    }


def _finished_runs(output: Path) -> dict[int, Any]:
    """Good runs in the files and journals beside this one, by seed."""
    return {
        record["seed"]: record
        for path in sorted(output.parent.glob("seeds_*.jsonl*"))
        for record in whole_records(path)
        if record["status"] == "ok"
    }


def guarded(learner: Learner, problem: Problem, method: str) -> dict[str, Any]:
    """A run's outcome, or its failure. Warnings of libraries are counted and logged."""
    what = f"{method} on {problem.dataset}, seed {problem.seed}"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            record = run(learner, problem)
            for part, key in (("training", "train_r2"), ("test", "test_r2")):
                if not math.isfinite(record[key]):
                    raise ValueError(f"the {part} R² is {record[key]}")
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
