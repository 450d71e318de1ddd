"""Small runs of the engine, and views of their models and vicinal points."""

import os
import subprocess
import sys

import numpy as np
from tests.support.twins import evaluate_tree

from vjmgp.engine.objectives.vicinal import MixupRule
from vjmgp.engine.preparation import prepare
from vjmgp.engine.search.archive import ENTRIES, front_of
from vjmgp.engine.search.evolution import Evolution
from vjmgp.engine.settings import Settings
from vjmgp.engine.trees.pool import LENGTH, MEAN, SCALE, START
from vjmgp.engine.trees.primitives import FIRST_VARIABLE

MIX_Y = MixupRule(10.0, 0.5, joint=False, fold=True)
MIX_XY = MIX_Y._replace(joint=True)


def small_problem():
    """Return a small standardised problem: 60 rows, 4 inputs, some noise."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=(60, 4))
    y = np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.2 * rng.normal(size=60)
    return (x - x.mean(0)) / x.std(0), (y - y.mean()) / y.std()


def new_run(problem, seed=0, population_size=40, sample_weight=None, **changes):
    """Return a run that has not started."""
    settings = Settings(population_size=population_size, **changes)
    return Evolution(prepare(*problem, settings, seed=seed, sample_weight=sample_weight))


def evolved(problem, seed=0, generations=8, **changes):
    """Return a run after some generations."""
    return advanced(new_run(problem, seed, **changes), generations)


def advanced(run, generations):
    """Start a run, and return it after some generations."""
    run.start()
    for _ in range(generations):
        run.step()
    return run


def printed_by(code, **environment):
    """Run Python code in another process, and return what it prints."""
    command, variables = [sys.executable, "-c", code], os.environ | environment
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=True).stdout


def fingerprint(run):
    """Return every bit of a run's archive and front."""
    archive, count = run.archive, run.archive.counts[ENTRIES]
    nodes = archive.counts[1]
    parts = [archive.scores[:count], archive.facts[:count], archive.linear[:count]]
    parts += [archive.codes[:nodes], archive.constants[:nodes], front_of(archive)]
    return b"".join(np.ascontiguousarray(part).tobytes() for part in parts)


def nodes_of(pool, tree):
    """Return the codes and constants of a tree in a pool."""
    start, length = pool.facts[tree, START], pool.facts[tree, LENGTH]
    return pool.codes[start : start + length], pool.constants[start : start + length]


def model_of(run, row):
    """Return an individual's model as a function of rows × inputs, optionally unscaled."""
    trees = run.individuals.trees[row, : run.individuals.n_trees[row]]
    weights = run.individuals.weights[row]

    def values(points, scaled=True):
        total = np.full(len(points), run.y.mean())
        for t, tree in enumerate(trees):
            feature = evaluate_tree(*nodes_of(run.pool, tree), np.ascontiguousarray(points.T))
            mean, scale = run.pool.scaling[tree, MEAN], run.pool.scaling[tree, SCALE]
            if scaled:
                feature = (feature - mean) * scale
            total += weights[t] * feature
        return total

    return values


def features_of(run, row, x):
    """Return the standardised features of an individual, rows × trees."""
    model = model_of(run, row)
    weights = run.individuals.weights[row].copy()
    columns = []
    for t in range(run.individuals.n_trees[row]):
        run.individuals.weights[row] = 0.0
        run.individuals.weights[row, t] = 1.0
        columns.append(model(x) - run.y.mean())
    run.individuals.weights[row] = weights
    return np.column_stack(columns)


def inputs_of(run, row):
    """Return the numbers of the inputs that an individual uses."""
    trees = run.individuals.trees[row, : run.individuals.n_trees[row]]
    codes = np.concatenate([nodes_of(run.pool, tree)[0] for tree in trees])
    return sorted(set(codes[codes >= FIRST_VARIABLE] - FIRST_VARIABLE))


def vicinity_of(run, x):
    """Return the vicinal points of a run, their partners and their shares."""
    columns = run.workspace.memory[run.workspace.sizes[0] * 384 :].reshape(x.shape[1], -1)
    v = run.regularizer.vicinity
    first = run.first_extra_row
    return columns[:, first : first + len(v.share)].T, v.partner, v.share
