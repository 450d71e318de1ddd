"""The step that runs a method on a dataset for a block of seeds."""

import functools
import hashlib
import logging
import math
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...competitors.packages import versions_for
from ...core.files import DamagedFileError, append_record, close_journal, journal_of, write_sealed
from ...core.versions import library_versions
from ..names import NOISE_TIMES
from ..paths import seeds_of
from ..protocols import r2
from .problems import Noise, Problem, noise_estimates, problems
from .records import names_of, runs_in

if TYPE_CHECKING:
    from .baselines import TunedEstimator
    from .gp import GeneticProgramming

    Learner = GeneticProgramming | TunedEstimator

log = logging.getLogger(__name__)


def learner_of(definition: dict[str, Any], noise: Noise) -> "Learner":
    """Return the learner that a method's definition describes."""
    if "gp" in definition:
        from .gp import GeneticProgramming

        return GeneticProgramming(definition["gp"], noise)
    from .baselines import TunedEstimator

    return TunedEstimator(definition)


def run(learner: "Learner", problem: Problem) -> dict[str, Any]:
    """Fit, score and describe a model; return the outcome as entries of a record."""
    learner.prepare(problem)
    started, busy = time.perf_counter(), time.process_time()
    learner.fit(problem)
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - busy
    return {
        "train_r2": r2(problem.labels, learner.predict(problem.train_table)),
        "test_r2": r2(problem.target[problem.test], learner.predict(problem.test_table)),
        "size": learner.size,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "formula": learner.text,
    } | learner.details()


def run_block(
    method: str,
    definition: dict[str, Any],
    data: str,
    facts: str,
    splits: list[str],
    runs: str,
    noise: list[str] | None = None,
) -> None:
    """Run the seeds of a block. A failed run is recorded and does not stop the rest.

    The folder of the file `runs` has only runs of the same settings, code and data: those in other
    blocks and journals are reused, so the size of blocks may change. Each run is written to a
    journal when it ends, so a killed block does not repeat finished runs.
    """
    estimates = noise_estimates(noise or [])
    learner = functools.cache(lambda: learner_of(definition, estimates))
    place = names_of(runs)
    done = runs_in(Path(runs).parent)
    records = []
    for problem in problems(data, facts, splits):
        if problem.seed not in seeds_of(runs):
            continue
        names = {
            "dataset": problem.dataset,
            "protocol": place["protocol"],
            "method": method,
            "seed": problem.seed,
            "identity": place["identity"],
        } | provenance(problem, definition, estimates.get(problem.seed))
        record, wanted = done.get(problem.seed, {}), names | {"status": "ok"}
        if any(record.get(key) != value for key, value in wanted.items()):
            record = names | guarded(learner(), problem, method)
            append_record(journal_of(runs), record)
        records.append(record)
    if len(records) != len(seeds_of(runs)):
        raise DamagedFileError(", ".join(splits), f"they lack some of the seeds of {runs}")
    write_sealed(runs, *records)
    close_journal(Path(runs))


def provenance(
    problem: Problem, definition: dict[str, Any], noise: dict[str, Any] | None
) -> dict[str, Any]:
    """Return a run's settings, versions of libraries, and checksums of its data."""
    rows = hashlib.sha256(problem.train.tobytes() + problem.labels.tobytes()).hexdigest()
    return {
        "definition": definition,
        "versions": versions(definition),
        "inputs": {
            "source": problem.source_id,
            "data": problem.data_id,
            "training_rows": rows,
            "noise": {k: noise[k] for k in noise if k not in NOISE_TIMES} if noise else None,
        },
    }


def guarded(learner: "Learner", problem: Problem, method: str) -> dict[str, Any]:
    """Return a run's outcome or failure; warnings of libraries are counted and logged."""
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
    return library_versions() | versions_for(definition.get("estimator", ""))
