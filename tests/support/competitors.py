"""Methods of the catalogue with short fits, and the problems that they run on."""

import copy
import warnings

import yaml
from tests.support.workflow_runs import ROOT
from threadpoolctl import threadpool_limits

from vjmgp import load_dataset, paper_split
from vjmgp.study.runs.problems import Problem

CATALOGUE = yaml.safe_load((ROOT / "config/methods.yaml").read_text())
COMPETITORS = [name for name, definition in CATALOGUE.items() if "estimator" in definition]
SHORT = {
    "Operon": {"max_evaluations": 5000},
    "ExcelFormer": {"max_epochs": 12, "patience": 5},
    "FFX": {"folds": 2},
}
"""Settings of short fits."""


def one_point(name, more=()):
    """Return a method of the catalogue with one point of its grid."""
    definition = copy.deepcopy(CATALOGUE[name])
    grid = definition.pop("grid", {})
    first = grid[0] if isinstance(grid, list) else {key: values[0] for key, values in grid.items()}
    definition["settings"] = definition.get("settings", {}) | first | SHORT.get(name, {})
    return definition | dict(more)


def problem_of(dataset, seed=0):
    """Return the problem of a dataset and a seed."""
    data = load_dataset(dataset)
    train, test = paper_split(dataset, len(data), seed)
    labels = data.target[train]
    return Problem(dataset, seed, data.inputs, data.target, list(data.nominal), train, test, labels)


def quietly(function, *arguments):
    """Call a function in one thread, without warnings."""
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        return function(*arguments)
