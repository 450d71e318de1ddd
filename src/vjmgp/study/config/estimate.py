"""Estimate the time that a study takes."""

from pathlib import Path

from ..paths import seeds_of
from ..plan.study import Method, Study

SECONDS = {
    "Operon": 170.0, "FFX": 35.0, "ExcelFormer": 22.0, "XGB": 23.0, "SVR": 3.1, "AdaBoost": 3.0,
    "RandomForest": 2.8, "LGBM": 2.7, "ExtraTrees": 1.9, "MLP": 1.8, "GaussianProcess": 0.6,
    "KernelRidge": 0.5, "ElasticNet": 0.2, "KNeighbors": 0.1, "LassoLars": 0.06,
    "LinearRegression": 0.01,
}  # fmt: skip
"""CPU seconds of a run on 100 rows, tuning included (docs/competitors.md, 2026-11-18)."""
GENERATIONS, POPULATION, GP_SECONDS = 100, 200, 0.4
"""A run of genetic programming with the paper's settings; VJM takes somewhat less."""
JOB_SECONDS, UNKNOWN_SECONDS = 0.5, 2.0
"""The overhead of a job, and the guess for a run of a user's learner."""


def seconds_per_run(method: Method) -> float | None:
    """Return the measured seconds of a run; None for a user's learner."""
    if not method.is_gp:
        return SECONDS.get(method.name)
    settings = method.definition["gp"]
    limit = settings.get("max_time")
    if limit is not None:
        return (1.0 + limit["share"]) * GP_SECONDS if isinstance(limit, dict) else float(limit)
    share = settings.get("generations", GENERATIONS) / GENERATIONS
    return GP_SECONDS * float(share * settings.get("population_size", POPULATION) / POPULATION)


def seconds_of_jobs(study: Study) -> dict[str, dict[str, float]]:
    """Return the seconds of each block of runs that is still to be computed, by rule and path."""
    found: dict[str, dict[str, float]] = {"run_gp": {}, "run_baseline": {}}
    for cell, block in study.blocks():
        method, path = study.methods[cell.method], study.files.block(cell, block)
        if not Path(path).exists():
            seconds = seconds_per_run(method)
            runs = len(seeds_of(block)) * (UNKNOWN_SECONDS if seconds is None else seconds)
            found["run_gp" if method.is_gp else "run_baseline"][path] = JOB_SECONDS + runs
    return found


def seconds_of(study: Study) -> tuple[float, list[str]]:
    """Return the seconds of one core for all runs, and the methods without a measurement."""
    seconds = {name: seconds_per_run(method) for name, method in study.methods.items()}
    total = sum(
        JOB_SECONDS + len(seeds_of(block)) * (seconds[cell.method] or 0.0)
        for cell, block in study.blocks()
    )
    return total, [name for name, known in seconds.items() if known is None]
