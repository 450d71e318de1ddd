"""How many seeds a study needs at least, and how long it will take."""

from __future__ import annotations

from .model import Method, Study

SECONDS = {
    "Operon": 201.0, "FFX": 41.0, "XGB": 36.0, "ExcelFormer": 34.0, "AdaBoost": 26.0,
    "RandomForest": 25.0, "ExtraTrees": 15.0, "LGBM": 5.5, "MLP": 3.7, "SVR": 2.9,
    "KernelRidge": 0.6, "ElasticNet": 0.2, "KNeighbors": 0.1, "LassoLars": 0.05,
    "LinearRegression": 0.01,
}  # fmt: skip
"""CPU seconds of a run on 100 rows, tuning included (docs/competitors.md, 2026-11-16)."""
GENERATIONS, POPULATION, GP_SECONDS = 100, 200, 1.0
"""A run of genetic programming with the paper's settings takes about a second."""
JOB_SECONDS = 0.5
"""What a job takes beside its runs."""


def seeds_needed(significance: float) -> int:
    """The fewest paired runs that can be significant in a signed-rank test at this level."""
    seeds = 1
    while 2.0 * 0.5**seeds >= significance:
        seeds += 1
    return seeds


def seconds_per_run(method: Method) -> float | None:
    """Measured seconds of a run; None for a learner of the user's own."""
    if not method.is_gp:
        return SECONDS.get(method.name)
    settings = method.definition["gp"]
    if "max_time" in settings:
        return float(settings["max_time"])
    share = settings.get("generations", GENERATIONS) / GENERATIONS
    return GP_SECONDS * float(share * settings.get("population_size", POPULATION) / POPULATION)


def seconds_of(study: Study) -> tuple[float, list[str]]:
    """Seconds of one core for all runs of a study, and the methods without a measurement."""
    cells = {
        (experiment.protocol, dataset, method)
        for experiment in study.experiments.values()
        for dataset in experiment.datasets
        for method in experiment.methods
    }
    total, unknown = JOB_SECONDS * len(study.all_run_files()), []
    for method in study.methods.values():
        seconds = seconds_per_run(method)
        if seconds is None:
            unknown.append(method.name)
        count = sum(1 for cell in cells if cell[2] == method.name)
        total += count * study.seeds * (seconds or 0.0)
    return total, unknown
