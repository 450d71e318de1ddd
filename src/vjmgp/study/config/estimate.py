"""How many seeds a study needs at least, and how long it will take."""

from __future__ import annotations

from ..paths import seeds_of
from ..plan.study import Method, Study
from ..statistics.fewest_pairs import fewest_pairs

SECONDS = {
    "Operon": 170.0, "FFX": 35.0, "ExcelFormer": 22.0, "XGB": 23.0, "SVR": 3.1, "AdaBoost": 3.0,
    "RandomForest": 2.8, "LGBM": 2.7, "ExtraTrees": 1.9, "MLP": 1.8, "GaussianProcess": 0.6,
    "KernelRidge": 0.5, "ElasticNet": 0.2, "KNeighbors": 0.1, "LassoLars": 0.06,
    "LinearRegression": 0.01,
}  # fmt: skip
"""CPU seconds of a run on 100 rows, tuning included (docs/competitors.md, 2026-11-18)."""
GENERATIONS, POPULATION, GP_SECONDS = 100, 200, 0.4
"""A run of genetic programming with the paper's settings: somewhat more than VJM takes."""
JOB_SECONDS = 0.5
"""What a job takes beside its runs."""


def seeds_needed(significance: float) -> int:
    """The fewest paired runs that can be significant in a signed-rank test at this level."""
    return fewest_pairs(significance)


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
    seconds = {name: seconds_per_run(method) for name, method in study.methods.items()}
    total = 0.0
    for path in study.run_files():
        method = study.methods_by_slug[path.split("/")[-2][:-9]].name
        total += JOB_SECONDS + len(seeds_of(path)) * (seconds[method] or 0.0)
    return total, [name for name, known in seconds.items() if known is None]
