"""The step that estimates label noise, which sets the weight of regularisers."""

import time
from typing import Any

from ...core.files import read_sealed, write_sealed
from ...engine.compilation.warmup import compile_kernels
from ...engine.objectives.noise import adaptive_tau, noise_scores
from .problems import Problem, problems


def estimate_noise(data: str, facts: str, splits: str, noise: str) -> None:
    """Write the noise estimate of each run: the R² of Extra Trees on held-out training rows."""
    compile_kernels()
    runs = [noise_of(problem) for problem in problems(data, facts, [splits])]
    write_sealed(noise, {"dataset": read_sealed(splits)["dataset"], "runs": runs})


def noise_of(problem: Problem) -> dict[str, Any]:
    """Return the noise estimate of a run and its times."""
    started, busy = time.perf_counter(), time.process_time()
    x = problem.standardizer.standardize(problem.train_table)
    if x.shape[1] == 0 or problem.labels.min() == problem.labels.max():
        scores = {"mean": 0.0, "pooled": 0.0}
    else:
        y = problem.standardizer.standardize_target(problem.labels)
        scores = noise_scores(x, y, problem.seed)
    times = {
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time() - busy,
    }
    return {"seed": problem.seed, **scores, "tau": adaptive_tau(scores["mean"]), **times}
