"""Estimate the time that a study takes."""

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
JOB_SECONDS = 0.5
"""The overhead of a job."""


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


def seconds_of(study: Study) -> tuple[float, list[str]]:
    """Return the seconds of one core for all runs, and the methods without a measurement."""
    seconds = {name: seconds_per_run(method) for name, method in study.methods.items()}
    total = sum(
        JOB_SECONDS + len(seeds_of(block)) * (seconds[cell.method] or 0.0)
        for cell, block in study.blocks()
    )
    return total, [name for name, known in seconds.items() if known is None]
